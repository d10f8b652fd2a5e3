import { describe, expect, it } from 'vitest';
import type { WorkerMessage } from '../../../lab/protocol.ts';
import type { Row } from '../../../runs/row.ts';
import { row } from '../../../runs/testing/rows.ts';
import { entered, nothingYet } from './run.ts';

const runId = 'beside';
const iteration = (number: number, evaluation?: Row['evaluation']): WorkerMessage => ({
  ...{ type: 'row', runId, episodes: [], evaluated: [] },
  row: {
    ...row(number, { 'rollout/success_rate': number / 10 }),
    ...(evaluation === undefined ? {} : { evaluation }),
  },
});

describe('a second run', () => {
  const after = (...messages: readonly WorkerMessage[]) => messages.reduce(entered, nothingYet);

  it('adds a row per iteration, with its evaluation', () => {
    const evaluated = iteration(2, { metrics: { 'eval/success_rate': 0.7 } });
    const { rows, status } = after(iteration(1), evaluated);
    expect(status).toBe('running');
    expect(rows.map(({ metrics }) => metrics['eval/success_rate'])).toEqual([undefined, 0.7]);
  });

  it('follows its worker through restore, completion and failure', () => {
    const back: WorkerMessage = { type: 'restored', runId, iteration: 1, reason: 'gpu-lost' };
    expect(after(iteration(1), iteration(2), back).rows).toHaveLength(1);
    const ended: WorkerMessage = { type: 'status', runId, status: 'finished' };
    expect(after(iteration(1), ended).status).toBe('finished');
    const error: WorkerMessage = {
      ...{ type: 'error', runId, name: 'RoomError', message: 'No room.', advice: 'Make room.' },
    };
    expect(after(error)).toMatchObject({ status: 'failed', problem: 'No room. Make room.' });
    // The same object, so that React does not render again.
    expect(entered(nothingYet, { type: 'progress', runId, phase: 'rollout', fraction: 0.5 })).toBe(
      nothingYet,
    );
  });
});
