import { KernelArgumentError, type Recorder } from '../device/index.ts';
import { ENDED, sample } from '../kernels/sample.ts';
import { CONTEXT_COLUMNS, takeTurn } from '../kernels/turn.ts';
import { at } from './arrays.ts';
import { checkTokens, windowedSpans } from './batch-index.ts';
import { forward } from './forward.ts';
import type { IndexArrays } from './index-arena.ts';
import type { Network } from './network.ts';
import {
  type GenerateRequest,
  type Generation,
  MOST_END_TOKENS,
  MOST_NEW_TOKENS,
} from './types.ts';

/** A turn in the kernels' layout: e episodes, n new tokens, r distinct contexts. */
interface TurnIndex {
  readonly e: number;
  readonly n: number;
  readonly r: number;
  readonly tokens: Uint32Array;
  /** (n) position of each token in its episode; first cache row and number of keys; its own cache row. */
  readonly positions: Uint32Array;
  readonly spans: Uint32Array;
  readonly destination: Uint32Array;
  /** (r) last token of each context, with its position and span. */
  readonly rows: Uint32Array;
  readonly rowPositions: Uint32Array;
  readonly rowSpans: Uint32Array;
  /** (e, 4) the `draws` of the `sample` kernel. */
  readonly draws: Uint32Array;
  /** (steps after the first, parts, stride) positions, spans (two numbers a row), cache rows, windows. */
  readonly decode: Uint32Array;
}

/**
 * Generates one turn: prefill of the new tokens, then decoding token by token, in one submission. Only the
 * sampled tokens are read back. With `turn`, the submission has one dispatch.
 *
 * @throws KernelArgumentError for a request that exceeds the capacity or is inconsistent.
 */
export async function generate(
  net: Network,
  request: GenerateRequest,
  version: number,
  turn = net.turn,
): Promise<Generation> {
  const { device, work, indices } = net;
  const index = turnIndex(request, net);
  indices.restart();
  const load = indices.place(turn ? [[turn.index, contextTable(index)]] : passArrays(net, index));
  indices.upload();

  const { maxNewTokens } = request;
  const length = index.e * maxNewTokens;
  const [tokenData, logpData, entropyData] = await device.submit(
    'generate',
    (d) => {
      load(d);
      recordTurn(d, net, index, request, turn);
    },
    [
      { tensor: work.written, length },
      { tensor: work.writtenLogps, length },
      { tensor: work.writtenEntropies, length },
    ],
  );
  const tokens = new Uint32Array(tokenData ?? new ArrayBuffer(0));
  return {
    tokens,
    logps: new Float32Array(logpData ?? new ArrayBuffer(0)),
    entropies: new Float32Array(entropyData ?? new ArrayBuffer(0)),
    lengths: writtenLengths(tokens, index.e, maxNewTokens),
    version,
  };
}

function passArrays(net: Network, index: TurnIndex): IndexArrays {
  const { pass, work } = net;
  return [
    [pass.tokens, index.tokens],
    [pass.positions, index.positions],
    [pass.spans, index.spans],
    [pass.destination, index.destination],
    [pass.rows, index.rows],
    [pass.rowPositions, index.rowPositions],
    [pass.rowSpans, index.rowSpans],
    [work.draws, index.draws],
    [work.decodeIndex, index.decode],
    ...windowArrays(net, index),
  ];
}

/** The `index` of `takeTurn`. */
function contextTable({ e, n, r, tokens, positions, rows, rowSpans, draws }: TurnIndex) {
  const table = new Uint32Array(CONTEXT_COLUMNS * r + n + draws.length);
  const episodes = Array.from({ length: r }, (): number[] => []);
  for (let i = 0; i < e; i++) episodes[at(draws, 4 * i + 2)]?.push(i);
  let first = 0;
  let drawn = 0;
  const drawsAt = CONTEXT_COLUMNS * r + n;
  episodes.forEach((own, context) => {
    const end = at(rows, context) + 1;
    const base = at(rowSpans, 2 * context);
    const row = [first, end - first, at(positions, first), base, drawn, own.length];
    table.set(row, CONTEXT_COLUMNS * context);
    for (const i of own) {
      const draw = drawsAt + 4 * drawn;
      table.set(draws.subarray(4 * i, 4 * i + 4), draw);
      table[draw + 2] = i;
      drawn += 1;
    }
    first = end;
  });
  table.set(tokens, CONTEXT_COLUMNS * r);
  return table;
}

