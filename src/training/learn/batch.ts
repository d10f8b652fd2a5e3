import { contextTokens } from '../../agents/dialogue.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import type { Tokenizer } from '../../policy/tokenizer.ts';
import type { TokenPolicy, TrainingBatch } from '../../policy/types.ts';

/** One packed sequence of an episode with its loss rows (r of them). */
export interface LossSequence {
  readonly tokens: readonly number[];
  /** (r) positions in `tokens` whose next token the agent wrote. */
  readonly rows: readonly number[];
  /** Which of all tokens that the agent wrote in the episode its first row is; the rest follow. */
  readonly first: number;
}

/** What the agent read and wrote in an episode. T tokens, in the order in which it wrote them. */
export interface WrittenEpisode {
  readonly sequences: readonly LossSequence[];
  /** (T) */
  readonly targets: readonly number[];
  /** (T) log-probability in nats of each token under the policy that wrote it. */
  readonly behaviourLogps: readonly number[];
  /** (T) policy version that wrote each token. */
  readonly versions: readonly number[];
  /** (T) turn in which each token was written, from 0. */
  readonly turns: readonly number[];
}

/** An episode to learn from. What is absent is absent in all episodes of an update. */
export interface TrainingEpisode extends WrittenEpisode {
  /** (T) */
  readonly advantages: readonly number[];
  /** (T) what the value head is fitted to, and its estimates when the advantages were made. */
  readonly returns?: readonly number[];
  readonly oldValues?: readonly number[];
  /** (T) log-probabilities that ratios are taken against, where not the behaviour policy's. */
  readonly proximalLogps?: readonly number[];
  /** (T) log-probabilities under the reference policy. */
  readonly referenceLogps?: readonly number[];
}

/**
 * The sequences of one episode. What the policy read at a turn is a prefix of what it read at any
 * later turn that starts at the same place, so turns with the same `contextStart` share a sequence:
 * with a window of one turn that is a sequence for each turn, with the whole history a single one
 * for the episode. Every token the agent wrote is a loss row exactly once, and what its row can read
 * is exactly what the policy read when it wrote it.
 *
 * The last action token is only a target: nothing reads it, so it is left out of `tokens`.
 */
export function writtenEpisode(trajectory: Trajectory, tokenizer: Tokenizer): WrittenEpisode {
  const { turns, taskKept } = trajectory;
  const sequences: LossSequence[] = [];
  let written = 0;
  for (let first = 0; first < turns.length; ) {
    const start = turns[first]?.contextStart ?? 0;
    let next = first + 1;
    while (turns[next]?.contextStart === start) next++;

    const rows: number[] = [];
    // The task stands before a window that has moved on: `<obs> o…`.
    const kept = taskKept && start > 0;
    let position = kept ? 1 + (turns[0]?.observationTokens.length ?? 0) : 0;
    for (let t = start; t < next; t++) {
      const turn = turns[t];
      if (turn === undefined) continue;
      // `<obs> o… <act>`, then the action, whose k-th token is predicted one position before it.
      position += 2 + turn.observationTokens.length;
      if (t >= first) for (const k of turn.actionTokens.keys()) rows.push(position + k - 1);
      position += turn.actionTokens.length;
    }
    const tokens = contextTokens(turns.slice(0, next), start, tokenizer, taskKept);
    tokens.pop();
    sequences.push({ tokens, rows, first: written });
    written += rows.length;
    first = next;
  }
  return {
    sequences,
    targets: turns.flatMap((turn) => turn.actionTokens),
    behaviourLogps: turns.flatMap((turn) => turn.logps),
    versions: turns.flatMap((turn) => turn.actionTokens.map(() => turn.version)),
    turns: turns.flatMap((turn, t) => turn.actionTokens.map(() => t)),
  };
}

/** How many tokens the agent wrote. */
export function lengthOf(episode: WrittenEpisode): number {
  return episode.targets.length;
}

/** What one micro-batch may hold. */
export interface MicroBatchLimits {
  readonly tokens: number;
  /** Rows of logits. */
  readonly rows: number;
  readonly lossRows: number;
}

/** What one micro-batch of a policy may hold. */
export function microBatchLimits({ capacity }: TokenPolicy): MicroBatchLimits {
  return { tokens: capacity.tokens, rows: capacity.rows, lossRows: capacity.lossRows };
}

/** Episodes packed into micro-batches, which know the episode and token of each of their rows. */
export interface PackedEpisodes {
  readonly batches: readonly TrainingBatch[];
  readonly origins: readonly RowOrigins[];
}

/** Where the rows of a micro-batch come from (R of them). */
interface RowOrigins {
  /** (R) place of the episode among those that were packed. */
  readonly episodes: Uint32Array;
  /** (R) which of the tokens that the agent wrote in that episode. */
  readonly tokens: Uint32Array;
}

/** A sequence with the episode that it is of. */
interface Part {
  readonly sequence: LossSequence;
  readonly episode: TrainingEpisode;
  /** Place of the episode among those that are packed. */
  readonly index: number;
}

/** Sequences that read exactly the same tokens, answered by several episodes. */
type SharedSequence = readonly [Part, ...Part[]];

/**
 * Packs the episodes of one update into micro-batches, in the order in which their contexts first
 * appear. Sequences with the same tokens are packed once, their loss rows side by side: the gradient
 * is a sum over loss rows, so this changes the work and not the result. Where the micro-batches are
 * cut changes nothing but the memory needed.
 *
 * @param weights (episodes) weight in the loss of each token of an episode
 * @throws {RangeError} when a sequence alone is over the limits.
 */
