import { describe, expect, it } from 'vitest';
import { agentFor, greedy } from '../../agents/agent.ts';
import { policyCapacity } from '../../agents/capacity.ts';
import { expertTrajectory } from '../../agents/expert.ts';
import { play } from '../../agents/play.ts';
import { policyShape } from '../../agents/shape.ts';
import { contextOf, TabularPolicy } from '../../agents/testing/tabular-policy.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import { parseConfig } from '../../config/check.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { Updater } from '../learn/updates.ts';
import { splitSeed } from '../random.ts';
import { corridorRun, iterate, quietCorridor } from '../testing/corridor-run.ts';
import { imitate } from './imitation/imitation.ts';
import { bestAndWorst, learnPreferences } from './preference.ts';

function workshop(over: ConfigInput) {
  const config = parseConfig({ optimizer: { learning_rate: 1, warmup_updates: 0 }, ...over });
  const environment = quietCorridor;
  const tokenizer = new WordTokenizer(environment.lexicon);
  const shape = policyShape(config, tokenizer.size);
  const policy = new TabularPolicy(shape, policyCapacity(config, shape, environment.turnLimit));
  const agent = agentFor(config, policy, tokenizer, 3);
  return { config, environment, agent, policy, updater: new Updater(policy, config.optimizer) };
}

const stream = () => splitSeed(1).warmStart;

describe('expertTrajectory', () => {
  const { agent } = workshop({});
  const { tokenizer } = agent;
  const reading = (maxActionTokens: number, historyWindow = 1) => ({
    ...agent,
    policy: { version: 7 },
    window: { historyWindow, contextLength: 64, maxActionTokens, keepTask: false },
  });
  const expert = (maxActionTokens: number, historyWindow = 1) =>
    expertTrajectory(reading(maxActionTokens, historyWindow), quietCorridor, 'corridor_2');
  const [right] = tokenizer.encode('right');

  it('acts like the expert to the end of the task', () => {
    const { turns, success, terminated, truncated, score } = expert(1);
    expect(turns.map(({ observation, action }) => [observation, action])).toEqual([
      ['cell 2', 'right'],
      ['cell 3', 'right'],
    ]);
    expect({ success, terminated, truncated, score }).toEqual({
      success: true,
      terminated: true,
      truncated: false,
      score: 1,
    });
    expect(turns.map(({ version }) => version)).toEqual([7, 7]);
    expect(turns.map(({ contextStart }) => contextStart)).toEqual([0, 1]);
    expect(expert(1, 0).turns.map(({ contextStart }) => contextStart)).toEqual([0, 0]);
  });

  it('ends an action with an end token if it fits', () => {
    expect(expert(1).turns[0]?.actionTokens).toEqual([right]);
    expect(expert(2).turns[0]?.actionTokens).toEqual([right, tokenizer.end]);
    expect(expert(3).turns[0]?.actionTokens).toEqual([right, tokenizer.end]);
  });

  it('rejects an action that the agent cannot generate', () => {
    const wordy = {
      ...quietCorridor,
      expert: () => ({ thought: '', action: 'right right' }),
    };
    expect(() => expertTrajectory(reading(1), wordy, 'corridor_0')).toThrow(/max_action_tokens/);
  });
});

