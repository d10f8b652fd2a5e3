import {
  defaultObjective,
  type ObjectiveSettings,
  type Surrogate,
  softmaxScores,
  surrogates,
} from '../algorithms/objective.ts';
import { type Gpu, KernelArgumentError, type Recorder, type Tensor } from '../gpu/index.ts';
import { ADAMW_STATE, adamw, adamwScratch } from '../kernels/adamw.ts';
import { attentionBackward, attentionForward } from '../kernels/attention.ts';
import { embeddingBackward, embeddingForward, mostPieces } from '../kernels/embedding.ts';
import {
  type MatmulSizes,
  matmul,
  matmulTransposed,
  matmulWeightGradient,
  weightGradientSplits,
} from '../kernels/matmul.ts';
import {
  bapoSearch,
  logitGradient,
  pickCovariance,
  preferenceCoefficients,
  sequenceRatios,
  statColumns,
  sumStats,
  surrogate,
  tokenScores,
} from '../kernels/objective.ts';
import { sumParts } from '../kernels/reduce.ts';
import { rmsnormBackward, rmsnormForward, rmsnormScratch } from '../kernels/rmsnorm.ts';
import { rotate } from '../kernels/rope.ts';
import { moveRows } from '../kernels/rows.ts';
import { ENDED, sample } from '../kernels/sample.ts';
import { swigluBackward, swigluForward } from '../kernels/swiglu.ts';
import { at } from './arrays.ts';
import { type BatchIndex, batchIndex, checkTokens } from './batch-index.ts';
import { initialParameters } from './init.ts';
import {
  checkWeights,
  type ParameterLayout,
  paddedVocabulary,
  parameterLayout,
  VALUE_COLUMNS,
} from './layout.ts';
import type {
  GenerateRequest,
  Generation,
  Objective,
  OptimizerStep,
  PolicyCapacity,
  PolicyShape,
  PolicyState,
  RowScores,
  TokenPolicy,
  TrainingBatch,
  UpdateStats,
  Weights,
  WeightTensor,
} from './types.ts';
import { WeightsError } from './types.ts';
import { updateStats } from './update-stats.ts';
import { updateTable } from './update-table.ts';

/** Activations of one block that its backward pass needs. */
interface BlockActivations {
  /** Input of the block (tokens, width). */
  readonly x: Tensor;
  readonly norm1: Tensor;
  readonly rstd1: Tensor;
  readonly q: Tensor;
  readonly kv: Tensor;
  readonly attention: Tensor;
  readonly lse: Tensor;
  /** Residual stream between attention and feed-forward. */
  readonly middle: Tensor;
  readonly norm2: Tensor;
  readonly rstd2: Tensor;
  readonly gateUp: Tensor;
  readonly h: Tensor;
}

/** Token indices of one pass as they lie on the GPU. */
interface PassIndex {
  /** (n) token ids. */
  readonly tokens: Tensor;
  /** (n) position of each token in its sequence. */
  readonly positions: Tensor;
  /** (n, 2) first key row and number of keys of each token. */
  readonly spans: Tensor;
  /** (n) cache row of each token; absent when the pass attends to its own keys. */
  readonly destination?: Tensor;
  /** (r) the rows whose logits are wanted, and their positions and spans. */
  readonly rows: Tensor;
  readonly rowPositions: Tensor;
  readonly rowSpans: Tensor;
}

interface PassSizes {
  /** Tokens. */
  readonly n: number;
  /** Rows of logits. */
  readonly r: number;
}

interface BatchSizes extends PassSizes {
  readonly lossRows: number;
}

/** Loss rows of an update, and how many episodes they are of where that matters. */
interface UpdateSizes {
  readonly rows: number;
  readonly episodes: { readonly count: number } | null;
}

/** Parameters, or something of the same layout, by name. */
type ParameterTensors = ReadonlyMap<string, Tensor>;

/**
 * The agent's network on the GPU: packed forward and backward passes, cached decoding with sampling,
 * AdamW. The last block computes queries and what follows them only for the rows whose logits are
 * wanted: of a turn's tokens, all but the ones that predict the agent's words are context only.
 */
export class Policy implements TokenPolicy {
  readonly shape: PolicyShape;
  readonly capacity: PolicyCapacity;
  readonly layout: ParameterLayout;
  version = 0;
  readonly #gpu: Gpu;
  readonly #owned: Tensor[] = [];
  readonly #parameters: Tensor;
  readonly #grads: Tensor;
  readonly #m: Tensor;
  readonly #v: Tensor;
  readonly #state: Tensor;
  readonly #totals: Tensor;
  readonly #scratch: Tensor;
  readonly #blocks: readonly BlockActivations[];
  readonly #caches: readonly Tensor[];
  readonly #pass: PassIndex & { readonly destination: Tensor };
  readonly #work: Readonly<Record<WorkName, Tensor>>;
  readonly #decode: readonly PassIndex[] = [];
  readonly #weights: ParameterTensors;
  readonly #weightGrads: ParameterTensors;
  /** The weights that `keepReference` kept: the whole, and by name. */
  #reference: { readonly flat: Tensor; readonly weights: ParameterTensors } | null = null;

