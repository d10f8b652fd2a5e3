import { type Device, type Dispatcher, KernelArgumentError, type Tensor } from '../device/index.ts';
import { adamwScratch } from '../kernels/adamw.ts';
import { biasScratch } from '../kernels/elementwise.ts';
import { mostPieces } from '../kernels/embedding.ts';
import type { FrozenMatrix } from '../kernels/frozen.ts';
import { type BasePrecision, packedLengths } from '../kernels/frozen-pack.ts';
import { headnormScratch } from '../kernels/headnorm.ts';
import { alignedLength, turnsInProduct } from '../kernels/layer.ts';
import { weightGradientSplits } from '../kernels/matmul.ts';
import { PART_ROWS, rmsnormScratch } from '../kernels/rmsnorm.ts';
import { optimizerColumns, statColumns } from '../kernels/tables.ts';
import {
  CONTEXT_COLUMNS,
  DRAW_COLUMNS,
  fitsTurn,
  type TurnLayout,
  type TurnShape,
} from '../kernels/turn.ts';
import { IndexArena } from './index-arena.ts';
import {
  type AdaptedLinear,
  adaptedLinears,
  architectureOf,
  attentionWidths,
  networkLayout,
  type ParameterLayout,
  paddedVocabulary,
  parameterLayout,
  VALUE_COLUMNS,
} from './layout.ts';
import {
  type Architecture,
  MOST_NEW_TOKENS,
  type PolicyCapacity,
  type PolicyShape,
} from './types.ts';

/** Elements of a row of scores: log-probability, entropy, value, 0. */
export const SCORE_COLUMNS = 4;

/** Elements of BAPO's bounds: low, high, ρ, steps. */
export const BOUNDS = 4;

/** Number of full micro-batches whose indices fit into one upload. */
const BATCHES_AT_ONCE = 8;

/** Limits of the split weight gradients: number of splits, and total number of elements. */
const MOST_SPLITS = 16;
const MOST_PARTS = 2 ** 26;

/** Activations of one block that its backward pass needs. */
export interface BlockActivations {
  /** Input of the block (tokens, width). */
  readonly x: Tensor;
  readonly norm1: Tensor;
  readonly rstd1: Tensor;
  readonly q: Tensor;
  readonly kv: Tensor;
  /** Queries, and keys and values, before the head norms, and the norms' rstd. */
  readonly headNorms: {
    readonly q: Tensor;
    readonly kv: Tensor;
    readonly queryRstd: Tensor;
    readonly keyRstd: Tensor;
  } | null;
  /** Outputs of attention and feed-forward before their post-norms, and the norms' rstd. */
  readonly postNorms: {
    readonly attended: Tensor;
    readonly attendedRstd: Tensor;
    readonly fed: Tensor;
    readonly fedRstd: Tensor;
  } | null;
  readonly attention: Tensor;
  readonly lse: Tensor;
  /** Residual stream between attention and feed-forward. */
  readonly middle: Tensor;
  readonly norm2: Tensor;
  readonly rstd2: Tensor;
  readonly gateUp: Tensor;
  readonly h: Tensor;
}

/** Token indices of one pass, as tensors on the device. */
export interface PassIndex {
  /** (n) token ids. */
  readonly tokens: Tensor;
  /** (n) position of each token in its sequence. */
  readonly positions: Tensor;
  /** (n, 2) first key row and number of keys of each token. */
  readonly spans: Tensor;
  /** Spans in layers with a sliding window. */
  readonly windowSpans?: Tensor;
  readonly windowRowSpans?: Tensor;
  /** (n) cache row of each token; absent when the pass attends to its own keys. */
  readonly destination?: Tensor;
  /** (r) the rows whose logits are requested, with their positions and spans. */
  readonly rows: Tensor;
  readonly rowPositions: Tensor;
  readonly rowSpans: Tensor;
}

export interface PassSizes {
  /** Tokens. */
  readonly n: number;
  /** Rows of logits. */
  readonly r: number;
}

export interface BatchSizes extends PassSizes {
  readonly lossRows: number;
}

/** Parameters, or other tensors of the same layout, as a whole and by name. */
export interface ParameterTensors {
  readonly flat: Tensor;
  readonly byName: ReadonlyMap<string, Tensor>;
}

