/**
 * What every environment must keep, as a checker that returns the violations in words. Tests run it
 * over all registered families; a new environment is held to the same rules by one entry there.
 */
import fc from 'fast-check';
import { EnvironmentOptionError } from './options.ts';
import {
  type Environment,
  type EnvironmentFamily,
  EpisodeOverError,
  UnknownTaskError,
} from './types.ts';

export interface ConformanceSettings {
  /** How many tasks of each of the two lists are looked at, and random episodes played. */
  readonly tasks: number;
  /** Seed of the random choices. */
  readonly seed: number;
  /** When set, reward is 1 on the step that succeeds and 0 elsewhere; else only within [0, 1]. */
  readonly rewardOnSuccessOnly: boolean;
  /** `fingerprint` of the environment when its ids were fixed. */
  readonly fingerprint: string;
}

/** The default options, and every combination of each option's least and greatest value. */
export function boundaryOptions(family: EnvironmentFamily): Record<string, number>[] {
  let corners: Record<string, number>[] = [{}];
  for (const [name, { min, max }] of Object.entries(family.options)) {
    corners = corners.flatMap((corner) => [
      { ...corner, [name]: min },
      { ...corner, [name]: max },
    ]);
  }
  return Object.keys(family.options).length === 0 ? [{}] : [{}, ...corners];
}

/** A state and all it holds, made read-only. Typed arrays cannot be frozen and are left. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/**
 * The words of a text that are in no lexeme, read as the tokenizer does: split at single spaces,
 * the longest lexeme first.
 */
export function uncoveredWords(text: string, lexicon: readonly string[]): string[] {
  const lexemes = new Set(lexicon);
  const longest = Math.max(1, ...lexicon.map((lexeme) => lexeme.split(' ').length));
  const words = text.split(' ');
  const uncovered: string[] = [];
  for (let i = 0; i < words.length; ) {
    let length = Math.min(longest, words.length - i);
    while (length > 0 && !lexemes.has(words.slice(i, i + length).join(' '))) length--;
    if (length === 0) uncovered.push(words[i] ?? '');
    i += Math.max(1, length);
  }
  return uncovered;
}

/** 32-bit FNV-1a in hexadecimal. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
}

/** First, third and last task of a list. */
function someTasks(tasks: readonly string[]): string[] {
  return [0, 2, tasks.length - 1].flatMap((i) => tasks.slice(i, i + 1));
}

/**
 * A number for what some task ids mean: their texts along the expert's way. If it changes, ids have
 * changed their meaning, and the environment needs a new version in its id.
 */
export function fingerprint(environment: Environment): string {
  const story: string[] = [];
  for (const task of [...someTasks(environment.trainTasks), ...someTasks(environment.evalTasks)]) {
    let { state, observation } = environment.reset(task);
    story.push(task, observation);
    for (let turn = 0; turn < environment.turnLimit; turn++) {
      const action = environment.expert(state);
      const after = environment.step(state, action);
      story.push(action, after.observation);
      if (after.terminated) break;
      state = after.state;
    }
  }
  return hash(story.join('\n'));
}

const MEGABYTE = 'x'.repeat(1_000_000);

/** Texts that no environment takes for an action, with a name for the report. */
function strangeActions(admissible: string): [string, string][] {
  return [
    ['the empty text', ''],
    ['a space', ' '],
    ['a megabyte', MEGABYTE],
    ['a megabyte of an action', admissible.repeat(Math.ceil(1_000_000 / admissible.length))],
    ['control characters', '\u0000\u0007\u001b[31m\r\n\u007f'],
    ['another script', '上へ移動 نحو الأعلى вверх'],
    ['a lone surrogate', '\ud800'],
    ['names of object members', '__proto__'],
    ['names of object members', 'constructor'],
    ['an action after a space', ` ${admissible}`],
    ['an action before a space', `${admissible} `],
    ['an action before a line break', `${admissible}\n`],
    ['an action with doubled spaces', `${admissible.replaceAll(' ', '  ')}  `],
  ];
}

const SAYS_NOT_UNDERSTOOD = /unknown|not understood|invalid|could not|cannot/i;

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}

