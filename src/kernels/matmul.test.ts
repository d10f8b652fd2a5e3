import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Device, DeviceKind, Dispatcher } from '../device/index.ts';
import { type MatmulSizes, matmul, matmulTransposed, matmulWeightGradient } from './matmul.ts';
import { TestRandom } from './reference/random.ts';
import { runAndRead, testDevices, upload } from './testing.ts';

describe('matmul kernel selection', () => {
  const tensor = { label: 'any', length: 1e6 };
  const abc = { a: tensor, b: tensor, c: tensor };
  function chosen(sizes: MatmulSizes, kind: DeviceKind): string[] {
    const kernels: string[] = [];
    const dispatch: Dispatcher['dispatch'] = ({ kernel, entry }) =>
      kernels.push(`${kernel}.${entry}`);
    const dispatcher = { kind, dispatch };
    matmul(dispatcher, abc, sizes);
    matmulTransposed(dispatcher, abc, sizes, false);
    matmulWeightGradient(dispatcher, { a: tensor, b: tensor, partial: tensor }, sizes);
    return kernels;
  }
  const many = { rows: 64, inner: 64, columns: 64 };
  const panels = ['panel.product', 'panel.product', 'panel.product'];
  const tiles = ['matmul.nn', 'matmul.nt', 'matmul.tn'];

  it('uses the panel kernel on a GPU emulated by the processor', () => {
    expect(chosen(many, 'quads')).toEqual(panels);
    expect(chosen({ ...many, rows: 4 }, 'quads')).toEqual(panels);
  });
  it('uses the tile kernel on a GPU and on the processor itself', () => {
    expect(chosen(many, 'gpu')).toEqual(tiles);
    expect(chosen(many, 'processor')).toEqual(tiles);
  });
});

describe.each(testDevices)('a row of a product on $on', ({ kinds, open }) => {
  let device: Device;
  beforeAll(async () => {
    device = await open();
  });
  afterAll(() => device?.close());

  const columns = 36;
  const bySize = kinds.flatMap((kind) => [12, 64, 140].map((inner) => ({ kind, inner })));
  it.for(bySize)(
    'has the same bits regardless of the other rows (kind $kind, inner $inner)',
    async ({ kind, inner }, { skip }) => {
      skip(
        kind === 'quads' && !device.description.features.includes('subgroups'),
        'the adapter has no subgroups',
      );
      const random = new TestRandom(4);
      // Enough rows for the larger panels if the inner dimension allows them.
      const rows = 2 ** 14;
      const inputs = upload(device, {
        a: random.floats(rows * inner),
        b: random.floats(inner * columns),
        residual: random.floats(rows * columns),
      });
      const outputs = upload(device, {
        many: new Float32Array(rows * columns),
        few: new Float32Array(3 * columns),
        manyTransposed: new Float32Array(rows * columns),
        fewTransposed: new Float32Array(3 * columns),
      });
      const sizes = { rows, inner, columns };
      const got = await runAndRead(device, outputs, ({ dispatch }) => {
        const dispatcher = { kind, dispatch };
        const { a, b } = inputs;
        matmul(dispatcher, { ...inputs, c: outputs.many }, sizes);
        matmul(dispatcher, { ...inputs, c: outputs.few }, { ...sizes, rows: 3 });
        matmulTransposed(dispatcher, { a, b, c: outputs.manyTransposed }, sizes, false);
        matmulTransposed(
          dispatcher,
          { a, b, c: outputs.fewTransposed },
          { ...sizes, rows: 3 },
          false,
        );
      });
      const { many, few, manyTransposed, fewTransposed } = got;
      expect(few.some((value) => value !== 0)).toBe(true);
      expect(few).toEqual(many.subarray(0, 3 * columns));
      expect(fewTransposed).toEqual(manyTransposed.subarray(0, 3 * columns));
    },
  );
});
