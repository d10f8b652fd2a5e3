/**
 * What a trainer holds between two iterations beside its policy: with both, training goes on bit for
 * bit. Plain data; what comes from a file is checked here against the run that it is to go on with.
 */
import { z } from 'zod';
import type { EpisodeRequest, PausedEpisode } from '../agents/rollout.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import { runLimits } from '../files/limits.ts';
import { firstFault, list, pathText } from '../files/schema.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import { CheckpointError } from '../runs/checkpoint.ts';
import { taskPiles } from './environments.ts';
import type { TrainingEpisode } from './learn/batch.ts';
import type { SkippedUpdates } from './learn/updates.ts';
import type { Unfinished } from './play/groups.ts';
import type { TrainingGroup } from './play/replay.ts';

/** What goes over from one iteration into the next. */
export interface TrainerState extends Unfinished {
  readonly iteration: number;
  readonly turns: number;
  readonly tokens: number;
  /** Wall clock of all iterations. */
  readonly seconds: number;
  /** `eval/success_rate` where the last iteration evaluated; it may have ended the run. */
  readonly success: number | null;
  /** Where each random stream stands. */
  readonly streams: Readonly<Record<StreamName, readonly number[]>>;
  /** Updates of reinforcement learning; they set the learning rate. */
  readonly updates: number;
  readonly skipped: SkippedUpdates;
  /** The replay buffer, iteration by iteration, oldest first. */
  readonly replay: readonly (readonly TrainingGroup[])[];
}

export const streamNames = [
  'init',
  'tasks',
  'sampling',
  'shuffle',
  'replay',
  'warmStart',
  'picks',
] as const;
export type StreamName = (typeof streamNames)[number];

/**
 * The state as it is kept. A paused episode's place in its environment is left out: its actions lead
 * there again.
 */
export function packTrainerState(state: TrainerState): unknown {
  return {
    ...state,
    paused: state.paused.map(({ request, observation, turns }) => ({
      request,
      observation,
      turns,
    })),
  };
}

const count = z.int().min(0);
// Checked in one go: a replay buffer holds hundreds of thousands of them, and some may be NaN.
const numbers = z.custom<readonly number[]>(
  (value) => Array.isArray(value) && value.every((n) => typeof n === 'number'),
  'must be a list of numbers',
);
const counts = z.custom<readonly number[]>(
  (value) => Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0),
  'must be a list of whole numbers',
);

const turn = z
  .strictObject({
    observation: z.string(),
    thought: z.string(),
    action: z.string(),
    observationTokens: counts,
    actionTokens: counts,
    logps: numbers,
    entropies: numbers,
    version: count,
    contextStart: count,
    reward: z.number(),
    understood: z.boolean(),
  })
  .refine(
    ({ actionTokens, logps, entropies }) =>
      logps.length === actionTokens.length && entropies.length === actionTokens.length,
    'must have a log-probability and an entropy for each token',
  );

const request = z.strictObject({
  iteration: count,
  episode: count,
  task: z.string(),
  group: count,
  horizon: z.int().min(1),
});

const trajectory = z.strictObject({
  iteration: count,
  episode: count,
  task: z.string(),
  group: count,
  horizon: z.int().min(1),
  taskKept: z.boolean(),
  turns: list(turn, { min: 1, max: runLimits.turns }),
  finalObservation: z.string(),
  score: z.number(),
  success: z.boolean(),
  terminated: z.boolean(),
  truncated: z.boolean(),
});

const sequence = z
  .strictObject({ tokens: counts, rows: counts, first: count })
  .refine(
    ({ tokens, rows }) => rows.every((row, i) => row < tokens.length && row > (rows[i - 1] ?? -1)),
    'must have ascending rows among its tokens',
  );

const optionalColumns = ['returns', 'oldValues', 'proximalLogps', 'referenceLogps'] as const;

const trainingEpisode = z
  .strictObject({
    sequences: list(sequence, { max: runLimits.turns }),
    targets: counts,
    behaviourLogps: numbers,
    versions: counts,
    turns: counts,
    advantages: numbers,
    returns: numbers.exactOptional(),
    oldValues: numbers.exactOptional(),
    proximalLogps: numbers.exactOptional(),
    referenceLogps: numbers.exactOptional(),
  })
  .refine((episode) => {
    const { length } = episode.targets;
    const columns = [
      episode.behaviourLogps,
      episode.versions,
      episode.turns,
      episode.advantages,
      ...optionalColumns.map((name) => episode[name] ?? episode.advantages),
    ];
    let first = 0;
    for (const { first: start, rows } of episode.sequences) {
      if (start !== first) return false;
      first += rows.length;
    }
    return first === length && columns.every((column) => column.length === length);
  }, 'must have one number of each kind for each token');

const streamState = list(z.int32(), { min: 4, max: 4 });
const episodes = { max: runLimits.episodes };

