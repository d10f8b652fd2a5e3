import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Device, DeviceKind } from '../device/index.ts';
import { type AttentionHeads, attentionForward } from './attention.ts';
import { TestRandom } from './reference/random.ts';
import { runAndRead, testDevices, upload } from './testing.ts';

let device: Device;

const bits = (values: Float32Array) => new Uint32Array(values.buffer, 0, values.length);

/** Attention over shared keys and values, with the kernel that `alone` and `kind` select. */
async function attend(
  { q, kv, spans }: { q: Float32Array; kv: Float32Array; spans: Uint32Array },
  heads: AttentionHeads,
  { alone, kind }: { alone: boolean; kind: DeviceKind },
) {
  const rows = spans.length / 2;
  const o = new Float32Array(rows * heads.heads * heads.headDim);
  const tensors = upload(device, { q, kv, spans, o, lse: new Float32Array(rows * heads.heads) });
  const read = await runAndRead(device, { o: tensors.o, lse: tensors.lse }, ({ dispatch }) =>
    attentionForward({ kind, dispatch }, tensors, { rows, alone }, heads),
  );
  return { o: bits(read.o), lse: bits(read.lse) };
}

describe.each(testDevices)('on $on', ({ kinds, open }) => {
  beforeAll(async () => {
    device = await open();
  });
  afterAll(() => device?.close());

  describe.each([
    { heads: 4, kvHeads: 4, headDim: 16 },
    { heads: 4, kvHeads: 2, headDim: 8 },
    { heads: 2, kvHeads: 1, headDim: 32 },
  ])('attention with $heads heads and $kvHeads key–value heads of dimension $headDim', (heads) => {
    const width = heads.heads * heads.headDim;
    const store = 60;
    const random = new TestRandom(5);
    const kv = random.floats(store * 2 * heads.kvHeads * heads.headDim, 4);
    // Three sequences that end inside blocks of queries; blocks of four split the second one.
    const spans = Uint32Array.from(
      [
        { base: 0, length: 19 },
        { base: 19, length: 2 },
        { base: 21, length: 39 },
      ].flatMap(({ base, length }) => Array.from({ length }, (_, t) => [base, t + 1]).flat()),
    );
    const rows = spans.length / 2;
    const q = random.floats(rows * width, 4);

    it('gives the same bits with both kernel variants, on every kind of device', async () => {
      const packed = await attend({ q, kv, spans }, heads, { alone: false, kind: device.kind });
      expect(new Set(packed.o).size).toBeGreaterThan(rows);
      for (const alone of [false, true]) {
        for (const kind of kinds) {
          expect(await attend({ q, kv, spans }, heads, { alone, kind })).toEqual(packed);
        }
      }
    });

    it('gives a row the same bits regardless of the other rows', async () => {
      const all = await attend({ q, kv, spans }, heads, { alone: false, kind: device.kind });
      // Every third row, so that blocks combine rows differently.
      const some = Array.from({ length: rows }, (_, row) => row).filter((row) => row % 3 === 1);
      const pick = <T extends Float32Array | Uint32Array>(from: T, size: number) =>
        some.flatMap((row) => Array.from(from.subarray(row * size, (row + 1) * size)));
      const few = await attend(
        { q: Float32Array.from(pick(q, width)), kv, spans: Uint32Array.from(pick(spans, 2)) },
        heads,
        { alone: false, kind: device.kind },
      );
      expect(Array.from(few.o)).toEqual(pick(all.o, width));
      expect(Array.from(few.lse)).toEqual(pick(all.lse, heads.heads));
    });
  });
});