export function packMicroBatches(
  episodes: readonly TrainingEpisode[],
  weights: readonly number[],
  limits: MicroBatchLimits,
): PackedEpisodes {
  const batches: SharedSequence[][] = [];
  let batch: SharedSequence[] = [];
  let tokens = 0;
  let rows = 0;
  let lossRows = 0;
  for (const shared of shareContexts(episodes, limits.lossRows)) {
    const { tokens: read, rows: positions } = shared[0].sequence;
    if (read.length > limits.tokens || positions.length > Math.min(limits.rows, limits.lossRows)) {
      throw new RangeError(
        `a sequence of ${read.length} tokens with ${positions.length} loss rows is over a micro-batch's ${limits.tokens} tokens and ${limits.rows} rows; raise algorithm.micro_batch_tokens`,
      );
    }
    tokens += read.length;
    rows += positions.length;
    lossRows += positions.length * shared.length;
    if (tokens > limits.tokens || rows > limits.rows || lossRows > limits.lossRows) {
      batches.push(batch);
      batch = [];
      tokens = read.length;
      rows = positions.length;
      lossRows = positions.length * shared.length;
    }
    batch.push(shared);
  }
  if (batch.length > 0) batches.push(batch);
  const packed = batches.map((sequences) => pack(sequences, weights));
  return {
    batches: packed.map(({ batch: packedBatch }) => packedBatch),
    origins: packed.map(({ origins }) => origins),
  };
}

/**
 * Brings numbers of the loss rows back to the episodes and the order in which they wrote.
 *
 * @param values for each micro-batch, (R) numbers of its rows
 * @returns for each of the packed episodes, (T) numbers of its tokens
 */
export function unpackRows(
  episodes: readonly WrittenEpisode[],
  { origins }: PackedEpisodes,
  values: readonly Float32Array[],
): number[][] {
  const unpacked = episodes.map((episode) => new Array<number>(lengthOf(episode)).fill(Number.NaN));
  for (const [b, origin] of origins.entries()) {
    for (const [r, token] of origin.tokens.entries()) {
      const of = unpacked[origin.episodes[r] ?? 0];
      if (of !== undefined) of[token] = values[b]?.[r] ?? Number.NaN;
    }
  }
  return unpacked;
}

/** Made once: an episode is packed again in every epoch. */
const contextKeys = new WeakMap<LossSequence, string>();

/** The same text for sequences that may be packed once. */
function contextKey(sequence: LossSequence): string {
  let key = contextKeys.get(sequence);
  if (key === undefined) {
    key = `${sequence.tokens.join()}|${sequence.rows.join()}`;
    contextKeys.set(sequence, key);
  }
  return key;
}

/** Puts sequences with the same tokens together, at most `mostLossRows` loss rows at a time. */
function shareContexts(
  episodes: readonly TrainingEpisode[],
  mostLossRows: number,
): Iterable<SharedSequence> {
  const shared: [Part, ...Part[]][] = [];
  const byContext = new Map<string, [Part, ...Part[]]>();
  for (const [index, episode] of episodes.entries()) {
    for (const sequence of episode.sequences) {
      const part: Part = { sequence, episode, index };
      const key = contextKey(sequence);
      const known = byContext.get(key);
      if (known !== undefined && (known.length + 1) * sequence.rows.length <= mostLossRows) {
        known.push(part);
      } else {
        const fresh: [Part, ...Part[]] = [part];
        byContext.set(key, fresh);
        shared.push(fresh);
      }
    }
  }
  return shared;
}

/** Per-token numbers of an episode that only some objectives need. */
const optionalColumns = ['proximalLogps', 'referenceLogps', 'oldValues', 'returns'] as const;

function pack(
  sequences: readonly SharedSequence[],
  weights: readonly number[],
): { readonly batch: TrainingBatch; readonly origins: RowOrigins } {
  const totalTokens = sequences.reduce((sum, [{ sequence }]) => sum + sequence.tokens.length, 0);
  const totalRows = sequences.reduce(
    (sum, shared) => sum + shared.length * shared[0].sequence.rows.length,
    0,
  );
  const origins = { episodes: new Uint32Array(totalRows), tokens: new Uint32Array(totalRows) };
  const batch = {
    tokens: new Uint32Array(totalTokens),
    sequenceStarts: new Uint32Array(sequences.length + 1),
    rows: new Uint32Array(totalRows),
    targets: new Uint32Array(totalRows),
    behaviourLogps: new Float32Array(totalRows),
    advantages: new Float32Array(totalRows),
    weights: new Float32Array(totalRows),
    episodes: origins.episodes,
  };
  const present = optionalColumns.filter((name) =>
    sequences.some((shared) => shared.some(({ episode }) => episode[name] !== undefined)),
  );
  const extra: Partial<Record<(typeof optionalColumns)[number], Float32Array>> = {};
  for (const name of present) extra[name] = new Float32Array(totalRows);

  let start = 0;
  let row = 0;
  for (const [s, shared] of sequences.entries()) {
    const { tokens, rows } = shared[0].sequence;
    batch.tokens.set(tokens, start);
    for (const [k, position] of rows.entries()) {
      for (const { sequence, episode, index } of shared) {
        const token = sequence.first + k;
        batch.rows[row] = start + position;
        batch.targets[row] = episode.targets[token] ?? 0;
        batch.behaviourLogps[row] = episode.behaviourLogps[token] ?? Number.NaN;
        batch.advantages[row] = episode.advantages[token] ?? Number.NaN;
        batch.weights[row] = weights[index] ?? Number.NaN;
        for (const name of present) {
          const column = extra[name];
          if (column !== undefined) column[row] = episode[name]?.[token] ?? Number.NaN;
        }
        origins.episodes[row] = index;
        origins.tokens[row] = token;
        row++;
      }
    }
    start += tokens.length;
    batch.sequenceStarts[s + 1] = start;
  }
  return { batch: { ...batch, ...extra }, origins };
}