function windowArrays({ pass, block }: Network, index: TurnIndex): IndexArrays {
  const { windowSpans, windowRowSpans } = pass;
  if (!block.sliding || !windowSpans || !windowRowSpans) return [];
  const { tokens } = block.sliding;
  return [
    [windowSpans, windowedSpans(index.spans, tokens)],
    [windowRowSpans, windowedSpans(index.rowSpans, tokens)],
  ];
}

/** Settings of a turn, besides its indices. */
export type TurnSettings = Pick<GenerateRequest, 'maxNewTokens' | 'endTokens' | 'temperature'> & {
  readonly random: { readonly seed: number };
};

export function recordTurn(
  d: Recorder,
  net: Network,
  { e, n, r }: Pick<TurnIndex, 'e' | 'n' | 'r'>,
  { maxNewTokens, endTokens, temperature, random }: TurnSettings,
  turn = net.turn,
): void {
  const { logits, draws, written, writtenLogps, writtenEntropies, nextTokens } = net.work;
  if (turn) {
    const { index, caches, cacheLength, shape, layout } = turn;
    takeTurn(
      d,
      {
        ...{ parameters: net.parameters.flat, index, caches },
        ...{ tokens: written, logps: writtenLogps, entropies: writtenEntropies },
      },
      shape,
      layout,
      {
        ...{ contexts: r, newTokens: n, episodes: e, width: maxNewTokens, cacheLength },
        parameters: net.layout.length,
      },
      { endTokens, temperature, seed: random.seed },
    );
    return;
  }
  forward(d, net, net.pass, { n, r }, true);
  for (let step = 0; step < maxNewTokens; step++) {
    const index = net.decode[step - 1];
    if (index) forward(d, net, index, { n: e, r: e }, true);
    sample(
      d,
      {
        logits,
        draws,
        tokens: written,
        logps: writtenLogps,
        entropies: writtenEntropies,
        nextTokens,
      },
      { rows: e, vocabulary: net.shape.vocabulary, stride: net.padded, width: maxNewTokens },
      { endTokens, temperature, seed: random.seed, step },
    );
  }
}

function writtenLengths(tokens: Uint32Array, e: number, most: number): Uint32Array {
  return Uint32Array.from({ length: e }, (_, i) => {
    let count = 0;
    while (count < most && tokens[i * most + count] !== ENDED) count++;
    return count;
  });
}

