import { contextTokens } from '../../agents/dialogue.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import type { Tokenizer } from '../../policy/tokenizer.ts';
import type { TokenPolicy, TrainingBatch } from '../../policy/types.ts';

/** One packed sequence of an episode with its loss rows (r of them). */
interface LossSequence {
  readonly tokens: readonly number[];
  /** (r) positions in `tokens` whose next token the agent generated. */
  readonly rows: readonly number[];
  /**
   * Index of its first row among all tokens that the agent generated in the episode; the rest
   * follow.
   */
  readonly first: number;
}

/** What the agent read and generated in an episode: T generated tokens, in order. */
export interface WrittenEpisode {
  readonly sequences: readonly LossSequence[];
  /** (T) */
  readonly targets: readonly number[];
  /** (T) log-probability in nats of each token under the policy that generated it. */
  readonly behaviorLogps: readonly number[];
  /** (T) policy version that generated each token. */
  readonly versions: readonly number[];
  /** (T) turn in which each token was generated, from 0. */
  readonly turns: readonly number[];
}

/** An episode to train on. Optional fields are present in all episodes of an update or in none. */
export interface TrainingEpisode extends WrittenEpisode {
  /** (T) */
  readonly advantages: readonly number[];
  /** (T) targets of the value head, and its estimates when the advantages were computed. */
  readonly returns?: readonly number[];
  readonly oldValues?: readonly number[];
  /** (T) log-probabilities for the denominator of ratios, if not the behavior policy's. */
  readonly proximalLogps?: readonly number[];
  /** (T) log-probabilities under the reference policy. */
  readonly referenceLogps?: readonly number[];
}

/**
 * The sequences of one episode. The context at a turn is a prefix of the context at any later turn
 * with the same start, so turns with the same `contextStart` share a sequence: one per turn for a
 * window of one turn, a single one per episode for the whole history. Every generated token is a
 * loss row exactly once, and its row sees exactly the context in which it was generated.
 *
 * The last action token is only a target: nothing reads it, so `tokens` omits it.
 */
export function writtenEpisode(trajectory: Trajectory, tokenizer: Tokenizer): WrittenEpisode {
  const { turns, taskKept } = trajectory;
  const sequences: LossSequence[] = [];
  let written = 0;
  for (let first = 0; first < turns.length; ) {
    const start = turns[first]?.contextStart ?? 0;
    let next = first + 1;
    while (turns[next]?.contextStart === start) next++;

    const single = next === first + 1 && start === first ? turns[first] : undefined;
    if (single?.actionTokens.length === 1 && !(taskKept && start > 0)) {
      const { tokens, rows } = readAlone(single.observationTokens, tokenizer);
      sequences.push({ tokens, rows, first: written });
      written += 1;
      first = next;
      continue;
    }
    const starts: number[] = [];
    const tokens = contextTokens(turns.slice(0, next), start, tokenizer, taskKept, starts);
    tokens.pop();
    const rows: number[] = [];
    for (let t = first; t < next; t++) {
      const length = turns[t]?.actionTokens.length ?? 0;
      // The k-th token of an action is predicted one position earlier.
      for (let k = 0; k < length; k++) rows.push((starts[t - start] ?? 0) + k - 1);
    }
    sequences.push({ tokens, rows, first: written });
    written += rows.length;
    first = next;
  }
  const targets = new Array<number>(written);
  const behaviorLogps = new Array<number>(written);
  const versions = new Array<number>(written);
  const turnOf = new Array<number>(written);
  // Indexed loops: iterators allocate, and this runs for every token.
  let token = 0;
  for (let t = 0; t < turns.length; t++) {
    const turn = turns[t];
    if (turn === undefined) continue;
    const { actionTokens, logps, version } = turn;
    for (let k = 0; k < actionTokens.length; k++) {
      targets[token] = actionTokens[k] ?? 0;
      behaviorLogps[token] = logps[k] ?? Number.NaN;
      versions[token] = version;
      turnOf[token] = t;
      token++;
    }
  }
  return { sequences, targets, behaviorLogps, versions, turns: turnOf };
}

/** Cached by tokenizer and observation tokens, so turns with the same observation share them. */
const aloneByObservation = new WeakMap<
  Tokenizer,
  WeakMap<readonly number[], Pick<LossSequence, 'tokens' | 'rows'>>
>();

/** The sequence of a turn with one generated token and no context before its observation. */
export function readAlone(
  observationTokens: readonly number[],
  tokenizer: Tokenizer,
): Pick<LossSequence, 'tokens' | 'rows'> {
  let known = aloneByObservation.get(tokenizer);
  if (known === undefined) {
    known = new WeakMap();
    aloneByObservation.set(tokenizer, known);
  }
  let found = known.get(observationTokens);
  if (found === undefined) {
    const tokens = contextTokens([{ observationTokens }], 0, tokenizer, false);
    found = { tokens, rows: [tokens.length - 1] };
    known.set(observationTokens, found);
  }
  return found;
}

