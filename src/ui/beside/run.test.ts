import { describe, expect, it } from 'vitest';
import type { WorkerMessage } from '../../lab/protocol.ts';
import { row } from '../../runs/testing/rows.ts';
import { entered, nothingYet } from './run.ts';

const runId = 'beside';
const iteration = (number: number): WorkerMessage => ({
  ...{ type: 'iteration', runId, ...row(number, { 'rollout/success_rate': number / 10 }) },
  episodes: [],
});

describe('the run beside', () => {
  const after = (...messages: readonly WorkerMessage[]) => messages.reduce(entered, nothingYet);

  it('has a row for each iteration, with its evaluation in it', () => {
    const evaluated: WorkerMessage = {
      ...{ type: 'evaluation', runId, iteration: 2, episodes: [] },
      metrics: { 'eval/success_rate': 0.7 },
    };
    const { rows, status } = after(iteration(1), iteration(2), evaluated);
    expect(status).toBe('running');
    expect(rows.map(({ metrics }) => metrics['eval/success_rate'])).toEqual([undefined, 0.7]);
  });

  it('goes back with its worker, ends, and says what went wrong', () => {
    const back: WorkerMessage = { type: 'restored', runId, iteration: 1, reason: 'gpu-lost' };
    expect(after(iteration(1), iteration(2), back).rows).toHaveLength(1);
    const ended: WorkerMessage = { type: 'status', runId, status: 'finished' };
    expect(after(iteration(1), ended).status).toBe('finished');
    const error: WorkerMessage = {
      ...{ type: 'error', runId, name: 'RoomError', message: 'No room.', advice: 'Make room.' },
    };
    expect(after(error)).toMatchObject({ status: 'failed', problem: 'No room. Make room.' });
    // What changes nothing gives the same object, so that nothing is drawn for it.
    expect(entered(nothingYet, { type: 'progress', runId, phase: 'rollout', fraction: 0.5 })).toBe(
      nothingYet,
    );
  });
});