/** The error that a call throws, or undefined. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

/** Every way in which the family breaks the rules with these options; empty when it keeps them. */
export function conformanceViolations(
  family: EnvironmentFamily,
  options: Readonly<Record<string, number>>,
  settings: ConformanceSettings,
): string[] {
  const violations = new Set<string>();
  const fault = (text: string): void => {
    violations.add(text);
  };

  const environment = family.create(options);
  const twin = family.create({ ...options });
  const { trainTasks, evalTasks, lexicon, turnLimit } = environment;

  checkOptions(family, fault);

  // Ids and lists.
  if (environment.id !== family.id) fault(`its id ${environment.id} is not its family's`);
  if (!/-v\d+$/.test(environment.id)) fault('its id does not end in a version');
  for (const [name, tasks] of [
    ['trainTasks', trainTasks],
    ['evalTasks', evalTasks],
  ] as const) {
    if (tasks.length === 0) fault(`${name} is empty`);
    if (new Set(tasks).size !== tasks.length) fault(`${name} names a task twice`);
  }
  const train = new Set(trainTasks);
  const shared = evalTasks.filter((task) => train.has(task));
  if (environment.tasksOverlap === undefined && shared.length > 0) {
    fault(`train and eval share ${shared[0]} and tasksOverlap does not say why`);
  }
  if (environment.tasksOverlap !== undefined && shared.length === 0) {
    fault('tasksOverlap is set, yet train and eval share no task');
  }
  if (!(Number.isInteger(turnLimit) && turnLimit > 0)) fault(`turnLimit is ${turnLimit}`);
  for (const stranger of [
    '',
    'maze',
    `${trainTasks[0]} `,
    `${trainTasks[0]}0000000`,
    '__proto__',
  ]) {
    const thrown = thrownBy(() => environment.reset(stranger));
    if (!(thrown instanceof UnknownTaskError)) {
      fault(`reset("${stranger}") does not throw UnknownTaskError: ${nameOf(thrown)}`);
    }
  }

  // The lexicon.
  if (new Set(lexicon).size !== lexicon.length) fault('a lexeme is listed twice');
  for (const lexeme of lexicon) {
    if (!/^\S+( \S+)*$/.test(lexeme))
      fault(`the lexeme "${lexeme}" is not words and single spaces`);
  }
  const checkText = (what: string, text: string): void => {
    if (text === '') fault(`${what} is empty`);
    const [word] = uncoveredWords(text, lexicon);
    if (word !== undefined) fault(`${what} has "${word}", which is not in the lexicon`);
  };

  // Ids mean the same as when they were fixed, and in every instance, whatever it did before.
  const found = fingerprint(environment);
  if (found !== settings.fingerprint) {
    fault(`the fingerprint of its tasks is ${found}, no longer ${settings.fingerprint}`);
  }
  for (const task of [...someTasks(evalTasks), ...someTasks(trainTasks)].reverse()) {
    if (fc.stringify(environment.reset(task)) !== fc.stringify(twin.reset(task))) {
      fault(`${task} is not the same task in another instance`);
    }
  }

  const sample = <T>(arbitrary: fc.Arbitrary<T>, salt: number): T[] =>
    fc.sample(arbitrary, { seed: settings.seed + salt, numRuns: settings.tasks });
  const tasks = [
    ...sample(fc.constantFrom(...trainTasks), 1),
    ...sample(fc.constantFrom(...evalTasks), 2),
  ];

  // The expert solves every task.
  for (const task of tasks) {
    let { state, observation } = environment.reset(task);
    checkText('the first observation', observation);
    let score = 0;
    let turns = 0;
    for (let terminated = false; !terminated && turns < turnLimit; turns++) {
      if (environment.success(state)) fault(`${task} is solved before it has terminated`);
      const admissible = environment.admissibleActions(state);
      const action = environment.expert(state);
      if (!admissible.includes(action)) fault(`the expert's "${action}" is not admissible`);
      for (const text of admissible) checkText('an admissible action', text);
      const after = environment.step(state, action);
      if (!after.understood) fault(`the expert's "${action}" is not understood`);
      checkText('an observation', after.observation);
      score += after.reward;
      terminated = after.terminated;
      state = after.state;
    }
    if (!environment.success(state)) fault(`the expert does not solve ${task} in ${turns} turns`);
    if (Math.abs(score - 1) > 1e-9) fault(`the expert's score on ${task} is ${score}, not 1`);
    checkOver(environment, state, fault);
  }

  // Random episodes: any admissible action, any lexeme, any text.
  const anyAction = fc.oneof(
    { weight: 6, arbitrary: fc.nat().map((choice) => ({ choice })) },
    { weight: 2, arbitrary: fc.constantFrom(...lexicon).map((text) => ({ text })) },
    { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map((text) => ({ text })) },
  );
  const property = fc.property(
    fc.constantFrom(...trainTasks, ...evalTasks),
    fc.array(anyAction, { minLength: 1, maxLength: 2 * turnLimit }),
    (task, choices) => {
      const problems: string[] = [];
      const first = environment.reset(task);
      let { state } = first;
      let score = 0;
      for (const choice of choices) {
        const admissible = environment.admissibleActions(state);
        const action =
          'text' in choice ? choice.text : (admissible[choice.choice % admissible.length] ?? '');
        const result = playedTurn(environment, twin, state, action, (text) => problems.push(text));
        checkText('an observation', result.observation);
        score += result.reward;
        const solved = environment.success(result.state);
        const due = settings.rewardOnSuccessOnly ? [solved ? 1 : 0] : undefined;
        if (due !== undefined && !due.includes(result.reward)) {
          problems.push(`reward ${result.reward} where ${due[0]} is due`);
        }
        if (!(score >= -1e-9 && score <= 1 + 1e-9))
          problems.push(`score ${score} is not in [0, 1]`);
        if (solved && !result.terminated) problems.push('it goes on after success');
        state = result.state;
        if (result.terminated) {
          checkOver(environment, state, (text) => problems.push(text));
          break;
        }
        if (environment.admissibleActions(state).length === 0) {
          problems.push('no action is admissible though it has not terminated');
        }
      }
      if (problems.length > 0) throw new Error(problems[0]);
    },
  );
  const random = fc.check(property, { seed: settings.seed, numRuns: settings.tasks });
  if (random.failed) {
    fault(
      `a random episode: ${nameOf(random.errorInstance)}; ${fc.stringify(random.counterexample)}`,
    );
  }

  // Strange texts, at the start and in the middle of an episode.
  for (const task of tasks.slice(0, 3)) {
    let { state } = environment.reset(task);
    for (let turn = 0; turn < 2; turn++) {
      checkStrangeActions(environment, twin, state, checkText, fault);
      const after = environment.step(state, environment.expert(state));
      if (after.terminated) break;
      state = after.state;
    }
  }

  return [...violations];
}

