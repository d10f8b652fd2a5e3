import { afterAll, describe, expect, it } from 'vitest';
import { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import { parseConfig } from '../config/check.ts';
import type { Config, ConfigInput } from '../config/schema.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import { environmentFor } from '../envs/registry.ts';
import { processorKernels } from '../kernels/processor/index.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import type { Checkpoint, KeptStudent } from '../runs/checkpoint.ts';
import { CheckpointError, decodeCheckpoint, encodeCheckpoint } from '../runs/checkpoint.ts';
import { corridorRun, iterate, quietCorridor, timeless } from './testing/corridor-run.ts';
import type { IterationResult } from './trainer.ts';
import { Trainer } from './trainer.ts';

const tabular: CreatePolicy = async (shape, capacity) => new TabularPolicy(shape, capacity);

/** All results of an iteration except its trace and wall-clock times. */
const withoutTime = ({ trace: _, ...result }: IterationResult) => ({
  ...result,
  metrics: timeless(result.metrics),
});

/** The checkpoint, read back from its file. */
const fromFile = async (run: Trainer): Promise<Checkpoint> =>
  decodeCheckpoint(encodeCheckpoint(await run.checkpoint()));

/** Interrupts a run before and after each of its iterations and resumes from the file. */
async function interruptedEverywhere(
  begin: () => Promise<Trainer>,
  resume: (checkpoint: Checkpoint) => Promise<Trainer>,
  iterations: number,
): Promise<void> {
  const run = await begin();
  const kept = [await fromFile(run)];
  const uninterrupted: object[] = [];
  for (let i = 0; i < iterations; i++) {
    uninterrupted.push(withoutTime(await run.iterate()));
    kept.push(await fromFile(run));
  }
  const last = await run.checkpoint();
  for (const [k, checkpoint] of kept.entries()) {
    const resumed = await resume(checkpoint);
    expect(resumed.iteration).toBe(k);
    const rest = (await iterate(resumed, iterations - k)).map(withoutTime);
    expect(rest, `interrupted after iteration ${k}`).toEqual(uninterrupted.slice(k));
    expect(resumed.stopped).toBe(run.stopped);
    const end = await resumed.checkpoint();
    expect(withoutSeconds(end)).toEqual(withoutSeconds(last));
    resumed.destroy();
  }
  run.destroy();
}

function withoutSeconds(checkpoint: Checkpoint) {
  return { ...checkpoint, trainer: { ...Object(checkpoint.trainer), seconds: 0 } };
}

const cases: readonly (readonly [string, ConfigInput])[] = [
  ['GRPO over several updates', { stopping: { iterations: 4 } }],
  [
    'replay',
    { replay: { share: 0.5, capacity: 2, max_age: 1000 }, algorithm: { ratio_to: 'proximal' } },
  ],
  ['paused episodes', { rollout: { partial_turns: 3 }, agent: { history_window: 0 } }],
  ['paused episodes by tokens', { rollout: { partial_tokens: 4 } }],
  ['dynamic sampling', { rollout: { resampling_rounds: 2, group_size: 2 } }],
  [
    'imitation and a learning rate that falls',
    {
      imitation: { epochs: 2 },
      optimizer: { warmup_updates: 4, schedule: 'cosine', decay_updates: 12 },
    },
  ],
  [
    'evolution in the midst of a round, merged with all rounds before',
    {
      recipe: 'evolution',
      imitation: { epochs: 1, task_share: 0.5 },
      evolution: { tasks: 5, samples: 3, iterations: 2, merge: 'all', epochs: 2 },
    },
  ],
  [
    'evolution by pairs',
    {
      recipe: 'evolution',
      imitation: { epochs: 1, task_share: 0.5 },
      evolution: { tasks: 4, samples: 6, learn: 'pairs' },
    },
  ],
  ['preference', { preference: { epochs: 2, tries: 3 } }],
  ['PPO with a reference', { algorithm: { advantage: 'gae', kl_coef: 0.05 } }],
  ['ReMax', { algorithm: { advantage: 'remax' } }],
  ['Clip-Cov', { algorithm: { objective: 'clip_cov' } }],
  [
    'ScalingInter with diagnoses',
    {
      horizon: { schedule: 'scaling_inter', rounds: [3, 6, 9], interval: 1 },
      diagnostics: { interval: 2 },
    },
  ],
];

describe('a resumed run', () => {
  it.each(cases)(
    'equals the uninterrupted run for every point of interruption: %s',
    async (_, over) => {
      const small: ConfigInput = {
        ...over,
        rollout: { tasks_per_iteration: 2, group_size: 4, ...over.rollout },
      };
      await interruptedEverywhere(
        async () => (await corridorRun(small)).run,
        (checkpoint) =>
          Trainer.resume(checkpoint, {
            createPolicy: tabular,
            environment: quietCorridor,
          }),
        4,
      );
    },
  );

  it('equals the uninterrupted run in a mixture of environments', async () => {
    const config = parseConfig({
      env: {
        mixture: [
          { id: 'maze/double-t-v1', options: {}, share: 2 },
          { id: 'wordle/wordle-v1', options: {}, share: 1 },
        ],
      },
      rollout: { tasks_per_iteration: 3, group_size: 2, partial_turns: 2 },
      horizon: { schedule: 'fixed', turns: 5 },
      agent: { context_length: 96 },
      evaluation: { interval: 2, tasks: 2 },
    });
    await interruptedEverywhere(
      () => Trainer.create({ config, createPolicy: tabular }),
      (checkpoint) => Trainer.resume(checkpoint, { createPolicy: tabular }),
      3,
    );
  });

  it('continues if its iteration limit is raised, and stops at once if the limit has been reached', async () => {
    const { run } = await corridorRun({ stopping: { iterations: 2 } });
    await iterate(run, 2);
    const checkpoint = await fromFile(run);
    const resume = (iterations: number) =>
      Trainer.resume(checkpoint, {
        config: { ...checkpoint.config, stopping: { ...checkpoint.config.stopping, iterations } },
        createPolicy: tabular,
        environment: quietCorridor,
      });
    expect((await resume(2)).stopped).toBe('iterations');
    expect((await resume(3)).stopped).toBeNull();
  });
});

describe('a training state', () => {
  it('is rejected if it does not fit the config, and the policy is freed', async () => {
    const { run } = await corridorRun({
      rollout: { partial_turns: 3 },
      replay: { share: 0.5, capacity: 2 },
    });
    await iterate(run, 6);
    const good = await fromFile(run);
    const { trainer }: { trainer: ReturnType<typeof Object> } = Object(good);
    const { recipe } = trainer;
    const student = good.students.get('agent');
    if (student === undefined) throw new Error('the checkpoint has no agent');
    const withStudent = (change: Partial<KeptStudent>) =>
      resume({ ...good, students: new Map([['agent', { ...student, ...change }]]) });
    const made: TabularPolicy[] = [];
    const resume = (checkpoint: Checkpoint) =>
      Trainer.resume(checkpoint, {
        environment: quietCorridor,
        createPolicy: async (shape, capacity) => {
          const policy = new TabularPolicy(shape, capacity);
          made.push(policy);
          return policy;
        },
      });
    const withTrainer = (change: object) => resume({ ...good, trainer: { ...trainer, ...change } });
    const withRecipe = (change: object) => withTrainer({ recipe: { ...recipe, ...change } });
    await resume(good);
    const [paused] = recipe.paused;
    const elsewhere = { ...paused, observation: 'cell 9' };
    const refused: readonly (readonly [RegExp, () => Promise<unknown>])[] = [
      [/can play but not continue training/, () => resume({ ...good, trainer: null })],
      [/can play but not continue training/, () => withStudent({ training: null })],
      [
        /vocabulary differs from/,
        () => withStudent({ vocabulary: [...student.vocabulary, 'more'] }),
      ],
      [/iteration: /, () => withTrainer({ iteration: -1 })],
      [/streams\.tasks/, () => withTrainer({ streams: { ...trainer.streams, tasks: [1, 2, 3] } })],
      [/no training task "cave_1"/, () => withRecipe({ deck: { owed: [0], cards: [['cave_1']] } })],
      [/do not belong to its environments/, () => withRecipe({ deck: { owed: [], cards: [] } })],
      [/runs differently/, () => withRecipe({ paused: [elsewhere] })],
      [/more iterations than its config/, () => withRecipe({ replay: [[], [], []] })],
      [
        /students are not agent/,
        () => resume({ ...good, students: new Map([['actor', student]]) }),
      ],
      [/its agent is missing/, () => withTrainer({ students: {} })],
      [
        /future policy version/,
        () => withStudent({ training: student.training && { ...student.training, version: 0 } }),
      ],
    ];
    for (const [message, attempt] of refused) {
      const error = await attempt().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error, String(message)).toBeInstanceOf(CheckpointError);
      expect(String(error)).toMatch(message);
    }
    expect(made.filter(({ destroyed }) => !destroyed)).toHaveLength(1);
  });
});