/** Number of tokens that the agent generated. */
export function lengthOf(episode: WrittenEpisode): number {
  return episode.targets.length;
}

/** Capacity of one micro-batch. */
export interface MicroBatchLimits {
  readonly tokens: number;
  /** Rows of logits. */
  readonly rows: number;
  readonly lossRows: number;
}

/** Capacity of one micro-batch of a policy. */
export function microBatchLimits({ capacity }: TokenPolicy): MicroBatchLimits {
  return { tokens: capacity.tokens, rows: capacity.rows, lossRows: capacity.lossRows };
}

/** Episodes packed into micro-batches that map each of their rows to an episode and token. */
export interface PackedEpisodes {
  readonly batches: readonly TrainingBatch[];
  readonly origins: readonly RowOrigins[];
}

/** The origin of a micro-batch's rows (R of them). */
interface RowOrigins {
  /** (R) index of the episode among those packed. */
  readonly episodes: Uint32Array;
  /** (R) index of the token among those that the agent generated in that episode. */
  readonly tokens: Uint32Array;
}

/** Sequences with identical contexts, from one or more episodes. */
interface SharedContext {
  readonly tokens: LossSequence['tokens'];
  readonly rows: LossSequence['rows'];
  /** Index of each sequence's episode among those packed. */
  readonly episodes: number[];
  /** `first` of each sequence. */
  readonly firsts: number[];
}

/**
 * Packs the episodes of one update into micro-batches, in the order in which their contexts first
 * appear. Sequences with the same tokens are packed once, with all their loss rows: the gradient is
 * a sum over loss rows, so the result is the same with less work. The split into micro-batches only
 * affects memory.
 *
 * @param weights (episodes) loss weight of each episode's tokens
 * @throws {RangeError} if a single sequence exceeds the limits
 */
export function packMicroBatches(
  episodes: readonly TrainingEpisode[],
  weights: readonly number[],
  limits: MicroBatchLimits,
): PackedEpisodes {
  const batches: SharedContext[][] = [];
  let batch: SharedContext[] = [];
  let tokens = 0;
  let rows = 0;
  let lossRows = 0;
  for (const shared of shareContexts(episodes, limits.lossRows)) {
    const { tokens: read, rows: positions } = shared;
    if (read.length > limits.tokens || positions.length > Math.min(limits.rows, limits.lossRows)) {
      throw new RangeError(
        `a sequence of ${read.length} tokens with ${positions.length} loss rows exceeds a micro-batch’s ${limits.tokens} tokens or ${limits.rows} rows; raise algorithm.micro_batch_tokens`,
      );
    }
    tokens += read.length;
    rows += positions.length;
    lossRows += positions.length * shared.firsts.length;
    if (tokens > limits.tokens || rows > limits.rows || lossRows > limits.lossRows) {
      batches.push(batch);
      batch = [];
      tokens = read.length;
      rows = positions.length;
      lossRows = positions.length * shared.firsts.length;
    }
    batch.push(shared);
  }
  if (batch.length > 0) batches.push(batch);
  const packed = batches.map((contexts) => pack(contexts, episodes, weights));
  return {
    batches: packed.map(({ batch: packedBatch }) => packedBatch),
    origins: packed.map(({ origins }) => origins),
  };
}

/**
 * Maps values of the loss rows back to the episodes, in the order of generation.
 *
 * @param values for each micro-batch, (R) values of its rows
 * @returns for each packed episode, (T) values of its tokens
 */
export function unpackRows(
  episodes: readonly WrittenEpisode[],
  { origins }: PackedEpisodes,
  values: readonly Float32Array[],
): number[][] {
  const unpacked = episodes.map((episode) => new Array<number>(lengthOf(episode)).fill(Number.NaN));
  for (const [b, origin] of origins.entries()) {
    const column = values[b];
    for (let r = 0; r < origin.tokens.length; r++) {
      const of = unpacked[origin.episodes[r] ?? 0];
      if (of !== undefined) of[origin.tokens[r] ?? 0] = column?.[r] ?? Number.NaN;
    }
  }
  return unpacked;
}

/** Computed once: an episode is packed again in every epoch. */
const contextKeys = new WeakMap<LossSequence['rows'], string>();

/** Equal for sequences that can share one packed copy. */
function contextKey(tokens: LossSequence['tokens'], rows: LossSequence['rows']): string {
  // Sequences with the same `rows` array have equal tokens.
  let key = contextKeys.get(rows);
  if (key === undefined) {
    key = `${tokens.join()}|${rows.join()}`;
    contextKeys.set(rows, key);
  }
  return key;
}

