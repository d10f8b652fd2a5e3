import { type Device, KernelArgumentError, type Tensor } from '../device/index.ts';
import { adamwScratch } from '../kernels/adamw.ts';
import { mostPieces } from '../kernels/embedding.ts';
import { weightGradientSplits } from '../kernels/matmul.ts';
import { rmsnormScratch } from '../kernels/rmsnorm.ts';
import { optimizerColumns, statColumns } from '../kernels/tables.ts';
import { IndexArena } from './index-arena.ts';
import {
  type ParameterLayout,
  paddedVocabulary,
  parameterLayout,
  VALUE_COLUMNS,
} from './layout.ts';
import { MOST_NEW_TOKENS, type PolicyCapacity, type PolicyShape } from './types.ts';

/** Elements of a row of scores: log-probability, entropy, value, 0. */
export const SCORE_COLUMNS = 4;

/** Elements of BAPO's bounds: low, high, ρ, steps. */
export const BOUNDS = 4;

/** Full micro-batches whose indices go to the GPU together; of smaller ones there may be more. */
const BATCHES_AT_ONCE = 8;

/** Activations of one block that its backward pass needs. */
export interface BlockActivations {
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
export interface PassIndex {
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

export interface PassSizes {
  /** Tokens. */
  readonly n: number;
  /** Rows of logits. */
  readonly r: number;
}

export interface BatchSizes extends PassSizes {
  readonly lossRows: number;
}

/** Parameters, or something of the same layout: the whole, and by name. */
export interface ParameterTensors {
  readonly flat: Tensor;
  readonly byName: ReadonlyMap<string, Tensor>;
}

type Make = (label: string, ...size: number[]) => Tensor;

/** Everything that the policy has on the GPU. Made once, to the sizes of its capacity. */
export class Network {
  readonly device: Device;
  readonly shape: PolicyShape;
  readonly capacity: PolicyCapacity;
  readonly layout: ParameterLayout;
  readonly parameters: ParameterTensors;
  readonly gradients: ParameterTensors;
  /** AdamW's moving averages of the gradient and of its square, and its own numbers. */
  readonly firstMoments: Tensor;
  readonly secondMoments: Tensor;
  readonly optimizer: Tensor;
  /** Sums of the loss statistics over an update. */
  readonly totals: Tensor;
  /** For partial sums of whichever kernel runs. */
  readonly scratch: Tensor;
  readonly blocks: readonly BlockActivations[];
  /** (episodes · context, 2 · key–value width) of each layer. */
  readonly caches: readonly Tensor[];
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
    this.layout = parameterLayout(shape);
    const { layers, width } = shape;
    const { tokens, rows, episodes, context } = capacity;
    const make: Make = (label, ...size) => this.#make(label, size);
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
        mostPieces(tokens, this.padded) * width,
        adamwScratch(this.layout.length),
      ),
    );
    this.blocks = Array.from({ length: layers }, (_, l) =>
      blockActivations(make, l, shape, tokens, this.kvWidth),
    );
    this.caches = Array.from({ length: layers }, (_, l) =>
      make(`kv cache ${l}`, episodes * context, 2 * this.kvWidth),
    );
    this.pass = {
      tokens: make('tokens', tokens),
      positions: make('positions', tokens),
      spans: make('spans', tokens, 2),
      destination: make('cache rows', tokens),
      rows: make('rows', rows),
      rowPositions: make('row positions', rows),
      rowSpans: make('row spans', rows, 2),
    };
    this.work = workTensors(make, this);
    this.decode = this.#decodeSteps();
    this.indices = new IndexArena(device, make('indices', this.#mostIndices()));
  }

  /** A tensor that lives as long as the policy. */
  #make(label: string, size: readonly number[]): Tensor {
    const length = size.reduce((a, b) => a * b, 1);
    const tensor = this.device.tensor(label, Math.max(1, length));
    this.#owned.push(tensor);
    return tensor;
  }