function turnIndex(request: GenerateRequest, net: Network): TurnIndex {
  const { vocabulary } = net.shape;
  const { context, tokens, rows, episodes } = net.capacity;
  const { decodeStride: stride, decodeParts: parts } = net;
  const window = net.block.sliding?.tokens;
  const { slots, cachedLengths, maxNewTokens } = request;
  const e = slots.length;
  if (e === 0) fail('no episodes');
  if (new Set(slots).size < e) fail('a slot occurs twice');
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
    fail(`maxNewTokens must be in 1 .. ${MOST_NEW_TOKENS}, got ${maxNewTokens}`);
  }
  if (request.endTokens.length < 1 || request.endTokens.length > MOST_END_TOKENS) {
    fail(`1 to ${MOST_END_TOKENS} end tokens, got ${request.endTokens.length}`);
  }
  checkTokens('policy.generate', request.newTokens, vocabulary);
  const { newTokens, newTokenStarts, readers, rowOf } = sharedContexts(request);
  const n = newTokens.length;
  const r = readers.length;
  if (n > tokens) fail(`${n} new tokens, capacity for ${tokens}`);

  const index: TurnIndex = {
    e,
    n,
    r,
    tokens: newTokens,
    positions: new Uint32Array(n),
    spans: new Uint32Array(2 * n),
    destination: new Uint32Array(n),
    rows: new Uint32Array(r),
    rowPositions: new Uint32Array(r),
    rowSpans: new Uint32Array(2 * r),
    draws: new Uint32Array(4 * e),
    decode: new Uint32Array((maxNewTokens - 1) * parts * stride),
  };
  readers.forEach((reader, i) => {
    const slot = at(slots, reader);
    const cached = at(cachedLengths, reader);
    const begin = at(newTokenStarts, i);
    const end = at(newTokenStarts, i + 1);
    if (slot >= episodes) fail(`slot ${slot}, capacity for ${episodes} episodes`);
    if (end <= begin) fail(`episode ${reader} has no new token`);
    const filled = cached + end - begin;
    const needed = filled + maxNewTokens - 1;
    if (needed > context) {
      fail(`episode ${reader} needs ${needed} cache positions, capacity for ${context}`);
    }
    const base = slot * context;
    for (let t = begin; t < end; t++) {
      const position = cached + t - begin;
      index.positions[t] = position;
      index.spans[2 * t] = base;
      index.spans[2 * t + 1] = position + 1;
      index.destination[t] = base + position;
    }
    index.rows[i] = end - 1;
    index.rowPositions[i] = filled - 1;
    index.rowSpans[2 * i] = base;
    index.rowSpans[2 * i + 1] = filled;
    for (let step = 0; step < maxNewTokens - 1; step++) {
      const from = step * parts * stride;
      index.decode[from + i] = filled + step;
      index.decode[from + stride + 2 * i] = base;
      index.decode[from + stride + 2 * i + 1] = filled + step + 1;
      index.decode[from + 3 * stride + i] = base + filled + step;
      if (window === undefined) continue;
      const span = Uint32Array.of(base, filled + step + 1);
      index.decode.set(windowedSpans(span, window), from + 4 * stride + 2 * i);
    }
  });
  for (let i = 0; i < e; i++) {
    index.draws[4 * i] = at(request.random.episodes, i);
    index.draws[4 * i + 1] = at(request.random.offsets, i);
    index.draws[4 * i + 2] = at(rowOf, i);
    index.draws[4 * i + 3] = at(request.random.iterations, i);
  }
  return index;
}

function fail(what: string): never {
  throw new KernelArgumentError('policy.generate', what);
}

/**
 * The contexts to prefill. If no later turn uses the caches and one token is generated, episodes
 * with the same context share its prefill: `readers` are the episodes whose contexts are computed,
 * and `rowOf` (E) is the index of the reader whose logits each episode draws from.
 */
function sharedContexts(request: GenerateRequest) {
  const { newTokens, newTokenStarts, cachedLengths, keepCache, maxNewTokens } = request;
  const e = request.slots.length;
  const everyone = Array.from({ length: e }, (_, i) => i);
  if (keepCache || maxNewTokens > 1) {
    return { newTokens, newTokenStarts, readers: everyone, rowOf: Uint32Array.from(everyone) };
  }
  const readers: number[] = [];
  const starts = [0];
  const kept: number[] = [];
  // Rows by a hash of their tokens; on a collision, the row is stored under the next hash.
  const rows = new Map<number, number>();
  const rowOf = new Uint32Array(e);
  for (let i = 0; i < e; i++) {
    const begin = at(newTokenStarts, i);
    const end = at(newTokenStarts, i + 1);
    let hash = 0x811c9dc5;
    for (let t = begin; t < end; t++) hash = Math.imul(hash ^ at(newTokens, t), 0x01000193);
    // New tokens alone do not identify a context that continues a cache.
    let row = at(cachedLengths, i) === 0 ? rows.get(hash) : undefined;
    while (row !== undefined && !holds(row, begin, end)) row = rows.get(++hash);
    if (row === undefined) {
      row = readers.length;
      if (at(cachedLengths, i) === 0) rows.set(hash, row);
      readers.push(i);
      for (let t = begin; t < end; t++) kept.push(at(newTokens, t));
      starts.push(kept.length);
    }
    rowOf[i] = row;
  }
  /** Whether the context of a row is `newTokens` from `begin` to `end`. */
  function holds(row: number, begin: number, end: number): boolean {
    const start = starts[row] ?? 0;
    if ((starts[row + 1] ?? 0) - start !== end - begin) return false;
    for (let t = begin; t < end; t++) if (kept[start + t - begin] !== newTokens[t]) return false;
    return true;
  }
  return {
    newTokens: Uint32Array.from(kept),
    newTokenStarts: Uint32Array.from(starts),
    readers,
    rowOf,
  };
}