/** Partial gradients of a micro-batch, which are summed at its end. */
export interface GradientParts {
  /** (splits, stride) and (⌈tokens / PART_ROWS⌉, gainStride). */
  readonly matrices: Tensor;
  readonly gains: Tensor;
  readonly splits: number;
  readonly stride: number;
  readonly gainStride: number;
  /** Slices that start at the first part of each parameter's gradient. */
  readonly byName: ReadonlyMap<string, Tensor>;
  /** The gradients that the parts sum to. */
  readonly matrixGradients: Tensor;
  readonly gainGradients: Tensor;
}

/** Tensors and constants for running a turn in one dispatch. */
export interface TurnTensors {
  readonly shape: TurnShape;
  readonly layout: TurnLayout;
  readonly index: Tensor;
  /** (layers, cacheLength) */
  readonly caches: Tensor;
  readonly cacheLength: number;
}

/** The frozen network under an adapter. */
export interface FrozenNetwork {
  /** (outputs, inputs) by name; the embedding and the head are (padded vocabulary, width). */
  readonly matrices: ReadonlyMap<string, FrozenMatrix>;
  /** Gains and biases in one tensor, and by name. */
  readonly vectors: ParameterTensors;
}

/** Minimum rows of logits per chunk with an adapter; chunks save memory for large vocabularies. */
const LOGIT_ROWS = 64;

type Make = (label: string, ...size: number[]) => Tensor;

/** All tensors of the policy. They are allocated once, for its capacity. */
export class Network {
  readonly device: Device;
  readonly shape: PolicyShape;
  readonly capacity: PolicyCapacity;
  /** The block, with its defaults filled in. */
  readonly block: Architecture;
  readonly layout: ParameterLayout;
  /** The frozen network under an adapter; null without one. */
  readonly frozen: FrozenNetwork | null;
  readonly adapted: ReadonlyMap<string, AdaptedLinear>;
  readonly parameters: ParameterTensors;
  readonly gradients: ParameterTensors;
  /** AdamW's moving averages of the gradient and of its square, and its state, such as the step count. */
  readonly firstMoments: Tensor;
  readonly secondMoments: Tensor;
  readonly optimizer: Tensor;
  /** Sums of the loss statistics over an update. */
  readonly totals: Tensor;
  /** Partial sums of the current kernel. */
  readonly scratch: Tensor;
  /** Partial gradients of the fused kernels; null if these are not used. */
  readonly parts: GradientParts | null;
  readonly blocks: readonly BlockActivations[];
  /** (episodes · context, 2 · key–value width) of each layer. */
  readonly caches: readonly Tensor[];
  /** What a turn in one dispatch needs; null if turns take a dispatch per kernel. */
  readonly turn: TurnTensors | null;
  /** Indices of a packed pass. */
  readonly pass: PassIndex & { readonly destination: Tensor };
  /** Indices of each decode step after the first. */
  readonly decode: readonly PassIndex[];
  readonly work: ReturnType<typeof workTensors>;
  readonly indices: IndexArena;
  #reference: ParameterTensors | null = null;
  readonly #owned: Tensor[] = [];

