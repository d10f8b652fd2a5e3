import { describe, expect, it } from 'vitest';
import { corridor } from '../../../agents/testing/corridor.ts';
import { TabularPolicy } from '../../../agents/testing/tabular-policy.ts';
import { parseConfig } from '../../../config/check.ts';
import type { ConfigInput } from '../../../config/schema.ts';
import { loadedEnvironment } from '../../../envs/registry.ts';
import type { TrainingBatch, WeightTensor } from '../../../policy/types.ts';
import { conversationRecords } from '../../look/conversations.ts';
import { Starts } from '../../starts.ts';
import { iterate, timeless } from '../../testing/corridor-run.ts';
import { Trainer } from '../../trainer.ts';
import { stageOf } from './stage.ts';

const small = {
  recipe: 'critique',
  env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
  agent: { context_length: 128, max_action_tokens: 21 },
  rollout: { tasks_per_iteration: 3, group_size: 4 },
  algorithm: { advantage: 'rloo', epochs: 1, mini_batches: 1, entropy_coef: 0 },
  imitation: { epochs: 2, most_tasks: 8, batch_episodes: 4 },
  optimizer: { learning_rate: 1, warmup_updates: 0 },
  evaluation: { interval: 1, tasks: 10 },
} as const satisfies ConfigInput;

const taught = {
  ...{ tokens: 32, refinements: 6, refinement_epochs: 1, critiques: 8, critique_epochs: 3 },
};

/**
 * A run with tabular policies: they repeat what they were trained on and otherwise act at random.
 */
async function critiqueRun(
  critique: ConfigInput['critique'] = {},
  over: ConfigInput = {},
  starts = new Starts(),
) {
  const made: TabularPolicy[] = [];
  const run = await Trainer.create({
    config: parseConfig({ ...small, ...over, critique: { ...taught, ...critique } }),
    createPolicy: async (shape, capacity) => {
      const policy = new TabularPolicy(shape, capacity);
      made.push(policy);
      return policy;
    },
    starts,
  });
  const [actor, critic] = made;
  if (actor === undefined || critic === undefined) throw new Error('two policies are made');
  return { run, actor, critic };
}

/** The trained entries of a table: contexts that were only visited have zeros. */
const learnedOf = (weights: ReadonlyMap<string, WeightTensor>) =>
  new Map(
    [...weights].flatMap(([name, { values }]) =>
      values.some((x) => x !== 0) ? [[name, [...values]]] : [],
    ),
  );

/** The distinct advantages of an update's critiques, by episode. */
function advantagesOf(batches: readonly TrainingBatch[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const { episodes = new Uint32Array(), advantages } of batches) {
    for (const [row, episode] of episodes.entries()) found.set(episode, advantages[row] ?? 0);
  }
  return found;
}

describe('the stage schedule of Critique-RL', () => {
  it('runs the stages in sequence and then repeats them', () => {
    const stages = (first_stage: number, second_stage: number) =>
      [1, 2, 3, 4, 5, 6].map((iteration) => {
        const { critique } = parseConfig({ critique: { first_stage, second_stage } });
        const stage = stageOf(critique, iteration);
        return stage === null ? null : `${stage.begins ? 'new ' : ''}${stage.number}`;
      });
    expect(stages(2, 2)).toEqual(['new 1', '1', 'new 2', '2', 'new 1', '1']);
    expect(stages(0, 3)).toEqual(['new 2', '2', '2', 'new 2', '2', '2']);
    expect(stages(9, 0)).toEqual(['new 1', '1', '1', '1', '1', '1']);
    expect(stages(0, 0)).toEqual([null, null, null, null, null, null]);
  });
});

describe('supervision of actor and critic', () => {
  it('is reused from an earlier run with the same settings, without changing the run', async () => {
    const rowsOf = async (starts: Starts, over: ConfigInput = {}) => {
      const made = await critiqueRun({ first_stage: 0, second_stage: 3 }, over, starts);
      const rows = (await iterate(made.run, 3)).map(({ metrics }) => timeless(metrics));
      return { rows, taught: made.actor.updates.length };
    };
    const shared = new Starts();
    const { run } = await critiqueRun({ first_stage: 2, second_stage: 0 }, {}, shared);
    await iterate(run, 2);
    const own = await rowsOf(new Starts());
    const taken = await rowsOf(shared);
    expect([own.taught, taken.taught]).toEqual([8, 0]);
    expect(taken.rows).toEqual(own.rows);
    // Only the actor's supervision is reused if the critic's settings differ.
    const { run: other, ...made } = await critiqueRun({ critique_epochs: 2 }, {}, shared);
    await iterate(other, 1);
    expect([made.actor.updates.length, made.critic.updates.length]).toEqual([0, 4 + 1]);
    // With different settings for both, nothing is reused.
    expect((await rowsOf(shared, { seed: 2 })).taught).toBe(8);
    expect((await rowsOf(shared, { imitation: { ...small.imitation, epochs: 3 } })).taught).toBe(
      10,
    );
  });
});

