import { expect, it } from 'vitest';
import { parseConfig } from '../../config/check.ts';
import { criticizes } from '../../config/recipes.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import { loadedEnvironment } from '../../envs/registry.ts';
import type { Environment } from '../../envs/types.ts';
import type { Row } from '../../runs/row.ts';
import { row } from '../../runs/testing/rows.ts';
import { corridorRun, iterate, quietCorridor } from '../../training/testing/corridor-run.ts';
import type { ChartSpec } from './chart-spec.ts';
import { recipeCharts } from './charts.tsx';

const runs: Readonly<Record<keyof typeof recipeCharts, ConfigInput>> = {
  reinforcement: { sampler: { lag: 1 } },
  evolution: {
    horizon: { schedule: 'fixed', turns: 6 },
    imitation: { epochs: 1, task_share: 0.5 },
    evolution: { tasks: 4, samples: 4 },
  },
  critique: {
    sampler: { lag: 1 },
    env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
    agent: { context_length: 128, max_action_tokens: 21 },
    imitation: { epochs: 2, most_tasks: 32 },
    critique: { tokens: 32, refinements: 32, critiques: 32, first_stage: 1, second_stage: 1 },
    evaluation: { interval: 1, tasks: 30 },
  },
  self_improvement: {
    env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
    agent: { context_length: 128, max_action_tokens: 21 },
    imitation: { epochs: 2, most_tasks: 32 },
    critique: { tokens: 32, refinements: 32, critiques: 32 },
    self_improvement: { questions: 40, answers: 2 },
    evaluation: { interval: 1, tasks: 30 },
  },
};
/** Tasks that a tabular policy can memorize; the expert demonstrates half of them. */
async function fewChains({ env }: Config): Promise<Environment> {
  const chain = await loadedEnvironment(env);
  const trainTasks = chain.trainTasks.slice(0, 40);
  const shownTasks = trainTasks.filter((_, i) => i % 2 === 0);
  return { ...chain, trainTasks, shownTasks, evalTasks: trainTasks };
}

const recipes = Object.keys(runs) as (keyof typeof recipeCharts)[];

it.each(recipes)('every chart of a run of %s has data and an explanation', async (recipe) => {
  const own = parseConfig({ ...runs[recipe], recipe });
  const environment = criticizes(own) ? await fewChains(own) : quietCorridor;
  const { run } = await corridorRun({ ...runs[recipe], recipe }, environment);
  const { config } = run;
  const rows: readonly Row[] = (await iterate(run, 2)).map((result) => ({
    ...result,
    milliseconds: 1,
  }));
  const { success, details } = recipeCharts[recipe];
  for (const { title, series, why } of [success, ...details]) {
    const evidence = { rows, evaluations: rows.slice(1), facts: config };
    expect(why?.(evidence), title).toEqual(expect.any(String));
    const curves = typeof series === 'function' ? series({ ...evidence, config }) : series;
    for (const { name, read } of curves) {
      expect(
        rows.some((row) => Number.isFinite(read(row))),
        `${name} of ${title}`,
      ).toBe(true);
    }
  }
});

/** What a chart says about a run of reinforcement learning. */
function meaningOf({ meaning }: ChartSpec, rows: readonly Row[], set: ConfigInput = {}): string {
  const config = parseConfig(set);
  return typeof meaning === 'string'
    ? meaning
    : meaning({ rows, evaluations: [], facts: config, config });
}

it('equates reward and success only after rewards that equal the successes', () => {
  const { success } = recipeCharts.reinforcement;
  const played = (score: number, rate: number) => [
    row(1, { 'rollout/score': score, 'rollout/success_rate': rate }),
  ];
  const same = 'this is also the mean reward';
  expect(meaningOf(success, [])).not.toContain(same);
  expect(meaningOf(success, played(0, 0))).not.toContain(same);
  expect(meaningOf(success, played(0.5, 0.25))).not.toContain(same);
  expect(meaningOf(success, played(0.25, 0.25))).toContain(same);
});

it('states the clip bounds of the newest iteration', () => {
  const clip = recipeCharts.reinforcement.details.find(({ testId }) => testId === 'chart-clip');
  if (clip === undefined) throw new Error('no chart of the clip fraction');
  const set: ConfigInput = {
    algorithm: { objective: 'ppo_clip', clip_low: 0.8, clip_high: 1.2 },
    changes: '3:algorithm.clip_high=1.3',
  };
  expect(meaningOf(clip, [row(2, {})], set)).toContain('ratios of 0.8 and 1.2');
  expect(meaningOf(clip, [row(3, {})], set)).toContain('ratios of 0.8 and 1.3');
});
