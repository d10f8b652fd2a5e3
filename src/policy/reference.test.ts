import { describe, expect, it } from 'vitest';
import { defaultObjective } from '../algorithms/objective.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import { parameterLayout, VALUE_COLUMNS } from './layout.ts';
import { referenceForward, referenceObjective, referenceUpdate } from './reference.ts';
import type { Objective, PolicyShape, TrainingBatch } from './types.ts';

const tiny: PolicyShape = {
  vocabulary: 6,
  layers: 2,
  width: 8,
  heads: 2,
  kvHeads: 1,
  ffnWidth: 8,
  tiedEmbeddings: false,
  valueHead: false,
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

describe('the float64 implementation of the policy', () => {
  const valued = { ...tiny, valueHead: true };
  it.each<{ what: string; shape: PolicyShape; changed: Partial<Objective> }>([
    { what: 'the clipped surrogate', shape: tiny, changed: {} },
    {
      what: 'tied embeddings, one layer',
      shape: { ...tiny, tiedEmbeddings: true, kvHeads: 2, layers: 1 },
      changed: {},
    },
    { what: 'a value head', shape: valued, changed: { value: { coef: 0.7, clip: 0.3 } } },
    {
      what: 'a value head and tied embeddings',
      shape: { ...valued, tiedEmbeddings: true },
      changed: { value: { coef: 0.7, clip: 0.3 } },
    },
    { what: 'a KL penalty', shape: tiny, changed: { kl: { estimator: 'k3', coef: 0.4 } } },
    { what: 'one ratio per episode', shape: tiny, changed: { surrogate: 'gspo' } },
    { what: 'preferences', shape: tiny, changed: { surrogate: 'dpo', dpoBeta: 0.6 } },
  ])('computes gradients that match finite differences: $what', ({ shape, changed }) => {
    const random = new TestRandom(3);
    const parameters = randomParameters(shape, 2);
    const paired = changed.surrogate === 'dpo';
    // All tokens of an episode have the same weight and advantage, as GSPO's gradient assumes, and
    // all tokens of a pair the same weight, as DPO's gradient assumes. Both episodes have rows in
    // both micro-batches.
    const episodes = [0, 1, 0, 0, 1, 1, 0];
    const weights = episodes.map((e) => (paired ? 0.9 : ([0.9, 1.3][e] ?? 0)));
    const advantages = episodes.map((e) => [1.1, -0.7][e] ?? 0);
    const batch = (
      tokens: number,
      starts: number[],
      rows: number[],
      from: number,
    ): TrainingBatch => {
      const part = (values: number[]) => values.slice(from, from + rows.length);
      return {
        tokens: random.wholes(tokens, shape.vocabulary),
        sequenceStarts: Uint32Array.from(starts),
        rows: Uint32Array.from(rows),
        targets: random.wholes(rows.length, shape.vocabulary),
        behaviorLogps: random.floats(rows.length).map((x) => x - 1.8),
        referenceLogps: random.floats(rows.length).map((x) => x - 1.8),
        advantages: Float32Array.from(part(advantages)),
        weights: Float32Array.from(part(weights)),
        oldValues: random.floats(rows.length),
        returns: random.floats(rows.length, 2),
        episodes: Uint32Array.from(part(episodes)),
      };
    };
    const batches = [batch(8, [0, 5, 6, 8], [1, 3, 3, 5, 7], 0), batch(4, [0, 4], [2, 3], 5)];
    const objective: Objective = {
      ...defaultObjective,
      clipLow: 0.3,
      clipHigh: 4,
      entropyCoef: 0.2,
      temperature: 0.8,
      ...changed,
    };
    const update = referenceUpdate(shape, parameters, batches, objective);
    const loss = () => {
      const forwards = batches.map((one) => referenceForward(shape, parameters, one));
      return referenceObjective(shape, forwards, batches, objective).loss;
    };
    expect(loss()).toBe(update.objective.loss);
    const { gradients } = update;
    const h = 1e-5;
    for (const [name, values] of Object.entries(parameters)) {
      // Only the first column of the value head is used; the others are padding.
      const columns = name === 'value_head' ? VALUE_COLUMNS : 1;
      const gradient = gradients[name];
      if (gradient === undefined) throw new Error(`no gradient of ${name}`);
      expect(gradient.length).toBe(values.length);
      // A stride coprime to the widths visits all rows and columns.
      const stride = values.length > 40 ? 11 : columns;
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
  });

  it('does not attend to other sequences or later tokens', () => {
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
