import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { corridorRun, iterate, timeless } from '../testing/corridor-run.ts';
import { alternativesOf, inspectEpisode, learnedFrom } from './inspect.ts';
import type { PhaseResult } from './onlooker.ts';

const estimators = [
  'gae',
  'grpo',
  'dr_grpo',
  'rloo',
  'reinforce_plus_plus',
  'remax',
  'reinforce',
] as const;
const surrogates = ['ppo_clip', 'bapo', 'gspo', 'cispo', 'clip_cov', 'kl_cov'] as const;

async function inspected(over: ConfigInput, iterations = 2) {
  const { run, policy } = await corridorRun(over);
  const result = (await iterate(run, iterations)).at(-1);
  if (result === undefined) throw new Error('nothing was trained');
  const { trajectories, trace, iteration } = result;
  const inspector = {
    config: run.config,
    textOf: (token: number) => run.agent.tokenizer.decode([token]),
    numberOf: (trajectory: (typeof trajectories)[number]) => trajectories.indexOf(trajectory),
    isKept: () => true,
  };
  const inspections = trajectories.map((trajectory, number) =>
    inspectEpisode(inspector, { number, iteration }, { trajectory, trace }),
  );
  return { run, policy, result, inspections };
}

describe('inspectEpisode', () => {
  it.each(estimators)('recomputes the advantages used in training (%s)', async (advantage) => {
    const { policy, result, inspections } = await inspected({
      algorithm: { advantage, epochs: 1 },
    });
    const { 'policy/idle_updates': idle = 0 } = result.metrics;
    const trained = policy.updates
      .slice(idle - 3)
      .flatMap(({ batches }) =>
        batches.flatMap((batch) =>
          Array.from(batch.advantages, (A, r) => ({ A, target: batch.targets[r] })),
        ),
      );
    const worked = inspections.flatMap(({ tokens }) =>
      tokens.map((token) => token.worked?.advantage ?? Number.NaN),
    );
    const sorted = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);
    // Tokens without an update have an advantage of 0.
    const untrained = new Array<number>(worked.length - trained.length).fill(0);
    const wanted = sorted([...trained.map(({ A }) => A), ...untrained]);
    expect(untrained.length > 0).toBe(idle > 0);
    expect(new Set(wanted).size).toBeGreaterThan(1);
    for (const [i, A] of sorted(worked).entries()) {
      expect(A).toBeCloseTo(wanted[i] ?? Number.NaN, 6);
    }
  });

  it.each(surrogates)(
    'recomputes the losses and clipped tokens that the updates reported (%s)',
    async (objective) => {
      const { run, result, inspections } = await inspected({
        algorithm: { objective, epochs: 3, clip_low: 0.95, clip_high: 1.05 },
        covariance: { fraction: 0.2, low: -1, high: 1 },
      });
      const { mini_batches } = run.config.algorithm;
      const updates = result.details.updates.slice(-mini_batches);
      let held = 0;
      for (const { update, loss, clippedLow, clippedHigh, clipLow, clipHigh } of updates) {
        const tokens = inspections
          .flatMap((inspection) => inspection.tokens.map((token) => token.update))
          .filter((token) => token?.update === update);
        const sum = (of: (token: NonNullable<(typeof tokens)[number]>) => number) =>
          tokens.reduce((total, token) => total + (token === null ? 0 : of(token)), 0);
        expect(tokens.length).toBeGreaterThan(10);
        expect(sum((token) => token.weight * (token.policyLoss + token.otherLoss))).toBeCloseTo(
          loss,
          6,
        );
        expect(sum(({ held: why }) => Number(why === 'low'))).toBeCloseTo(
          clippedLow * tokens.length,
          6,
        );
        expect(sum(({ held: why }) => Number(why === 'high'))).toBeCloseTo(
          clippedHigh * tokens.length,
          6,
        );
        for (const token of tokens) expect(token).toMatchObject({ clipLow, clipHigh });
        held += sum(({ held: why }) => Number(why !== null));
      }
      if (objective !== 'cispo') expect(held).toBeGreaterThan(0);
    },
  );

  it('reports the rewards and the episode numbers of the group', async () => {
    const { inspections } = await inspected({ algorithm: { advantage: 'grpo' } });
    for (const { number, group } of inspections) {
      expect(group?.members).toHaveLength(8);
      expect(group?.members.map((member) => member.number)).toContain(number);
      const rewards = group?.members.map(({ reward }) => reward) ?? [];
      expect(group?.rewards.mean).toBeCloseTo(rewards.reduce((a, b) => a + b, 0) / 8, 12);
      expect(group?.equal).toBe(new Set(rewards).size === 1);
    }
  });

  it('gives the same inspections from stored training details, except for members no longer stored', async () => {
    const { run, result, inspections } = await inspected({
      algorithm: { advantage: 'gae', objective: 'clip_cov' },
    });
    const { trajectories, trace, iteration } = result;
    const inspector = {
      config: run.config,
      textOf: (token: number) => run.agent.tokenizer.decode([token]),
      numberOf: (trajectory: (typeof trajectories)[number]) => trajectories.indexOf(trajectory),
    };
    let learnedTokens = 0;
    for (const [number, trajectory] of trajectories.entries()) {
      const learned = learnedFrom(inspector, trajectory, trace);
      if (learned === null) throw new Error('nothing was learned');
      const again = (isKept: (member: number) => boolean) =>
        inspectEpisode(
          { ...inspector, isKept },
          { number, iteration },
          { trajectory, trace: null, learned: structuredClone(learned) },
        );
      expect(again(() => true)).toEqual(inspections[number]);
      expect(again(() => false).group?.members.map((member) => member.number)).toEqual(
        Array.from({ length: 8 }, () => null),
      );
      learnedTokens += learned.updates?.logp.length ?? 0;
    }
    expect(learnedTokens).toBeGreaterThan(10);
  });

  it('omits update details if no episode is kept, and for an evaluation also the group and advantages', async () => {
    const { run, result, inspections } = await inspected({ trajectories: { keep: 0 } });
    expect(inspections[0]?.tokens[0]?.update).toBeNull();
    const [trajectory] = result.evaluation?.trajectories ?? [];
    if (trajectory === undefined) throw new Error('nothing was evaluated');
    const inspector = {
      config: run.config,
      textOf: String,
      numberOf: () => null,
      isKept: () => false,
    };
    const { group, tokens } = inspectEpisode(
      inspector,
      { number: 1, iteration: 2 },
      { trajectory, trace: null },
    );
    expect(group).toBeNull();
    expect(tokens.length).toBeGreaterThan(0);
    for (const { worked, update } of tokens) expect([worked, update]).toEqual([null, null]);
  });
});

