import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/check.ts';
import { presetConfig } from '../../config/presets.ts';
import type { TokenSample } from '../../runs/details.ts';
import { ageBins } from './age-bins.ts';
import { axesOf, ratioTicks } from './quadrant-axes.ts';
import { waitingForDiagnosis } from './waiting.ts';

const config = presetConfig('maze');

describe('a chart of one update', () => {
  const token = (logp: number, ratio: number, advantage: number): TokenSample => ({
    logp,
    ratio,
    advantage,
    entropy: 1,
  });

  it('states when the first diagnosis appears', () => {
    expect(waitingForDiagnosis(config)).toMatch(/after iteration 5/);
    expect(waitingForDiagnosis(parseConfig({ diagnostics: { interval: 0 } }))).toMatch(/are off/);
  });

  it('covers both bounds and nearly all tokens on its axes, with room to mark ratios', () => {
    const ratios = fc.double({ min: 0.1, max: 10, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(ratios, fc.double({ min: -3, max: 3, noNaN: true })), { maxLength: 120 }),
        fc.double({ min: 0.2, max: 1, noNaN: true }),
        fc.double({ min: 1, max: 4, noNaN: true }),
        (tokens, clipLow, clipHigh) => {
          const samples = tokens.map(([ratio, advantage]) => token(-1, ratio, advantage));
          const { ratio, advantage } = axesOf([{ update: 1, clipLow, clipHigh, samples }]);
          for (const value of [clipLow, clipHigh, 1]) {
            expect(value).toBeGreaterThan(ratio[0]);
            expect(value).toBeLessThan(ratio[1]);
          }
          const outside = samples.filter((s) => s.ratio < ratio[0] || s.ratio > ratio[1]);
          expect(outside.length).toBeLessThanOrEqual(0.04 * samples.length);
          for (const sample of samples) {
            expect(Math.abs(sample.advantage)).toBeLessThanOrEqual(advantage);
          }
          const ticks = ratioTicks(ratio, 600, 44);
          expect(ticks).toContain(1);
          const at = ticks.map((tick) => (600 * Math.log(tick)) / Math.log(ratio[1] / ratio[0]));
          for (let i = 1; i < at.length; i++) {
            expect((at[i] ?? 0) - (at[i - 1] ?? 0)).toBeGreaterThanOrEqual(44 - 1e-9);
          }
        },
      ),
    );
  });

  it('bins ages in doubling ranges and loses no tokens', () => {
    expect(
      ageBins([
        [0, 10],
        [2, 4],
        [3, 1],
        [4, 2],
        [9, 5],
      ]),
    ).toEqual([
      { name: '0', tokens: 10 },
      { name: '1', tokens: 0 },
      { name: '2', tokens: 4 },
      { name: '3–4', tokens: 3 },
      { name: '5–8', tokens: 0 },
      { name: '9–16', tokens: 5 },
    ]);
    expect(ageBins([])).toEqual([]);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5000), fc.nat(1000)), { maxLength: 40 }),
        (staleness) => {
          const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
          expect(sum(ageBins(staleness).map(({ tokens }) => tokens))).toBe(
            sum(staleness.map(([, tokens]) => tokens)),
          );
        },
      ),
    );
  });
});
