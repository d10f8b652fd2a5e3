/**
 * Turns imported dialogues into episodes that can be replayed.
 *
 * Neither layout stores an environment's version or options. They are inferred by replay: environments
 * that have the task are tried (those of the current run first, then each registered one with default
 * options, then with one option changed) until one reproduces the recorded observations.
 */

import type { ActionResult, Standing } from '../../envs/episode.ts';
import { act, begin, replay, solved } from '../../envs/episode.ts';
import {
  areLoaded,
  createEnvironment,
  environmentFamilies,
  familyOf,
} from '../../envs/registry.ts';
import type { Environment, EnvironmentOption, OptionValue } from '../../envs/types.ts';
import type { EnvironmentRef, EpisodeRecord, EpisodeTurn } from '../../runs/episode.ts';
import { agentTrajDialogues } from './agent-traj.ts';
import { rolloutLogDialogues, taskNumber } from './rollout-log.ts';
import { type Dialogue, readItems } from './trajectory-file.ts';

/** How an imported episode can be displayed. */
export type Replay =
  /** The environment reproduces the observations; states are replayed from the actions. */
  | { readonly kind: 'exact' }
  /**
   * The wording differs, as in files of AgentGym's maze, but positions match: (turns + 1) states that
   * agree with the observations.
   */
  | { readonly kind: 'located'; readonly states: readonly unknown[] }
  /** Only the text of the dialogue. */
  | {
      readonly kind: 'text';
      /** One sentence on why it is not drawn. */
      readonly why: string;
    };

/** An imported episode. */
export interface ImportedTrajectory {
  /** The task id in the file; the record's id may differ if tasks are numbered differently here. */
  readonly itemId: string | number;
  /**
   * Turns have no tokens, because files contain no probabilities. The score is NaN if neither the file
   * nor an environment provides it; success is then false and meaningless.
   */
  readonly record: EpisodeRecord;
  readonly replay: Replay;
}

export type TrajectoryLayout = 'agent-traj' | 'rollout-log';

/**
 * Parses a file in either layout, detected by field names.
 *
 * @throws {TrajectoryFileError} naming the first invalid item and field
 */
export function readTrajectoryFile(text: string): {
  readonly layout: TrajectoryLayout;
  readonly dialogues: readonly Dialogue[];
} {
  const items = readItems(text);
  return items.some(isOfRolloutLog)
    ? { layout: 'rollout-log', dialogues: rolloutLogDialogues(items) }
    : { layout: 'agent-traj', dialogues: agentTrajDialogues(items) };
}

function isOfRolloutLog(item: unknown): boolean {
  if (typeof item !== 'object' || item === null || !('conversations' in item)) return false;
  const { conversations } = item;
  if (!Array.isArray(conversations)) return false;
  const first: unknown = conversations[0];
  return typeof first === 'object' && first !== null && 'role' in first && !('from' in first);
}

/**
 * Parses a file and determines how each episode can be replayed.
 *
 * @param present environments of the current run, tried first
 * @throws {TrajectoryFileError} naming the first invalid item and field
 */
export function importTrajectories(
  text: string,
  present: readonly EnvironmentRef[],
): readonly ImportedTrajectory[] {
  const { dialogues } = readTrajectoryFile(text);
  const finder = new ReplayFinder(present);
  return dialogues.map((dialogue) => finder.find(dialogue));
}

/** An environment with an index of its tasks. */
class Candidate {
  readonly ref: EnvironmentRef;
  readonly environment: Environment;
  /** Keyed by number. A single task, the usual case, is stored without a list to save memory. */
  readonly #byNumber = new Map<number, string | readonly string[]>();
  readonly #unnumbered = new Set<string>();
  /** Tasks by start position. */
  #starts: ReadonlyMap<string | null, string> | null = null;

  constructor(ref: EnvironmentRef) {
    this.ref = ref;
    this.environment = createEnvironment(ref.id, ref.options);
    const { trainTasks, evalTasks } = this.environment;
    for (const task of new Set([...trainTasks, ...evalTasks])) {
      const number = taskNumber(task);
      if (number === null) this.#unnumbered.add(task);
      else this.#byNumber.set(number, this.#withNumber(number, task));
    }
  }

  /** Tasks that an item id may refer to: `maze_7`, `lmrlgym_maze_7` and 7 all refer to `maze_7`. */
  tasks(itemId: string | number): readonly string[] {
    if (typeof itemId === 'number') return this.#numbered(itemId);
    const number = taskNumber(itemId);
    if (number === null) return this.#unnumbered.has(itemId) ? [itemId] : [];
    return this.#numbered(number).filter((task) => itemId === task || itemId.endsWith(`_${task}`));
  }

