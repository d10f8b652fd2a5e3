import { describe, expect, it } from 'vitest';
import type { EnvironmentResult } from '../../runs/details.ts';
import type { Row } from '../../runs/row.ts';
import { gain, roundLines } from './rounds.tsx';

const result = (successRate: number): EnvironmentResult[] => [
  { id: 'a', episodes: 4, successRate, score: successRate, turns: 2 },
];

const row = (iteration: number, round: number, learned: boolean, over: Partial<Row>): Row => ({
  iteration,
  metrics: {},
  milliseconds: 1,
  ...over,
  details: {
    updates: [],
    staleness: [],
    round: {
      round,
      learned,
      environments: [{ id: 'a', explored: 8, kept: 3 }],
      ...(iteration === 1 ? { imitated: result(0.25) } : {}),
    },
  },
});

describe('roundLines', () => {
  it('returns a line per round and environment, with the evaluations before and after', () => {
    const line = { id: 'a', explored: 8, kept: 3 };
    expect(
      roundLines([
        row(1, 1, true, { evaluation: { metrics: {}, environments: result(0.5) } }),
        row(2, 2, true, { evaluation: { metrics: {}, environments: result(0.75) } }),
      ]),
    ).toEqual([
      { ...line, round: 1, before: 0.25, after: 0.5 },
      { ...line, round: 2, before: 0.5, after: 0.75 },
    ]);
  });

  it('waits for the end of a round of several iterations and returns null for a missing evaluation', () => {
    const rows = [row(1, 1, false, {}), row(2, 1, true, {}), row(3, 2, false, {})];
    expect(roundLines(rows)).toEqual([
      { id: 'a', explored: 8, kept: 3, round: 1, before: 0.25, after: null },
    ]);
  });

  it('returns no lines for another recipe', () => {
    const details = { updates: [], staleness: [] };
    expect(roundLines([{ iteration: 1, metrics: {}, milliseconds: 1, details }])).toEqual([]);
  });
});

it('reports a gain that agrees with the displayed percentages', () => {
  // 38% and 50% are displayed.
  expect(gain(0.375, 0.5)).toBe(12);
  expect(gain(0.5, 0.375)).toBe(-12);
});