describe('a resumed run with a network policy', () => {
  const device = openNodeProcessor(processorKernels);
  afterAll(() => device.close());
  const create: CreatePolicy = (shape, capacity, seed) =>
    createPolicy(device, shape, capacity, seed);
  const networkInterrupted = (config: Config, iterations: number) =>
    interruptedEverywhere(
      () => Trainer.create({ config, createPolicy: create }),
      (checkpoint) => Trainer.resume(checkpoint, { createPolicy: create }),
      iterations,
    );

  it('is bit-identical to the uninterrupted run if interrupted in the middle of an evolution round', async () => {
    const config = parseConfig({
      recipe: 'evolution',
      policy: { layers: 1, width: 16, ffn_width: 32, heads: 2, kv_heads: 1 },
      imitation: { epochs: 1, task_share: 0.3, batch_episodes: 4 },
      horizon: { schedule: 'fixed', turns: 5 },
      evolution: { tasks: 6, samples: 2, iterations: 2, merge: 'previous', epochs: 1 },
      evaluation: { interval: 2, tasks: 2, horizon: 4 },
    });
    await networkInterrupted(config, 4);
  });

  it('is bit-identical to the uninterrupted run if interrupted in any stage of Critique-RL', async () => {
    const config = parseConfig({
      recipe: 'critique',
      env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
      agent: { context_length: 128, max_action_tokens: 21 },
      policy: { layers: 1, width: 16, ffn_width: 32, heads: 2, kv_heads: 1 },
      imitation: { epochs: 1, most_tasks: 8, batch_episodes: 4 },
      critique: {
        ...{ tokens: 32, refinements: 4, refinement_epochs: 1, critiques: 6, critique_epochs: 1 },
        // Stages span iterations 1 and 2, then 3 and 4; the fifth starts again with stage 1.
        ...{ first_stage: 2, second_stage: 2, refinement_temperature: 0.5 },
      },
      rollout: { tasks_per_iteration: 2, group_size: 3 },
      algorithm: { advantage: 'rloo', epochs: 2, mini_batches: 2 },
      optimizer: { warmup_updates: 3 },
      evaluation: { interval: 2, tasks: 4 },
    });
    await networkInterrupted(config, 5);
  });

  it('is bit-identical to the uninterrupted run if interrupted after any round of self-improvement', async () => {
    const config = parseConfig({
      recipe: 'self_improvement',
      env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
      agent: { context_length: 128, max_action_tokens: 21 },
      policy: { layers: 1, width: 16, ffn_width: 32, heads: 2, kv_heads: 1 },
      imitation: { epochs: 20, most_tasks: 32, batch_episodes: 4, learning_rate: 0.005 },
      critique: {
        ...{ tokens: 32, refinements: 4, refinement_epochs: 1, critiques: 6, critique_epochs: 1 },
      },
      self_improvement: { questions: 8, answers: 4, critiques: 2, epochs: 1, learn_from: 'all' },
      optimizer: { warmup_updates: 3 },
      evaluation: { interval: 2, tasks: 4 },
    });
    await networkInterrupted(config, 3);
  });

  it('is bit-identical to the uninterrupted run', async () => {
    const config = parseConfig({
      policy: { layers: 1, width: 16, ffn_width: 32, heads: 2, kv_heads: 1 },
      imitation: { epochs: 1, most_tasks: 4 },
      rollout: { tasks_per_iteration: 3, group_size: 3, partial_turns: 3 },
      replay: { share: 0.25, capacity: 2, max_age: 100 },
      horizon: { schedule: 'fixed', turns: 5 },
      algorithm: { kl_coef: 0.01, epochs: 2, mini_batches: 2, ratio_to: 'proximal' },
      evaluation: { interval: 2, tasks: 2, horizon: 4 },
    });
    const create: CreatePolicy = (shape, capacity, seed) =>
      createPolicy(device, shape, capacity, seed);
    expect(environmentFor(config.env).id).toBe('maze/double-t-v1');
    await interruptedEverywhere(
      () => Trainer.create({ config, createPolicy: create }),
      (checkpoint) => Trainer.resume(checkpoint, { createPolicy: create }),
      3,
    );
  });
});