  constructor(device: Device, shape: PolicyShape, capacity: PolicyCapacity) {
    this.device = device;
    this.shape = shape;
    this.capacity = capacity;
    this.block = architectureOf(shape);
    this.layout = parameterLayout(shape);
    this.adapted = adaptedLinears(shape);
    const { layers, width } = shape;
    const { tokens, rows, episodes, context } = capacity;
    const make: Make = (label, ...size) => this.#make(label, size);
    this.frozen = shape.adapter ? this.#freeze(make, shape.adapter.base) : null;
    this.parameters = this.#named('parameters', 'weight');
    this.gradients = this.#named('gradients', 'gradient');
    this.firstMoments = make('adam m', this.layout.length);
    this.secondMoments = make('adam v', this.layout.length);
    this.optimizer = make('adam state', optimizerColumns.length);
    this.totals = make('loss totals', statColumns.length);
    const { splits } = weightGradientSplits(tokens);
    const largest = Math.max(...[...this.layout.slots.values()].map(({ length }) => length));
    this.scratch = make(
      'partial sums',
      Math.max(
        splits * largest,
        rmsnormScratch({ rows: tokens, width }),
        ...this.#blockScratch(),
        // The embedding of a frozen network has no gradient.
        this.frozen ? 0 : mostPieces(tokens, this.padded) * width,
        adamwScratch(this.layout.length),
      ),
    );
    this.parts =
      device.kind === 'processor' || shape.architecture || shape.adapter
        ? null
        : this.#gradientParts(make);
    // With an adapter, blocks keep only their inputs and share the activations that are recomputed.
    const shared = this.frozen ? blockActivations(make, 0, this, tokens) : null;
    this.blocks = Array.from({ length: layers }, (_, l) =>
      shared
        ? { ...shared, x: l === 0 ? shared.x : make(`x ${l}`, tokens, width) }
        : blockActivations(make, l, this, tokens),
    );
    this.turn = device.kind === 'gpu' ? this.#turnTensors(make) : null;
    this.caches = Array.from({ length: layers }, (_, l) => {
      const length = episodes * context * 2 * this.kvWidth;
      if (!this.turn) return make(`kv cache ${l}`, length);
      const { caches, cacheLength } = this.turn;
      return device.slice(caches, `kv cache ${l}`, l * cacheLength, length);
    });
    this.pass = {
      tokens: make('tokens', tokens),
      positions: make('positions', tokens),
      spans: make('spans', tokens, 2),
      destination: make('cache rows', tokens),
      rows: make('rows', rows),
      rowPositions: make('row positions', rows),
      rowSpans: make('row spans', rows, 2),
      ...(this.block.sliding && {
        windowSpans: make('window spans', tokens, 2),
        windowRowSpans: make('window row spans', rows, 2),
      }),
    };
    this.work = workTensors(make, this);
    this.decode = this.#decodeSteps();
    this.indices = new IndexArena(device, make('indices', this.#mostIndices()));
  }

  /** Allocates a tensor that `destroy` frees. */
  #make(label: string, size: readonly number[]): Tensor {
    const length = size.reduce((a, b) => a * b, 1);
    const tensor = this.device.tensor(label, Math.max(1, length));
    this.#owned.push(tensor);
    return tensor;
  }

  /** Allocates a tensor in the parameter layout with a slice for each parameter. */
  #named(label: string, what: string): ParameterTensors {
    const flat = this.#make(label, [this.layout.length]);
    const byName = new Map(
      [...this.layout.slots.values()].map(({ name, start, length }) => [
        name,
        this.device.slice(flat, `${what} ${name}`, start, length),
      ]),
    );
    // The query and key–value matrices as one slice, for a single product.
    for (let l = 0; l < this.shape.layers; l++) {
      const query = this.layout.slots.get(`layers.${l}.query`);
      const keyValue = this.layout.slots.get(`layers.${l}.key_value`);
      if (!query || !keyValue) continue;
      const name = `layers.${l}.query_key_value`;
      const length = keyValue.start + keyValue.length - query.start;
      byName.set(name, this.device.slice(flat, `${what} ${name}`, query.start, length));
    }
    return { flat, byName };
  }

