import { contextTokens } from '../agents/dialogue.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { TrainingBatch } from '../policy/types.ts';

/** One packed sequence of an episode with its loss rows (r of them). */
export interface LossSequence {
  readonly tokens: readonly number[];
  /** (r) positions in `tokens` whose next token the agent wrote. */
  readonly rows: readonly number[];
  /** (r) */
  readonly targets: readonly number[];
  /** (r) */
  readonly behaviourLogps: readonly number[];
  /** (r) policy version that wrote each target. */
  readonly versions: readonly number[];
  /** The same for every row. */
  readonly advantage: number;
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
export function lossSequences(
  trajectory: Trajectory,
  advantage: number,
  tokenizer: Tokenizer,
): LossSequence[] {
  const { turns } = trajectory;
  const sequences: LossSequence[] = [];
  for (let first = 0; first < turns.length; ) {
    const start = turns[first]?.contextStart ?? 0;
    let next = first + 1;
    while (turns[next]?.contextStart === start) next++;

    const rows: number[] = [];
    const targets: number[] = [];
    const behaviourLogps: number[] = [];
    const versions: number[] = [];
    let position = 0;
    for (let t = start; t < next; t++) {
      const turn = turns[t];
      if (turn === undefined) continue;
      // `<obs> o… <act>`, then the action, whose k-th token is predicted one position before it.
      position += 2 + turn.observationTokens.length;
      if (t >= first) {
        for (const [k, token] of turn.actionTokens.entries()) {
          rows.push(position + k - 1);
          targets.push(token);
          behaviourLogps.push(turn.logps[k] ?? Number.NaN);
          versions.push(turn.version);
        }
      }
      position += turn.actionTokens.length;
    }
    const tokens = contextTokens(turns.slice(start, next), 0, tokenizer);
    tokens.pop();
    sequences.push({ tokens, rows, targets, behaviourLogps, versions, advantage });
    first = next;
  }
  return sequences;
}

/** What one micro-batch may hold. */
export interface MicroBatchLimits {
  readonly tokens: number;
  /** Rows of logits. */
  readonly rows: number;
  readonly lossRows: number;
}

/** Sequences that read exactly the same tokens, answered by several episodes. */
type SharedSequence = readonly [LossSequence, ...LossSequence[]];

/**
 * Packs the sequences of one mini-batch into micro-batches, in the order in which their contexts
 * first appear. Sequences with the same tokens are packed once, their loss rows side by side: the
 * gradient is a sum over loss rows, so this changes the work and not the result. Every row weighs
 * one over the rows of the whole mini-batch (a token mean), so where the micro-batches are cut
 * changes nothing but the memory needed.
 *
 * @throws {RangeError} when a sequence alone is over the limits.
 */
export function packMicroBatches(
  sequences: readonly LossSequence[],
  limits: MicroBatchLimits,
): TrainingBatch[] {
  const totalRows = sequences.reduce((sum, { rows }) => sum + rows.length, 0);
  const parts: SharedSequence[][] = [];
  let part: SharedSequence[] = [];
  let tokens = 0;
  let rows = 0;
  let lossRows = 0;
  for (const shared of shareContexts(sequences, limits.lossRows)) {
    const [{ tokens: read, rows: positions }] = shared;
    if (read.length > limits.tokens || positions.length > Math.min(limits.rows, limits.lossRows)) {
      throw new RangeError(
        `a sequence of ${read.length} tokens with ${positions.length} loss rows is over a micro-batch's ${limits.tokens} tokens and ${limits.rows} rows; raise algorithm.micro_batch_tokens`,
      );
    }
    tokens += read.length;
    rows += positions.length;
    lossRows += positions.length * shared.length;
    if (tokens > limits.tokens || rows > limits.rows || lossRows > limits.lossRows) {
      parts.push(part);
      part = [];
      tokens = read.length;
      rows = positions.length;
      lossRows = positions.length * shared.length;
    }
    part.push(shared);
  }
  if (part.length > 0) parts.push(part);
  return parts.map((sequencesOfPart) => pack(sequencesOfPart, 1 / totalRows));
}

/** Puts sequences with the same tokens together, at most `mostLossRows` loss rows at a time. */
function shareContexts(
  sequences: readonly LossSequence[],
  mostLossRows: number,
): Iterable<SharedSequence> {
  const shared: [LossSequence, ...LossSequence[]][] = [];
  const byContext = new Map<string, [LossSequence, ...LossSequence[]]>();
  for (const sequence of sequences) {
    const key = `${sequence.tokens.join()}|${sequence.rows.join()}`;
    const known = byContext.get(key);
    if (known !== undefined && (known.length + 1) * sequence.rows.length <= mostLossRows) {
      known.push(sequence);
    } else {
      const fresh: [LossSequence, ...LossSequence[]] = [sequence];
      byContext.set(key, fresh);
      shared.push(fresh);
    }
  }
  return shared;
}

function pack(sequences: readonly SharedSequence[], weight: number): TrainingBatch {
  const totalTokens = sequences.reduce((sum, [{ tokens }]) => sum + tokens.length, 0);
  const totalRows = sequences.reduce(
    (sum, shared) => sum + shared.length * shared[0].rows.length,
    0,
  );
  const batch = {
    tokens: new Uint32Array(totalTokens),
    sequenceStarts: new Uint32Array(sequences.length + 1),
    rows: new Uint32Array(totalRows),
    targets: new Uint32Array(totalRows),
    behaviourLogps: new Float32Array(totalRows),
    advantages: new Float32Array(totalRows),
    weights: new Float32Array(totalRows).fill(weight),
  };
  let start = 0;
  let row = 0;
  for (const [s, shared] of sequences.entries()) {
    const [{ tokens, rows }] = shared;
    batch.tokens.set(tokens, start);
    for (const [k, position] of rows.entries()) {
      for (const { targets, behaviourLogps, advantage } of shared) {
        batch.rows[row] = start + position;
        batch.targets[row] = targets[k] ?? 0;
        batch.behaviourLogps[row] = behaviourLogps[k] ?? Number.NaN;
        batch.advantages[row] = advantage;
        row++;
      }
    }
    start += tokens.length;
    batch.sequenceStarts[s + 1] = start;
  }
  return batch;
}
