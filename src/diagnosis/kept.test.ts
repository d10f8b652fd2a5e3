import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readRuns } from '../experiments/kept-files.node.ts';
import { diagnose } from './diagnose.ts';
import { rowsOf } from './testing/recorded.ts';

const results = fileURLToPath(new URL('../../docs/results/', import.meta.url));

/** Modes at the end of every kept run of an experiment, by arm. */
function found(experiment: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const arms = new Map<string, (readonly string[])[]>();
  for (const { run: kept } of readRuns(results, experiment)) {
    // Recordings whose rows average several iterations are left out: a run never shows such rows.
    if (kept.rows?.window !== 1) continue;
    const evidence = { rows: rowsOf(kept.rows), evaluations: [], facts: kept.config };
    const modes = diagnose(evidence).findings.map(({ mode }) => mode);
    arms.set(kept.arm, [...(arms.get(kept.arm) ?? []), modes]);
  }
  return arms;
}

describe('diagnosis of kept runs', () => {
  it('finds no failure in at least 19 of 20 maze runs', () => {
    const maze = found('double-t').get('maze') ?? [];
    expect(maze.length).toBeGreaterThanOrEqual(20);
    expect(maze.filter((modes) => modes.length > 0).length).toBeLessThanOrEqual(1);
  });

  it('reports a horizon of 8 turns as too short, but not one of 50 or 80', () => {
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

  it('finds no failure in runs of other recipes', () => {
    for (const runs of found('agentevol').values()) expect(runs.flat()).toEqual([]);
  });
});
