import { describe, expect, it } from 'vitest';
import type { Environment } from '../envs/types.ts';
import { Tokenizer } from '../policy/tokenizer.ts';
import type { PolicyCapacity } from '../policy/types.ts';
import { contextTokens } from './dialogue.ts';
import type { RolloutRequest } from './rollout.ts';
import { EnvironmentFault, rollout } from './rollout.ts';
import { corridor } from './testing/corridor.ts';
import { TabularPolicy } from './testing/tabular-policy.ts';

const quiet: Environment = {
  ...corridor(),
  // Without `boom` in the vocabulary nothing explodes.
  lexicon: corridor().lexicon.filter((lexeme) => lexeme !== 'boom'),
} as Environment;
const tokenizer = new Tokenizer(quiet.lexicon);

function makePolicy(capacity: Partial<PolicyCapacity> = {}, vocabulary = tokenizer.size) {
  return new TabularPolicy(
    { vocabulary, layers: 1, width: 4, heads: 1, kvHeads: 1, ffnWidth: 4, tiedEmbeddings: false },
    { tokens: 4096, rows: 64, lossRows: 64, episodes: 64, context: 128, ...capacity },
  );
}

/** One token an action, so that a policy of random weights moves often. */
const oneToken = { historyWindow: 0, contextLength: 128, maxActionTokens: 1 };

function request(policy: TabularPolicy, over: Partial<RolloutRequest> = {}): RolloutRequest {
  return {
    environment: quiet,
    policy,
    tokenizer,
    episodes: Array.from({ length: 12 }, (_, i) => ({
      episode: i,
      task: `corridor_${i % 4}`,
      group: i % 4,
    })),
    window: { historyWindow: 0, contextLength: 128, maxActionTokens: 2 },
    horizon: 9,
    temperature: 1,
    random: { seed: 7, iteration: 1 },
    ...over,
  };
}

describe('rollout', () => {
  it.each([0, 1, 3])(
    'records every token with exactly the context the policy read (window %i)',
    async (historyWindow) => {
      const policy = makePolicy();
      const window = { historyWindow, contextLength: 30, maxActionTokens: 2 };
      const trajectories = await rollout(request(policy, { window }));
      // Each written token, with the context rebuilt from the trajectory alone.
      const rebuilt = trajectories.flatMap(({ turns }) =>
        turns.flatMap((turn, t) => {
          const open = { observationTokens: turn.observationTokens };
          const context = contextTokens([...turns.slice(0, t), open], turn.contextStart, tokenizer);
          expect(context.length + 2).toBeLessThanOrEqual(30);
          return turn.actionTokens.map((token, k) => ({
            context: [...context, ...turn.actionTokens.slice(0, k)],
            token,
          }));
        }),
      );
      const key = (entry: { context: readonly number[]; token: number }) =>
        `${entry.context.join(' ')} → ${entry.token}`;
      expect(rebuilt.map(key).sort()).toEqual(policy.contexts.map(key).sort());
      expect(rebuilt.length).toBeGreaterThan(50);
    },
  );

  it('feeds only what the cache lacks while the window stands still', async () => {
    const policy = makePolicy();
    const [episode] = request(policy).episodes;
    const [trajectory] = await rollout(request(policy, { episodes: episode ? [episode] : [] }));
    const turns = trajectory?.turns ?? [];
    expect(turns.length).toBeGreaterThan(2);
    for (const [t, call] of policy.generated.entries()) {
      const before = turns[t - 1];
      // The last action token of the turn before, then <obs> cell k <act>.
      const last = before?.actionTokens.at(-1);
      expect(Array.from(call.newTokens)).toEqual([
        ...(last === undefined ? [] : [last]),
        ...[tokenizer.obs, ...(turns[t]?.observationTokens ?? []), tokenizer.act],
      ]);
    }
    const written = turns.map((turn) => turn.actionTokens.length);
    const offsets = policy.generated.map((call) => call.random.offsets[0]);
    expect(offsets).toEqual(written.map((_, t) => written.slice(0, t).reduce((s, n) => s + n, 0)));
  });

  it('makes one call a turn, for the episodes that still play', async () => {
    const policy = makePolicy();
    const trajectories = await rollout(request(policy));
    const longest = Math.max(...trajectories.map(({ turns }) => turns.length));
    expect(policy.generated).toHaveLength(longest);
    for (const [t, call] of policy.generated.entries()) {
      expect(call.slots).toHaveLength(trajectories.filter(({ turns }) => turns.length > t).length);
    }
  });

  it('gives the same episodes whatever the capacity forces it to split', async () => {
    const whole = await rollout(request(makePolicy()));
    const fewSlots = await rollout(request(makePolicy({ episodes: 5 })));
    const fewRows = await rollout(request(makePolicy({ rows: 3 })));
    const fewTokens = await rollout(request(makePolicy({ tokens: 17 })));
    expect(fewSlots).toEqual(whole);
    expect(fewRows).toEqual(whole);
    expect(fewTokens).toEqual(whole);
  });

  it('is the same twice and another with another seed', async () => {
    const once = await rollout(request(makePolicy()));
    expect(await rollout(request(makePolicy()))).toEqual(once);
    const other = request(makePolicy(), { random: { seed: 8, iteration: 1 } });
    expect(await rollout(other)).not.toEqual(once);
  });

  it('tells truncation from termination and score from turns', async () => {
    const trajectories = await rollout(request(makePolicy(), { window: oneToken, horizon: 8 }));
    for (const { turns, terminated, truncated, success, score } of trajectories) {
      expect(truncated).toBe(!terminated);
      expect(success).toBe(terminated);
      expect(score).toBe(success ? 1 : 0);
      expect(turns.length).toBeLessThanOrEqual(8);
      if (truncated) expect(turns).toHaveLength(8);
    }
    expect(trajectories.some(({ truncated }) => truncated)).toBe(true);
    expect(trajectories.some(({ terminated }) => terminated)).toBe(true);
  });

  it("cuts a horizon above the environment's own limit", async () => {
    const environment = { ...quiet, turnLimit: 3 };
    const trajectories = await rollout(request(makePolicy(), { environment, horizon: 100 }));
    expect(Math.max(...trajectories.map(({ turns }) => turns.length))).toBe(3);
  });

  it('reports progress that rises to exactly 1', async () => {
    const seen: number[] = [];
    const policy = makePolicy({ episodes: 5 });
    await rollout(request(policy, { onProgress: (fraction) => seen.push(fraction) }));
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual([...seen].sort((x, y) => x - y));
  });

  it('turns an exception of the environment into a fault that names task and action', async () => {
    const environment = corridor() as Environment;
    const loud = new Tokenizer(environment.lexicon);
    const policy = makePolicy({}, loud.size);
    const play = rollout(
      request(policy, { environment, tokenizer: loud, window: oneToken, horizon: 20 }),
    );
    await expect(play).rejects.toThrow(EnvironmentFault);
    await expect(play).rejects.toMatchObject({ action: 'boom' });
    const unknown = { episode: 0, task: 'corridor_99', group: 0 };
    await expect(rollout(request(makePolicy(), { episodes: [unknown] }))).rejects.toMatchObject({
      name: 'EnvironmentFault',
      action: null,
      task: 'corridor_99',
    });
  });
});