const stateSchema = z.strictObject({
  iteration: count,
  turns: count,
  tokens: count,
  seconds: z.number().min(0),
  success: z.number().min(0).max(1).nullable(),
  streams: z.strictObject({
    init: streamState,
    tasks: streamState,
    sampling: streamState,
    shuffle: streamState,
    replay: streamState,
    warmStart: streamState,
    picks: streamState,
  }),
  updates: count,
  skipped: z.strictObject({
    count,
    first: z
      .strictObject({
        cause: z.enum(['advantages', 'log-probabilities', 'ratios', 'loss', 'gradient']),
        where: z.string().max(1000),
      })
      .nullable(),
  }),
  replay: list(list(list(trainingEpisode, episodes), episodes), episodes),
  paused: list(
    z.strictObject({
      request,
      observation: z.string(),
      turns: list(turn, { max: runLimits.turns }),
    }),
    episodes,
  ),
  finished: list(trajectory, episodes),
  deck: z.strictObject({
    owed: list(z.number(), { max: runLimits.environments }),
    cards: list(list(z.string(), { max: runLimits.tasks }), { max: runLimits.environments }),
  }),
});

/** The run that a state is to go on with. */
interface Destination {
  readonly config: Config;
  readonly environment: Environment;
  readonly tokenizer: Tokenizer;
  /** Of the policy; no token was written by a later one. */
  readonly version: number;
}

/**
 * Reads a state that was kept.
 *
 * @throws {CheckpointError} for anything that no trainer of such a run has written.
 */
export function unpackTrainerState(data: unknown, destination: Destination): TrainerState {
  const parsed = stateSchema.safeParse(data);
  if (!parsed.success) {
    const { path, message } = firstFault(parsed.error);
    throw fault(`${pathText(path) || 'it'}: ${message}`);
  }
  const state = parsed.data;
  const { config, environment } = destination;
  checkDeck(state.deck, environment);
  if (state.replay.length > config.replay.capacity) {
    throw fault('it replays more iterations than its config keeps');
  }
  for (const episode of state.replay.flat(2)) checkEpisode(episode, destination);
  for (const { turns } of [...state.finished, ...state.paused]) checkTurns(turns, destination);
  for (const { task } of state.finished) reset(environment, task);
  return { ...state, paused: state.paused.map((episode) => playedAgain(episode, environment)) };
}

const fault = (what: string) => new CheckpointError(`in its training state, ${what}`);

function checkDeck({ owed, cards }: TrainerState['deck'], environment: Environment): void {
  const piles = taskPiles(environment, 'rollout');
  if (owed.length !== piles.length || cards.length !== piles.length) {
    throw fault('the tasks to come are not of its environments');
  }
  for (const [i, { tasks }] of piles.entries()) {
    const known = new Set(tasks);
    const unknown = cards[i]?.find((task) => !known.has(task));
    if (unknown !== undefined) {
      throw fault(`its environment has no training task ${JSON.stringify(unknown.slice(0, 60))}`);
    }
  }
}

function checkTokens(tokens: readonly number[], { tokenizer }: Destination): void {
  if (tokens.some((token) => token >= tokenizer.size))
    throw fault('a token is not in the vocabulary');
}

function checkEpisode(episode: TrainingEpisode, destination: Destination): void {
  checkTokens(episode.targets, destination);
  for (const { tokens } of episode.sequences) checkTokens(tokens, destination);
  if (episode.versions.some((version) => version > destination.version)) {
    throw fault('a token was written by a policy that is yet to come');
  }
}

function checkTurns(turns: Trajectory['turns'], destination: Destination): void {
  for (const [t, { observationTokens, actionTokens, version, contextStart }] of turns.entries()) {
    checkTokens(observationTokens, destination);
    checkTokens(actionTokens, destination);
    if (version > destination.version) {
      throw fault('a token was written by a policy that is yet to come');
    }
    if (contextStart > t) throw fault('a turn was read before it was played');
  }
}

function reset(environment: Environment, task: string) {
  try {
    return environment.reset(task);
  } catch {
    throw fault(`its environment has no task ${JSON.stringify(task.slice(0, 60))}`);
  }
}

/** Takes a paused episode to where it was paused, by its own actions. */
function playedAgain(
  paused: { readonly request: EpisodeRequest } & Omit<PausedEpisode, 'state'>,
  environment: Environment,
): PausedEpisode {
  let { state, observation }: { state: unknown; observation: string } = reset(
    environment,
    paused.request.task,
  );
  const differs = fault(
    `a paused episode of ${JSON.stringify(paused.request.task.slice(0, 60))} goes otherwise in this version of its environment`,
  );
  if (paused.turns.length >= Math.min(paused.request.horizon, environment.turnLimit)) throw differs;
  for (const turnPlayed of paused.turns) {
    if (turnPlayed.observation !== observation) throw differs;
    const next = environment.step(state, turnPlayed.action);
    if (next.terminated || next.reward !== turnPlayed.reward) throw differs;
    state = next.state;
    observation = next.observation;
  }
  if (observation !== paused.observation) throw differs;
  return { ...paused, state };
}
