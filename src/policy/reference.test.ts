import { describe, expect, it } from 'vitest';
import { ppoClipReference } from '../algorithms/ppo-clip.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import { parameterLayout } from './layout.ts';
import { referenceForward, referenceObjective, referenceUpdate } from './reference.ts';
import type { PolicyShape, TrainingBatch } from './types.ts';

const tiny: PolicyShape = {
  vocabulary: 6,
  layers: 2,
  width: 8,
  heads: 2,
  kvHeads: 1,
  ffnWidth: 8,
  tiedEmbeddings: false,
};

function randomParameters(shape: PolicyShape, seed: number): Record<string, Float64Array> {
  const random = new TestRandom(seed);
  return Object.fromEntries(
    [...parameterLayout(shape).slots.values()].map(({ name, length }) => [
      name,
      Float64Array.from(random.floats(length)),
    ]),
  );
}

describe('the reference policy', () => {
  it.each([{ ...tiny }, { ...tiny, tiedEmbeddings: true, kvHeads: 2, layers: 1 }])(
    'has the gradients that finite differences give: %o',
    (shape) => {
      const random = new TestRandom(3);
      const parameters = randomParameters(shape, 2);
      const batch: TrainingBatch = {
        tokens: random.wholes(8, shape.vocabulary),
        sequenceStarts: Uint32Array.of(0, 5, 6, 8),
        rows: Uint32Array.of(1, 3, 3, 5, 7),
        targets: random.wholes(5, shape.vocabulary),
        behaviourLogps: random.floats(5).map((x) => x - 1.8),
        advantages: random.floats(5, 2),
        weights: random.floats(5).map((x) => 1 + x),
      };
      const objective = { clipLow: 0.3, clipHigh: 4, entropyCoef: 0.2, temperature: 0.8 };
      const { totals, gradients } = referenceUpdate(
        shape,
        parameters,
        [batch],
        objective,
        ppoClipReference,
      );
      const loss = () => {
        const forward = referenceForward(shape, parameters, batch);
        return (
          referenceObjective(shape, forward, batch, objective, ppoClipReference).totals[0] ??
          Number.NaN
        );
      };
      expect(loss()).toBe(totals[0]);
      const h = 1e-5;
      for (const [name, values] of Object.entries(parameters)) {
        const gradient = gradients[name];
        if (gradient === undefined) throw new Error(`no gradient of ${name}`);
        expect(gradient.length).toBe(values.length);
        // A stride that shares no factor with the widths visits rows and columns alike.
        const stride = values.length > 40 ? 11 : 1;
        for (let i = 0; i < values.length; i += stride) {
          const value = values[i] ?? Number.NaN;
          values[i] = value + h;
          const above = loss();
          values[i] = value - h;
          const below = loss();
          values[i] = value;
          const difference = (above - below) / (2 * h);
          const error = Math.abs((gradient[i] ?? Number.NaN) - difference);
          expect(error, `${name}[${i}]`).toBeLessThan(1e-7 * Math.max(1, Math.abs(difference)));
        }
      }
    },
  );

  it('reads nothing of other sequences and nothing of later tokens', () => {
    const parameters = randomParameters(tiny, 4);
    const together = referenceForward(tiny, parameters, {
      tokens: Uint32Array.of(1, 2, 3, 4, 5, 0, 2),
      sequenceStarts: Uint32Array.of(0, 4, 7),
    }).logits;
    const alone = referenceForward(tiny, parameters, {
      tokens: Uint32Array.of(5, 0),
      sequenceStarts: Uint32Array.of(0, 2),
    }).logits;
    expect(Array.from(together.slice(4 * 8, 6 * 8))).toEqual(Array.from(alone));
  });
});
