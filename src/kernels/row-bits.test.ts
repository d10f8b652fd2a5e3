/** Checks that a kernel computes the same bits for a row regardless of the other rows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultObjective } from '../algorithms/objective.ts';
import { surrogates } from '../algorithms/surrogates.ts';
import type { Device, Dispatcher, Tensor } from '../device/index.ts';
import { embeddingForward } from './embedding.ts';
import { logitGradient, surrogate, tokenScores } from './objective.ts';
import type { TensorData } from './operation.ts';
import { TestRandom } from './reference/random.ts';
import { rmsnormBackward, rmsnormForward, rmsnormScratch } from './rmsnorm.ts';
import { rotate } from './rope.ts';
import { sample } from './sample.ts';
import { swigluBackward, swigluForward } from './swiglu.ts';
import { statColumns } from './tables.ts';
import { runAndRead, testDevices, upload } from './testing.ts';

const ROWS = 70;
const random = new TestRandom(6);
const width = 20;
const vocabulary = 37;
const stride = 40;
const ones = (length: number) => new Float32Array(length).fill(1);

interface RowWise {
  readonly name: string;
  /** The data of each row, (ROWS, ·). */
  readonly own: Readonly<Record<string, TensorData>>;
  /** Data shared by all rows, given the number of rows. */
  common?(rows: number): Readonly<Record<string, TensorData>>;
  /** Elements per row of each output; those of `own` are changed in place. */
  readonly out: Readonly<Record<string, number>>;
  call(dispatcher: Dispatcher, tensors: Record<string, Tensor>, rows: number): void;
}

/** Type-checks a kernel's tensor names; returns the common type. */
function rowWise<Names extends string>(
  kernel: Omit<RowWise, 'call'> & {
    call(dispatcher: Dispatcher, tensors: Record<Names, Tensor>, rows: number): void;
  },
): RowWise {
  return kernel as RowWise;
}

/** One loss row per row of logits. */
const starts = (rows: number) => Uint32Array.from({ length: rows + 1 }, (_, i) => i);
const logitSizes = (rows: number) => ({ rows, lossRows: rows, first: 0, vocabulary, stride });

