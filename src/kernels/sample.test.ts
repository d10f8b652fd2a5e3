import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../device/index.ts';
import { TestRandom } from './reference/random.ts';
import { sampleReference } from './reference/sample.ts';
import { ENDED, sample } from './sample.ts';
import { runAndRead, testDevices, upload } from './testing.ts';

let device: Device;

interface Draw {
  readonly episode: number;
  readonly position?: number;
  /** Row of logits. */
  readonly row?: number;
  readonly iteration?: number;
}

const usual = { temperature: 1, seed: 3, endTokens: [0xfffffff0] };
const usualIteration = 5;

/** One token for each draw. */
async function sampleAll(
  logits: readonly (readonly number[])[],
  draws: readonly Draw[],
  changed: Partial<typeof usual> = {},
) {
  const vocabulary = logits[0]?.length ?? 0;
  const rows = draws.length;
  const tensors = upload(device, {
    logits: Float32Array.from(logits.flat()),
    draws: Uint32Array.from(
      draws.flatMap(({ episode, position = 0, row = 0, iteration = usualIteration }) => [
        episode,
        position,
        row,
        iteration,
      ]),
    ),
    tokens: new Uint32Array(rows),
    logps: new Float32Array(rows),
    entropies: new Float32Array(rows),
    nextTokens: new Uint32Array(rows),
  });
  const got = await runAndRead(device, tensors, (recorder) =>
    sample(
      recorder,
      tensors,
      { rows, vocabulary, stride: vocabulary, width: 1 },
      { ...usual, ...changed, step: 0 },
    ),
  );
  const tokens = new Uint32Array(got.tokens.buffer);
  expect(new Uint32Array(got.nextTokens.buffer)).toEqual(tokens);
  return { tokens, logps: got.logps, entropies: got.entropies };
}

const episodes = (count: number): Draw[] =>
  Array.from({ length: count }, (_, episode) => ({ episode }));

