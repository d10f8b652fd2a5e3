import { describe, expect, it } from 'vitest';
import { drive } from './drive.ts';
import { corridorRun } from './testing/corridor-run.ts';

describe('drive', () => {
  it('iterates until the stop condition is met', async () => {
    const { run } = await corridorRun({ stopping: { iterations: 3 } });
    const seen: number[] = [];
    for await (const { iteration } of drive(run)) {
      // The next iteration does not start until the consumer is done with this one.
      expect(run.iteration).toBe(iteration);
      seen.push(iteration);
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(run.stopped).toBe('iterations');
    for await (const _ of drive(run)) throw new Error('a run that has stopped iterates');
  });

  it('asks before every iteration whether to continue and awaits the answer', async () => {
    const { run } = await corridorRun({ stopping: { iterations: 9 } });
    const asked: number[] = [];
    const goOn = async () => {
      await Promise.resolve();
      asked.push(run.iteration);
      return asked.length < 3;
    };
    const seen: number[] = [];
    for await (const { iteration } of drive(run, goOn)) seen.push(iteration);
    expect(asked).toEqual([0, 1, 2]);
    expect(seen).toEqual([1, 2]);
    expect(run.stopped).toBeNull();
  });

  it('rethrows the error of an iteration', async () => {
    const { run, policy } = await corridorRun({ optimizer: { max_skipped: 1 } });
    policy.failures.push('loss');
    const all = async () => {
      for await (const _ of drive(run)) throw new Error('the iteration did not fail');
    };
    await expect(all()).rejects.toThrow(/non-finite numbers among the loss/);
  });
});