describe('alternativesOf', () => {
  it('ranks tokens by their probability under the current weights and reports the policy version', async () => {
    const { run, policy, result } = await inspected({});
    const [trajectory] = result.trajectories;
    if (trajectory === undefined) throw new Error('nothing was played');
    const { version, tokens } = await alternativesOf(run.agent, trajectory, 3);
    expect(version).toBe(policy.version);
    const written = trajectory.turns.flatMap(({ actionTokens }) => actionTokens);
    expect(tokens).toHaveLength(written.length);
    for (const [t, { top, probability, rank }] of tokens.entries()) {
      expect(top).toHaveLength(3);
      const probabilities = top.map((one) => one.probability);
      expect(probabilities).toEqual([...probabilities].sort((a, b) => b - a));
      const text = run.agent.tokenizer.decode([written[t] ?? 0]);
      const shown = top.find((one) => one.text === text);
      if (rank === 1) expect(probability).toBeCloseTo(probabilities[0] ?? Number.NaN, 6);
      if (shown !== undefined) expect(shown.probability).toBeCloseTo(probability, 6);
    }
    expect(tokens.some(({ rank }) => rank > 1)).toBe(true);
  });
});

describe('a phase observer', () => {
  const settings: ConfigInput = {
    algorithm: { advantage: 'gae', ratio_to: 'proximal', epochs: 2 },
    diagnostics: { interval: 2 },
  };

  it('receives the phases in order without changing the run', async () => {
    const alone = await corridorRun(settings);
    const wanted = await iterate(alone.run, 3);
    const { run, policy } = await corridorRun(settings);
    const seen: PhaseResult['phase'][] = [];
    for (const plain of wanted) {
      const result = await run.iterate(undefined, async ({ phase }) => {
        seen.push(phase);
      });
      expect(timeless(result.metrics)).toEqual(timeless(plain.metrics));
      expect(result.details).toEqual(plain.details);
      expect(result.trajectories).toEqual(plain.trajectories);
    }
    expect(await policy.readState()).toEqual(await alone.policy.readState());
    const each = ['before-update', 'after-update'] as const;
    const updates = Array.from({ length: 6 }, () => each).flat();
    const iteration = ['rollout', 'score', 'advantages', ...updates, 'update'];
    // The second iteration is evaluated too.
    expect(seen).toEqual([...iteration, ...iteration, 'evaluate', ...iteration]);
  });

  it('abandons the iteration if it throws, and the next iteration can begin', async () => {
    const { run } = await corridorRun(settings);
    const leave = run.iterate(undefined, async ({ phase }) => {
      if (phase === 'advantages') throw new Error('enough');
    });
    await expect(leave).rejects.toThrow('enough');
    expect(run.iteration).toBe(0);
    expect((await run.iterate()).iteration).toBe(1);
  });
});
