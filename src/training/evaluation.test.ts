import { describe, expect, it } from 'vitest';
import { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import { wilson } from '../algorithms/confidence.ts';
import { parseConfig } from '../config/check.ts';
import { EnvironmentFault } from '../envs/episode.ts';
import { createEnvironment, offeredFamilies, UnknownEnvironmentError } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import type { Player } from '../runs/evaluation-report.ts';
import type { EvaluationRequest } from './evaluation.ts';
import { evaluateAgents, evaluatedEnvironments } from './evaluation.ts';
import { corridorRun, iterate, quietCorridor, timeless } from './testing/corridor-run.ts';

/** Evaluates the agent of a run on the corridor. */
async function evaluated(
  run: Awaited<ReturnType<typeof corridorRun>>['run'],
  over: Partial<EvaluationRequest> = {},
) {
  const { report, greedy } = await evaluateAgents({
    agent: run.agent,
    trained: run,
    environments: [{ environment: quietCorridor, options: {} }],
    tasks: 0,
    samples: 4,
    seed: 9,
    ...over,
  });
  const [first] = report.environments;
  if (first === undefined) throw new Error('no environment was evaluated');
  const of = (player: Player) => {
    const found = first.results.find((result) => result.player === player);
    if (found === undefined) throw new Error(`${player} did not play`);
    return found;
  };
  return { report, greedy, first, of };
}

describe('evaluateAgents', () => {
  it('compares the agent, greedy and sampled, with the expert and a random agent', async () => {
    const { run } = await corridorRun();
    await iterate(run, 12);
    const { report, first, of, greedy } = await evaluated(run);
    expect(report.trained).toEqual({ iteration: 12, turns: run.turns, tokens: run.tokens });
    expect(first).toMatchObject({ tasks: 4, horizon: 20, agentUnable: null });
    expect(first.results.map(({ player }) => player)).toEqual([
      'greedy',
      'sampled',
      'expert',
      'random',
    ]);
    // The expert walks 4, 3, 2 and 1 cells.
    expect(of('expert')).toMatchObject({
      episodesPerTask: 1,
      success: wilson(1, 4),
      score: { mean: 1 },
      turns: 2.5,
      passAtK: [],
    });
    const own = await run.evaluate();
    expect(of('greedy').success.mean).toBe(own.metrics['eval/success_rate']);
    expect(of('greedy').episodesPerTask).toBe(1);
    expect(greedy.map(({ taskId, success }) => ({ task: taskId, success }))).toEqual(
      own.trajectories.map(({ task, success }) => ({ task, success })),
    );
    for (const player of ['sampled', 'random'] as const) {
      const { passAtK, success, episodesPerTask } = of(player);
      expect(episodesPerTask).toBe(4);
      expect(passAtK).toHaveLength(4);
      expect(passAtK[0]).toEqual(success);
      const means = passAtK.map(({ mean }) => mean);
      expect(means).toEqual(means.toSorted((a, b) => a - b));
    }
    expect(of('random').turns).toBeGreaterThan(of('expert').turns);
    expect(structuredClone(report)).toEqual(report);
  });

  it('computes every interval over clusters of tasks with shared content, and reports the number of clusters', async () => {
    const { run } = await corridorRun({ evaluation: { interval: 0, horizon: 2 } });
    const clustered: Environment = {
      ...quietCorridor,
      holdout: {
        ...quietCorridor.holdout,
        cluster: { name: 'halves', of: (task) => (/[01]$/.test(task) ? 'far' : 'near') },
      },
    };
    const within = (environment: Environment) =>
      evaluated(run, { environments: [{ environment, options: {} }] });
    const { first, of } = await within(clustered);
    expect(first).toMatchObject({ tasks: 4, clusters: { name: 'halves', count: 2 } });
    // The exit is reachable from cells 2 and 3, not from 0 and 1: V = 2 · (1 + 1) / 16, t(1) =
    // 12.7062.
    const { success, score } = of('expert');
    expect(success).toEqual(wilson(0.5, 2));
    expect(score).toEqual({
      mean: 0.5,
      // The half-width on the logit scale is the mean's half-width divided by 0.25.
      low: expect.closeTo(1 / (1 + Math.exp((12.7062 * 0.5) / 0.25)), 10),
      high: expect.closeTo(1 / (1 + Math.exp((-12.7062 * 0.5) / 0.25)), 10),
    });
    const alone = await within(quietCorridor);
    expect(alone.first.clusters).toBeNull();
    expect(alone.of('expert').success).toEqual(wilson(0.5, 4));
  });

  it('bases pass@k on the success predicate, not on the score', async () => {
    const { run } = await corridorRun();
    const generous: Environment = { ...quietCorridor, success: () => false };
    const { of } = await evaluated(run, { environments: [{ environment: generous, options: {} }] });
    expect(of('random').score.mean).toBeGreaterThan(0);
    expect(of('random').passAtK.map(({ mean }) => mean)).toEqual([0, 0, 0, 0]);
    expect(of('expert').success.mean).toBe(0);
  });

  it("respects the config's horizon and the number of tasks", async () => {
    const { run } = await corridorRun({ evaluation: { interval: 0, horizon: 3 } });
    const { first, of } = await evaluated(run, { tasks: 2 });
    expect(first).toMatchObject({ tasks: 2, horizon: 3 });
    // From cell 0 the exit is 4 steps away, from cell 1 it is 3.
    expect(of('expert').success.mean).toBe(0.5);
    expect(of('expert').turns).toBe(3);
  });

  it("reports lexemes that the agent's vocabulary lacks", async () => {
    const { run } = await corridorRun();
    const { first } = await evaluated(run, {
      environments: [{ environment: createEnvironment('maze/double-t-v1'), options: {} }],
      tasks: 3,
      samples: 1,
    });
    expect(first.agentUnable).toMatch(/^its vocabulary lacks \d+ of \d+ lexemes, such as ".+"\.$/);
    expect(first.results.map(({ player }) => player)).toEqual(['expert', 'random']);
    expect(first.results[0]?.success.mean).toBe(1);
  });

  it('reports an observation that does not fit the context', async () => {
    const { run } = await corridorRun({ agent: { context_length: 16 } });
    const wordy: Environment = {
      ...quietCorridor,
      reset: (task) => ({
        ...quietCorridor.reset(task),
        observation: new Array(20).fill('cell').join(' '),
      }),
    };
    const { first } = await evaluated(run, { environments: [{ environment: wordy, options: {} }] });
    expect(first.agentUnable).toMatch(/one turn needs 23 tokens but the context holds 16/);
    expect(first.results).toHaveLength(2);
  });

  it('gives the same results for a seed and different ones for another, and leaves the run unchanged', async () => {
    const { run } = await corridorRun();
    const { run: other } = await corridorRun();
    await iterate(run, 2);
    await iterate(other, 2);
    const first = await evaluated(run);
    expect((await evaluated(run)).report).toEqual(first.report);
    const reseeded = await evaluated(run, { seed: 10 });
    expect(reseeded.of('greedy')).toEqual(first.of('greedy'));
    expect(reseeded.of('random')).not.toEqual(first.of('random'));
    const [after] = await iterate(run, 1);
    const [undisturbed] = await iterate(other, 1);
    expect(timeless(after?.metrics ?? {})).toEqual(timeless(undisturbed?.metrics ?? {}));
  });

  it('reports progress, yields between episodes, and ends when the callback throws', async () => {
    const { run } = await corridorRun();
    const fractions: number[] = [];
    let breaths = 0;
    await evaluated(run, {
      environments: [1, 2].map(() => ({ environment: quietCorridor, options: {} })),
      onProgress: (fraction) => fractions.push(fraction),
      breathe: async () => {
        breaths += 1;
      },
    });
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);
    expect(breaths).toBe(16);
    const leave = () => {
      throw new Error('enough');
    };
    await expect(evaluated(run, { onProgress: leave })).rejects.toThrow('enough');
  });

  it('names an environment that fails, or that admits no action in a state', async () => {
    const { run } = await corridorRun();
    const within = (environment: Environment) =>
      evaluated(run, { environments: [{ environment, options: {} }] });
    const stuck = { ...quietCorridor, admissibleActions: () => [] };
    await expect(within(stuck)).rejects.toThrow(
      /test\/corridor-v1 failed .*no action is admissible/,
    );
    const exploding = { ...quietCorridor, admissibleActions: () => ['boom'] };
    await expect(within(exploding)).rejects.toThrow(EnvironmentFault);
  });
});