/** Groups sequences with the same tokens, with at most `mostLossRows` loss rows per group. */
function shareContexts(
  episodes: readonly TrainingEpisode[],
  mostLossRows: number,
): readonly SharedContext[] {
  const shared: SharedContext[] = [];
  // Most turns share their `rows` array with an earlier turn, so their key need not be computed.
  const byRows = new Map<LossSequence['rows'], SharedContext>();
  const byContext = new Map<string, SharedContext>();
  for (let index = 0; index < episodes.length; index++) {
    for (const { tokens, rows, first } of episodes[index]?.sequences ?? []) {
      let known = byRows.get(rows);
      if (known === undefined || isFull(known, mostLossRows)) {
        const key = contextKey(tokens, rows);
        known = byContext.get(key);
        if (known === undefined || isFull(known, mostLossRows)) {
          known = { tokens, rows, episodes: [], firsts: [] };
          byContext.set(key, known);
          shared.push(known);
        }
        byRows.set(rows, known);
      }
      known.episodes.push(index);
      known.firsts.push(first);
    }
  }
  return shared;
}

function isFull({ rows, firsts }: SharedContext, mostLossRows: number): boolean {
  return (firsts.length + 1) * rows.length > mostLossRows;
}

/** Per-token values of an episode that only some objectives need. */
const optionalColumns = ['proximalLogps', 'referenceLogps', 'oldValues', 'returns'] as const;

function pack(
  contexts: readonly SharedContext[],
  packed: readonly TrainingEpisode[],
  weights: readonly number[],
): { readonly batch: TrainingBatch; readonly origins: RowOrigins } {
  const totalTokens = contexts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const totalRows = contexts.reduce(
    (sum, { rows, firsts }) => sum + firsts.length * rows.length,
    0,
  );
  const origins = { episodes: new Uint32Array(totalRows), tokens: new Uint32Array(totalRows) };
  const batch = {
    tokens: new Uint32Array(totalTokens),
    sequenceStarts: new Uint32Array(contexts.length + 1),
    rows: new Uint32Array(totalRows),
    targets: new Uint32Array(totalRows),
    behaviorLogps: new Float32Array(totalRows),
    advantages: new Float32Array(totalRows),
    weights: new Float32Array(totalRows),
    episodes: origins.episodes,
  };
  // Optional fields are present in all episodes of an update or in none.
  const of = packed[contexts[0]?.episodes[0] ?? 0];
  const column = (name: (typeof optionalColumns)[number]) =>
    of?.[name] === undefined ? undefined : new Float32Array(totalRows);
  const proximalLogps = column('proximalLogps');
  const referenceLogps = column('referenceLogps');
  const oldValues = column('oldValues');
  const returns = column('returns');

  // Plain loops and named columns, because this runs for every token of every update.
  let start = 0;
  let row = 0;
  for (let s = 0; s < contexts.length; s++) {
    const shared = contexts[s];
    if (shared === undefined) continue;
    const { tokens, rows, episodes, firsts } = shared;
    batch.tokens.set(tokens, start);
    for (let k = 0; k < rows.length; k++) {
      const position = start + (rows[k] ?? 0);
      for (let i = 0; i < firsts.length; i++) {
        const index = episodes[i] ?? 0;
        const episode = packed[index];
        if (episode === undefined) continue;
        const token = (firsts[i] ?? 0) + k;
        batch.rows[row] = position;
        batch.targets[row] = episode.targets[token] ?? 0;
        batch.behaviorLogps[row] = episode.behaviorLogps[token] ?? Number.NaN;
        batch.advantages[row] = episode.advantages[token] ?? Number.NaN;
        batch.weights[row] = weights[index] ?? Number.NaN;
        if (proximalLogps) proximalLogps[row] = episode.proximalLogps?.[token] ?? Number.NaN;
        if (referenceLogps) referenceLogps[row] = episode.referenceLogps?.[token] ?? Number.NaN;
        if (oldValues) oldValues[row] = episode.oldValues?.[token] ?? Number.NaN;
        if (returns) returns[row] = episode.returns?.[token] ?? Number.NaN;
        origins.episodes[row] = index;
        origins.tokens[row] = token;
        row++;
      }
    }
    start += tokens.length;
    batch.sequenceStarts[s + 1] = start;
  }
  const extra = {
    ...(proximalLogps && { proximalLogps }),
    ...(referenceLogps && { referenceLogps }),
    ...(oldValues && { oldValues }),
    ...(returns && { returns }),
  };
  return { batch: { ...batch, ...extra }, origins };
}
