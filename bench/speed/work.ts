/** The minimum work of each kernel, for comparison with the machine's limits. */
import type { Device } from '../../src/device/index.ts';
import { CONTEXT_COLUMNS } from '../../src/kernels/turn.ts';
import { type Dispatch, entryName } from './capture.ts';

export interface Work {
  /** Floating-point operations, two for a multiply–add. */
  readonly flops: number;
  /** Bytes that it reads and writes, counting each once. */
  readonly bytes: number;
}

/** A dispatch without its grid. */
type Call = Pick<Dispatch, 'kernel' | 'tensors' | 'params'>;

/** c (rows, columns) = a (rows, inner) · b (inner, columns). */
export interface Product {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

/** Label of scratch buffers, which are sized for their largest use. */
const SCRATCH = 'partial sums';

/** The minimum work of a dispatch. */
export async function workOf(device: Device, call: Call): Promise<Work> {
  const { spans, index } = call.tensors;
  const name = call.kernel.kernel;
  const tensor = name === 'attention' ? spans : name === 'turn' ? index : undefined;
  return minimumWork(call, new Uint32Array(tensor ? await device.read(tensor) : []));
}

/**
 * The minimum work of a dispatch. Kernels other than products and attention are compared by memory
 * alone.
 *
 * @param index contents of the tensor `spans` of attention or `index` of a turn
 */
export function minimumWork(call: Call, index = new Uint32Array()): Work {
  const { kernel, tensors } = call;
  const name = entryName(call);
  const size = sizeReader(call);
  const product = productOf(call);
  if (product)
    return { flops: productFlops(name, product), bytes: 4 * productElements(call, product) };
  if (kernel.kernel === 'attention') return attentionWork(call, index);
  if (kernel.kernel === 'turn') return turnWork(call, index);
  let elements = 0;
  if (kernel.kernel === 'rows') elements = size('count') * (2 * size('WIDTH') + 1);
  else if (name === 'frozen.gather') {
    const packed = (frozenWords(call) * size('rows')) / size('outputs');
    elements = size('rows') * (size('inputs') + 1) + packed;
  } else {
    for (const { label, length } of Object.values(tensors))
      if (label !== SCRATCH) elements += length;
  }
  return { flops: 0, bytes: 4 * elements };
}

/** Reads parameters and constants of a dispatch by name. */
function sizeReader({ kernel, params }: Call): (name: string) => number {
  return (name) => {
    const value = params[name] ?? kernel.constants?.[name];
    if (value === undefined) throw new RangeError(`${kernel.kernel} has no size ${name}`);
    return value;
  };
}

/** The matrix product that a dispatch computes; undefined for other kernels. */
export function productOf(call: Call): Product | undefined {
  const size = sizeReader(call);
  const product = (inner: string, columns: number) => ({
    rows: size('rows'),
    inner: size(inner),
    columns,
  });
  switch (entryName(call)) {
    case 'matmul.nn':
    case 'matmul.nt':
    case 'matmul.tn':
    case 'panel.product':
      return product('inner', size('columns'));
    case 'layer.query_key_value':
      return product('inner', (size('HEADS') + 2 * size('KV_HEADS')) * size('HEAD_DIM'));
    case 'layer.gate_up':
      return product('inner', 2 * size('FFN'));
    case 'layer.gradients':
      return product('inner', size('columns') + size('columns2'));
    case 'frozen.forward':
      return product('inputs', size('outputs'));
    case 'frozen.backward':
      return product('outputs', size('inputs'));
    default:
      return undefined;
  }
}

/** `layer.gradients` computes two products of one size: the gradients of the input and the weights. */
function productFlops(name: string, { rows, inner, columns }: Product): number {
  return (name === 'layer.gradients' ? 4 : 2) * rows * inner * columns;
}

function productElements(call: Call, { rows, inner, columns }: Product): number {
  const plain = rows * inner + inner * columns + rows * columns;
  switch (entryName(call)) {
    case 'layer.gate_up':
      // It also writes the product of gate and up.
      return plain + (rows * columns) / 2;
    case 'layer.gradients':
      // x, dx, weights, their gradient and dy. SwiGLU reads and writes two vectors per row of h.
      return plain + rows * inner * (sizeReader(call)('SWIGLU') === 1 ? 4 : 1) + inner * columns;
    case 'frozen.forward':
    case 'frozen.backward':
      return rows * (inner + columns) + frozenWords(call);
    default:
      return plain;
  }
}

/** 32-bit words of a frozen matrix and its scales; a matrix without scales binds its words twice. */
function frozenWords({ tensors: { w, scales } }: Call): number {
  return (w?.length ?? 0) + (scales === w ? 0 : (scales?.length ?? 0));
}

/**
 * Products over the pairs of a query row and a key row: 2 forward (q·k, p·v), 5 backward (q·k again, do·v,
 * and the gradients of q, k and v). A backward pass in two kernels computes q·k and do·v twice; this counts
 * them once, half for each kernel.
 *
 * @param spans (rows, 2): first key row and number of keys; for backward_kv the range of query rows
 */
function attentionWork(call: Call, spans: Uint32Array): Work {
  const size = sizeReader(call);
  const rows = size('rows');
  const width = size('HEADS') * size('HEAD_DIM');
  const kvWidth = 2 * size('KV_HEADS') * size('HEAD_DIM');
  const heads = size('HEADS');
  const second = Array.from({ length: rows }, (_, row) => spans[2 * row + 1] ?? 0);
  const sum = second.reduce((total, value) => total + value, 0);
  // q, o or their gradients, with lse and delta, and the keys and values that are read.
  const elements = (queries: number, each: number, kvRows: number) =>
    queries * (each * width + 2 * heads) + 2 * rows + kvRows * kvWidth;
  if (call.kernel.entry === 'backward_kv') {
    const pairs = second.reduce((total, end, row) => total + end - (spans[2 * row] ?? 0), 0);
    const queries = second.reduce((most, end) => Math.max(most, end), 0);
    return { flops: 6 * pairs * width, bytes: 4 * elements(queries, 2, 2 * rows) };
  }
  const kvRows = Math.min(sum, (call.tensors.kv?.length ?? 0) / kvWidth);
  const each = call.kernel.entry === 'backward_query' ? 4 : 2;
  return { flops: 4 * sum * width, bytes: 4 * elements(rows, each, kvRows) };
}

/** A turn in which no episode ends early: each token passes through all layers once. */
function turnWork(call: Call, index: Uint32Array): Work {
  const size = sizeReader(call);
  const contexts = size('tokens_at') / CONTEXT_COLUMNS;
  // The last token of an episode is only sampled.
  const further = size('width') - 1;
  let tokens = 0;
  let cached = 0;
  let pairs = 0;
  for (let context = 0; context < contexts; context++) {
    const [read = 0, before = 0] = index.subarray(CONTEXT_COLUMNS * context + 1);
    const passed = read + further;
    tokens += passed;
    cached += before;
    pairs += passed * before + (passed * (passed + 1)) / 2;
  }
  const width = size('WIDTH');
  const queryWidth = size('HEADS') * size('HEAD_DIM');
  const kvWidth = 2 * size('KV_HEADS') * size('HEAD_DIM');
  const layer = width * (2 * queryWidth + kvWidth + 3 * size('FFN'));
  const scored = contexts * (1 + further);
  return {
    flops:
      2 * (tokens * size('LAYERS') * layer + scored * width * size('PADDED')) +
      4 * pairs * queryWidth * size('LAYERS'),
    bytes:
      4 * ((call.tensors.parameters?.length ?? 0) + (tokens + cached) * size('LAYERS') * kvWidth),
  };
}
