import { describe, expect, it } from 'vitest';

import { quietCorridor, timeless } from '../training/testing/corridor-run.ts';
import { openAgent, play } from './agents.ts';
import { loadedEnvironment } from './environments.ts';
import { ConfigError, type ConfigInput, type MetricRow, presetConfig, train } from './index.ts';

const config = {
  ...presetConfig('maze'),
  rollout: { tasks_per_iteration: 2, group_size: 2 },
  horizon: { schedule: 'fixed', turns: 4 },
  evaluation: { interval: 0 },
  stopping: { iterations: 3 },
} as const satisfies ConfigInput;
const device = 'processor';

describe('train', () => {
  it('reports every iteration and returns an agent that reproduces its evaluation', async () => {
    const rows: MetricRow[] = [];
    const run = await train({
      config,
      device,
      onIteration: ({ metrics }) => {
        rows.push(metrics);
      },
    });
    expect(rows.map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
    expect([run.stopped, run.iterations, run.config.seed]).toEqual(['iterations', 3, 1]);

    const environment = await loadedEnvironment(run.config.env);
    const { agent, close } = await openAgent(run.checkpoint, { device });
    const horizon = environment.turnLimit;
    const task = environment.evalTasks[0] ?? '';
    const [episode] = await play({ ...agent, temperature: 0 }, environment, [{ task, horizon }]);
    close();
    const [evaluated] = run.evaluation.trajectories;
    expect(evaluated?.task).toBe(task);
    expect(episode?.turns.map(({ action }) => action)).toEqual(
      evaluated?.turns.map(({ action }) => action),
    );
  });

  it('resumes bit-identically from a checkpoint and rejects changed training settings', async () => {
    const rows = async (options: Parameters<typeof train>[0]) => {
      const received: object[] = [];
      const onIteration = ({ metrics }: { metrics: MetricRow }) => {
        received.push(timeless(metrics));
      };
      return { received, run: await train({ device, ...options, onIteration }) };
    };
    const whole = await rows({ config });
    const first = await rows({ config: { ...config, stopping: { iterations: 2 } } });
    const resume = first.run.checkpoint;
    const rest = await rows({ resume, config: { stopping: { iterations: 3 } } });
    expect([...first.received, ...rest.received]).toEqual(whole.received);
    await expect(train({ resume, config: { seed: 9 }, device })).rejects.toThrow(
      /^seed: affects training/,
    );
  });

  it('keeps the other fields of a section that changes on resume', async () => {
    const stopping = { iterations: 1, turns: 90_000, success: 0.9 };
    const { checkpoint: resume } = await train({ config: { ...config, stopping }, device });
    const run = await train({ resume, config: { stopping: { iterations: 2 } }, device });
    expect(run.config.stopping).toMatchObject({ ...stopping, iterations: 2 });
  });

  it('stops after the current iteration when its signal is aborted', async () => {
    const stop = new AbortController();
    const run = await train({
      config: { ...config, stopping: { iterations: 50 } },
      device,
      signal: stop.signal,
      onIteration: ({ iteration }) => {
        if (iteration === 2) stop.abort();
      },
    });
    expect([run.stopped, run.iterations]).toEqual(['aborted', 2]);
  });

  it('trains in a custom environment', async () => {
    const run = await train({ config, device, environment: quietCorridor });
    expect(run.evaluation.trajectories.map(({ task }) => task)).toEqual(quietCorridor.evalTasks);
  });

  it('rejects an invalid config and names the field', async () => {
    const wrong = train({ config: { policy: { layers: 99 } }, device });
    await expect(wrong).rejects.toThrow(ConfigError);
    await expect(wrong).rejects.toThrow(/^policy\.layers: must be/);
  });
});