describe('imitation', () => {
  it.each([1, 2])(
    'solves the corridor without reinforcement learning (actions of up to %i tokens)',
    async (tokens) => {
      const { config, environment, agent, updater, policy } = workshop({
        imitation: { epochs: 40, batch_episodes: 4 },
        agent: { max_action_tokens: tokens },
      });
      const seen: number[] = [];
      const loss = await imitate(config, environment, agent, updater, stream(), (fraction) =>
        seen.push(fraction),
      );
      const tasks = quietCorridor.evalTasks.map((task) => ({ task, horizon: 20 }));
      const trajectories = await play(greedy(agent), environment, tasks);
      expect(trajectories.every(({ success }) => success)).toBe(true);
      expect(trajectories.map(({ turns }) => turns.length)).toEqual([4, 3, 2, 1]);
      expect(loss).toBeGreaterThan(0);
      expect(loss).toBeLessThan(0.2);
      expect(policy.updates).toHaveLength(40);
      expect(seen).toHaveLength(41);
      expect(seen.at(0)).toBe(0);
      expect(seen.at(-1)).toBe(1);
    },
  );

  it('starts from the loss of uniform guessing and weights every token equally', async () => {
    const { config, environment, agent, updater, policy } = workshop({ imitation: { epochs: 1 } });
    const loss = await imitate(config, environment, agent, updater, stream(), () => {});
    expect(loss).toBeCloseTo(Math.log(policy.shape.vocabulary), 6);
    const [batch, ...rest] = policy.updates[0]?.batches ?? [];
    expect(rest).toEqual([]);
    // 4 + 3 + 2 + 1 actions.
    expect(Array.from(batch?.weights ?? [])).toEqual(new Array(10).fill(Math.fround(0.1)));
    expect(new Set(batch?.advantages)).toEqual(new Set([1]));
    expect(policy.updates[0]?.objective).toMatchObject({ surrogate: 'likelihood', entropyCoef: 0 });
  });

  it('imitates the expert on a share of the tasks, up to the maximum', async () => {
    const batches = async (imitation: ConfigInput['imitation']) => {
      const { config, environment, agent, updater, policy } = workshop({
        imitation: { epochs: 1, batch_episodes: 1, ...imitation },
      });
      await imitate(config, environment, agent, updater, stream(), () => {});
      return policy.updates.length;
    };
    expect(await batches({})).toBe(4);
    expect(await batches({ task_share: 0.5 })).toBe(2);
    // 0.6 · 4 = 2.4 tasks, rounded up.
    expect(await batches({ task_share: 0.6 })).toBe(3);
    expect(await batches({ most_tasks: 1 })).toBe(1);
  });

  it('decays its learning rate linearly over all of its updates', async () => {
    const { config, environment, agent, updater, policy } = workshop({
      optimizer: { warmup_updates: 1, schedule: 'cosine', decay_updates: 1 },
      imitation: { epochs: 2, batch_episodes: 2, learning_rate: 0.4, final_share: 0.25 },
    });
    await imitate(config, environment, agent, updater, stream(), () => {});
    const rates = policy.updates.map(({ step }) => step.learningRate);
    // One warm-up update; the decay by three quarters is spread over the other three.
    for (const [i, share] of [1, 0.75, 0.5, 0.25].entries()) {
      expect(rates[i]).toBeCloseTo(0.4 * share, 12);
    }
    expect(rates).toHaveLength(4);
  });

  it('teaches thoughts in the ReAct format, while the environment receives only the action', async () => {
    const { run } = await corridorRun({
      imitation: { epochs: 60, batch_episodes: 4 },
      agent: { format: 'react', max_action_tokens: 10 },
    });
    const { metrics, trajectories } = await run.iterate();
    expect(metrics['imitation/success_rate']).toBe(1);
    const { trajectories: greedy } = await run.evaluate();
    for (const { turns } of [...greedy]) {
      for (const { thought, action, understood } of turns) {
        expect({ thought, action, understood }).toEqual({
          thought: 'the exit is right',
          action: 'right',
          understood: true,
        });
      }
    }
    // Every token is a target, including the tokens of the thought.
    const [first] = trajectories[0]?.turns ?? [];
    expect(first?.actionTokens.length).toBeGreaterThan(6);
    expect(first?.logps.length).toBe(first?.actionTokens.length);
  });

  it('runs only before the first iteration, and the resulting policy is the reference', async () => {
    const { run, policy } = await corridorRun({
      imitation: { epochs: 5 },
      algorithm: { epochs: 1, mini_batches: 1, kl_coef: 0.1 },
    });
    const phases = new Set<string>();
    const first = await run.iterate((phase) => phases.add(phase));
    const second = await run.iterate();
    expect([...phases]).toEqual(['imitate', 'evaluate', 'rollout', 'update']);
    expect(first.metrics['imitation/loss']).toBeGreaterThan(0);
    expect(first.metrics['imitation/success_rate']).toBe(1);
    expect(second.metrics).not.toHaveProperty('imitation/loss');
    // Five epochs with one update each, then one update per iteration.
    expect(policy.updates).toHaveLength(7);
    expect(first.details.updates.map(({ update }) => update)).toEqual([6]);
    // The reference is the policy that generated the tokens.
    const [batch] = policy.updates[5]?.batches ?? [];
    expect(batch?.referenceLogps).toEqual(batch?.behaviorLogps);
    expect(first.details.staleness.map(([gap]) => gap)).toEqual([0]);
  });
});