  #numbered(number: number): readonly string[] {
    const found = this.#byNumber.get(number) ?? [];
    return typeof found === 'string' ? [found] : found;
  }

  #withNumber(number: number, task: string): string | readonly string[] {
    const others = this.#numbered(number);
    return others.length === 0 ? task : [...others, task];
  }

  /** A task that starts at the position in a text, preferring the item's own; null if none does. */
  taskAt(text: string | undefined, itemId: string | number): string | null {
    const place = this.#place(text);
    if (place === null) return null;
    const begins = (task: string) =>
      this.#place(this.environment.reset(task).observation) === place;
    const own = this.tasks(itemId).find(begins);
    if (own !== undefined) return own;
    if (this.#starts === null) {
      const { trainTasks, evalTasks } = this.environment;
      // In reverse order, so that the first of several tasks wins.
      const tasks = [...trainTasks, ...evalTasks].reverse();
      this.#starts = new Map(
        tasks.map((task) => [this.#place(this.environment.reset(task).observation), task]),
      );
    }
    return this.#starts.get(place) ?? null;
  }

  /**
   * Finds the step that leads to the next observed position: the recorded action first, then each valid
   * action, for files with different action wording. A text without a position, such as `Success`,
   * matches the recorded action.
   */
  follow(at: Standing, action: string, observation: string | undefined): ActionResult | null {
    const { environment } = this;
    const place = this.#place(observation);
    const admissible = environment.admissibleActions(at.state);
    if (admissible.length === 0) return null;
    for (const tried of [action, ...admissible]) {
      const after = act(environment, at, tried);
      if (place === null || this.#place(after.observation) === place) return after;
    }
    return null;
  }

  /** Whether most texts contain a position; the last one, such as `Success`, may not. */
  tellsPlaces(texts: readonly string[]): boolean {
    const positions = texts.filter((text) => this.#place(text) !== null);
    return 2 * (positions.length + 1) > texts.length;
  }

  /** The state described by a text, as a key; null if it says too little. */
  #place(text: string | undefined): string | null {
    const { environment } = this;
    if (environment.locate === undefined || text === undefined) return null;
    // Try the last line first: rules before it may contain an example.
    const state =
      environment.locate(text.slice(text.lastIndexOf('\n') + 1)) ?? environment.locate(text);
    return state === null || state === undefined ? null : JSON.stringify(state);
  }
}

/** Maximum number of values to try for a numeric option. */
const MOST_VALUES = 16;

/** Determines how episodes can be replayed; caches environments. */
class ReplayFinder {
  /** The current run's environments, then each registered one with default options. */
  readonly #refs: readonly EnvironmentRef[];
  /** Environments created so far, in the order of `#refs`. */
  readonly #made: Candidate[] = [];
  /** Environments with one option changed, by family. */
  readonly #varied = new Map<string, readonly Candidate[]>();
  /** Most files contain episodes of one environment. */
  #last: Candidate | null = null;

  /** @param present environments of the current run, tried first */
  constructor(present: readonly EnvironmentRef[]) {
    this.#refs = [
      // The run may use a server or Python, which cannot be created here.
      ...present.filter(({ id }) => familyOf(id) !== undefined && areLoaded([id])),
      ...environmentFamilies.map(({ id }): EnvironmentRef => ({ id, options: {} })),
    ];
  }

  /** The previous episode's environment, then the others with default options. */
  *#usual(): Generator<Candidate> {
    if (this.#last !== null) yield this.#last;
    for (const [i, ref] of this.#refs.entries()) {
      let candidate = this.#made[i];
      if (candidate === undefined) {
        candidate = new Candidate(ref);
        this.#made.push(candidate);
      }
      yield candidate;
    }
  }

  find(dialogue: Dialogue): ImportedTrajectory {
    const { itemId, observations } = dialogue;
    for (const candidate of this.#usual()) {
      const found = exactIn(candidate, dialogue);
      if (found !== null) return this.#found(candidate, found);
    }
    if (observations.length === 0) {
      const why = `This item is a task without a dialogue, and no environment has a task ${itemId}.`;
      return asText(dialogue, why);
    }
    for (const candidate of this.#variations(dialogue)) {
      const found = exactIn(candidate, dialogue);
      if (found !== null) return this.#found(candidate, found);
    }
    for (const candidate of this.#usual()) {
      const found = located(candidate, dialogue);
      if (found !== null) return found;
    }
    const known = this.#made.some((candidate) => candidate.tasks(itemId).length > 0);
    return asText(
      dialogue,
      known
        ? `No environment reproduces the recorded dialogue of ${itemId}, so it is shown as text.`
        : `No environment has a task ${itemId}, so it is shown as text.`,
    );
  }

  #found(candidate: Candidate, trajectory: ImportedTrajectory): ImportedTrajectory {
    this.#last = candidate;
    return trajectory;
  }

  /**
   * Environments with one option changed, of families that have the task and whose observation starts with
   * the same word.
   */
  *#variations({ itemId, observations }: Dialogue): Generator<Candidate> {
    const word = firstWord(observations[0] ?? '');
    for (const { id, options } of environmentFamilies) {
      const plain = this.#made.find(({ ref }) => ref.id === id);
      const [task] = plain?.tasks(itemId) ?? [];
      if (plain === undefined || task === undefined) continue;
      if (firstWord(plain.environment.reset(task).observation) !== word) continue;
      let varied = this.#varied.get(id);
      if (varied === undefined) {
        varied = Object.entries(options).flatMap(([name, option]) =>
          otherValues(option).map((value) => new Candidate({ id, options: { [name]: value } })),
        );
        this.#varied.set(id, varied);
      }
      yield* varied;
    }
  }
}

