/**
 * Checks a user's environment before training: plays it and reports each problem with its line.
 * Also measures what the run's settings depend on.
 */

import type { Language } from '../envs/written/card.ts';
import { lineOf } from '../envs/written/declared.ts';
import {
  compile,
  type WrittenEnvironment,
  type WrittenState,
} from '../envs/written/environment.ts';
import { CodeError } from '../envs/written/interpreter.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';

/** A problem in the code. */
export interface Finding {
  /** 1-based; null if no line is known. */
  readonly line: number | null;
  /** The message, without a full stop. */
  readonly problem: string;
  /** An error prevents training; a warning says why training may not succeed. */
  readonly level: 'error' | 'warning';
}

/** Measurements of the environment. */
export interface CodeFacts {
  readonly name: string | null;
  readonly turns: number;
  readonly tasks: number;
  /** Number of words and phrases, including the lab's reply to an invalid action. */
  readonly words: number;
  readonly hasExpert: boolean;
  /** Tokens of the longest observation and the longest action. */
  readonly observationTokens: number;
  readonly actionTokens: number;
  /** Share of tasks, from 0 to 1, that random admissible actions solve. */
  readonly chance: number;
  /** Share of tasks that the expert solves; null without an expert. */
  readonly expert: number | null;
}

export interface CodeCheck {
  /** Errors first. */
  readonly findings: readonly Finding[];
  /** Null if the code has an error. */
  readonly facts: CodeFacts | null;
}

/** Number of tasks played at random and by the expert. */
const PLAYED = 60;
/** Maximum number of findings; one mistake can show up in many texts. */
const MOST_FINDINGS = 8;
/** Operations per turn above which training is slow: an iteration plays thousands of turns. */
const SLOW_OPERATIONS = 50_000;
/** Operations after which a check starts no further task. */
const MOST_OPERATIONS = 100_000_000;

/**
 * Plays the environment in the code and reports its problems and measurements. An error in the code
 * is reported as a finding, never thrown.
 *
 * @param onEpisode called after every episode
 */
export function checkCode(
  code: string,
  onEpisode: () => void = () => undefined,
  language: Language = 'javascript',
): CodeCheck {
  const made: WrittenEnvironment[] = [];
  const make = () => {
    const environment = compile(code, language);
    made.push(environment);
    return environment;
  };
  try {
    return new CodeInspection(code, language, make(), make()).inspect(onEpisode);
  } catch (error) {
    if (!(error instanceof CodeError)) throw error;
    const { problem, line } = error;
    return { findings: [{ line, problem, level: 'error' }], facts: null };
  } finally {
    for (const environment of made) environment.dispose();
  }
}

class CodeInspection {
  readonly #code: string;
  readonly #language: Language;
  readonly #environment: WrittenEnvironment;
  /** A second instance, which has already played a different task. */
  readonly #twin: WrittenEnvironment;
  readonly #tokenizer: WordTokenizer;
  readonly #findings = new Map<string, Finding>();
  readonly #known = new Set<string>();
  #observationTokens = 0;
  #actionTokens = 0;
  #turns = 0;
  #seed = 1;

  /** @throws {CodeError} */
  constructor(
    code: string,
    language: Language,
    environment: WrittenEnvironment,
    twin: WrittenEnvironment,
  ) {
    this.#code = code;
    this.#language = language;
    this.#environment = environment;
    this.#twin = twin;
    this.#tokenizer = new WordTokenizer(this.#environment.lexicon);
    this.#checkTurnLimit(this.#twin, this.#twin.trainTasks.at(-1) ?? '');
  }