describe('preference learning', () => {
  const episode = (score: number, turns: number): Trajectory => ({
    ...expertTrajectory(workshop({}).agent, quietCorridor, 'corridor_0'),
    score,
    turns: new Array<Trajectory['turns'][number]>(turns).fill({
      ...{
        observation: '',
        thought: '',
        action: '',
        observationTokens: [],
        actionTokens: [5],
        logps: [-1],
      },
      ...{ entropies: [1], version: 0, contextStart: 0, reward: 0, understood: true },
    }),
  });

  it('pairs the best with the worst episode, by score and then by turns', () => {
    const [quick, slow, half, lost] = [
      episode(1, 3),
      episode(1, 5),
      episode(0.5, 2),
      episode(0, 9),
    ];
    expect(bestAndWorst([slow, lost, quick, half])).toEqual([quick, lost]);
    expect(bestAndWorst([slow, half, quick])).toEqual([quick, half]);
    expect(bestAndWorst([slow, quick])).toBeNull();
    expect(bestAndWorst([])).toBeNull();
  });

  it('raises the probability of the better episode over the worse', async () => {
    const { config, environment, agent, updater, policy } = workshop({
      preference: { epochs: 6, tries: 16, beta: 0.5 },
      horizon: { turns: 12 },
    });
    const seen: number[] = [];
    const result = await learnPreferences(config, environment, agent, updater, stream(), 12, (f) =>
      seen.push(f),
    );
    expect(policy.updates).toHaveLength(6);
    const batches = policy.updates[0]?.batches ?? [];
    const after = await policy.score(batches, 1);
    let margin = 0;
    for (const [b, batch] of batches.entries()) {
      expect(batch.referenceLogps).toEqual(batch.behaviorLogps);
      for (const [r, A] of batch.advantages.entries()) {
        // Episodes 2p and 2p + 1 are the better and the worse of pair p.
        expect(A).toBe((batch.episodes?.[r] ?? 0) % 2 === 0 ? 1 : -1);
        margin += A * ((after[b]?.logps[r] ?? 0) - (batch.behaviorLogps[r] ?? 0));
        expect(contextOf(batch, batch.rows[r] ?? 0)[0]).toBe(agent.tokenizer.obs);
      }
    }
    expect(margin).toBeGreaterThan(0);
    expect(result.loss).toBeLessThan(Math.LN2);
    expect(result.turns).toBe(policy.contexts.length);
    expect(seen).toEqual([...seen].sort((x, y) => x - y));
    expect(seen.at(-1)).toBe(1);
  });

  it('starts from a loss of ln 2, with equal weight per pair', async () => {
    const { config, environment, agent, updater, policy } = workshop({
      preference: { epochs: 1, tries: 128, batch_pairs: 2 },
      horizon: { turns: 12 },
      optimizer: { learning_rate: 0 },
    });
    const trainTasks = ['corridor_1', 'corridor_2', 'corridor_3'];
    const near = { ...environment, trainTasks };
    const { loss } = await learnPreferences(config, near, agent, updater, stream(), 12, () => {});
    expect(loss).toBeCloseTo(Math.LN2, 6);
    // Three tasks yield one pair each: one update with two pairs and one with one.
    expect(policy.updates).toHaveLength(2);
    for (const [u, { batches, objective }] of policy.updates.entries()) {
      expect(objective).toMatchObject({ surrogate: 'dpo', dpoBeta: 0.1 });
      const weights = new Set(batches.flatMap((batch) => Array.from(batch.weights)));
      expect(weights).toEqual(new Set([u === 0 ? 0.5 : 1]));
      const episodes = new Set(batches.flatMap((batch) => Array.from(batch.episodes ?? [])));
      expect(episodes).toEqual(new Set(u === 0 ? [0, 1, 2, 3] : [0, 1]));
    }
  });

  it('counts the turns played and reports the loss once', async () => {
    const { run, policy } = await corridorRun({ preference: { epochs: 2 } });
    const phases = new Set<string>();
    const first = await run.iterate((phase) => phases.add(phase));
    expect([...phases]).toEqual(['prefer', 'rollout', 'update']);
    expect(first.metrics['preference/loss']).toBeLessThan(Math.LN2);
    expect(run.turns).toBe(policy.contexts.length);
    const [second] = await iterate(run, 1);
    expect(second?.metrics).not.toHaveProperty('preference/loss');
  });

  it('changes nothing if no task yields a pair', async () => {
    const { config, environment, agent, updater, policy } = workshop({
      preference: { epochs: 2, tries: 2 },
    });
    const only = { ...environment, trainTasks: ['corridor_0'] };
    const { loss } = await learnPreferences(config, only, agent, updater, stream(), 2, () => {});
    expect(loss).toBeNaN();
    expect(policy.updates).toEqual([]);
  });
});
