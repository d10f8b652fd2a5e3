import { describe, expect, it } from 'vitest';
import { EnvironmentFault } from '../envs/episode.ts';
import type { Environment } from '../envs/types.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';
import type { PolicyCapacity } from '../policy/types.ts';
import type { Agent } from './agent.ts';
import { contextTokens } from './dialogue.ts';
import type { EpisodeRequest, RolloutRequest } from './rollout.ts';
import { rollout } from './rollout.ts';
import { corridor } from './testing/corridor.ts';
import { TabularPolicy } from './testing/tabular-policy.ts';

const quiet: Environment = {
  ...corridor(),
  // Without `boom` in the vocabulary, no action throws.
  lexicon: corridor().lexicon.filter((lexeme) => lexeme !== 'boom'),
} as Environment;
const tokenizer = new WordTokenizer(quiet.lexicon);

function makePolicy(capacity: Partial<PolicyCapacity> = {}, vocabulary = tokenizer.size) {
  return new TabularPolicy(
    {
      vocabulary,
      layers: 1,
      width: 4,
      heads: 1,
      kvHeads: 1,
      ffnWidth: 4,
      tiedEmbeddings: false,
      valueHead: false,
    },
    {
      tokens: 4096,
      rows: 64,
      lossRows: 64,
      updateRows: 64,
      episodes: 64,
      context: 128,
      ...capacity,
    },
  );
}

/** One token per action, so that a random policy often moves. */
const oneToken = { historyWindow: 0, contextLength: 128, maxActionTokens: 1, keepTask: false };

const twelve = (horizon = 9, iteration = 1): EpisodeRequest[] =>
  Array.from({ length: 12 }, (_, i) => ({
    iteration,
    episode: i,
    task: `corridor_${i % 4}`,
    group: i % 4,
    horizon,
  }));

/** Overrides of the default request and its agent. */
type Over = Partial<Omit<RolloutRequest, 'agent'>> & Partial<Omit<Agent, 'policy'>>;

function request(policy: TabularPolicy, over: Over = {}): RolloutRequest {
  const { window, seed = 7, tokenizer: spelling = tokenizer, ...rest } = over;
  return {
    agent: {
      policy,
      tokenizer: spelling,
      window: window ?? {
        historyWindow: 0,
        contextLength: 128,
        maxActionTokens: 2,
        keepTask: false,
      },
      format: 'bare',
      temperature: 1,
      seed,
    },
    environment: quiet,
    episodes: twelve(),
    ...rest,
  };
}

/** Plays every episode to its end. */
async function play(policy: TabularPolicy, over: Over = {}) {
  const { trajectories, paused } = await rollout(request(policy, over));
  expect(paused).toEqual([]);
  return trajectories;
}