  /** @throws {CodeError} */
  inspect(onEpisode: () => void): CodeCheck {
    const { trainTasks, evalTasks, hasExpert } = this.#environment;
    const tasks = [...trainTasks.slice(0, PLAYED), ...evalTasks.slice(0, PLAYED / 4)];
    let played = 0;
    let solvedByChance = 0;
    let solvedByExpert = 0;
    for (const task of tasks) {
      const chosen = this.#play(task, ({ actions }) => actions[this.#draw(actions.length)] ?? '');
      if (chosen) solvedByChance++;
      onEpisode();
      if (hasExpert && this.#play(task, (state) => this.#expertAction(state))) solvedByExpert++;
      onEpisode();
      played++;
      if (this.#environment.operations() > MOST_OPERATIONS) break;
    }
    this.#checkTurnLimit(this.#environment, trainTasks[0] ?? '');
    if (solvedByChance + solvedByExpert === 0) {
      this.#report(
        'step',
        'no episode succeeds: step must return done: true with a reward above 0, or success: true',
        'warning',
      );
    } else if (hasExpert && solvedByExpert < played / 2) {
      const share = Math.round((100 * solvedByExpert) / played);
      this.#report('expert', `the expert solves only ${share}% of the tasks`, 'warning');
    }
    const cost = Math.round(this.#environment.operations() / Math.max(1, this.#turns));
    if (cost > SLOW_OPERATIONS) {
      const operations = cost.toLocaleString('en-US');
      this.#report(
        'step',
        `a turn takes about ${operations} operations, which makes training slow: an iteration plays thousands of turns`,
        'warning',
      );
    }
    const findings = [...this.#findings.values()].sort(
      (a, b) => Number(a.level === 'warning') - Number(b.level === 'warning'),
    );
    const { title, turnLimit, lexicon } = this.#environment;
    const facts: CodeFacts = {
      ...{ name: title, turns: turnLimit, tasks: trainTasks.length, words: lexicon.length },
      hasExpert,
      observationTokens: this.#observationTokens,
      actionTokens: this.#actionTokens,
      chance: solvedByChance / played,
      expert: hasExpert ? solvedByExpert / played : null,
    };
    return { findings, facts: findings[0]?.level === 'error' ? null : facts };
  }

  /** Plays a task; returns whether it was solved. */
  #play(task: string, choose: (state: WrittenState) => string): boolean {
    const environment = this.#environment;
    const first = environment.reset(task);
    this.#compare('reset', first, this.#twin.reset(task));
    this.#readText('reset', first.observation);
    let { state } = first;
    let score = 0;
    while (!state.over) {
      this.#checkActions(state);
      this.#drawn(state);
      if (state.actions.length === 0) return false;
      const action = choose(state);
      const after = environment.step(state, action);
      this.#turns++;
      this.#compare('step', after, this.#twin.step(state, action));
      this.#readText('step', after.observation);
      score += after.reward;
      ({ state } = after);
    }
    this.#drawn(state);
    if (score < -1e-9 || score > 1 + 1e-9) {
      const total = Number(score.toFixed(3));
      this.#report(
        'step',
        `the rewards of an episode sum to ${total}; charts and methods expect a sum from 0 to 1`,
        'warning',
      );
    }
    return environment.success(state);
  }

  #expertAction(state: WrittenState): string {
    const { action, thought } = this.#environment.expert(state);
    if (!state.actions.includes(action)) {
      const shown = JSON.stringify(action);
      this.#report('expert', `the expert's action ${shown} is not among the actions`);
      return state.actions[0] ?? '';
    }
    if (this.#environment.hasExpert && thought !== '') this.#readThought(thought);
    return action;
  }

  #readThought(thought: string): void {
    if (this.#environment.thoughtLexicon.includes(thought)) return;
    this.#readText('expert', thought);
  }

  #checkActions({ actions }: WrittenState): void {
    if (actions.length === 0) {
      this.#report('actions', 'actions returns an empty list before the task has ended');
    }
    for (const action of actions) {
      const length = this.#read('actions', action);
      this.#actionTokens = Math.max(this.#actionTokens, length);
    }
  }

  #drawn(state: WrittenState): void {
    const rows = this.#environment.draw(state);
    if (rows === null) return;
    const width = [...(rows[0] ?? '')].length;
    if (width === 0 || rows.length > MOST_SIDE || width > MOST_SIDE) {
      this.#report(
        'draw',
        `draw must return 1 to ${MOST_SIDE} rows of 1 to ${MOST_SIDE} characters`,
      );
    } else if (rows.some((row) => [...row].length !== width)) {
      this.#report('draw', 'draw must return rows of equal length');
    }
  }

  #readText(from: string, text: string): void {
    this.#observationTokens = Math.max(this.#observationTokens, this.#read(from, text));
  }

  /** Counts the tokens of a text, and reports the text unless it consists of known words. */
  #read(from: string, text: string): number {
    const tokens = this.#tokenizer.encode(text);
    if (this.#known.has(text)) return tokens.length;
    this.#known.add(text);
    if (this.#tokenizer.decode(tokens) === text) return tokens.length;
    const missing = text
      .split(' ')
      .find((word) => this.#tokenizer.decode(this.#tokenizer.encode(word)) !== word);
    const shown = JSON.stringify(text.slice(0, 60));
    this.#report(
      'words',
      missing === undefined || missing === ''
        ? `${from} returns ${shown}, but a text must consist of words separated by single spaces`
        : `${from} returns ${shown}, but ${JSON.stringify(missing.slice(0, 40))} is missing from words`,
    );
    return tokens.length;
  }

  #compare(name: 'reset' | 'step', one: unknown, other: unknown): void {
    if (JSON.stringify(one) === JSON.stringify(other)) return;
    this.#report(
      name,
      `${name} is not deterministic: the same arguments gave different results; keep all data in the state, not in variables that outlive a call`,
    );
  }

  /** Invalid actions must not throw, up to the turn limit. */
  #checkTurnLimit(environment: WrittenEnvironment, task: string): void {
    let { state } = environment.reset(task);
    while (!state.over) ({ state } = environment.step(state, ''));
    // A valid action may change variables outside the state. They then differ between the two
    // instances, which `#compare` detects.
    ({ state } = environment.reset(task));
    environment.step(state, state.actions[0] ?? '');
  }

  #report(name: string, problem: string, level: Finding['level'] = 'error'): void {
    if (this.#findings.size >= MOST_FINDINGS) return;
    const finding = { line: lineOf(this.#code, name, this.#language), problem, level };
    this.#findings.set(problem, finding);
  }

  /** A number from 0 to n − 1, the same in every check (xorshift32, Marsaglia 2003). */
  #draw(n: number): number {
    let x = this.#seed;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#seed = x;
    return (x >>> 0) % Math.max(1, n);
  }
}