describe('Critique-RL', () => {
  it('freezes the actor, initializes the critic from it and trains only the critic', async () => {
    const { run, actor, critic } = await critiqueRun({ first_stage: 2, second_stage: 2 });
    const phases = new Set<string>();
    await run.iterate((phase) => phases.add(phase));
    const frozen = learnedOf(await actor.readWeights());
    // Batches of 4: two epochs over 8 answers, one over these and 6 refinements; three over 8
    // critiques.
    expect(actor.updates).toHaveLength(8);
    expect(critic.updates).toHaveLength(6 + 1);
    const perIteration = (await iterate(run, 3)).map(({ details }) => details.updates.length);
    expect(perIteration).toEqual([1, 1, 1]);
    expect(actor.updates).toHaveLength(8);
    expect(learnedOf(await actor.readWeights())).toEqual(frozen);
    expect([...phases]).toEqual([...['imitate', 'evaluate', 'answer', 'criticize', 'update']]);
    const imitated = critic.updates.slice(0, 6);
    expect(new Set(imitated.map(({ objective }) => objective.surrogate))).toEqual(
      new Set(['likelihood']),
    );
  });

  it('gives each stage its own penalty, reference policy and fresh optimizer moments, and plays refinements only in the second stage', async () => {
    const { run, critic } = await critiqueRun({
      ...{ first_stage: 1, second_stage: 2, first_kl: 0.03, second_kl: 0.07 },
    });
    const phasesOf = async () => {
      const phases: string[] = [];
      const { metrics } = await run.iterate(
        () => {},
        async ({ phase }) => void phases.push(phase),
      );
      return { metrics, refined: phases.includes('refine') };
    };
    const kept: (readonly [string, readonly number[]])[][] = [];
    const keep = critic.keepReference.bind(critic);
    let restarts = 0;
    critic.keepReference = () => {
      keep();
      kept.push([]);
    };
    critic.restartOptimizer = () => {
      restarts++;
    };
    const [first, second, third] = [await phasesOf(), await phasesOf(), await phasesOf()];
    expect([first, second, third].map(({ metrics }) => metrics['critique/stage'])).toEqual([
      ...[1, 2, 2],
    ]);
    expect([first, second, third].map(({ refined }) => refined)).toEqual([false, true, true]);
    const coefs = critic.updates.slice(6).map(({ objective }) => objective.kl.coef);
    expect(coefs).toEqual([0.03, 0.07, 0.07]);
    // After supervision, and at the start of each of the two stages.
    expect(kept).toHaveLength(3);
    expect(restarts).toBe(2);
    expect(second.metrics['policy/ref_kl']).toBeDefined();
  });

  it('compares the critiques of one answer with each other', async () => {
    const { run, critic } = await critiqueRun({ first_stage: 1, second_stage: 0 });
    const { trace, trajectories, metrics } = await run.iterate();
    expect(trajectories.map(({ task }) => run.environment.trainTasks.includes(task))).toEqual([
      ...[true, true, true],
    ]);
    const rewards = trace.trajectories.map(({ score }) => score);
    expect(rewards).toHaveLength(12);
    expect(new Set(rewards).size).toBeLessThanOrEqual(2);
    const found = advantagesOf(critic.updates.at(-1)?.batches ?? []);
    for (const [place, trajectory] of trace.trajectories.entries()) {
      const own = trace.trajectories.filter(({ group }) => group === trajectory.group);
      expect(own).toHaveLength(4);
      expect(new Set(own.map(({ task }) => task)).size).toBe(1);
      // RLOO: the reward minus the mean of the other three.
      const others = own.filter((other) => other !== trajectory);
      const baseline = others.reduce((sum, { score }) => sum + score, 0) / 3;
      // The update shuffles the episodes; the recomputed advantages are in their original order.
      const [token] = trace.worked.episodes[place]?.tokens ?? [];
      expect(token?.advantage).toBeCloseTo(trajectory.score - baseline, 6);
    }
    expect(found.size).toBe(12);
    expect(metrics['rollout/score']).toBeCloseTo(rewards.reduce((sum, r) => sum + r, 0) / 12, 12);
    expect(metrics['rollout/success_rate']).toBe(metrics['rollout/score']);
  });

  it('reports the conversations and the reward of each critique', async () => {
    const { run } = await critiqueRun({ first_stage: 1, second_stage: 1 });
    for (const stage of [1, 2]) {
      const { conversations, trace, trajectories } = await run.iterate();
      expect(conversations).toHaveLength(12);
      for (const [i, { utterances, learned }] of conversations.entries()) {
        const [answer, critique, refinement] = utterances;
        expect(trajectories).toContain(answer?.trajectory);
        expect(refinement !== undefined).toBe(stage === 2);
        const rewarded = trace.trajectories[i];
        expect(rewarded?.turns[0]?.action).toBe(critique?.trajectory.turns[0]?.action);
        const [token] = trace.worked.episodes[i]?.tokens ?? [];
        expect(learned).toMatchObject({ stage, reward: rewarded?.score });
        expect(learned?.advantage).toBeCloseTo(token?.advantage ?? Number.NaN, 6);
      }
      const records = conversationRecords(conversations);
      expect(records.map(({ group }) => group)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
      expect(new Set(records.map(({ refinement }) => refinement === null))).toEqual(
        new Set([stage === 1]),
      );
    }
  });

  it('compares a critique with the greedy critique of the same answer if the estimator needs it', async () => {
    const { run, critic } = await critiqueRun(
      { first_stage: 1, second_stage: 1, discrimination: 0.5 },
      { algorithm: { ...small.algorithm, advantage: 'remax' } },
    );
    for (const worth of [
      [0, 1],
      [0, 0.5, 1, 1.5],
    ]) {
      const { trace } = await run.iterate();
      expect(trace.signals).toHaveLength(12);
      for (const [place, { greedyReward = Number.NaN, group }] of trace.signals.entries()) {
        expect(worth).toContain(greedyReward);
        const others = trace.signals.filter((signal) => signal.group === group);
        expect(new Set(others.map((signal) => signal.greedyReward)).size).toBe(1);
        const [token] = trace.worked.episodes[place]?.tokens ?? [];
        const { score } = trace.trajectories[place] ?? { score: Number.NaN };
        expect(token?.advantage).toBeCloseTo(score - greedyReward, 6);
      }
    }
    expect(critic.generated.some(({ temperature }) => temperature === 0)).toBe(true);
  });

  it("reports the critic's metrics in every evaluation", async () => {
    const { run } = await critiqueRun({ first_stage: 1, second_stage: 1 });
    const [first, second] = await iterate(run, 2);
    expect(first?.metrics['critique/imitation_loss']).toBeGreaterThan(0);
    for (const { metrics } of [first, second].flatMap((one) => one ?? [])) {
      const at = (key: keyof typeof metrics) => metrics[key] ?? Number.NaN;
      expect(at('critique/accuracy')).toBe(at('eval/success_rate'));
      expect(at('critique/delta')).toBeCloseTo(
        at('critique/refined_accuracy') - at('critique/accuracy'),
        12,
      );
      expect(at('critique/incorrect_to_correct') - at('critique/correct_to_incorrect')).toBeCloseTo(
        at('critique/delta'),
        12,
      );
      for (const key of ['discrimination', 'malformed'] as const) {
        expect(at(`critique/${key}`)).toBeGreaterThanOrEqual(0);
      }
    }
    const whole = await run.evaluate(20);
    expect(whole.trajectories).toHaveLength(20);
    expect(whole.metrics['critique/accuracy']).toBe(whole.metrics['eval/success_rate']);
  });

  it('leaves the supervised critic unchanged if there are no stages', async () => {
    const { run, actor, critic } = await critiqueRun({ first_stage: 0, second_stage: 0 });
    const [, second] = await iterate(run, 2);
    expect([actor.updates.length, critic.updates.length]).toEqual([8, 6]);
    expect(second?.metrics['critique/discrimination']).toBeDefined();
    expect(second?.metrics).not.toHaveProperty('critique/stage');
  });

  it('rejects unsupported settings and names the field', async () => {
    const begin =
      (critique: ConfigInput['critique'], over: ConfigInput = {}) =>
      () =>
        critiqueRun(critique, over);
    await expect(begin({ tokens: 10 })()).rejects.toThrow(/^critique\.tokens: must be at least/);
    await expect(begin({}, { agent: { ...small.agent, max_action_tokens: 9 } })()).rejects.toThrow(
      /^agent\.max_action_tokens: must be at least/,
    );
    await expect(begin({}, { agent: { ...small.agent, context_length: 64 } })()).rejects.toThrow(
      /^agent\.context_length: must be at least/,
    );
    await expect(begin({}, { env: { id: 'maze/double-t-v1' } })()).rejects.toThrow(
      /^env\.id: must be an environment whose answers can be critiqued/,
    );
    await expect(
      Trainer.create({
        config: parseConfig({ recipe: 'critique', algorithm: { advantage: 'rloo' } }),
        environment: corridor(),
        createPolicy: async (shape, capacity) => new TabularPolicy(shape, capacity),
      }),
    ).rejects.toThrow(/^env\.id/);
    const parse = (over: ConfigInput) => () => parseConfig({ ...small, ...over });
    expect(parse({ agent: { ...small.agent, format: 'react' } })).toThrow(/^agent\.format/);
    expect(parse({ critique: { tokens: 126 } })).toThrow(/^agent\.context_length/);
  });

  it('does not add the critique vocabulary to other recipes', async () => {
    const { env } = parseConfig(small);
    const environment = await loadedEnvironment(env);
    const create = (recipe: 'critique' | 'reinforcement') =>
      Trainer.create({
        config: parseConfig({ ...small, recipe, critique: taught }),
        createPolicy: async (shape, capacity) => new TabularPolicy(shape, capacity),
      });
    const [both, alone] = [await create('critique'), await create('reinforcement')];
    const { size } = alone.agent.tokenizer;
    expect(both.agent.tokenizer.tokens.slice(0, size)).toEqual(alone.agent.tokenizer.tokens);
    const words = environment.criticism?.lexicon ?? [];
    expect(both.agent.tokenizer.tokens.slice(size).every((word) => words.includes(word))).toBe(
      true,
    );
  });
});
