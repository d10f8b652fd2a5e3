import { describe, expect, it } from 'vitest';
import type { TabularPolicy } from '../../../agents/testing/tabular-policy.ts';
import { NegativeRewardError } from '../../../algorithms/reward-weights.ts';
import { parseConfig } from '../../../config/check.ts';
import { ConfigError } from '../../../config/error.ts';
import type { ConfigInput } from '../../../config/schema.ts';
import { createMixture } from '../../../envs/mixture.ts';
import type { Environment } from '../../../envs/types.ts';
import { corridorRun, iterate, quietCorridor } from '../../testing/corridor-run.ts';

/** Two of four starts are imitated; all four are explored, four times each. */
const evolution = {
  tasks: 4,
  samples: 4,
  epochs: 1,
} as const satisfies ConfigInput['evolution'];

const small: ConfigInput = {
  recipe: 'evolution',
  horizon: { schedule: 'fixed', turns: 6 },
  imitation: { epochs: 1, task_share: 0.5, batch_episodes: 64 },
  evaluation: { interval: 1 },
};

function evolve(
  over: ConfigInput['evolution'] = {},
  rest: ConfigInput = {},
  environment: Environment = quietCorridor,
) {
  return corridorRun({ ...small, ...rest, evolution: { ...evolution, ...over } }, environment);
}

/** The corridor with a final reward that is a function of the task and of success. */
function rewarding(reward: (task: string, success: boolean) => number): Environment {
  const inner = quietCorridor as Environment<{ cell: number; turns: number }>;
  const tasks = new Map<object, string>();
  return {
    ...inner,
    turnLimit: 6,
    reset(task: string) {
      const begun = inner.reset(task);
      tasks.set(begun.state, task);
      return begun;
    },
    step(state: { cell: number; turns: number }, action: string) {
      const after = inner.step(state, action);
      const task = tasks.get(state) ?? '';
      tasks.set(after.state, task);
      const over = after.terminated || after.state.turns >= 6;
      return { ...after, reward: over ? reward(task, after.terminated) : 0, terminated: over };
    },
  } as Environment;
}

type Update = TabularPolicy['updates'][number];

/** Weight times advantage of every loss row in a round's only update. */
function pulls({ batches }: Update): number[] {
  return batches.flatMap((batch) =>
    Array.from(batch.advantages, (advantage, r) => advantage * (batch.weights[r] ?? 0)),
  );
}

const advantages = ({ batches }: Update) => batches.flatMap((batch) => [...batch.advantages]);

/** The update of a round. Update 0 is imitation. */
function roundUpdate(policy: TabularPolicy, round = 1): Update {
  const update = policy.updates[round];
  if (update === undefined) throw new Error(`there is no update of round ${round}`);
  return update;
}

const tokensOf = (trajectories: readonly { readonly turns: readonly object[] }[]) =>
  trajectories.reduce((sum, { turns }) => sum + turns.length, 0);