  /** A tensor of the parameters' layout with a slice for each of them. */
  #named(label: string, what: string): ParameterTensors {
    const flat = this.#make(label, [this.layout.length]);
    const byName = new Map(
      [...this.layout.slots.values()].map(({ name, start, length }) => [
        name,
        this.device.slice(flat, `${what} ${name}`, start, length),
      ]),
    );
    return { flat, byName };
  }

  #decodeSteps(): PassIndex[] {
    const { rows } = this.capacity;
    const part = (label: string, step: number, at: number, length: number) =>
      this.device.slice(this.work.decodeIndex, label, (step * 4 + at) * this.decodeStride, length);
    return Array.from({ length: MOST_NEW_TOKENS - 1 }, (_, step) => {
      const positions = part('decode positions', step, 0, rows);
      const spans = part('decode spans', step, 1, 2 * rows);
      return {
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

  /** Elements of the indices of a turn, or of some micro-batches. */
  #mostIndices(): number {
    const length = (tensors: readonly Tensor[]) => tensors.reduce((sum, t) => sum + t.length, 0);
    const { keySpans, rowKeySpans, sortedRows, pieces, lossStarts, lossTargets } = this.work;
    const { draws, decodeIndex } = this.work;
    const pass = length(Object.values(this.pass));
    return Math.max(
      pass + length([draws, decodeIndex]),
      BATCHES_AT_ONCE *
        (pass + length([keySpans, rowKeySpans, sortedRows, pieces, lossStarts, lossTargets])),
    );
  }

  /** Multiply–adds of a token in one block's matrix products. */
  get blockWork(): number {
    const { width, ffnWidth } = this.shape;
    return width * (2 * width + 2 * this.kvWidth + 3 * ffnWidth);
  }

  /** Multiply–adds of a row of logits. */
  get logitWork(): number {
    return this.shape.width * this.padded;
  }

  /** Width of the keys, and of the values, of a token. */
  get kvWidth(): number {
    return (this.shape.width / this.shape.heads) * this.shape.kvHeads;
  }

  get heads() {
    const { heads, kvHeads, width } = this.shape;
    return { heads, kvHeads, headDim: width / heads };
  }

  /** Columns of the logits. */
  get padded(): number {
    return paddedVocabulary(this.shape);
  }

  /** Elements per decode-step array of one number a row, rounded up so that slices can be bound. */
  get decodeStride(): number {
    return Math.ceil(this.capacity.rows / 64) * 64;
  }

  weight(name: string): Tensor {
    return parameter(this.parameters, name);
  }

  gradient(name: string): Tensor {
    return parameter(this.gradients, name);
  }

  /** The weights that were kept as the reference policy's, if any were. */
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

/** @throws KernelArgumentError where there is none of this name. */
export function parameter({ byName }: ParameterTensors, name: string): Tensor {
  const tensor = byName.get(name);
  if (!tensor) throw new KernelArgumentError('policy', `no parameter ${name}`);
  return tensor;
}

function blockActivations(
  make: Make,
  l: number,
  { width, heads, ffnWidth }: PolicyShape,
  tokens: number,
  kvWidth: number,
): BlockActivations {
  return {
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
  };
}

/** What passes leave to one another, and what they need for themselves. */
function workTensors(make: Make, net: Network) {
  const { width, heads, ffnWidth } = net.shape;
  const { tokens, rows, lossRows, updateRows } = net.capacity;
  return {
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
    logits: make('logits', rows, net.padded),
    dlogits: make('dlogits', rows, net.padded),
    // Without a value head: zeros, which nothing ever writes.
    values: make('values', rows, VALUE_COLUMNS),
    dvalues: make('dvalues', rows, VALUE_COLUMNS),
    dx: make('dx', tokens, width),
    rowDx: make('row dx', rows, width),
    dnorm: make('dnorm', tokens, width),
    rowDnorm: make('row dnorm', rows, width),
    dattention: make('dattention', tokens, width),
    dq: make('dq', tokens, width),
    dkv: make('dkv', tokens, 2 * net.kvWidth),
    delta: make('delta', tokens, heads),
    dh: make('dh', tokens, ffnWidth),
    dgateUp: make('dgate up', tokens, 2 * ffnWidth),
    draws: make('draws', rows, 4),
    nextTokens: make('next tokens', rows),
    written: make('written tokens', rows * MOST_NEW_TOKENS),
    writtenLogps: make('written logps', rows * MOST_NEW_TOKENS),
    writtenEntropies: make('written entropies', rows * MOST_NEW_TOKENS),
    decodeIndex: make('decode index', (MOST_NEW_TOKENS - 1) * 4 * net.decodeStride),
  };
}