describe('a sampled evaluation', () => {
  it('draws independently for every episode', async () => {
    const { run } = await corridorRun();
    const policy = run.agent.policy;
    if (!(policy instanceof TabularPolicy)) throw new Error('not a tabular policy');
    await evaluated(run);
    const sampled = policy.generated.filter(({ temperature }) => temperature > 0);
    expect(sampled[0]?.slots).toHaveLength(16);
    expect(Array.from(sampled[0]?.random.episodes ?? [])).toEqual([...new Array(16).keys()]);
  });
});

describe('evaluatedEnvironments', () => {
  const generated = { id: 'maze/generated-v2', options: { size: 9 } };
  const single = parseConfig({ env: generated });
  const mixed = parseConfig({ env: { mixture: [generated, { id: 'maze/double-t-v1' }] } });
  const ids = (...asked: Parameters<typeof evaluatedEnvironments>) =>
    evaluatedEnvironments(...asked).map(({ environment }) => environment.id);

  it('defaults to the training environments, every part of a mixture', () => {
    expect(ids(single, 'trained')).toEqual(['maze/generated-v2']);
    expect(ids(mixed, 'trained')).toEqual(['maze/generated-v2', 'maze/double-t-v1']);
  });

  it('keeps the options used in training', () => {
    expect(evaluatedEnvironments(mixed, ['maze/generated-v2'])[0]?.options).toEqual({ size: 9 });
    expect(evaluatedEnvironments(mixed, ['maze/double-t-partial-v1'])[0]?.options).toEqual({});
  });

  it('accepts every registered environment and rejects others', () => {
    expect(ids(single, 'all')).toEqual(offeredFamilies.map(({ id }) => id));
    expect(() => evaluatedEnvironments(single, ['maze/other'])).toThrow(UnknownEnvironmentError);
  });
});