  #turnTensors(make: Make): TurnTensors | null {
    const { shape, capacity, padded } = this;
    const sizes = { ...shape, padded };
    if (shape.architecture || shape.adapter || !fitsTurn(sizes)) return null;
    const { rows, tokens, episodes, context } = capacity;
    const cacheLength = alignedLength(episodes * context * 2 * this.kvWidth);
    return {
      shape: sizes,
      layout: turnLayout(shape, this.layout),
      index: make('turn index', rows * (CONTEXT_COLUMNS + DRAW_COLUMNS) + tokens),
      caches: make('kv caches', shape.layers, cacheLength),
      cacheLength,
    };
  }

  #gradientParts(make: Make): GradientParts {
    const { layout, capacity } = this;
    const { decayEnd } = layout;
    // All matrices except the embedding, whose gradient has a separate kernel, and the value head.
    const slots = [...layout.slots.values()].filter(({ start }) => start < decayEnd);
    const first = slots[1]?.start ?? 0;
    const last = layout.slots.get('value_head')?.start ?? decayEnd;
    const stride = last - first;
    const splits = Math.max(
      1,
      Math.min(MOST_SPLITS, Math.ceil(capacity.tokens / 64), Math.floor(MOST_PARTS / stride)),
    );
    const gainStride = layout.length - decayEnd;
    const gainParts = Math.ceil(capacity.tokens / PART_ROWS);
    const matrices = make('gradient parts', splits, stride);
    const gains = make('gain gradient parts', gainParts, gainStride);
    const { device } = this;
    const behind = (of: Tensor, name: string, start: number) =>
      device.slice(of, `part ${name}`, start, of.length - start);
    const byName = new Map<string, Tensor>();
    for (const { name, start } of layout.slots.values()) {
      if (start >= decayEnd) byName.set(name, behind(gains, name, start - decayEnd));
      else if (start >= first && start < last)
        byName.set(name, behind(matrices, name, start - first));
    }
    const flat = this.gradients.flat;
    return {
      ...{ matrices, gains, splits, stride, gainStride, byName },
      matrixGradients: device.slice(flat, 'matrix gradients', first, stride),
      gainGradients: device.slice(flat, 'gain gradients', decayEnd, gainStride),
    };
  }

  /** Allocates the frozen network's tensors. */
  #freeze(make: Make, base: BasePrecision): FrozenNetwork {
    const matrices = new Map<string, FrozenMatrix>();
    const places: { name: string; start: number; length: number }[] = [];
    let end = 0;
    for (const { name, shape, length } of networkLayout(this.shape).slots.values()) {
      if (name === 'value_head') continue;
      if (shape.length === 2) {
        const ofTokens = name === 'embedding' || name === 'head';
        const precision = ofTokens && base === 'int4' ? 'f16' : base;
        const [rows = 0, columns = 0] = frozenShape(name, shape);
        const lengths = packedLengths(precision, rows, columns);
        const words = make(`frozen ${name}`, lengths.words);
        const scales = lengths.scales > 0 ? make(`scales of ${name}`, lengths.scales) : words;
        matrices.set(name, { precision, words, scales });
      } else {
        places.push({ name, start: end, length });
        end = Math.ceil((end + length) / 64) * 64;
      }
    }
    const flat = make('frozen vectors', end);
    const byName = new Map(
      places.map(({ name, start, length }) => [
        name,
        this.device.slice(flat, `frozen ${name}`, start, length),
      ]),
    );
    return { matrices, vectors: { flat, byName } };
  }

  /** Scratch elements needed by the steps that Llama's block lacks. */
  #blockScratch(): number[] {
    const { tokens: rows } = this.capacity;
    const { heads, kvHeads, headDim } = this.heads;
    const { qkNorm, qkvBias } = this.block;
    if (this.frozen) return [];
    return [
      qkNorm ? headnormScratch({ rows, heads, slots: heads, headDim }) : 0,
      qkvBias ? biasScratch({ rows, columns: Math.max(heads, 2 * kvHeads) * headDim }) : 0,
    ];
  }

  #decodeSteps(): PassIndex[] {
    const { rows } = this.capacity;
    const part = (label: string, step: number, at: number, length: number) =>
      this.device.slice(
        this.work.decodeIndex,
        label,
        (step * this.decodeParts + at) * this.decodeStride,
        length,
      );
    return Array.from({ length: MOST_NEW_TOKENS - 1 }, (_, step) => {
      const positions = part('decode positions', step, 0, rows);
      const spans = part('decode spans', step, 1, 2 * rows);
      const window = this.block.sliding && part('decode window spans', step, 4, 2 * rows);
      return {
        ...(window && { windowSpans: window, windowRowSpans: window }),
        tokens: this.work.nextTokens,
        positions,
        spans,
        destination: part('decode cache rows', step, 3, rows),
        rows: this.pass.rows,
        rowPositions: positions,
        rowSpans: spans,
      };
    });
  }

  /** Maximum number of index elements of a submission. */
  #mostIndices(): number {
    const length = (tensors: readonly Tensor[]) => tensors.reduce((sum, t) => sum + t.length, 0);
    const { keySpans, rowKeySpans, sortedRows, pieces, lossStarts, lossTargets } = this.work;
    const { draws, decodeIndex, windowKeySpans, windowRowKeySpans } = this.work;
    const windows = windowKeySpans && windowRowKeySpans ? [windowKeySpans, windowRowKeySpans] : [];
    const pass = length([...Object.values(this.pass), ...windows]);
    return Math.max(
      pass + length([draws, decodeIndex]),
      BATCHES_AT_ONCE *
        (pass + length([keySpans, rowKeySpans, sortedRows, pieces, lossStarts, lossTargets])),
    );
  }

  /** Multiply–adds of a token in one block's matrix products. */
  get blockWork(): number {
    const { width, ffnWidth } = this.shape;
    return width * (2 * this.queryWidth + 2 * this.kvWidth + 3 * ffnWidth);
  }

  /** Multiply–adds of a row of logits. */
  get logitWork(): number {
    return this.shape.width * this.padded;
  }

  /** Width of a token's keys; its values are equally wide. */
  get kvWidth(): number {
    return attentionWidths(this.shape).keys;
  }

  /** Width of a token's queries. */
  get queryWidth(): number {
    return attentionWidths(this.shape).queries;
  }

  get heads() {
    const { heads, kvHeads } = this.shape;
    return { heads, kvHeads, headDim: this.block.headDim };
  }

  /** RoPE θ of a layer, and whether the layer has a sliding window. */
  layer(l: number): { readonly theta: number; readonly sliding: boolean } {
    const { sliding, ropeTheta } = this.block;
    return sliding?.layers[l]
      ? { theta: sliding.ropeTheta, sliding: true }
      : { theta: ropeTheta, sliding: false };
  }

  /** Rows of logits per chunk; a multiple of 64 if there is more than one chunk. */
  get logitRows(): number {
    const { rows, episodes } = this.capacity;
    if (!this.frozen) return rows;
    return Math.min(rows, Math.ceil(Math.max(episodes, LOGIT_ROWS) / 64) * 64);
  }

  /** Number of per-row values in the indices of a decode step. */
  get decodeParts(): number {
    return this.block.sliding ? 6 : 4;
  }

  /** A gain or bias; the frozen network's, if there is one. */
  vector(name: string, weights: ParameterTensors = this.parameters): Tensor {
    return parameter(this.frozen?.vectors ?? weights, name);
  }

  /** The gradient of a gain or bias; null if the network is frozen. */
  vectorGradient(name: string): Tensor | null {
    return this.frozen ? null : this.gradient(name);
  }

  /** Columns of the logits. */
  get padded(): number {
    return paddedVocabulary(this.shape);
  }

  /** Elements per decode-step array with one value per row, rounded up so that slices can be bound. */
  get decodeStride(): number {
    return Math.ceil(this.capacity.rows / 64) * 64;
  }

  weight(name: string): Tensor {
    return parameter(this.parameters, name);
  }

  /** Whether a pass may use a layer's fused kernels, which give the same results as the separate ones. */
  fuses(d: Dispatcher): boolean {
    // They support Palestra's own block only.
    const own = !this.shape.architecture && !this.shape.adapter;
    return own && d.kind === 'gpu' && turnsInProduct(this.heads);
  }

  gradient(name: string): Tensor {
    return parameter(this.gradients, name);
  }

  /** Weights of the reference policy; null if there is none. */
  get reference(): ParameterTensors | null {
    return this.#reference;
  }

  makeReference(): ParameterTensors {
    this.#reference ??= this.#named('reference parameters', 'reference');
    return this.#reference;
  }

  freeReference(): void {
    if (!this.#reference) return;
    const { flat } = this.#reference;
    this.#reference = null;
    this.#owned.splice(this.#owned.indexOf(flat), 1);
    this.device.free(flat);
  }

  destroy(): void {
    for (const tensor of this.#owned) this.device.free(tensor);
    this.#owned.length = 0;
  }
}

/** @throws KernelArgumentError if no parameter has this name */
export function parameter({ byName }: Pick<ParameterTensors, 'byName'>, name: string): Tensor {
  const tensor = byName.get(name);
  if (!tensor) throw new KernelArgumentError('policy', `no parameter ${name}`);
  return tensor;
}

function turnLayout(
  { layers, tiedEmbeddings }: PolicyShape,
  { slots }: ParameterLayout,
): TurnLayout {
  const start = (name: string) => {
    const slot = slots.get(name);
    if (!slot) throw new KernelArgumentError('policy', `no parameter ${name}`);
    return slot.start;
  };
  const step = (name: string) =>
    layers > 1 ? start(`layers.1.${name}`) - start(`layers.0.${name}`) : 0;
  return {
    embedding: start('embedding'),
    query: start('layers.0.query'),
    keyValue: start('layers.0.key_value'),
    attentionOutput: start('layers.0.attention_output'),
    gateUp: start('layers.0.gate_up'),
    down: start('layers.0.down'),
    matrices: step('query'),
    attentionNorm: start('layers.0.attention_norm'),
    feedForwardNorm: start('layers.0.feed_forward_norm'),
    gains: step('attention_norm'),
    finalNorm: start('final_norm'),
    head: start(tiedEmbeddings ? 'embedding' : 'head'),
  };
}

/** Frozen matrices have their outputs first, as in Hugging Face's files. */
export function frozenShape(name: string, shape: readonly number[]): readonly number[] {
  return name === 'embedding' ? shape : shape.toReversed();
}

function blockActivations(make: Make, l: number, net: Network, tokens: number): BlockActivations {
  const { queryWidth, kvWidth, block } = net;
  const { width, heads, kvHeads, ffnWidth } = net.shape;
  return {
    x: make(`x ${l}`, tokens, width),
    norm1: make(`norm1 ${l}`, tokens, width),
    rstd1: make(`rstd1 ${l}`, tokens),
    q: make(`q ${l}`, tokens, queryWidth),
    kv: make(`kv ${l}`, tokens, 2 * kvWidth),
    headNorms: block.qkNorm
      ? {
          q: make(`raw q ${l}`, tokens, queryWidth),
          kv: make(`raw kv ${l}`, tokens, 2 * kvWidth),
          queryRstd: make(`q rstd ${l}`, tokens, heads),
          keyRstd: make(`k rstd ${l}`, tokens, kvHeads),
        }
      : null,
    postNorms: block.postNorms
      ? {
          attended: make(`attended ${l}`, tokens, width),
          attendedRstd: make(`attended rstd ${l}`, tokens),
          fed: make(`fed ${l}`, tokens, width),
          fedRstd: make(`fed rstd ${l}`, tokens),
        }
      : null,
    attention: make(`attention ${l}`, tokens, queryWidth),
    lse: make(`lse ${l}`, tokens, heads),
    middle: make(`middle ${l}`, tokens, width),
    norm2: make(`norm2 ${l}`, tokens, width),
    rstd2: make(`rstd2 ${l}`, tokens),
    gateUp: make(`gate up ${l}`, tokens, 2 * ffnWidth),
    h: make(`h ${l}`, tokens, ffnWidth),
  };
}

/** Intermediate tensors, some of which pass results from one step to the next. */
function workTensors(make: Make, net: Network) {
  const { width, heads, ffnWidth } = net.shape;
  const { tokens, rows, lossRows, updateRows } = net.capacity;
  const ranks = Math.max(0, ...[...net.adapted.values()].map((linear) => linear.ranks));
  return {
    ...(net.block.sliding && {
      windowKeySpans: make('window key spans', tokens, 2),
      windowRowKeySpans: make('window row key spans', tokens, 2),
    }),
    /** x·A of the adapter, and its gradient. */
    ...(net.frozen && {
      low: make('low rank', tokens, ranks),
      dlow: make('d low rank', tokens, ranks),
    }),
    /** Gradient before a post-norm. */
    ...(net.block.postNorms && { dpost: make('d post norm', tokens, width) }),
    keySpans: make('key spans', tokens, 2),
    rowKeySpans: make('row key spans', tokens, 2),
    sortedRows: make('sorted rows', tokens),
    pieces: make('pieces', mostPieces(tokens, net.padded), 3),
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
    logits: make('logits', net.logitRows, net.padded),
    dlogits: make('dlogits', net.logitRows, net.padded),
    // Never written without a value head, so the values stay 0.
    values: make('values', rows, VALUE_COLUMNS),
    dvalues: make('dvalues', rows, VALUE_COLUMNS),
    dx: make('dx', tokens, width),
    rowDx: make('row dx', rows, width),
    dnorm: make('dnorm', tokens, width),
    rowDnorm: make('row dnorm', rows, width),
    dattention: make('dattention', tokens, net.queryWidth),
    dq: make('dq', tokens, net.queryWidth),
    dkv: make('dkv', tokens, 2 * net.kvWidth),
    delta: make('delta', tokens, heads),
    dh: make('dh', tokens, ffnWidth),
    dgateUp: make('dgate up', tokens, 2 * ffnWidth),
    draws: make('draws', rows, 4),
    nextTokens: make('next tokens', rows),
    written: make('written tokens', rows * MOST_NEW_TOKENS),
    writtenLogps: make('written logps', rows * MOST_NEW_TOKENS),
    writtenEntropies: make('written entropies', rows * MOST_NEW_TOKENS),
    decodeIndex: make('decode index', (MOST_NEW_TOKENS - 1) * net.decodeParts * net.decodeStride),
  };
}
