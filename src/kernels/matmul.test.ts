import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dispatcher, Gpu } from '../gpu/index.ts';
import { openNodeGpu } from '../gpu/node.ts';
import { type MatmulSizes, matmul, matmulTransposed, matmulWeightGradient } from './matmul.ts';
import { TestRandom } from './reference/random.ts';
import { runAndRead, upload } from './testing.ts';

describe('which kernel computes a product', () => {
  const tensor = { label: 'any', length: 1e6, offset: 0, buffer: {} as GPUBuffer };
  const abc = { a: tensor, b: tensor, c: tensor };
  function chosen(sizes: MatmulSizes, quads: boolean): string[] {
    const kernels: string[] = [];
    const dispatch: Dispatcher['dispatch'] = ({ kernel, entry }) =>
      kernels.push(`${kernel}.${entry}`);
    const dispatcher = { quads, dispatch };
    matmul(dispatcher, abc, sizes);
    matmulTransposed(dispatcher, abc, sizes, false);
    matmulWeightGradient(dispatcher, { a: tensor, b: tensor, partial: tensor }, sizes);
    return kernels;
  }
  const many = { rows: 64, inner: 64, columns: 64 };
  const panels = ['panel.product', 'panel.product', 'panel.product'];
  const tiles = ['matmul.nn', 'matmul.nt', 'matmul.tn'];

  it('is the panel kernel for many rows where a processor imitates the GPU', () => {
    expect(chosen(many, true)).toEqual(panels);
  });
  it('is the tile kernel for few rows, and on a GPU', () => {
    expect(chosen({ ...many, rows: 8 }, true)).toEqual(tiles);
    expect(chosen(many, false)).toEqual(tiles);
  });
});

describe('a row has the same bits', () => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await openNodeGpu();
  });
  afterAll(() => gpu?.close());

  const columns = 36;
  it.for([{ inner: 12 }, { inner: 64 }, { inner: 140 }])(
    'from both kernels and beside any rows, inner $inner',
    async ({ inner }, { skip }) => {
      skip(!gpu.description.features.includes('subgroups'), 'the adapter has no subgroups');
      const random = new TestRandom(4);
      const rows = 64;
      const inputs = upload(gpu, {
        a: random.floats(rows * inner),
        b: random.floats(inner * columns),
        residual: random.floats(rows * columns),
      });
      const outputs = upload(gpu, {
        panels: new Float32Array(rows * columns),
        tiles: new Float32Array(rows * columns),
        few: new Float32Array(3 * columns),
        panelsTransposed: new Float32Array(rows * columns),
        tilesTransposed: new Float32Array(rows * columns),
      });
      const sizes = { rows, inner, columns };
      const got = await runAndRead(gpu, outputs, ({ dispatch }) => {
        const byPanels = { quads: true, dispatch };
        const byTiles = { dispatch };
        matmul(byPanels, { ...inputs, c: outputs.panels }, sizes);
        matmul(byTiles, { ...inputs, c: outputs.tiles }, sizes);
        matmul(byTiles, { ...inputs, c: outputs.few }, { ...sizes, rows: 3 });
        const { a, b } = inputs;
        matmulTransposed(byPanels, { a, b, c: outputs.panelsTransposed }, sizes, false);
        matmulTransposed(byTiles, { a, b, c: outputs.tilesTransposed }, sizes, false);
      });
      expect(got.panels.some((value) => value !== 0)).toBe(true);
      expect(got.tiles).toEqual(got.panels);
      expect(got.few).toEqual(got.panels.subarray(0, 3 * columns));
      expect(got.tilesTransposed).toEqual(got.panelsTransposed);
    },
  );
});