type Report = (text: string) => void;

function checkOptions(family: EnvironmentFamily, fault: Report): void {
  const refused: [string, Record<string, number>][] = [
    ['an unknown option', { 'no such option': 1 }],
    ...Object.entries(family.options).flatMap(([name, { min, max, step }]) =>
      [min - step, max + step, min + step / 2, Number.NaN, Number.POSITIVE_INFINITY].map(
        (value): [string, Record<string, number>] => [`${name} = ${value}`, { [name]: value }],
      ),
    ),
  ];
  for (const [what, options] of refused) {
    const thrown = thrownBy(() => family.create(options));
    if (!(thrown instanceof EnvironmentOptionError)) {
      fault(`${what} does not throw EnvironmentOptionError: ${nameOf(thrown)}`);
    }
  }
}

/** One step, checked for determinism and purity. */
function playedTurn(
  environment: Environment,
  twin: Environment,
  state: unknown,
  action: string,
  fault: Report,
): ReturnType<Environment['step']> {
  deepFreeze(state);
  const before = fc.stringify(state);
  const result = environment.step(state, action);
  const written = fc.stringify(result);
  environment.success(state);
  environment.admissibleActions(state);
  environment.expert(state);
  if (fc.stringify(state) !== before) fault('a state was changed in place');
  if (fc.stringify(environment.step(state, action)) !== written) {
    fault('the same action on the same state gives another result');
  }
  const clone: unknown = structuredClone(state);
  if (fc.stringify(clone) !== before) fault('a state does not survive structuredClone');
  if (fc.stringify(twin.step(clone, action)) !== written) {
    fault('a cloned state behaves differently in another instance');
  }
  return result;
}

/** After the end nothing more can be done or earned. */
function checkOver(environment: Environment, state: unknown, fault: Report): void {
  if (environment.admissibleActions(state).length > 0) {
    fault('actions are admissible after the end');
  }
  const [action] = environment.lexicon;
  for (const [what, call] of [
    ['step', () => environment.step(state, action ?? '')],
    ['expert', () => environment.expert(state)],
  ] as const) {
    const thrown = thrownBy(call);
    if (!(thrown instanceof EpisodeOverError)) {
      fault(`${what} after the end does not throw EpisodeOverError: ${nameOf(thrown)}`);
    }
  }
}

function checkStrangeActions(
  environment: Environment,
  twin: Environment,
  state: unknown,
  checkText: (what: string, text: string) => void,
  fault: Report,
): void {
  const situation = (of: unknown) =>
    fc.stringify([
      environment.success(of),
      environment.admissibleActions(of),
      environment.expert(of),
    ]);
  const [admissible] = environment.admissibleActions(state);
  for (const [what, text] of strangeActions(admissible ?? 'go')) {
    let result: ReturnType<Environment['step']>;
    try {
      result = playedTurn(environment, twin, state, text, fault);
    } catch (thrown) {
      fault(`${what} makes step throw ${nameOf(thrown)}`);
      continue;
    }
    if (result.understood) fault(`${what} counts as understood`);
    if (result.reward !== 0) fault(`${what} is rewarded`);
    if (!SAYS_NOT_UNDERSTOOD.test(result.observation)) {
      fault(`the answer to ${what} does not say that it was not understood`);
    }
    checkText(`the answer to ${what}`, result.observation);
    if (result.terminated) fault(`${what} ends the episode`);
    else if (situation(result.state) !== situation(state)) fault(`${what} changes the task`);
  }
}