const kernels: readonly RowWise[] = [
  rowWise<'tokens' | 'table' | 'x'>({
    name: 'embedding',
    own: { tokens: random.wholes(ROWS, 9) },
    common: () => ({ table: new TestRandom(7).floats(9 * width) }),
    out: { x: width },
    call: (dispatcher, tensors, rows) => embeddingForward(dispatcher, tensors, { rows, width }),
  }),
  rowWise<'x' | 'gain' | 'y' | 'rstd'>({
    name: 'rmsnorm',
    own: { x: random.floats(ROWS * width) },
    common: () => ({ gain: new TestRandom(8).floats(width, 2) }),
    out: { y: width, rstd: 1 },
    call: (dispatcher, tensors, rows) => rmsnormForward(dispatcher, tensors, { rows, width }),
  }),
  rowWise<'x' | 'gain' | 'rstd' | 'dy' | 'dx' | 'dgain' | 'scratch'>({
    name: 'rmsnorm gradient',
    own: {
      x: random.floats(ROWS * width),
      rstd: ones(ROWS),
      dy: random.floats(ROWS * width),
    },
    common: (rows) => ({
      gain: new TestRandom(8).floats(width, 2),
      dgain: new Float32Array(width),
      scratch: new Float32Array(rmsnormScratch({ rows, width })),
    }),
    out: { dx: width },
    call: (dispatcher, tensors, rows) =>
      rmsnormBackward(dispatcher, tensors, { rows, width }, false),
  }),
  rowWise<'positions' | 'x'>({
    name: 'rope',
    own: { positions: random.wholes(ROWS, 100), x: random.floats(ROWS * 32) },
    out: { x: 32 },
    call: (dispatcher, tensors, rows) =>
      rotate(dispatcher, tensors, { rows, heads: 3, headDim: 8, stride: 32 }, 1),
  }),
  rowWise<'gateUp' | 'h'>({
    name: 'swiglu',
    own: { gateUp: random.floats(ROWS * 2 * width, 4) },
    out: { h: width },
    call: (dispatcher, tensors, rows) =>
      swigluForward(dispatcher, tensors, { rows, ffnWidth: width }),
  }),
  rowWise<'gateUp' | 'dh' | 'dgateUp'>({
    name: 'swiglu gradient',
    own: { gateUp: random.floats(ROWS * 2 * width, 4), dh: random.floats(ROWS * width) },
    out: { dgateUp: 2 * width },
    call: (dispatcher, tensors, rows) =>
      swigluBackward(dispatcher, tensors, { rows, ffnWidth: width }),
  }),
  rowWise<'logits' | 'values' | 'starts' | 'targets' | 'softmax' | 'scores'>({
    name: 'token scores',
    own: {
      logits: random.floats(ROWS * stride, 4),
      values: random.floats(ROWS * 4),
      targets: random.wholes(ROWS, vocabulary),
    },
    common: (rows) => ({ starts: starts(rows) }),
    out: { softmax: 2, scores: 4 },
    call: (dispatcher, tensors, rows) =>
      tokenScores(dispatcher, tensors, logitSizes(rows), { temperature: 0.7 }),
  }),
  rowWise<'logits' | 'softmax' | 'starts' | 'targets' | 'pulls' | 'dlogits' | 'dvalues'>({
    name: 'logit gradient',
    own: {
      logits: random.floats(ROWS * stride, 4),
      softmax: ones(2 * ROWS),
      targets: random.wholes(ROWS, vocabulary),
      pulls: random.floats(ROWS * 4),
    },
    common: (rows) => ({ starts: starts(rows) }),
    out: { dlogits: stride, dvalues: 4 },
    call: (dispatcher, tensors, rows) =>
      logitGradient(dispatcher, tensors, logitSizes(rows), { temperature: 0.7 }),
  }),
  rowWise<'logits' | 'draws' | 'tokens' | 'logps' | 'entropies' | 'nextTokens'>({
    name: 'sample',
    own: {
      draws: Uint32Array.from({ length: 4 * ROWS }, (_, i) => [i, 3, i % 9, 5][i % 4] ?? 0),
    },
    common: () => ({ logits: new TestRandom(9).floats(9 * stride, 3) }),
    out: { tokens: 1, logps: 1, entropies: 1, nextTokens: 1 },
    call: (dispatcher, tensors, rows) =>
      sample(
        dispatcher,
        tensors,
        { rows, vocabulary, stride, width: 1 },
        { step: 0, endTokens: [0], temperature: 1.1, seed: 4 },
      ),
  }),
  ...surrogates.map((kind) =>
    rowWise<'inputs' | 'scores' | 'found' | 'bounds' | 'stats' | 'pulls'>({
      name: `surrogate ${kind}`,
      own: {
        inputs: random.floats(8 * ROWS),
        scores: random.floats(4 * ROWS),
        found: random.floats(2 * ROWS),
      },
      common: () => ({ bounds: Float32Array.of(0.8, 1.2, 0, 0) }),
      out: { stats: statColumns.length, pulls: 4 },
      call: (dispatcher, tensors, rows) =>
        surrogate(
          dispatcher,
          tensors,
          { first: 0, lossRows: rows },
          { ...defaultObjective, surrogate: kind },
        ),
    }),
  ),
];

/** The given rows of data (rows, ·). */
function pick<Data extends TensorData>(data: Data, size: number, rows: readonly number[]): Data {
  const picked = data.slice(0, rows.length * size) as Data;
  rows.forEach((row, i) => {
    picked.set(data.subarray(row * size, (row + 1) * size), i * size);
  });
  return picked;
}

describe.each(testDevices)('on $on', ({ open }) => {
  let device: Device;
  beforeAll(async () => {
    device = await open();
  });
  afterAll(() => device?.close());

  /** The kernel's output for these rows, as words. */
  async function written({ own, common, out, call }: RowWise, rows: readonly number[]) {
    const tensors: Record<string, Tensor> = upload(device, {
      ...Object.fromEntries(
        Object.entries(out).map(([name, size]) => [name, new Float32Array(rows.length * size)]),
      ),
      ...Object.fromEntries(
        Object.entries(own).map(([name, data]) => [name, pick(data, data.length / ROWS, rows)]),
      ),
      ...common?.(rows.length),
    });
    const got = await runAndRead(device, tensors, (recorder) =>
      call(recorder, tensors, rows.length),
    );
    return Object.keys(out).map((name) => new Uint32Array((got[name] ?? ones(0)).buffer));
  }

  const all = Array.from({ length: ROWS }, (_, row) => row);
  const choices = [all.filter((row) => row % 3 === 1), [5], all.toReversed()];

  it.each(kernels.map((kernel) => [kernel.name, kernel] as const))(
    '%s gives a row the same bits in any batch',
    async (_, kernel) => {
      const together = await written(kernel, all);
      const sizes = Object.values(kernel.out);
      for (const rows of choices) {
        const some = await written(kernel, rows);
        some.forEach((words, t) => {
          expect(words).toEqual(pick(together[t] ?? new Uint32Array(), sizes[t] ?? 0, rows));
        });
      }
      // Rows differ, so that swapped rows are detected.
      expect(new Set(together[0]).size).toBeGreaterThan(5);
    },
  );
});