describe('rollout', () => {
  it.each([0, 1, 3])(
    'records every token with exactly the context the policy read (window %i)',
    async (historyWindow) => {
      const policy = makePolicy();
      const window = { historyWindow, contextLength: 30, maxActionTokens: 2, keepTask: false };
      const trajectories = await play(policy, { window });
      // Each generated token, with its context rebuilt from the trajectory alone.
      const rebuilt = trajectories.flatMap(({ turns }) =>
        turns.flatMap((turn, t) => {
          const open = { observationTokens: turn.observationTokens };
          const context = contextTokens(
            [...turns.slice(0, t), open],
            turn.contextStart,
            tokenizer,
            false,
          );
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

  it('feeds only uncached tokens as long as the window does not move', async () => {
    const policy = makePolicy();
    const [episode] = request(policy).episodes;
    const [trajectory] = await play(policy, { episodes: episode ? [episode] : [] });
    const turns = trajectory?.turns ?? [];
    expect(turns.length).toBeGreaterThan(2);
    for (const [t, call] of policy.generated.entries()) {
      const before = turns[t - 1];
      // The last action token of the previous turn, then <obs> cell k <act>.
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

  it('makes one call per turn, for the active episodes', async () => {
    const policy = makePolicy();
    const trajectories = await play(policy);
    const longest = Math.max(...trajectories.map(({ turns }) => turns.length));
    expect(policy.generated).toHaveLength(longest);
    for (const [t, call] of policy.generated.entries()) {
      expect(call.slots).toHaveLength(trajectories.filter(({ turns }) => turns.length > t).length);
    }
  });

  it('gives the same episodes for any split that the capacity requires', async () => {
    const whole = await play(makePolicy());
    const fewSlots = await play(makePolicy({ episodes: 5 }));
    const fewRows = await play(makePolicy({ rows: 3 }));
    const fewTokens = await play(makePolicy({ tokens: 17 }));
    expect(fewSlots).toEqual(whole);
    expect(fewRows).toEqual(whole);
    expect(fewTokens).toEqual(whole);
  });

  it('steps some episodes while the device computes others, with the same results', async () => {
    const whole = await play(makePolicy());
    const policy = makePolicy({ episodes: 5 });
    policy.waves = 2;
    let inFlight = 0;
    const together: number[] = [];
    const compute = policy.generate.bind(policy);
    policy.generate = async (call) => {
      together.push(++inFlight);
      const generation = await compute(call);
      await new Promise((done) => setTimeout(done));
      inFlight--;
      return generation;
    };
    expect(await play(policy)).toEqual(whole);
    expect(Math.max(...together)).toBe(2);
    // Every call begins while another is in flight, except the first call and the last calls of the
    // longer wave.
    expect(together.filter((calls) => calls === 2).length).toBeGreaterThan(together.length / 2);
  });

  it('stops calling the policy after a fault in one of two waves', async () => {
    const policy = makePolicy();
    policy.waves = 2;
    const steps: string[] = [];
    const environment: Environment = {
      ...quiet,
      step(state, action) {
        steps.push(action);
        if (steps.length === 20) throw new Error('broken');
        return quiet.step(state, action);
      },
    };
    await expect(rollout(request(policy, { environment }))).rejects.toThrow(EnvironmentFault);
    const calls = policy.generated.length;
    await new Promise((done) => setTimeout(done, 20));
    expect(policy.generated).toHaveLength(calls);
  });

  it('is reproducible, and differs for another seed', async () => {
    const once = await play(makePolicy());
    expect(await play(makePolicy())).toEqual(once);
    expect(await play(makePolicy(), { seed: 8 })).not.toEqual(once);
    // The same episodes in another iteration use other random numbers.
    const later = await play(makePolicy(), { episodes: twelve(9, 2) });
    expect(later.map(({ turns }) => turns)).not.toEqual(once.map(({ turns }) => turns));
  });

  it('distinguishes truncation from termination, and the score from the number of turns', async () => {
    const trajectories = await play(makePolicy(), { window: oneToken, episodes: twelve(8) });
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

  it("caps the horizon at the environment's turn limit", async () => {
    const environment = { ...quiet, turnLimit: 3 };
    const trajectories = await play(makePolicy(), { environment, episodes: twelve(100) });
    expect(Math.max(...trajectories.map(({ turns }) => turns.length))).toBe(3);
  });

  it('reports progress that rises to exactly 1', async () => {
    const seen: number[] = [];
    const policy = makePolicy({ episodes: 5 });
    await play(policy, { onProgress: (fraction) => seen.push(fraction) });
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual([...seen].sort((x, y) => x - y));
  });

  it('turns an exception in the environment into a fault that names the task and the action', async () => {
    const environment = corridor() as Environment;
    const loud = new WordTokenizer(environment.lexicon);
    const policy = makePolicy({}, loud.size);
    const faulty = rollout(
      request(policy, { environment, tokenizer: loud, window: oneToken, episodes: twelve(20) }),
    );
    await expect(faulty).rejects.toThrow(EnvironmentFault);
    await expect(faulty).rejects.toMatchObject({ action: 'boom' });
    const unknown = { iteration: 1, episode: 0, task: 'corridor_99', group: 0, horizon: 9 };
    await expect(rollout(request(makePolicy(), { episodes: [unknown] }))).rejects.toMatchObject({
      name: 'EnvironmentFault',
      action: null,
      task: 'corridor_99',
    });
  });

  it.each([0, 1, 2])(
    'plays the same episodes in parts as in one call (window %i)',
    async (historyWindow) => {
      const window = { historyWindow, contextLength: 40, maxActionTokens: 2, keepTask: false };
      const whole = await play(makePolicy(), { window });
      const policy = makePolicy();
      let part = await rollout(
        request(policy, { window, budget: { turns: 2, tokens: Number.POSITIVE_INFINITY } }),
      );
      const trajectories = [...part.trajectories];
      let rounds = 1;
      while (part.paused.length > 0) {
        for (const { turns } of part.paused) expect(turns).toHaveLength(2 * rounds);
        // Plain data: paused episodes survive a copy between iterations.
        const paused = structuredClone(part.paused);
        part = await rollout(
          request(policy, {
            window,
            paused,
            episodes: [],
            budget: { turns: 2, tokens: Number.POSITIVE_INFINITY },
          }),
        );
        trajectories.push(...part.trajectories);
        rounds++;
      }
      // Nine turns, two at a time.
      expect(rounds).toBe(5);
      expect(trajectories.sort((a, b) => a.episode - b.episode)).toEqual(whole);
    },
  );

  it('pauses after the turn in which the token budget is reached', async () => {
    const { paused, trajectories } = await rollout(
      request(makePolicy(), { budget: { turns: Number.POSITIVE_INFINITY, tokens: 3 } }),
    );
    expect(paused.length).toBeGreaterThan(6);
    expect(paused.length + trajectories.length).toBe(12);
    for (const { turns } of paused) {
      const written = turns.map(({ actionTokens }) => actionTokens.length);
      const total = written.reduce((sum, n) => sum + n, 0);
      expect(total).toBeGreaterThanOrEqual(3);
      expect(total - (written.at(-1) ?? 0)).toBeLessThan(3);
    }
  });

  it('continues paused episodes under their original horizon, together with new ones', async () => {
    const policy = makePolicy();
    const budget = { turns: 3, tokens: Number.POSITIVE_INFINITY };
    const first = await rollout(request(policy, { episodes: twelve(5), budget }));
    policy.version = 4;
    const second = await rollout(
      request(policy, { paused: first.paused, episodes: twelve(2, 2), budget }),
    );
    expect(first.paused.length).toBeGreaterThan(0);
    expect(second.paused).toEqual([]);
    const continued = second.trajectories.filter(({ iteration }) => iteration === 1);
    expect(second.trajectories.slice(0, continued.length)).toEqual(continued);
    expect(continued.map(({ episode }) => episode)).toEqual(
      first.paused.map(({ request: { episode } }) => episode),
    );
    for (const { turns, horizon, truncated } of continued) {
      expect(horizon).toBe(5);
      if (truncated) expect(turns).toHaveLength(5);
      expect(turns.map(({ version }) => version)).toEqual(turns.map((_, t) => (t < 3 ? 0 : 4)));
    }
    expect(continued.some(({ truncated }) => truncated)).toBe(true);
    for (const { turns } of second.trajectories.slice(continued.length)) {
      expect(turns.length).toBeLessThanOrEqual(2);
    }
  });
});