  private constructor(gpu: Gpu, shape: PolicyShape, capacity: PolicyCapacity) {
    this.#gpu = gpu;
    this.shape = shape;
    this.capacity = capacity;
    this.layout = parameterLayout(shape);
    const { width, heads, ffnWidth, layers } = shape;
    const { tokens, rows, lossRows, updateRows, episodes, context } = capacity;
    const padded = paddedVocabulary(shape);
    const kvWidth = this.#kvWidth;
    const make = (label: string, ...size: number[]) => this.#make(label, size);
    const flat = (label: string) => make(label, this.layout.length);
    this.#parameters = flat('parameters');
    this.#grads = flat('gradients');
    this.#m = flat('adam m');
    this.#v = flat('adam v');
    this.#state = make('adam state', ADAMW_STATE);
    this.#totals = make('loss totals', statColumns.length);
    this.#weights = this.#byName(this.#parameters, 'weight');
    this.#weightGrads = this.#byName(this.#grads, 'gradient');

    const { splits } = weightGradientSplits(tokens);
    const largest = Math.max(...[...this.layout.slots.values()].map(({ length }) => length));
    this.#scratch = make(
      'partial sums',
      Math.max(
        splits * largest,
        rmsnormScratch({ rows: tokens, width }),
        mostPieces(tokens, padded) * width,
        adamwScratch(this.layout.length),
      ),
    );
    this.#blocks = Array.from({ length: layers }, (_, l) => ({
      x: make(`x ${l}`, tokens, width),
      norm1: make(`norm1 ${l}`, tokens, width),
      rstd1: make(`rstd1 ${l}`, tokens),
      q: make(`q ${l}`, tokens, width),
      kv: make(`kv ${l}`, tokens, 2 * kvWidth),
      attention: make(`attention ${l}`, tokens, width),
      lse: make(`lse ${l}`, tokens, heads),
      middle: make(`middle ${l}`, tokens, width),
      norm2: make(`norm2 ${l}`, tokens, width),
      rstd2: make(`rstd2 ${l}`, tokens),
      gateUp: make(`gate up ${l}`, tokens, 2 * ffnWidth),
      h: make(`h ${l}`, tokens, ffnWidth),
    }));
    this.#caches = Array.from({ length: layers }, (_, l) =>
      make(`kv cache ${l}`, episodes * context, 2 * kvWidth),
    );
    this.#pass = {
      tokens: make('tokens', tokens),
      positions: make('positions', tokens),
      spans: make('spans', tokens, 2),
      destination: make('cache rows', tokens),
      rows: make('rows', rows),
      rowPositions: make('row positions', rows),
      rowSpans: make('row spans', rows, 2),
    };
    this.#work = {
      keySpans: make('key spans', tokens, 2),
      rowKeySpans: make('row key spans', tokens, 2),
      sortedRows: make('sorted rows', tokens),
      pieces: make('pieces', mostPieces(tokens, padded), 3),
      lossStarts: make('loss starts', rows + 1),
      lossTargets: make('loss targets', lossRows),
      stats: make('loss stats', lossRows, statColumns.length),
      pulls: make('pulls', lossRows, 4),
      softmax: make('softmax', rows, 2),
      inputs: make('loss inputs', updateRows, 8),
      scores: make('scores', Math.max(updateRows, lossRows), SCORE_COLUMNS),
      found: make('found over the update', updateRows, 2),
      bounds: make('clip bounds', BOUNDS),
      episodeStarts: make('episode starts', updateRows + 2),
      episodeRows: make('episode rows', updateRows),
      rowNorm: make('row norm', rows, width),
      rowX: make('row x', rows, width),
      last: make('last x', tokens, width),
      finalNorm: make('final norm', rows, width),
      finalRstd: make('final rstd', rows),
      logits: make('logits', rows, padded),
      dlogits: make('dlogits', rows, padded),
      // Without a value head: zeros, which nothing ever writes.
      values: make('values', rows, VALUE_COLUMNS),
      dvalues: make('dvalues', rows, VALUE_COLUMNS),
      dx: make('dx', tokens, width),
      rowDx: make('row dx', rows, width),
      dnorm: make('dnorm', tokens, width),
      rowDnorm: make('row dnorm', rows, width),
      dattention: make('dattention', tokens, width),
      dq: make('dq', tokens, width),
      dkv: make('dkv', tokens, 2 * kvWidth),
      delta: make('delta', tokens, heads),
      dh: make('dh', tokens, ffnWidth),
      dgateUp: make('dgate up', tokens, 2 * ffnWidth),
      draws: make('draws', rows, 4),
      nextTokens: make('next tokens', rows),
      written: make('written tokens', rows * MOST_NEW_TOKENS),
      writtenLogps: make('written logps', rows * MOST_NEW_TOKENS),
      writtenEntropies: make('written entropies', rows * MOST_NEW_TOKENS),
      decodeIndex: make('decode index', (MOST_NEW_TOKENS - 1) * 4 * this.#decodeStride),
    };
    const part = (label: string, step: number, at: number, length: number) =>
      gpu.slice(this.#work.decodeIndex, label, (step * 4 + at) * this.#decodeStride, length);
    this.#decode = Array.from({ length: MOST_NEW_TOKENS - 1 }, (_, step) => {
      const positions = part('decode positions', step, 0, rows);
      const spans = part('decode spans', step, 1, 2 * rows);
      return {
        tokens: this.#work.nextTokens,
        positions,
        spans,
        destination: part('decode cache rows', step, 3, rows),
        rows: this.#pass.rows,
        rowPositions: positions,
        rowSpans: spans,
      };
    });
  }

  /**
   * A policy with random weights from `seed`.
   * @throws PolicyShapeError for a shape that cannot be computed.
   */
  static async create(
    gpu: Gpu,
    shape: PolicyShape,
    capacity: PolicyCapacity,
    seed: number,
  ): Promise<Policy> {
    const policy = new Policy(gpu, shape, capacity);
    gpu.upload(policy.#parameters, initialParameters(policy.layout, seed));
    await gpu.prepare((recorder) => policy.#recordEverything(recorder));
    return policy;
  }

  /** A tensor that lives as long as the policy. */
  #make(label: string, size: readonly number[]): Tensor {
    const length = size.reduce((a, b) => a * b, 1);
    const tensor = this.#gpu.tensor(label, Math.max(1, length));
    this.#owned.push(tensor);
    return tensor;
  }

  #byName(flat: Tensor, what: string): ParameterTensors {
    return new Map(
      [...this.layout.slots.values()].map(({ name, start, length }) => [
        name,
        this.#gpu.slice(flat, `${what} ${name}`, start, length),
      ]),
    );
  }

  get #kvWidth(): number {
    return (this.shape.width / this.shape.heads) * this.shape.kvHeads;
  }

  /** Elements per decode-step array of one number a row, rounded up so that slices can be bound. */
  get #decodeStride(): number {
    return Math.ceil(this.capacity.rows / 64) * 64;
  }

  get #heads() {
    const { heads, kvHeads, width } = this.shape;
    return { heads, kvHeads, headDim: width / heads };
  }

  #weight(name: string): Tensor {
    return lookUp(this.#weights, name);
  }

  #weightGrad(name: string): Tensor {
    return lookUp(this.#weightGrads, name);
  }

  /** Records each kernel once, so that all pipelines can be compiled before the first turn. */
  #recordEverything(recorder: Recorder): void {
    const sizes = { n: Math.min(2, this.capacity.tokens), r: 1 };
    this.#forward(recorder, this.#pass, sizes, true);
    this.#sample(recorder, 1, 1, { step: 0, endToken: 0, temperature: 1, seed: 0 });
    const objective = { ...defaultObjective, temperature: 1 };
    const batch = { ...sizes, lossRows: 1 };
    this.#scores(recorder, batch, 0, objective, this.#weights);
    for (const surrogate of surrogates) {
      const whole = { rows: 1, episodes: { count: 2 } };
      this.#wholeUpdate(recorder, whole, { ...objective, surrogate });
    }
    this.#pulls(recorder, batch, 0, objective);
    this.#backward(recorder, sizes, 1);
    this.#adamw(recorder, {
      learningRate: 0,
      beta1: 0,
      beta2: 0,
      epsilon: 1,
      weightDecay: 0,
      maxGradNorm: 1,
    });
  }

  // ── forward ────────────────────────────────────────────────────────────────────────────────────

  /** Tokens to logits of the wanted rows; keeps every activation. */
  #forward(
    d: Recorder,
    index: PassIndex,
    { n, r }: PassSizes,
    cached: boolean,
    weights = this.#weights,
  ): void {
    const weight = (name: string) => lookUp(weights, name);
    const { width, ffnWidth, layers } = this.shape;
    const heads = this.#heads;
    const work = this.#work;
    const kvColumns = 2 * this.#kvWidth;
    const x0 = this.#blocks[0]?.x;
    if (!x0) throw new KernelArgumentError('policy', 'no layers');
    embeddingForward(
      d,
      { tokens: index.tokens, table: weight('embedding'), x: x0 },
      { rows: n, width },
    );
    this.#blocks.forEach((block, l) => {
      const prefix = `layers.${l}`;
      const { x, norm1, rstd1, kv, q, lse, middle, norm2, rstd2, gateUp, h } = block;
      rmsnormForward(
        d,
        { x, gain: weight(`${prefix}.attention_norm`), y: norm1, rstd: rstd1 },
        { rows: n, width },
      );
      matmul(
        d,
        { a: norm1, b: weight(`${prefix}.key_value`), c: kv },
        { rows: n, inner: width, columns: kvColumns },
      );
      rotate(
        d,
        { positions: index.positions, x: kv },
        { rows: n, heads: heads.kvHeads, headDim: heads.headDim, stride: kvColumns },
        1,
      );
      const store = cached ? this.#caches[l] : kv;
      if (!store) throw new KernelArgumentError('policy', `no cache for layer ${l}`);
      if (cached) {
        if (!index.destination) throw new KernelArgumentError('policy', 'no cache rows');
        moveRows(
          d,
          'scatter',
          { index: index.destination, x: kv, y: store },
          { count: n, width: kvColumns },
        );
      }
      const narrow = l === layers - 1 && r < n;
      const rows = narrow ? r : n;
      const queryInput = narrow ? work.rowNorm : norm1;
      const residual = narrow ? work.rowX : x;
      if (narrow) {
        const gather = { count: r, width };
        moveRows(d, 'gather', { index: index.rows, x: norm1, y: queryInput }, gather);
        moveRows(d, 'gather', { index: index.rows, x, y: residual }, gather);
      }
      matmul(
        d,
        { a: queryInput, b: weight(`${prefix}.query`), c: q },
        { rows, inner: width, columns: width },
      );
      rotate(
        d,
        { positions: narrow ? index.rowPositions : index.positions, x: q },
        { rows, heads: heads.heads, headDim: heads.headDim, stride: width },
        1,
      );
      const spans = narrow ? index.rowSpans : index.spans;
      attentionForward(d, { q, kv: store, spans, o: block.attention, lse }, { rows }, heads);
      matmul(
        d,
        {
          a: block.attention,
          b: weight(`${prefix}.attention_output`),
          c: middle,
          residual,
        },
        { rows, inner: width, columns: width },
      );
      rmsnormForward(
        d,
        { x: middle, gain: weight(`${prefix}.feed_forward_norm`), y: norm2, rstd: rstd2 },
        { rows, width },
      );
      matmul(
        d,
        { a: norm2, b: weight(`${prefix}.gate_up`), c: gateUp },
        { rows, inner: width, columns: 2 * ffnWidth },
      );
      swigluForward(d, { gateUp, h }, { rows, ffnWidth });
      matmul(
        d,
        {
          a: h,
          b: weight(`${prefix}.down`),
          c: this.#blocks[l + 1]?.x ?? work.last,
          residual: middle,
        },
        { rows, inner: ffnWidth, columns: width },
      );
    });
    rmsnormForward(
      d,
      { x: work.last, gain: weight('final_norm'), y: work.finalNorm, rstd: work.finalRstd },
      { rows: r, width },
    );
    const columns = paddedVocabulary(this.shape);
    if (this.shape.tiedEmbeddings) {
      matmulTransposed(
        d,
        { a: work.finalNorm, b: weight('embedding'), c: work.logits },
        { rows: r, inner: width, columns },
        false,
      );
    } else {
      matmul(
        d,
        { a: work.finalNorm, b: weight('head'), c: work.logits },
        { rows: r, inner: width, columns },
      );
    }
  }

  // ── objective ──────────────────────────────────────────────────────────────────────────────────

  /** A micro-batch's logits, log-probabilities, entropies and values. */
  #scores(
    d: Recorder,
    sizes: BatchSizes,
    first: number,
    { temperature }: Pick<Objective, 'temperature'>,
    weights: ParameterTensors,
  ): void {
    const work = this.#work;
    this.#forward(d, this.#pass, sizes, false, weights);
    if (this.shape.valueHead) {
      matmul(
        d,
        { a: work.finalNorm, b: lookUp(weights, 'value_head'), c: work.values },
        { rows: sizes.r, inner: this.shape.width, columns: VALUE_COLUMNS },
      );
    }
    const { logits, values, lossStarts: starts, lossTargets: targets, softmax, scores } = work;
    tokenScores(
      d,
      { logits, values, starts, targets, softmax, scores },
      { ...this.#logitSizes(sizes), first },
      { temperature },
    );
  }

  /** What the surrogate needs to know of all loss rows of the update. */
  #wholeUpdate(
    d: Recorder,
    { rows: updateRows, episodes }: UpdateSizes,
    objective: ObjectiveSettings,
  ): void {
    const { inputs, scores, found, bounds, episodeStarts, episodeRows } = this.#work;
    const ofEpisodes = { inputs, scores, episodeStarts, episodeRows, found };
    const count = episodes?.count ?? 0;
    switch (objective.surrogate) {
      case 'bapo':
        bapoSearch(d, { inputs, scores, bounds }, { updateRows }, objective.bapo);
        break;
      case 'gspo':
        sequenceRatios(d, ofEpisodes, { episodes: count, updateRows });
        break;
      case 'clip_cov':
      case 'kl_cov': {
        const { surrogate, clipLow, clipHigh, covariance } = objective;
        const settings = { surrogate, clipLow, clipHigh, covariance };
        pickCovariance(d, { inputs, scores, found }, { updateRows }, settings);
        break;
      }
      case 'dpo':
        preferenceCoefficients(
          d,
          ofEpisodes,
          { pairs: count / 2, updateRows },
          { beta: objective.dpoBeta },
        );
        break;
      case 'ppo_clip':
      case 'cispo':
      case 'likelihood':
        break;
      default:
        objective.surrogate satisfies never;
    }
  }

  /** A micro-batch's loss, statistics, and ∂loss/∂logits and ∂loss/∂values. */
  #pulls(d: Recorder, sizes: BatchSizes, first: number, objective: Objective): void {
    const { inputs, scores, found, bounds, stats, pulls, ...work } = this.#work;
    const { lossRows } = sizes;
    surrogate(d, { inputs, scores, found, bounds, stats, pulls }, { first, lossRows }, objective);
    sumStats(d, { stats, totals: this.#totals }, { lossRows });
    const { logits, softmax, lossStarts: starts, lossTargets: targets, dlogits, dvalues } = work;
    logitGradient(
      d,
      { logits, softmax, starts, targets, pulls, dlogits, dvalues },
      this.#logitSizes(sizes),
      objective,
    );
  }

  #logitSizes({ r, lossRows }: BatchSizes) {
    const { vocabulary } = this.shape;
    return { rows: r, lossRows, vocabulary, stride: paddedVocabulary(this.shape) };
  }

  // ── backward ───────────────────────────────────────────────────────────────────────────────────

  /** name's gradient += aᵀ · b over `sizes.inner` rows. */
  #accumulate(d: Recorder, name: string, a: Tensor, b: Tensor, sizes: MatmulSizes): void {
    const partial = this.#scratch;
    const parts = matmulWeightGradient(d, { a, b, partial }, sizes);
    const length = sizes.rows * sizes.columns;
    sumParts(d, { partial, y: this.#weightGrad(name) }, { length, parts }, true);
  }

  /** dlogits and dvalues to the gradients of every parameter, added to what is there. */
  #backward(d: Recorder, { n, r }: PassSizes, pieces: number): void {
    const { width, ffnWidth, layers } = this.shape;
    const heads = this.#heads;
    const work = this.#work;
    const index = this.#pass;
    const scratch = this.#scratch;
    const kvColumns = 2 * this.#kvWidth;
    const columns = paddedVocabulary(this.shape);

    if (this.shape.tiedEmbeddings) {
      matmul(
        d,
        { a: work.dlogits, b: this.#weight('embedding'), c: work.rowDnorm },
        { rows: r, inner: columns, columns: width },
      );
      this.#accumulate(d, 'embedding', work.dlogits, work.finalNorm, {
        rows: columns,
        inner: r,
        columns: width,
      });
    } else {
      matmulTransposed(
        d,
        { a: work.dlogits, b: this.#weight('head'), c: work.rowDnorm },
        { rows: r, inner: columns, columns: width },
        false,
      );
      this.#accumulate(d, 'head', work.finalNorm, work.dlogits, {
        rows: width,
        inner: r,
        columns,
      });
    }
    if (this.shape.valueHead) {
      matmulTransposed(
        d,
        { a: work.dvalues, b: this.#weight('value_head'), c: work.rowDnorm },
        { rows: r, inner: VALUE_COLUMNS, columns: width },
        true,
      );
      this.#accumulate(d, 'value_head', work.finalNorm, work.dvalues, {
        rows: width,
        inner: r,
        columns: VALUE_COLUMNS,
      });
    }
    const narrowed = r < n;
    let dx = narrowed ? work.rowDx : work.dx;
    rmsnormBackward(
      d,
      {
        x: work.last,
        gain: this.#weight('final_norm'),
        rstd: work.finalRstd,
        dy: work.rowDnorm,
        dx,
        dgain: this.#weightGrad('final_norm'),
        scratch,
      },
      { rows: r, width },
      false,
    );

    for (let l = layers - 1; l >= 0; l--) {
      const block = this.#blocks[l];
      if (!block) throw new KernelArgumentError('policy', `no layer ${l}`);
      const prefix = `layers.${l}`;
      const narrow = l === layers - 1 && narrowed;
      const rows = narrow ? r : n;

      // feed-forward: x_out = middle + silu(gate)·up · down
      matmulTransposed(
        d,
        { a: dx, b: this.#weight(`${prefix}.down`), c: work.dh },
        { rows, inner: width, columns: ffnWidth },
        false,
      );
      this.#accumulate(d, `${prefix}.down`, block.h, dx, {
        rows: ffnWidth,
        inner: rows,
        columns: width,
      });
      swigluBackward(
        d,
        { gateUp: block.gateUp, dh: work.dh, dgateUp: work.dgateUp },
        { rows, ffnWidth },
      );
      this.#accumulate(d, `${prefix}.gate_up`, block.norm2, work.dgateUp, {
        rows: width,
        inner: rows,
        columns: 2 * ffnWidth,
      });
      matmulTransposed(
        d,
        { a: work.dgateUp, b: this.#weight(`${prefix}.gate_up`), c: work.dnorm },
        { rows, inner: 2 * ffnWidth, columns: width },
        false,
      );
      rmsnormBackward(
        d,
        {
          x: block.middle,
          gain: this.#weight(`${prefix}.feed_forward_norm`),
          rstd: block.rstd2,
          dy: work.dnorm,
          dx,
          dgain: this.#weightGrad(`${prefix}.feed_forward_norm`),
          scratch,
        },
        { rows, width },
        true,
      );

      // attention: middle = x + attention · output
      matmulTransposed(
        d,
        { a: dx, b: this.#weight(`${prefix}.attention_output`), c: work.dattention },
        { rows, inner: width, columns: width },
        false,
      );
      this.#accumulate(d, `${prefix}.attention_output`, block.attention, dx, {
        rows: width,
        inner: rows,
        columns: width,
      });
      attentionBackward(
        d,
        {
          q: block.q,
          kv: block.kv,
          spans: narrow ? index.rowSpans : index.spans,
          keySpans: narrow ? work.rowKeySpans : work.keySpans,
          o: block.attention,
          lse: block.lse,
          dout: work.dattention,
          dq: work.dq,
          dkv: work.dkv,
          delta: work.delta,
        },
        { rows, keyRows: n },
        heads,
      );
      rotate(
        d,
        { positions: narrow ? index.rowPositions : index.positions, x: work.dq },
        { rows, heads: heads.heads, headDim: heads.headDim, stride: width },
        -1,
      );
      rotate(
        d,
        { positions: index.positions, x: work.dkv },
        { rows: n, heads: heads.kvHeads, headDim: heads.headDim, stride: kvColumns },
        -1,
      );
      this.#accumulate(d, `${prefix}.query`, narrow ? work.rowNorm : block.norm1, work.dq, {
        rows: width,
        inner: rows,
        columns: width,
      });
      this.#accumulate(d, `${prefix}.key_value`, block.norm1, work.dkv, {
        rows: width,
        inner: n,
        columns: kvColumns,
      });
      matmulTransposed(
        d,
        { a: work.dkv, b: this.#weight(`${prefix}.key_value`), c: work.dnorm },
        { rows: n, inner: kvColumns, columns: width },
        false,
      );
      const queryWeight = this.#weight(`${prefix}.query`);
      const querySizes = { rows, inner: width, columns: width };
      if (narrow) {
        matmulTransposed(d, { a: work.dq, b: queryWeight, c: work.rowDnorm }, querySizes, false);
        const move = { count: r, width };
        moveRows(d, 'scatter_add', { index: index.rows, x: work.rowDnorm, y: work.dnorm }, move);
        d.clear(work.dx);
        moveRows(d, 'scatter', { index: index.rows, x: dx, y: work.dx }, move);
        dx = work.dx;
      } else {
        matmulTransposed(d, { a: work.dq, b: queryWeight, c: work.dnorm }, querySizes, true);
      }
      rmsnormBackward(
        d,
        {
          x: block.x,
          gain: this.#weight(`${prefix}.attention_norm`),
          rstd: block.rstd1,
          dy: work.dnorm,
          dx,
          dgain: this.#weightGrad(`${prefix}.attention_norm`),
          scratch,
        },
        { rows: n, width },
        true,
      );
    }
    embeddingBackward(
      d,
      {
        sortedRows: work.sortedRows,
        pieces: work.pieces,
        dx,
        partial: scratch,
        dtable: this.#weightGrad('embedding'),
      },
      { pieces, width },
    );
  }

  #adamw(d: Recorder, step: OptimizerStep): void {
    adamw(
      d,
      {
        parameters: this.#parameters,
        grads: this.#grads,
        m: this.#m,
        v: this.#v,
        state: this.#state,
        scratch: this.#scratch,
      },
      this.layout,
      step,
    );
  }

  // ── generation ─────────────────────────────────────────────────────────────────────────────────

  #sample(d: Recorder, rows: number, width: number, draw: Parameters<typeof sample>[3]): void {
    const work = this.#work;
    sample(
      d,
      {
        logits: work.logits,
        draws: work.draws,
        tokens: work.written,
        logps: work.writtenLogps,
        entropies: work.writtenEntropies,
        nextTokens: work.nextTokens,
      },
      { rows, vocabulary: this.shape.vocabulary, stride: paddedVocabulary(this.shape), width },
      draw,
    );
  }

  async generate(request: GenerateRequest): Promise<Generation> {
    const { slots, cachedLengths, maxNewTokens } = request;
    const { context, tokens, rows, episodes } = this.capacity;
    const e = slots.length;
    const fail = (what: string): never => {
      throw new KernelArgumentError('policy.generate', what);
    };
    if (e === 0) fail('no episodes');
    if (new Set(slots).size < e) fail('a slot stands twice');
    for (const [name, array] of Object.entries({
      cachedLengths,
      'random.iterations': request.random.iterations,
      'random.episodes': request.random.episodes,
      'random.offsets': request.random.offsets,
    })) {
      if (array.length !== e) fail(`${name} has ${array.length} elements for ${e} episodes`);
    }
    if (e > rows) fail(`${e} episodes, capacity for ${rows} rows of logits`);
    if (maxNewTokens < 1 || maxNewTokens > MOST_NEW_TOKENS) {
      fail(`maxNewTokens must lie in 1 .. ${MOST_NEW_TOKENS}, got ${maxNewTokens}`);
    }
    checkTokens('policy.generate', request.newTokens, this.shape.vocabulary);
    const { newTokens, newTokenStarts, readers, rowOf } = sharedContexts(request);
    const n = newTokens.length;
    const r = readers.length;
    if (n > tokens) fail(`${n} new tokens, capacity for ${tokens}`);

    const positions = new Uint32Array(n);
    const spans = new Uint32Array(2 * n);
    const destination = new Uint32Array(n);
    const lastRows = new Uint32Array(r);
    const rowPositions = new Uint32Array(r);
    const rowSpans = new Uint32Array(2 * r);
    const stride = this.#decodeStride;
    const decodeIndex = new Uint32Array((maxNewTokens - 1) * 4 * stride);
    readers.forEach((reader, i) => {
      const slot = at(slots, reader);
      const cached = at(cachedLengths, reader);
      const begin = at(newTokenStarts, i);
      const end = at(newTokenStarts, i + 1);
      if (slot >= episodes) fail(`slot ${slot}, capacity for ${episodes} episodes`);
      if (end <= begin) fail(`episode ${reader} brings no new token`);
      const filled = cached + end - begin;
      if (filled + maxNewTokens - 1 > context) {
        fail(
          `episode ${reader} needs ${filled + maxNewTokens - 1} cache positions, capacity for ${context}`,
        );
      }
      const base = slot * context;
      for (let t = begin; t < end; t++) {
        const position = cached + t - begin;
        positions[t] = position;
        spans[2 * t] = base;
        spans[2 * t + 1] = position + 1;
        destination[t] = base + position;
      }
      lastRows[i] = end - 1;
      rowPositions[i] = filled - 1;
      rowSpans[2 * i] = base;
      rowSpans[2 * i + 1] = filled;
      for (let step = 0; step < maxNewTokens - 1; step++) {
        const from = step * 4 * stride;
        decodeIndex[from + i] = filled + step;
        decodeIndex[from + stride + 2 * i] = base;
        decodeIndex[from + stride + 2 * i + 1] = filled + step + 1;
        decodeIndex[from + 3 * stride + i] = base + filled + step;
      }
    });
    const draws = new Uint32Array(4 * e);
    for (let i = 0; i < e; i++) {
      draws[4 * i] = at(request.random.episodes, i);
      draws[4 * i + 1] = at(request.random.offsets, i);
      draws[4 * i + 2] = at(rowOf, i);
      draws[4 * i + 3] = at(request.random.iterations, i);
    }
    const gpu = this.#gpu;
    gpu.upload(this.#pass.tokens, newTokens);
    gpu.upload(this.#pass.positions, positions);
    gpu.upload(this.#pass.spans, spans);
    gpu.upload(this.#pass.destination, destination);
    gpu.upload(this.#pass.rows, lastRows);
    gpu.upload(this.#pass.rowPositions, rowPositions);
    gpu.upload(this.#pass.rowSpans, rowSpans);
    gpu.upload(this.#work.draws, draws);
    if (decodeIndex.length > 0) gpu.upload(this.#work.decodeIndex, decodeIndex);

    const { version } = this;
    const { endToken, temperature, random } = request;
    const draw = { endToken, temperature, seed: random.seed };
    const length = e * maxNewTokens;
    const [writtenData, logpData, entropyData] = await gpu.submit(
      'generate',
      (d) => {
        this.#forward(d, this.#pass, { n, r }, true);
        this.#sample(d, e, maxNewTokens, { ...draw, step: 0 });
        for (let step = 1; step < maxNewTokens; step++) {
          const index = this.#decode[step - 1];
          if (!index) throw new KernelArgumentError('policy.generate', `no decode step ${step}`);
          this.#forward(d, index, { n: e, r: e }, true);
          this.#sample(d, e, maxNewTokens, { ...draw, step });
        }
      },
      [
        { tensor: this.#work.written, length },
        { tensor: this.#work.writtenLogps, length },
        { tensor: this.#work.writtenEntropies, length },
      ],
    );
    if (!writtenData || !logpData || !entropyData) return fail('nothing was read back');
    const written = new Uint32Array(writtenData);
    const lengths = new Uint32Array(e);
    for (let i = 0; i < e; i++) {
      let count = 0;
      while (count < maxNewTokens && written[i * maxNewTokens + count] !== ENDED) count++;
      lengths[i] = count;
    }
    return {
      tokens: written,
      logps: new Float32Array(logpData),
      entropies: new Float32Array(entropyData),
      lengths,
      version,
    };
  }

  // ── training ───────────────────────────────────────────────────────────────────────────────────

  async update(
    batches: readonly TrainingBatch[],
    objective: Objective,
    step: OptimizerStep,
    withScores = false,
  ): Promise<UpdateStats> {
    const { start, table } = this.#queueGradients('policy.update', batches, objective);
    this.version += 1;
    const scored = withScores && table.rows > 0;
    const [totalsData, boundsData, stateData, scoresData] = await this.#gpu.submit(
      'optimiser step',
      (d) => {
        start(d);
        // A clipped row has no gradient, whatever its advantage: what is not finite need not show.
        if (table.nonFinite === null) this.#adamw(d, step);
      },
      [
        { tensor: this.#totals, length: statColumns.length },
        { tensor: this.#work.bounds, length: BOUNDS },
        { tensor: this.#state, length: ADAMW_STATE },
        ...(scored ? [{ tensor: this.#work.scores, length: SCORE_COLUMNS * table.rows }] : []),
      ],
    );
    const stats = updateStats(table, objective, {
      totals: new Float32Array(totalsData ?? new ArrayBuffer(0)),
      bounds: new Float32Array(boundsData ?? new ArrayBuffer(0)),
      state: new Float32Array(stateData ?? new ArrayBuffer(0)),
    });
    if (!withScores) return stats;
    const scores = new Float32Array(scoresData ?? new ArrayBuffer(0));
    return {
      ...stats,
      scores: batches.map(({ rows }, b) => {
        const first = SCORE_COLUMNS * (table.firsts[b] ?? 0);
        return rowScores(scores.subarray(first, first + SCORE_COLUMNS * rows.length));
      }),
    };
  }

  /**
   * Queues the gradients of an update, a submission each micro-batch. `start` clears what gradients
   * are added to, in whichever submission calls it first.
   */
  #queueGradients(where: string, batches: readonly TrainingBatch[], objective: Objective) {
    const { updateRows } = this.capacity;
    const { valueHead } = this.shape;
    const table = updateTable(where, batches, objective, { updateRows, valueHead });
    const placed = this.#index(where, batches, objective.temperature)
      .map((index, b) => ({ index, first: table.firsts[b] ?? 0 }))
      .filter(({ index }) => index.r > 0);
    const gpu = this.#gpu;
    gpu.upload(this.#work.inputs, table.inputs);
    // Where the search starts, should there be no rows to search over.
    const { lowMin, highMin } = objective.bapo;
    gpu.upload(this.#work.bounds, Float32Array.of(lowMin, highMin, 0, 0));
    if (table.episodes) {
      gpu.upload(this.#work.episodeStarts, table.episodes.starts);
      gpu.upload(this.#work.episodeRows, table.episodes.rows);
    }
    const whole = lookAtWholeUpdate.has(objective.surrogate);
    // The last micro-batch to be scored is the first to pull: its activations are still there, so a
    // single micro-batch is computed once.
    const last = placed.at(-1);
    if (whole && last) {
      const others = placed.slice(0, -1);
      for (const batch of others) {
        this.#queueBatch('scores', batch.index, (d) => {
          this.#scores(d, batch.index, batch.first, objective, this.#weights);
        });
      }
      placed.splice(0, placed.length, last, ...others);
    }
    let started = false;
    const start = (d: Recorder) => {
      if (started) return;
      started = true;
      d.clear(this.#grads);
      d.clear(this.#totals);
    };
    placed.forEach(({ index, first }, i) => {
      this.#queueBatch('gradients', index, (d) => {
        start(d);
        this.#scores(d, index, first, objective, this.#weights);
        if (whole && i === 0) this.#wholeUpdate(d, table, objective);
        this.#pulls(d, index, first, objective);
        this.#backward(d, index, index.pieces.length / 3);
      });
    });
    return { start, table };
  }

  #index(where: string, batches: readonly TrainingBatch[], temperature: number): BatchIndex[] {
    if (!(temperature > 0)) {
      throw new KernelArgumentError(where, `temperature must be positive, got ${temperature}`);
    }
    return batches.map((batch) => batchIndex(where, batch, this.capacity, this.shape.vocabulary));
  }

  #queueBatch(label: string, index: BatchIndex, record: (d: Recorder) => void): void {
    this.#upload(index);
    // A failure is the device's, and the next submission reports it.
    void this.#gpu.submit(label, record).catch(() => {});
  }

  #upload(index: BatchIndex): void {
    const gpu = this.#gpu;
    const pass = this.#pass;
    const work = this.#work;
    gpu.upload(pass.tokens, index.tokens);
    gpu.upload(pass.positions, index.positions);
    gpu.upload(pass.spans, index.spans);
    gpu.upload(pass.rows, index.rows);
    gpu.upload(pass.rowPositions, index.rowPositions);
    gpu.upload(pass.rowSpans, index.rowSpans);
    gpu.upload(work.keySpans, index.keySpans);
    gpu.upload(work.rowKeySpans, index.rowKeySpans);
    gpu.upload(work.sortedRows, index.sortedRows);
    gpu.upload(work.pieces, index.pieces);
    gpu.upload(work.lossStarts, index.lossStarts);
    gpu.upload(work.lossTargets, index.targets);
  }

  async score(
    batches: readonly TrainingBatch[],
    temperature: number,
    weights: Weights = 'present',
  ): Promise<RowScores[]> {
    const where = 'policy.score';
    const tensors = weights === 'present' ? this.#weights : this.#reference?.weights;
    if (!tensors) throw new KernelArgumentError(where, 'no reference was kept');
    return Promise.all(
      this.#index(where, batches, temperature).map(async (index) => {
        const length = SCORE_COLUMNS * index.lossRows;
        this.#upload(index);
        const [data] = await this.#gpu.submit(
          'score',
          (d) => this.#scores(d, index, 0, { temperature }, tensors),
          [{ tensor: this.#work.scores, length }],
        );
        return rowScores(new Float32Array(data ?? new ArrayBuffer(0)));
      }),
    );
  }

  async distributions(
    batches: readonly TrainingBatch[],
    temperature: number,
  ): Promise<Float32Array[]> {
    const { vocabulary } = this.shape;
    const padded = paddedVocabulary(this.shape);
    return Promise.all(
      this.#index('policy.distributions', batches, temperature).map(async (index) => {
        this.#upload(index);
        const [data] = await this.#gpu.submit(
          'distributions',
          (d) => this.#forward(d, this.#pass, index, false),
          [{ tensor: this.#work.logits, length: index.r * padded }],
        );
        const logits = new Float32Array(data ?? new ArrayBuffer(0));
        const result = new Float32Array(index.lossRows * vocabulary);
        for (let row = 0; row < index.r; row++) {
          const start = row * padded;
          const { logps } = softmaxScores(logits.subarray(start, start + vocabulary), temperature);
          const end = at(index.lossStarts, row + 1);
          for (let i = at(index.lossStarts, row); i < end; i++) result.set(logps, i * vocabulary);
        }
        return result;
      }),
    );
  }

  async gradientNorm(batches: readonly TrainingBatch[], objective: Objective): Promise<number> {
    const { start } = this.#queueGradients('policy.gradientNorm', batches, objective);
    const [data] = await this.#gpu.submit('gradient norm', start, [
      { tensor: this.#grads, length: this.layout.length },
    ]);
    let squares = 0;
    for (const g of new Float32Array(data ?? new ArrayBuffer(0))) squares += g * g;
    return Math.sqrt(squares);
  }

  restartOptimizer(): void {
    for (const { tensor, length } of [
      { tensor: this.#m, length: this.layout.length },
      { tensor: this.#v, length: this.layout.length },
      { tensor: this.#state, length: ADAMW_STATE },
    ]) {
      this.#gpu.upload(tensor, new Float32Array(length));
    }
  }

  keepReference(): void {
    const copy = { partial: this.#parameters, y: this.#referenceTensors().flat };
    void this.#gpu
      .submit('keep reference', (d) => {
        // The sum of one part is a copy.
        sumParts(d, copy, { length: this.layout.length, parts: 1 }, false);
      })
      .catch(() => {});
  }

  #referenceTensors() {
    if (!this.#reference) {
      const flat = this.#make('reference parameters', [this.layout.length]);
      this.#reference = { flat, weights: this.#byName(flat, 'reference') };
    }
    return this.#reference;
  }

  #forgetReference(): void {
    if (!this.#reference) return;
    const { flat } = this.#reference;
    this.#reference = null;
    this.#owned.splice(this.#owned.indexOf(flat), 1);
    this.#gpu.free(flat);
  }

  // ── parameters ─────────────────────────────────────────────────────────────────────────────────

  readWeights(): Promise<Map<string, WeightTensor>> {
    return this.#readNamed(this.#parameters);
  }

  writeWeights(weights: ReadonlyMap<string, WeightTensor>): void {
    checkWeights(this.layout, weights);
    this.#gpu.upload(this.#parameters, this.#flat(weights));
  }

  async readState(): Promise<PolicyState> {
    const { version } = this;
    const { length } = this.layout;
    const reference = this.#reference?.flat;
    const parts = [this.#parameters, this.#m, this.#v, ...(reference ? [reference] : [])];
    const [optimizer, ...flat] = await this.#gpu.submit('read state', () => {}, [
      { tensor: this.#state, length: ADAMW_STATE },
      ...parts.map((tensor) => ({ tensor, length })),
    ]);
    const named = (i: number) => this.#named(new Float32Array(flat[i] ?? new ArrayBuffer(0)));
    return {
      weights: named(0),
      firstMoments: named(1),
      secondMoments: named(2),
      optimizer: new Float32Array(optimizer ?? new ArrayBuffer(0)),
      reference: reference ? named(3) : null,
      version,
    };
  }

  writeState(state: PolicyState): void {
    const { weights, firstMoments, secondMoments, optimizer, reference, version } = state;
    for (const tensors of [weights, firstMoments, secondMoments, ...(reference ? [reference] : [])])
      checkWeights(this.layout, tensors);
    if (optimizer.length !== ADAMW_STATE) {
      throw new WeightsError(
        `the optimizer's state must have ${ADAMW_STATE} numbers, got ${optimizer.length}`,
      );
    }
    const gpu = this.#gpu;
    gpu.upload(this.#parameters, this.#flat(weights));
    gpu.upload(this.#m, this.#flat(firstMoments));
    gpu.upload(this.#v, this.#flat(secondMoments));
    gpu.upload(this.#state, optimizer);
    if (reference) gpu.upload(this.#referenceTensors().flat, this.#flat(reference));
    else this.#forgetReference();
    this.version = version;
  }

  /** Gradients that `update` or `gradientNorm` took last, by parameter name, before clipping. */
  gradients(): Promise<Map<string, WeightTensor>> {
    return this.#readNamed(this.#grads);
  }

  async #readNamed(tensor: Tensor): Promise<Map<string, WeightTensor>> {
    return this.#named(new Float32Array(await this.#gpu.read(tensor)));
  }

  #flat(tensors: ReadonlyMap<string, WeightTensor>): Float32Array {
    const flat = new Float32Array(this.layout.length);
    for (const { name, start } of this.layout.slots.values()) {
      flat.set(tensors.get(name)?.values ?? [], start);
    }
    return flat;
  }

  #named(flat: Float32Array): Map<string, WeightTensor> {
    return new Map(
      [...this.layout.slots.values()].map(({ name, shape, start, length }) => [
        name,
        { shape, values: flat.slice(start, start + length) },
      ]),
    );
  }

  destroy(): void {
    for (const tensor of this.#owned) this.#gpu.free(tensor);
    this.#owned.length = 0;
  }
}

/** Most tokens an agent may write in one turn. */
export const MOST_NEW_TOKENS = 64;

/** Elements of a row of scores: log-probability, entropy, value, 0. */
const SCORE_COLUMNS = 4;

/** @param table (R, SCORE_COLUMNS) */
function rowScores(table: Float32Array): RowScores {
  const rows = table.length / SCORE_COLUMNS;
  const column = (c: number) =>
    Float32Array.from({ length: rows }, (_, i) => at(table, SCORE_COLUMNS * i + c));
  return { logps: column(0), entropies: column(1), values: column(2) };
}

/** Elements of BAPO's bounds: low, high, ρ, steps. */
const BOUNDS = 4;

/** Surrogates that look at all loss rows of an update before any of them can pull. */
const lookAtWholeUpdate: ReadonlySet<Surrogate> = new Set([
  'bapo',
  'gspo',
  'clip_cov',
  'kl_cov',
  'dpo',
]);

type WorkName =
  | 'keySpans'
  | 'rowKeySpans'
  | 'sortedRows'
  | 'pieces'
  | 'lossStarts'
  | 'lossTargets'
  | 'stats'
  | 'pulls'
  | 'softmax'
  | 'inputs'
  | 'scores'
  | 'found'
  | 'bounds'
  | 'episodeStarts'
  | 'episodeRows'
  | 'rowNorm'
  | 'rowX'
  | 'last'
  | 'finalNorm'
  | 'finalRstd'
  | 'logits'
  | 'dlogits'
  | 'values'
  | 'dvalues'
  | 'dx'
  | 'rowDx'
  | 'dnorm'
  | 'rowDnorm'
  | 'dattention'
  | 'dq'
  | 'dkv'
  | 'delta'
  | 'dh'
  | 'dgateUp'
  | 'draws'
  | 'nextTokens'
  | 'written'
  | 'writtenLogps'
  | 'writtenEntropies'
  | 'decodeIndex';

function lookUp(tensors: ParameterTensors, name: string): Tensor {
  const tensor = tensors.get(name);
  if (!tensor) throw new KernelArgumentError('policy', `no parameter ${name}`);
  return tensor;
}

/**
 * The contexts that a turn has to read. Where no later turn builds on the caches and one token is
 * written, episodes with the same context share it: `readers` are the episodes that read one,
 * `rowOf` (E) says which reader's logits each episode draws from.
 */
function sharedContexts(request: GenerateRequest) {
  const { newTokens, newTokenStarts, cachedLengths, keepCache, maxNewTokens } = request;
  const e = request.slots.length;
  const everyone = Array.from({ length: e }, (_, i) => i);
  if (keepCache || maxNewTokens > 1) {
    return { newTokens, newTokenStarts, readers: everyone, rowOf: Uint32Array.from(everyone) };
  }
  const rowByContext = new Map<string, number>();
  const readers: number[] = [];
  const starts = [0];
  const kept: number[] = [];
  const rowOf = Uint32Array.from(everyone, (i) => {
    const context = newTokens.subarray(at(newTokenStarts, i), at(newTokenStarts, i + 1));
    // A context that continues a cache is not told by its new tokens alone.
    const key = at(cachedLengths, i) === 0 ? context.join() : `episode ${i}`;
    const known = rowByContext.get(key);
    if (known !== undefined) return known;
    rowByContext.set(key, readers.length);
    readers.push(i);
    for (const token of context) kept.push(token);
    starts.push(kept.length);
    return readers.length - 1;
  });
  return {
    newTokens: Uint32Array.from(kept),
    newTokenStarts: Uint32Array.from(starts),
    readers,
    rowOf,
  };
}

/** Makes a policy on this GPU, for the training recipes. */
export function createPolicy(
  gpu: Gpu,
  shape: PolicyShape,
  capacity: PolicyCapacity,
  seed: number,
): Promise<Policy> {
  return Policy.create(gpu, shape, capacity, seed);
}
