import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/check.ts';
import { presetConfig } from '../../../config/presets.ts';
import type { WorkerMessage } from '../../../lab/protocol.ts';
import type { EnvironmentResult } from '../../../runs/details.ts';
import type { Row } from '../../../runs/row.ts';
import { maze, mixed, update, wordle } from '../../../runs/testing/rows.ts';
import { environmentSeries } from '../../charts/environments.tsx';
import { secondsLeft } from '../../why/overview/overview.tsx';
import { storyOf } from '../../why/overview/story.ts';
import { receive } from './entering.ts';
import { beginRun, KEPT_DIAGNOSES, MOST_LOSSES, useLab } from './store.ts';

const config = presetConfig('maze');

describe('useLab', () => {
  const runId = 'run-test';
  const iteration = (number: number, more: Partial<Row> = {}): WorkerMessage => ({
    type: 'row',
    runId,
    row: {
      iteration: number,
      metrics: { iteration: number, 'rollout/success_rate': 0.5 },
      details: { updates: [], staleness: [[number, 5]] },
      milliseconds: 100,
      ...more,
    },
    episodes: [],
    evaluated: [],
  });

  it('keeps one row per iteration with its evaluation, and drops messages of other runs', () => {
    beginRun(runId, config, 'maze');
    receive(iteration(1, { evaluation: { metrics: { 'eval/success_rate': 0.75 } } }));
    receive({ ...iteration(9), runId: 'run-before' });
    receive(iteration(2));
    const { rows, evaluations } = useLab.getState();
    expect(rows.map((kept) => kept.iteration)).toEqual([1, 2]);
    expect(rows[0]?.metrics['eval/success_rate']).toBe(0.75);
    expect(evaluations).toHaveLength(1);
    expect(secondsLeft({ rows, config })).toBeCloseTo((config.stopping.iterations - 2) * 0.1);
  });

  it('no longer waits for a server once the run has failed', () => {
    beginRun(runId, config, 'maze');
    useLab.setState({ serverWaiting: 'it does not answer' });
    receive({ type: 'status', runId, status: 'running' });
    expect(useLab.getState().serverWaiting).not.toBeNull();
    receive({ type: 'status', runId, status: 'failed' });
    expect(useLab.getState().serverWaiting).toBeNull();
  });

  it('keeps the losses of a phase before the first iteration', () => {
    beginRun(runId, config, 'maze');
    const progress = (phase: 'imitate' | 'prefer' | 'update', fraction: number, loss?: number) =>
      receive({
        type: 'progress',
        runId,
        phase,
        fraction,
        ...(loss === undefined ? {} : { loss }),
      });
    progress('imitate', 0);
    progress('imitate', 0.5, 3);
    progress('imitate', 1, 2);
    expect(useLab.getState().losses).toEqual([
      { at: 0.5, loss: 3 },
      { at: 1, loss: 2 },
    ]);
    progress('prefer', 0.5, 0.7);
    expect(useLab.getState().losses).toEqual([{ at: 0.5, loss: 0.7 }]);
    receive(iteration(1));
    progress('update', 0.5, 0.1);
    expect(useLab.getState().losses).toEqual([]);

    beginRun(runId, config, 'maze');
    for (let i = 0; i < 10_000; i++) progress('imitate', i / 10_000, i);
    const { losses } = useLab.getState();
    expect(losses.length).toBeGreaterThan(MOST_LOSSES / 2);
    expect(losses.length).toBeLessThan(1.1 * MOST_LOSSES);
    expect(losses.at(-1)?.loss).toBe(9999);
    const gaps = losses.slice(1).map(({ loss }, i) => loss - (losses[i]?.loss ?? 0));
    expect(Math.max(...gaps)).toBeLessThan((2 * 10_000) / MOST_LOSSES);
  });

  it('keeps all updates, the newest staleness and the newest diagnoses', () => {
    beginRun(runId, config, 'maze');
    const last = KEPT_DIAGNOSES + 3;
    for (let number = 1; number <= last; number++) {
      const diagnosis = { update: number, clipLow: 0.8, clipHigh: 1.2, samples: [] };
      const details = { updates: [update({ update: number })], staleness: [], diagnosis };
      receive(iteration(number, { details }));
    }
    receive(iteration(last + 1));
    const lab = useLab.getState();
    expect(lab.rows.flatMap(({ details }) => details.updates)).toHaveLength(last);
    expect(lab.staleness).toEqual([[last + 1, 5]]);
    expect(lab.diagnoses).toHaveLength(KEPT_DIAGNOSES);
    // Samples are large, so rows do not hold a second copy.
    expect(lab.rows.some(({ details }) => details.diagnosis !== undefined)).toBe(false);
    expect(lab.diagnoses[0]?.iteration).toBe(4);
    expect(lab.diagnoses.at(-1)?.diagnosis.update).toBe(last);
    beginRun(runId, config, 'maze');
    expect(useLab.getState().diagnoses).toEqual([]);
  });

  it('keeps the results per environment of a mixture', () => {
    const result = (id: string, successRate: number): EnvironmentResult => ({
      id,
      episodes: 8,
      successRate,
      score: successRate,
      turns: 4,
    });
    beginRun(runId, mixed, 'maze');
    receive(
      iteration(1, {
        details: { updates: [], staleness: [], environments: [result(maze, 0.25)] },
        evaluation: {
          metrics: { 'eval/success_rate': 0.75 },
          environments: [result(maze, 0.5), result(wordle, 1)],
        },
      }),
    );
    const [first] = useLab.getState().rows;
    const values = environmentSeries(mixed).map(({ name, read }) => [
      name,
      first === undefined ? undefined : read(first),
    ]);
    expect(values).toEqual([
      ['Double-T maze, training', 0.25],
      ['Double-T maze', 0.5],
      ['Wordle, training', undefined],
      ['Wordle', 1],
    ]);
    const unevaluated = parseConfig({ ...mixed, evaluation: { interval: 0 } });
    expect(environmentSeries(unevaluated).map(({ name }) => name)).toEqual([
      'Double-T maze',
      'Wordle',
    ]);
    expect(environmentSeries(config)).toEqual([]);
  });

  it('keeps the rows and the error of a failed run', () => {
    beginRun(runId, config, 'maze');
    receive(iteration(1));
    receive({ type: 'error', runId, name: 'DeviceLostError', message: 'gone', advice: 'again' });
    receive({ type: 'status', runId, status: 'failed' });
    const lab = useLab.getState();
    expect(lab.status).toBe('failed');
    expect(lab.error?.name).toBe('DeviceLostError');
    expect(lab.rows).toHaveLength(1);
    expect(storyOf(lab).detail).toContain('kept');
  });
});