const firstWord = (text: string): string => /^\S*/.exec(text)?.[0] ?? '';

function otherValues(option: EnvironmentOption): readonly OptionValue[] {
  switch (option.type) {
    case 'choice':
      return option.choices.filter((choice) => choice !== option.default);
    case 'number': {
      const count = Math.floor((option.max - option.min) / option.step) + 1;
      if (count > MOST_VALUES) return [];
      return Array.from({ length: count }, (_, i) => option.min + i * option.step).filter(
        (value) => value !== option.default,
      );
    }
    case 'text':
      return [];
    default:
      return option satisfies never;
  }
}

/**
 * Whether an environment's text equals the recorded one. AgentGym's clients may prepend the game's rules
 * to the first observation.
 */
function agrees(recorded: string | undefined, said: string): boolean {
  return recorded === undefined || recorded === said || recorded.endsWith(`\n${said}`);
}

function exactIn(candidate: Candidate, dialogue: Dialogue): ImportedTrajectory | null {
  for (const task of candidate.tasks(dialogue.itemId)) {
    const record = replayed(candidate, task, dialogue);
    if (record !== null) return { itemId: dialogue.itemId, record, replay: { kind: 'exact' } };
  }
  return null;
}

/** Replays the episode; null if any observation differs from the file. */
function replayed(
  { ref, environment }: Candidate,
  taskId: string,
  { observations, turns, reward }: Dialogue,
): EpisodeRecord | null {
  let at: Standing = begin(environment, taskId);
  if (!agrees(observations[0], at.observation)) return null;
  const played: EpisodeTurn[] = [];
  for (const { before, choice, after } of replay(environment, at, turns)) {
    const { action, understood, reward: own } = after;
    const i = played.length;
    if (!agrees(observations[i + 1], after.observation)) return null;
    // No observation follows the end of a task.
    if (after.terminated && i < turns.length - 1) return null;
    played.push({
      observation: observations[i] ?? before.observation,
      thought: choice.thought,
      tokens: [],
      action,
      understood,
      reward: own,
    });
    at = after;
  }
  return {
    environment: ref,
    taskId,
    turns: played,
    finalObservation: observations[turns.length] ?? at.observation,
    success: solved(environment, at),
    truncated: !at.terminated && turns.length > 0,
    score: reward ?? sumOfRewards(played),
  };
}

/**
 * Locates the episode in the task with the same start and follows its observed positions; null if they
 * are missing or impossible here.
 */
function located(candidate: Candidate, dialogue: Dialogue): ImportedTrajectory | null {
  const { ref, environment } = candidate;
  const { itemId, observations, turns, reward } = dialogue;
  const taskId = candidate.taskAt(observations[0], itemId);
  if (taskId === null || !candidate.tellsPlaces(observations)) return null;
  let at: Standing = begin(environment, taskId);
  const states = [at.state];
  const played: EpisodeTurn[] = [];
  for (const [i, { thought, action }] of turns.entries()) {
    const after = candidate.follow(at, action, observations[i + 1]);
    if (after === null) return null;
    const { understood } = after;
    played.push({
      observation: observations[i] ?? '',
      thought,
      tokens: [],
      action,
      understood,
      reward: after.reward,
    });
    at = after;
    states.push(at.state);
  }
  return {
    itemId,
    record: {
      environment: ref,
      taskId,
      turns: played,
      finalObservation: observations[turns.length] ?? '',
      success: solved(environment, at),
      truncated: false,
      score: reward ?? sumOfRewards(played),
    },
    replay: { kind: 'located', states },
  };
}

const sumOfRewards = (turns: readonly EpisodeTurn[]): number =>
  turns.reduce((sum, turn) => sum + turn.reward, 0);

/** The dialogue as text. AgentGym counts an episode as solved if its reward is 1. */
function asText(
  { itemId, observations, turns, reward }: Dialogue,
  why: string,
): ImportedTrajectory {
  return {
    itemId,
    record: {
      environment: { id: String(itemId).replace(/_\d+$/, ''), options: {} },
      taskId: String(itemId),
      turns: turns.map(({ thought, action }, i) => ({
        observation: observations[i] ?? '',
        thought,
        tokens: [],
        action,
        understood: true,
        reward: 0,
      })),
      finalObservation: observations[turns.length] ?? '',
      success: reward === 1,
      truncated: false,
      score: reward ?? Number.NaN,
    },
    replay: { kind: 'text', why },
  };
}
