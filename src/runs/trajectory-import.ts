/**
 * From the dialogues of a file to episodes that can be replayed.
 *
 * Neither layout says which version of an environment played, or with what options. An episode
 * finds its way back by what it says: the environments that have its task are tried, those of the
 * present run first, then every registered one as it comes, then with one option changed, until one
 * answers the recorded actions with the recorded observations.
 */

import type { Acted, Standing } from '../envs/episode.ts';
import { act, begin, replay, solved } from '../envs/episode.ts';
import { createEnvironment, environmentFamilies } from '../envs/registry.ts';
import type { Environment, EnvironmentOption, OptionValue } from '../envs/types.ts';
import { agentTrajDialogues } from './agent-traj.ts';
import type { EnvironmentRef, EpisodeRecord, EpisodeTurn } from './episode.ts';
import { rolloutLogDialogues, taskNumber } from './rollout-log.ts';
import { type Dialogue, readItems } from './trajectory-file.ts';

/** How an imported episode can be shown. */
export type Replay =
  /** The environment gives the recorded observations again: states are re-enacted from the actions. */
  | { readonly kind: 'exact' }
  /**
   * The words differ, as in files of the original maze, but they tell of places: (turns + 1) states
   * that agree with them.
   */
  | { readonly kind: 'located'; readonly states: readonly unknown[] }
  /** The dialogue alone. */
  | {
      readonly kind: 'text';
      /** One sentence that says why it is not drawn. */
      readonly why: string;
    };

/** An episode from a file. */
export interface ImportedTrajectory {
  /** The file's id of its task; where the tasks are numbered otherwise, the record has another. */
  readonly itemId: string | number;
  /**
   * Its turns have no tokens, since files hold no probabilities. The score is NaN where neither the
   * file nor an environment tells it; success then is false and means nothing.
   */
  readonly record: EpisodeRecord;
  readonly replay: Replay;
}

export type TrajectoryLayout = 'agent-traj' | 'rollout-log';

/**
 * Reads a file in either layout, told apart by the names of its fields.
 *
 * @throws {TrajectoryFileError} naming the first item and field at fault.
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
 * Reads a file and finds out how each of its episodes can be replayed.
 *
 * @param present environments of the present run, which are tried first
 * @throws {TrajectoryFileError} naming the first item and field at fault.
 */
export function importTrajectories(
  text: string,
  present: readonly EnvironmentRef[],
): readonly ImportedTrajectory[] {
  const { dialogues } = readTrajectoryFile(text);
  const finder = new ReplayFinder(present);
  return dialogues.map((dialogue) => finder.find(dialogue));
}

/** An environment with its tasks by number. */
class Candidate {
  readonly ref: EnvironmentRef;
  readonly environment: Environment;
  /** Nearly every number is of one task, and a list for each would take much of the memory. */
  readonly #byNumber = new Map<number, string | readonly string[]>();
  readonly #unnumbered = new Set<string>();
  /** Tasks by the place in which they begin. */
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

  /** Tasks that an item's id can mean: `maze_7`, `lmrlgym_maze_7` and 7 all mean `maze_7`. */
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

  /** A task that begins in the place that a text tells of, the item's own first; null if none does. */
  taskAt(text: string | undefined, itemId: string | number): string | null {
    const place = this.#place(text);
    if (place === null) return null;
    const begins = (task: string) =>
      this.#place(this.environment.reset(task).observation) === place;
    const own = this.tasks(itemId).find(begins);
    if (own !== undefined) return own;
    if (this.#starts === null) {
      const { trainTasks, evalTasks } = this.environment;
      // Written in reverse, so that the first of several tasks is the one that stays.
      const tasks = [...trainTasks, ...evalTasks].reverse();
      this.#starts = new Map(
        tasks.map((task) => [this.#place(this.environment.reset(task).observation), task]),
      );
    }
    return this.#starts.get(place) ?? null;
  }

  /**
   * Where an action leads: a step whose outcome is the place that was told of next. The action itself
   * is tried first, then those that make sense here, for files whose actions are written otherwise.
   * A text that tells of no place, such as `Success`, agrees with what the action itself does.
   */
  follow(at: Standing, action: string, told: string | undefined): Acted | null {
    const { environment } = this;
    const place = this.#place(told);
    const admissible = environment.admissibleActions(at.state);
    if (admissible.length === 0) return null;
    for (const tried of [action, ...admissible]) {
      const after = act(environment, at, tried);
      if (place === null || this.#place(after.observation) === place) return after;
    }
    return null;
  }

  /** Whether most of the texts tell of a place; the last one, such as `Success`, need not. */
  tellsPlaces(texts: readonly string[]): boolean {
    const told = texts.filter((text) => this.#place(text) !== null);
    return 2 * (told.length + 1) > texts.length;
  }

  /** What a text tells of a state, as a key; null where it tells too little. */
  #place(text: string | undefined): string | null {
    const { environment } = this;
    if (environment.locate === undefined || text === undefined) return null;
    // The last line alone first: the rules of the game before it may hold an example.
    const state =
      environment.locate(text.slice(text.lastIndexOf('\n') + 1)) ?? environment.locate(text);
    return state === null || state === undefined ? null : JSON.stringify(state);
  }
}

/** Most values of a numeric option that are tried. */
const MOST_VALUES = 16;

/** Finds out how episodes can be replayed; an environment is made once and kept. */
export class ReplayFinder {
  /** The present run's environments, then every registered one as it comes. */
  readonly #refs: readonly EnvironmentRef[];
  /** Those of `#refs` that have been needed so far, in its order. */
  readonly #made: Candidate[] = [];
  /** By family, those with one option changed. */
  readonly #varied = new Map<string, readonly Candidate[]>();
  /** Files mostly hold episodes of one environment. */
  #last: Candidate | null = null;

  /** @param present environments of the present run, which are tried first */
  constructor(present: readonly EnvironmentRef[]) {
    this.#refs = [
      ...present,
      ...environmentFamilies.map(({ id }): EnvironmentRef => ({ id, options: {} })),
    ];
  }

  /** The environment of the episode before, then the others without a changed option. */
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
      const why = `This item is a task without a dialogue, and no environment here has a task ${itemId}.`;
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
        ? `No environment here answers the actions of ${itemId} as recorded, so it is shown as text.`
        : `No environment here has a task ${itemId}, so it is shown as text.`,
    );
  }

  #found(candidate: Candidate, trajectory: ImportedTrajectory): ImportedTrajectory {
    this.#last = candidate;
    return trajectory;
  }

  /** Environments with one option changed, of the families whose tasks begin with the same word. */
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
 * Whether an environment's words are the recorded ones. Before a first observation the suite's
 * clients may put the rules of the game.
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

/** The episode as the environment plays it; null where it says anything else than the file. */
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
    // Nothing is said any more once a task is over.
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
 * The episode in the task that begins where the recorded one does, its states walked through by what
 * the observations tell; null where they tell too little, or of ways that this environment has not.
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

/** The dialogue as it stands. The suite counts an episode as solved when its reward is 1. */
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
