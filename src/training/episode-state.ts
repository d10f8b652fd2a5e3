/**
 * Saved episodes that continue in a later iteration: their schemas, and checks against the run that
 * continues them.
 */
import { z } from 'zod';
import type { EpisodeRequest, PausedEpisode } from '../agents/rollout.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import { begin, replay, type Standing } from '../envs/episode.ts';
import type { Environment } from '../envs/types.ts';
import { runLimits } from '../files/limits.ts';
import { list } from '../files/schema.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { TrainingEpisode } from './learn/batch.ts';
import { fault } from './state.ts';

export const count = z.int().min(0);
// Checked in one pass: a replay buffer holds hundreds of thousands of numbers, and some may be NaN.
const numbers = z.custom<readonly number[]>(
  (value) => Array.isArray(value) && value.every((n) => typeof n === 'number'),
  'must be a list of numbers',
);
const counts = z.custom<readonly number[]>(
  (value) => Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0),
  'must be a list of whole numbers',
);

const turnSchema = z
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

/** A paused episode without its environment state, which is restored by replaying its actions. */
export const pausedSchema = z.strictObject({
  request,
  observation: z.string(),
  turns: list(turnSchema, { max: runLimits.turns }),
});

export const trajectorySchema = z.strictObject({
  iteration: count,
  episode: count,
  task: z.string(),
  group: count,
  horizon: z.int().min(1),
  taskKept: z.boolean(),
  turns: list(turnSchema, { min: 1, max: runLimits.turns }),
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

export const trainingEpisodeSchema = z
  .strictObject({
    sequences: list(sequence, { max: runLimits.turns }),
    targets: counts,
    behaviorLogps: numbers,
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
      episode.behaviorLogps,
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

/** The agent that generated the episodes. */
export interface Author {
  readonly tokenizer: Tokenizer;
  /** No token may have a later version than the agent's current one. */
  readonly policy: { readonly version: number };
}

function checkTokens(tokens: readonly number[], { tokenizer }: Author): void {
  if (tokens.some((token) => token >= tokenizer.size))
    throw fault('a token is not in the vocabulary');
}

/** @throws {CheckpointError} for an episode that this agent cannot train on */
export function checkEpisode(episode: TrainingEpisode, author: Author): void {
  checkTokens(episode.targets, author);
  for (const { tokens } of episode.sequences) checkTokens(tokens, author);
  if (episode.versions.some((version) => version > author.policy.version)) {
    throw fault('a token was written by a future policy version');
  }
}

/** @throws {CheckpointError} for turns that this agent cannot have generated */
export function checkTurns(turns: Trajectory['turns'], author: Author): void {
  for (const [t, { observationTokens, actionTokens, version, contextStart }] of turns.entries()) {
    checkTokens(observationTokens, author);
    checkTokens(actionTokens, author);
    if (version > author.policy.version) {
      throw fault('a token was written by a future policy version');
    }
    if (contextStart > t) throw fault('a turn was read before it was played');
  }
}

/** @throws {CheckpointError} for a task that the environment does not have */
export function checkTask(environment: Environment, task: string): void {
  start(environment, task);
}

function start(environment: Environment, task: string): Standing {
  try {
    return begin(environment, task);
  } catch {
    throw fault(`its environment has no task ${JSON.stringify(task.slice(0, 60))}`);
  }
}

/**
 * Replays a paused episode's actions up to the point where it was paused.
 *
 * @throws {CheckpointError} if they lead to a different state
 */
export function playedAgain(
  paused: { readonly request: EpisodeRequest } & Omit<PausedEpisode, 'state'>,
  environment: Environment,
): PausedEpisode {
  let at = start(environment, paused.request.task);
  const differs = fault(
    `a paused episode of ${JSON.stringify(paused.request.task.slice(0, 60))} runs differently in this version of its environment`,
  );
  if (paused.turns.length >= Math.min(paused.request.horizon, environment.turnLimit)) throw differs;
  for (const { before, choice, after } of replay(environment, at, paused.turns)) {
    if (choice.observation !== before.observation) throw differs;
    if (after.terminated || after.reward !== choice.reward) throw differs;
    at = after;
  }
  if (at.observation !== paused.observation) throw differs;
  return { ...paused, state: at.state };
}

/** A paused episode in its saved form. */
export function packPaused({ request, observation, turns }: PausedEpisode) {
  return { request, observation, turns };
}