describe('the evolution recipe', () => {
  it('imitates, explores, keeps rewarded episodes and trains on them together with the expert’s dialogues', async () => {
    const { run, policy } = await evolve();
    const phases: string[] = [];
    const first = await run.iterate((phase) => {
      if (phases.at(-1) !== phase) phases.push(phase);
    });
    expect(phases).toEqual(['imitate', 'evaluate', 'explore', 'learn', 'evaluate']);
    const kept = first.trajectories.filter(({ success }) => success);
    expect(first.trajectories).toHaveLength(16);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(16);
    expect(first.metrics).toMatchObject({
      'evolution/round': 1,
      'evolution/explored': 16,
      'evolution/kept': kept.length,
      'evolution/kept_share': kept.length / 16,
      'rollout/success_rate': kept.length / 16,
    });
    expect(first.metrics['evolution/loss']).toBeGreaterThan(0);
    expect(first.details.round).toEqual({
      round: 1,
      learned: true,
      environments: [{ id: quietCorridor.id, explored: 16, kept: kept.length }],
    });
    // The base set plus the kept episodes.
    const [imitation] = policy.updates;
    const base = imitation === undefined ? 0 : advantages(imitation).length;
    expect(base).toBeGreaterThan(0);
    expect(advantages(roundUpdate(policy))).toHaveLength(base + tokensOf(kept));
    expect(roundUpdate(policy).objective).toMatchObject({ surrogate: 'likelihood' });
    const [second] = await iterate(run, 1);
    expect(second?.metrics['evolution/round']).toBe(2);
    expect(second?.metrics).not.toHaveProperty('imitation/loss');
    expect(run.turns).toBe(tokensOf([...first.trajectories, ...(second?.trajectories ?? [])]));
  });

  it('solves the corridor from a base set that covers half of its starts', async () => {
    const { run } = await evolve(
      { samples: 8, epochs: 20 },
      { imitation: { epochs: 1, task_share: 0.25, batch_episodes: 64 } },
    );
    const results = await iterate(run, 4);
    const shares = results.map(({ metrics }) => metrics['evolution/kept_share'] ?? 0);
    expect(shares.at(-1)).toBeGreaterThan(shares[0] ?? 1);
    expect(results.at(-1)?.metrics['eval/success_rate']).toBe(1);
  });

  it('starts each round from the weights before imitation, or from the explorer’s weights', async () => {
    const losses = async (start: 'base' | 'previous') => {
      const { run, policy } = await evolve({ start, samples: 2 });
      const rounds = await iterate(run, 2);
      // Losses of a round's single update, measured before its weights move.
      return {
        untrained: Math.log(policy.shape.vocabulary),
        rounds: rounds.map(({ metrics }) => metrics['evolution/loss'] ?? Number.NaN),
      };
    };
    const base = await losses('base');
    // An untrained policy gives every token the same probability, for any target.
    for (const loss of base.rounds) expect(loss).toBeCloseTo(base.untrained, 5);
    const [first = 0, second = 0] = (await losses('previous')).rounds;
    expect(first).toBeLessThan(base.untrained - 0.1);
    expect(second).toBeLessThan(first);
  });

  it('merges a round with the base set, with the previous round, or with all rounds', async () => {
    const sizes = async (merge: 'base' | 'previous' | 'all') => {
      const { run, policy } = await evolve({ merge });
      const results = await iterate(run, 3);
      const kept = results.map(({ trajectories }) =>
        tokensOf(trajectories.filter(({ success }) => success)),
      );
      const [imitation] = policy.updates;
      return {
        base: imitation === undefined ? 0 : advantages(imitation).length,
        kept,
        learned: [1, 2, 3].map((round) => advantages(roundUpdate(policy, round)).length),
      };
    };
    const { base, kept: own, learned } = await sizes('base');
    expect(learned).toEqual(own.map((tokens) => base + tokens));
    const previous = await sizes('previous');
    const [a = 0, b = 0, c = 0] = previous.kept;
    expect(previous.learned).toEqual([base + a, a + b, b + c]);
    const all = await sizes('all');
    const [d = 0, e = 0, f = 0] = all.kept;
    expect(all.learned).toEqual([base + d, base + d + e, base + d + e + f]);
  });

  it("weights episodes by reward, by the reward's share within a task, or by a threshold", async () => {
    const graded = rewarding((task, success) => (success ? (task === 'corridor_3' ? 1 : 0.5) : 0));
    const weights = async (over: ConfigInput['evolution']) => {
      const { run, policy } = await evolve({ samples: 16, ...over }, {}, graded);
      const [first] = await iterate(run, 1);
      const [imitation] = policy.updates;
      const base = imitation === undefined ? 0 : advantages(imitation).length;
      const all = advantages(roundUpdate(policy)).sort();
      return { all, base, trajectories: first?.trajectories ?? [] };
    };
    const tokens = (trajectories: { turns: readonly object[] }[], weight: number) =>
      trajectories.flatMap(({ turns }) => turns.map(() => weight));
    const one = (base: number) => new Array<number>(base).fill(1);
    const rewarded = (of: Awaited<ReturnType<typeof weights>>) =>
      of.trajectories.filter(({ score }) => score > 0);

    const raw = await weights({ weights: 'raw' });
    expect(raw.all).toEqual(
      [...one(raw.base), ...rewarded(raw).flatMap((t) => tokens([{ ...t }], t.score))].sort(),
    );
    const normalized = await weights({ weights: 'normalised' });
    const share = (task: string) => {
      const tries = rewarded(normalized).filter((other) => other.task === task);
      return 1 / tries.length;
    };
    const expected = rewarded(normalized).flatMap((t) => tokens([{ ...t }], share(t.task)));
    for (const [i, weight] of [...one(normalized.base), ...expected].sort().entries()) {
      expect(normalized.all[i]).toBeCloseTo(weight, 6);
    }
    const threshold = await weights({ weights: 'threshold', threshold: 0.6 });
    const above = threshold.trajectories.filter(({ score }) => score > 0.6);
    expect(above.length).toBeGreaterThan(0);
    expect(above.length).toBeLessThan(rewarded(threshold).length);
    expect(threshold.all).toEqual([...one(threshold.base), ...tokens([...above], 1)]);
  });

  it('computes the same gradient for raw 0/1 rewards and for a threshold; normalized weights divide each task’s contribution by an integer', async () => {
    const learned = async (weights: 'raw' | 'threshold' | 'normalised', samples: number) => {
      const { run, policy } = await evolve({ weights, samples });
      await iterate(run, 1);
      return pulls(roundUpdate(policy));
    };
    const raw = await learned('raw', 4);
    expect(raw.some((pull) => pull > 0)).toBe(true);
    expect(await learned('threshold', 4)).toEqual(raw);
    // With one attempt per task the share is 1.
    expect(await learned('normalised', 1)).toEqual(await learned('raw', 1));
    const shared = await learned('normalised', 4);
    expect(shared).toHaveLength(raw.length);
    for (const [r, pull] of shared.entries()) {
      const divisor = (raw[r] ?? 0) / pull;
      expect(divisor).toBeGreaterThan(0.999);
      expect(Math.abs(divisor - Math.round(divisor))).toBeLessThan(1e-5);
    }
    expect(shared).not.toEqual(raw);
  });

  it('attempts each task K times at the exploration temperature', async () => {
    const play = async (over: ConfigInput['evolution']) => {
      const { run } = await evolve(over, { imitation: { epochs: 0, task_share: 0.5 } });
      return (await iterate(run, 1))[0]?.trajectories ?? [];
    };
    const actions = (trajectories: Awaited<ReturnType<typeof play>>) =>
      trajectories.map(({ turns }) => turns.map(({ action }) => action).join());
    const three = await play({ samples: 3 });
    expect(three.map(({ task }) => task)).toEqual(
      [...new Set(three.map(({ task }) => task))].flatMap((task) => [task, task, task]),
    );
    expect(new Set(actions(three)).size).toBeGreaterThan(4);
    // Greedy play of an untrained table always picks the same token.
    const greedy = await play({ samples: 1, temperature: 0 });
    expect(new Set(greedy.flatMap(({ turns }) => turns.map(({ action }) => action))).size).toBe(1);
    const cool = await play({ samples: 3, temperature: 0.5 });
    expect(actions(cool)).toEqual(actions(three)); // An untrained table is uniform at any temperature.
    expect(cool[0]?.turns[0]?.logps).toEqual(three[0]?.turns[0]?.logps);
  });

  it("explores all training tasks, or only the base set's", async () => {
    const explored = async (task_set: 'wider' | 'same') => {
      const { run } = await evolve({ task_set, samples: 1, tasks: 4 });
      const results = await iterate(run, 1);
      const { trainer } = await run.checkpoint();
      const { recipe }: { recipe: { base: string[] } } = Object(trainer);
      return { base: recipe.base, tasks: results[0]?.trajectories.map(({ task }) => task) ?? [] };
    };
    const wider = await explored('wider');
    expect([...wider.tasks].sort()).toEqual([...quietCorridor.trainTasks].sort());
    const same = await explored('same');
    expect(same.base).toHaveLength(2);
    expect(new Set(same.tasks)).toEqual(new Set(same.base));
    expect(same.tasks).toHaveLength(4);
  });

  it('keeps all successes of a task, or only the first', async () => {
    const kept = async (successes: 'all' | 'one') => {
      const { run } = await evolve({ successes, samples: 8 });
      const [first] = await iterate(run, 1);
      const solved = first?.trajectories.filter(({ success }) => success) ?? [];
      return { solved, kept: first?.metrics['evolution/kept'] };
    };
    const all = await kept('all');
    expect(all.kept).toBe(all.solved.length);
    const one = await kept('one');
    expect(one.kept).toBe(new Set(one.solved.map(({ task }) => task)).size);
    expect(one.solved.length).toBeGreaterThan(one.kept ?? 0);
  });

  it('learns from pairs of a success and a failure, with the exploring policy as reference', async () => {
    const { run, policy } = await evolve(
      { learn: 'pairs', samples: 8, temperature: 0.7 },
      { preference: { batch_pairs: 64, beta: 0.5 } },
    );
    const [first] = await iterate(run, 1);
    const { batches, objective } = roundUpdate(policy);
    expect(objective).toMatchObject({ surrogate: 'dpo', dpoBeta: 0.5, temperature: 0.7 });
    const mixed = quietCorridor.trainTasks.filter((task) => {
      const tries = first?.trajectories.filter((trajectory) => trajectory.task === task) ?? [];
      return new Set(tries.map(({ success }) => success)).size === 2;
    });
    expect(mixed.length).toBeGreaterThan(0);
    expect(new Set(batches.flatMap(({ episodes }) => [...(episodes ?? [])])).size).toBe(
      2 * mixed.length,
    );
    expect(first?.metrics['evolution/kept']).toBe(2 * mixed.length);
    // The reference generated them, so the loss starts at ln 2.
    expect(first?.metrics['evolution/loss']).toBeCloseTo(Math.LN2, 5);
  });

  it('rejects a negative reward, or shifts all rewards of its environment and reports the shift', async () => {
    const punishing = rewarding((_, success) => (success ? 1 : -1));
    const { run } = await evolve({}, {}, punishing);
    const error = await run.iterate().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NegativeRewardError);
    expect(String(error)).toMatch(/reward -1.*evolution\.negative to shift/);

    const shifted = await evolve({ negative: 'shift' }, {}, punishing);
    const [first] = await iterate(shifted.run, 1);
    const solved = first?.trajectories.filter(({ success }) => success).length;
    expect(first?.metrics).toMatchObject({ 'evolution/shift': 1, 'evolution/kept': solved });
    expect(Math.max(...advantages(roundUpdate(shifted.policy)))).toBe(2);

    // With a threshold, a negative reward counts as a failure.
    const cut = await evolve({ weights: 'threshold' }, {}, punishing);
    const [row] = await iterate(cut.run, 1);
    expect(row?.metrics).not.toHaveProperty('evolution/shift');
    expect(row?.metrics['evolution/kept']).toBe(
      row?.trajectories.filter(({ success }) => success).length,
    );
  });

  it('leaves the agent unchanged if a round keeps or explores nothing', async () => {
    const hopeless = rewarding(() => 0);
    const { run, policy } = await evolve({}, {}, hopeless);
    const [first] = await iterate(run, 1);
    expect(first?.metrics).toMatchObject({ 'evolution/kept': 0, 'evolution/kept_share': 0 });
    expect(first?.metrics).not.toHaveProperty('evolution/loss');
    expect(policy.updates).toHaveLength(1);

    const imitation = await evolve({ tasks: 0 });
    const [only] = await iterate(imitation.run, 1);
    expect(only?.metrics).toMatchObject({ 'evolution/explored': 0, 'evolution/kept': 0 });
    expect(only?.metrics['eval/success_rate']).toBe(only?.metrics['imitation/success_rate']);
    expect(imitation.policy.updates).toHaveLength(1);
    expect(only?.trajectories).toEqual([]);
  });

  it('spreads a round over several iterations and trains in the last one', async () => {
    const { run, policy } = await evolve({ iterations: 2, samples: 2 });
    const [first, second, third] = await iterate(run, 3);
    expect(first?.metrics).toMatchObject({ 'evolution/round': 1, 'evolution/explored': 4 });
    expect(first?.metrics).not.toHaveProperty('evolution/loss');
    expect(first?.details.round?.learned).toBe(false);
    expect(second?.metrics).toMatchObject({ 'evolution/round': 1, 'evolution/explored': 8 });
    expect(second?.metrics['evolution/loss']).toBeGreaterThan(0);
    expect(second?.details.round?.learned).toBe(true);
    expect(third?.metrics).toMatchObject({ 'evolution/round': 2, 'evolution/explored': 4 });
    const played = [first, second].flatMap((result) => result?.trajectories ?? []);
    expect(played.map(({ task }) => task).sort()).toEqual(
      quietCorridor.trainTasks.flatMap((task) => [task, task]).sort(),
    );
    expect(new Set(played.map(({ group }) => group)).size).toBe(4);
    expect(policy.updates).toHaveLength(2);
  });

  it('explores all environments of a mixture at once and reports each', async () => {
    const other = { ...quietCorridor, id: 'test/other-v1' } as Environment;
    const mixture = createMixture([
      { environment: quietCorridor, share: 3 },
      { environment: other, share: 1 },
    ]) as unknown as Environment;
    const { run } = await evolve({ tasks: 8, samples: 1 }, {}, mixture);
    const [first] = await iterate(run, 1);
    const { round, environments } = first?.details ?? {};
    expect(round?.environments.map(({ id, explored }) => [id, explored])).toEqual([
      [quietCorridor.id, 6],
      [other.id, 2],
    ]);
    const kept = round?.environments.reduce((sum, one) => sum + one.kept, 0);
    expect(kept).toBe(first?.metrics['evolution/kept']);
    expect(round?.imitated?.map(({ id }) => id)).toEqual([quietCorridor.id, other.id]);
    expect(environments?.map(({ episodes }) => episodes)).toEqual([6, 2]);
    expect(first?.evaluation?.environments?.map(({ id }) => id)).toEqual([
      quietCorridor.id,
      other.id,
    ]);
  });
});

describe('an evolution config', () => {
  it.each([
    [{ temperature: 0, samples: 2 }, 'evolution.samples', /must be 1 if/],
    [{ learn: 'pairs', samples: 1 }, 'evolution.samples', /at least 2 for pairs/],
    [{ tasks: 3, iterations: 4 }, 'evolution.iterations', /at most 3, the number of tasks/],
  ] as const)('is rejected with %o', (settings, path, message) => {
    const attempt = () => parseConfig({ recipe: 'evolution', evolution: settings });
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(new RegExp(path.replace('.', '\\.')));
    // Other recipes ignore these settings.
    expect(() => parseConfig({ evolution: settings })).not.toThrow();
  });
});