describe.each(testDevices)('on $on', ({ open }) => {
  beforeAll(async () => {
    device = await open();
  });
  afterEach(() => device.check());
  afterAll(() => device?.close());

  describe('sampling', () => {
    it('agrees with the float64 reference on every draw that rounding cannot change', async () => {
      const random = new TestRandom(1);
      const logits = [Array.from(random.floats(37, 4)), Array.from(random.floats(37, 1))];
      const draws = Array.from({ length: 3000 }, () => ({
        episode: random.whole(2 ** 32),
        position: random.whole(500),
        row: random.whole(2),
        iteration: random.whole(2 ** 32),
      }));
      const { tokens, logps, entropies } = await sampleAll(logits, draws, { seed: 0xffffffff });
      let doubtful = 0;
      draws.forEach(({ episode, position, row, iteration }, i) => {
        const expected = sampleReference(logits[row] ?? [], {
          ...usual,
          seed: 0xffffffff,
          episode,
          position,
          iteration,
        });
        if (expected.margin < 1e-6) {
          doubtful += 1;
          return;
        }
        expect(tokens[i], `draw ${i}`).toBe(expected.token);
        expect(logps[i]).toBeCloseTo(expected.logp, 5);
        expect(entropies[i]).toBeCloseTo(expected.entropy, 5);
      });
      expect(doubtful).toBeLessThan(5);
    });

    it('draws tokens in proportion to their probabilities (χ² test)', async () => {
      const logits = [[0.5, -1, 2, 0, 1.5, -0.3, 0.9]];
      const count = 20000;
      for (const temperature of [1, 0.5, 2]) {
        const { tokens } = await sampleAll(logits, episodes(count), { temperature });
        const weights = (logits[0] ?? []).map((z) => Math.exp(z / temperature));
        const total = weights.reduce((sum, w) => sum + w, 0);
        const chiSquare = weights.reduce((sum, weight, v) => {
          const expected = (count * weight) / total;
          const seen = tokens.filter((token) => token === v).length;
          return sum + (seen - expected) ** 2 / expected;
        }, 0);
        // With 6 degrees of freedom, χ² exceeds 22.5 with probability 0.001.
        expect(chiSquare, `temperature ${temperature}`).toBeLessThan(22.5);
      }
    });

    it('draws the same tokens for the same seed and counters, and different ones if any of them changes', async () => {
      const logits = [Array.from({ length: 64 }, () => 0)];
      const draws = Array.from({ length: 64 }, (_, i) => ({ episode: i, position: 7 }));
      const { tokens } = await sampleAll(logits, draws);
      expect((await sampleAll(logits, draws)).tokens).toEqual(tokens);
      // The order of the episodes does not matter.
      const reversed = await sampleAll(logits, draws.toReversed());
      expect(reversed.tokens.toReversed()).toEqual(tokens);

      const equal = (other: Uint32Array) => other.filter((token, i) => token === tokens[i]).length;
      const variants = [
        await sampleAll(logits, draws, { seed: 4 }),
        await sampleAll(
          logits,
          draws.map((draw) => ({ ...draw, iteration: 6 })),
        ),
        await sampleAll(
          logits,
          draws.map(({ episode }) => ({ episode, position: 8 })),
        ),
        await sampleAll(
          logits,
          draws.map(({ episode, position }) => ({ episode: episode + 1000, position })),
        ),
      ];
      // Episodes begun in different iterations can share a call.
      const mixed = await sampleAll(
        logits,
        draws.map((draw, i) => (i % 2 === 0 ? draw : { ...draw, iteration: 6 })),
      );
      mixed.tokens.forEach((token, i) => {
        expect(token).toBe(i % 2 === 0 ? tokens[i] : variants[1]?.tokens[i]);
      });
      // About one of 64 tokens is equal by chance; eight would mean correlated draws.
      for (const { tokens: other } of variants) expect(equal(other)).toBeLessThan(8);
      expect(new Set(tokens).size).toBeGreaterThan(20);
    });

    it('picks the lowest id among ties when greedy, with its log-probability at temperature 1', async () => {
      const logits = [
        [1, 3, 3, 2],
        [2, 2, 2, 2],
        [-5, -4, -9, -4],
        [0, 0, 0, 1e4],
      ];
      const { tokens, logps, entropies } = await sampleAll(
        logits,
        logits.map((_, row) => ({ episode: row, row })),
        { temperature: 0 },
      );
      expect(Array.from(tokens)).toEqual([1, 0, 1, 3]);
      expect(logps[1]).toBeCloseTo(-Math.log(4), 6);
      expect(entropies[1]).toBeCloseTo(Math.log(4), 6);
      expect(logps[3]).toBe(0);
      expect(entropies[3]).toBe(0);
      expect(logps[0]).toBeCloseTo(3 - Math.log(Math.exp(1) + 2 * Math.exp(3) + Math.exp(2)), 5);
    });

    it('never draws a token of probability zero', async () => {
      const { tokens } = await sampleAll([[-1e4, 0, -1e4, 0, -1e4]], episodes(2000));
      expect(new Set(tokens)).toEqual(new Set([1, 3]));
    });

    it('stops an episode at its end token and continues the others', async () => {
      const endToken = 2;
      const logits = [
        [9, 0, 0],
        [0, 0, 9],
      ];
      const width = 3;
      const tensors = upload(device, {
        logits: Float32Array.from(logits.flat()),
        // Episode 0 always draws token 0; episode 1 ends at once.
        draws: Uint32Array.of(0, 0, 0, 1, 1, 0, 1, 1),
        tokens: new Uint32Array(2 * width).fill(77),
        logps: new Float32Array(2 * width).fill(Number.NaN),
        entropies: new Float32Array(2 * width).fill(Number.NaN),
        nextTokens: new Uint32Array(2),
      });
      const got = await runAndRead(device, tensors, (recorder) => {
        for (let step = 0; step < width; step++) {
          sample(
            recorder,
            tensors,
            { rows: 2, vocabulary: 3, stride: 3, width },
            { temperature: 0, seed: 1, step, endTokens: [endToken] },
          );
        }
      });
      expect(Array.from(new Uint32Array(got.tokens.buffer))).toEqual([
        0,
        0,
        0,
        endToken,
        ENDED,
        ENDED,
      ]);
      expect(Array.from(new Uint32Array(got.nextTokens.buffer))).toEqual([0, endToken]);
      expect(Array.from(got.logps.slice(4))).toEqual([0, 0]);
      expect(Array.from(got.entropies.slice(4))).toEqual([0, 0]);
    });
  });
});