/** Maximum number of rows and columns of a view. */
const MOST_SIDE = 30;

/** A turn of a trial episode, with its result. */
interface TrialTurn {
  /** Null at the start of the task. */
  readonly action: string | null;
  readonly text: string;
  readonly reward: number;
  readonly rows: readonly string[] | null;
}

/** An episode in the editor. */
export interface Trial {
  readonly turns: readonly TrialTurn[];
  /** The possible actions; empty at the end. */
  readonly actions: readonly string[];
  readonly success: boolean;
  readonly over: boolean;
}

/**
 * Plays actions, then optionally lets the expert finish.
 *
 * @throws {CodeError}
 */
export function tryCode(
  environment: WrittenEnvironment,
  taskNumber: number,
  actions: readonly string[],
  finish: boolean,
): Trial {
  const { trainTasks } = environment;
  const start = environment.reset(trainTasks[taskNumber % trainTasks.length] ?? '');
  let { state } = start;
  const turns: TrialTurn[] = [
    { action: null, text: start.observation, reward: 0, rows: environment.draw(state) },
  ];
  const act = (action: string) => {
    const after = environment.step(state, action);
    ({ state } = after);
    const rows = environment.draw(state);
    turns.push({ action, text: after.observation, reward: after.reward, rows });
  };
  for (const action of actions) if (!state.over) act(action);
  while (finish && !state.over && state.actions.length > 0) act(environment.expert(state).action);
  const { success, over } = state;
  return { turns, actions: state.actions, success, over };
}
