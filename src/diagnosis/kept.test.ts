import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { diagnose } from './diagnose.ts';
import { rowsOf } from './testing/recorded.ts';

const results = new URL('../../docs/results/', import.meta.url);

/** Modes at the end of every kept run of an experiment, by arm. */
function found(experiment: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const arms = new Map<string, (readonly string[])[]>();
  for (const file of readdirSync(new URL(`${experiment}/`, results))) {
    const kept = JSON.parse(readFileSync(new URL(`${experiment}/${file}`, results), 'utf8'));
    // Rows that stand for several iterations are no longer those that a run shows.
    if (kept.rows?.window !== 1) continue;
    const evidence = {
      rows: rowsOf(kept.rows),
      evaluations: [],
      facts: parseConfig(kept.config),
    };
    const modes = diagnose(evidence).findings.map(({ mode }) => mode);
    arms.set(kept.arm, [...(arms.get(kept.arm) ?? []), modes]);
  }
  return arms;
}

describe('kept runs', () => {
  it('of the maze are sound in all but one of twenty seeds at most', () => {
    const maze = found('double-t').get('maze') ?? [];
    expect(maze.length).toBeGreaterThanOrEqual(20);
    expect(maze.filter((modes) => modes.length > 0).length).toBeLessThanOrEqual(1);
  });

  it('with a horizon of eight turns are told that it is too short, and those of fifty and eighty are not', () => {
    const arms = found('scaling-inter-mazes');
    const short = arms.get('fixed 8') ?? [];
    expect(short.length).toBeGreaterThanOrEqual(10);
    const right = short.filter(([first]) => first === 'horizon_too_short');
    expect(right.length / short.length).toBeGreaterThanOrEqual(0.8);
    for (const [arm, runs] of arms) {
      if (arm === 'fixed 8') continue;
      expect([arm, runs.filter((modes) => modes.length > 0).length]).toEqual([arm, 0]);
    }
  });

  it('of other recipes are left alone', () => {
    for (const runs of found('agentevol').values()) expect(runs.flat()).toEqual([]);
  });
});
