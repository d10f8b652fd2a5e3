import { describe, expect, it } from 'vitest';
import { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import { parseConfig } from '../config/check.ts';
import { presetConfig } from '../config/presets.ts';
import type { ConfigInput } from '../config/schema.ts';
import { loadEnvironments } from '../envs/registry.ts';
import { type FactsOf, type StepPhase, stepPhases } from '../runs/phase-facts.ts';
import { corridorRun, iterate, timeless } from '../training/testing/corridor-run.ts';
import { Trainer } from '../training/trainer.ts';
import type { PageMessage, WorkerMessage } from './protocol.ts';
import { sessionRun } from './run.ts';
import { LabSession } from './session/session.ts';
import { handMachine as machine } from './session/testing/hand-run.ts';

const settings = {
  algorithm: { advantage: 'gae', epochs: 2 },
  trajectories: { keep: 100 },
} as const;

/** A session that drives a real trainer, whose policy is a table. */
async function pausedLab(over: ConfigInput = settings) {
  const { run } = await corridorRun(over);
  return pausedSession(run);
}

async function pausedSession(run: Trainer) {
  const messages: WorkerMessage[] = [];
  const session = new LabSession({
    post: (message) => messages.push(structuredClone(message)),
    open: async () =>
      sessionRun(
        run,
        machine,
        () => {},
        async () => {},
      ),
    breathe: () => Promise.resolve(),
  });
  session.receive({ type: 'start', runId: 'a', config: presetConfig('maze'), paused: true });
  const all = <Type extends WorkerMessage['type']>(type: Type) =>
    messages.filter(
      (message): message is Extract<WorkerMessage, { readonly type: Type }> =>
        message.type === type,
    );
  /** Asks, and waits until the run stands still again. */
  const send = async (message: PageMessage) => {
    const before = messages.length;
    session.receive(message);
    for (let i = 0; i < 2000; i++) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      const last = messages.slice(before).filter(({ type }) => type === 'status');
      if (JSON.stringify(last.at(-1) ?? {}).includes('"paused"')) return;
    }
    throw new Error('the run did not come to rest');
  };
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  await settle();
  return { session, messages, all, send, settle };
}

const next = { type: 'step-phase', runId: 'a', to: 'next' } as const;

describe('an iteration taken phase by phase', () => {
  it('stops at every phase, and trains what an uninterrupted one trains', async () => {
    const { all, send } = await pausedLab();
    for (let i = 0; i < 3 + 2 * 6; i++) {
      await send(next);
      expect(all('phase')).toHaveLength(i + 1);
      expect(all('iteration')).toHaveLength(0);
    }
    await send(next);
    const [iteration] = all('iteration');
    const alone = await corridorRun(settings);
    const [wanted] = await iterate(alone.run, 1);
    expect(timeless(iteration?.metrics ?? {})).toEqual(timeless(wanted?.metrics ?? {}));
    expect(iteration?.details).toEqual(wanted?.details);
    const seen = all('phase').map(({ facts }) => facts.phase);
    expect(seen.slice(0, 5)).toEqual(stepPhases.reinforcement);
  });

  it('tells numbers that fit together from phase to phase', async () => {
    const { all, send } = await pausedLab();
    for (let i = 0; i < 3 + 2 * 6; i++) await send(next);
    const facts = all('phase').map((message) => message.facts);
    const [rollout, score, advantages] = facts;
    if (rollout?.phase !== 'rollout' || score?.phase !== 'score') throw new Error('out of order');
    if (advantages?.phase !== 'advantages') throw new Error('out of order');
    expect(rollout).toMatchObject({ iteration: 1, groups: 4, episodes: 32, horizon: 12 });
    expect(rollout.members).toHaveLength(8);
    expect(score.members).toHaveLength(8);
    for (const [m, { record, tokens }] of rollout.members.entries()) {
      const { rewards, values, reward } = score.members[m] ?? {};
      expect(rewards).toHaveLength(tokens.length);
      expect(values).toHaveLength(tokens.length);
      expect(reward).toBeCloseTo(record.score, 6);
      expect(advantages.worked[m]).toHaveLength(tokens.length);
      expect(advantages.group?.members[m]?.reward).toBe(reward);
    }
    const sum = advantages.positive + advantages.zero + advantages.negative;
    expect(sum).toBe(rollout.tokens);

    let changed = 0;
    for (const [i, loss] of facts.entries()) {
      const update = facts[i + 1];
      if (loss.phase !== 'loss' || update?.phase !== 'update') continue;
      expect(update.index).toBe(loss.index);
      expect(loss.loss).toBeCloseTo(update.detail.loss, 6);
      const { clippedLow, clippedHigh } = update.detail;
      expect(loss.held).toBeCloseTo((clippedLow + clippedHigh) * loss.tokens, 6);
      expect(update.shown).toHaveLength(loss.shown.length);
      for (const [t, token] of loss.shown.entries()) {
        expect(update.shown[t]?.text).toBe(token.text);
        expect(update.shown[t]?.before).toBeCloseTo(Math.exp(token.update.logp), 6);
        expect(token.update.update).toBe(update.detail.update);
      }
      const { biggest } = update;
      if (biggest === null) throw new Error('nothing changed');
      const size = Math.abs(biggest.after - biggest.before);
      for (const { before, after } of update.shown) {
        expect(Math.abs(after - before)).toBeLessThanOrEqual(size);
      }
      changed += size;
    }
    expect(changed).toBeGreaterThan(0);
  });

  it('goes on to the last loss, finishes with a step, and goes on with a resume', async () => {
    const { session, all, send, settle } = await pausedLab();
    await send({ ...next, to: 'last-loss' });
    expect(all('phase').map(({ facts }) => facts)).toMatchObject([
      { phase: 'loss', index: 6, of: 6 },
    ]);
    await send({ type: 'step', runId: 'a' });
    expect(all('phase')).toHaveLength(1);
    expect(all('iteration')).toHaveLength(1);
    await send(next);
    session.receive({ type: 'resume', runId: 'a' });
    for (let i = 0; i < 2000 && all('iteration').length < 4; i++) await settle();
    expect(
      all('iteration')
        .map(({ iteration }) => iteration)
        .slice(0, 4),
    ).toEqual([1, 2, 3, 4]);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
  });

  it('refuses what needs the agent in between, and can be stopped there', async () => {
    const { session, all, send, settle } = await pausedLab();
    await send(next);
    session.receive({ type: 'read-checkpoint', runId: 'a', request: 7 });
    await settle();
    expect(all('refusal')).toMatchObject([{ request: 7 }]);
    expect(all('refusal')[0]?.reason).toMatch(/midst of an iteration/);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    expect(all('status').at(-1)?.status).toBe('stopped');
    expect(all('error')).toEqual([]);
  });
});

describe('a kept episode taken apart', () => {
  it('is told with its group, its updates and the alternatives of the present weights', async () => {
    const { session, all, send, settle } = await pausedLab();
    await send({ type: 'step', runId: 'a' });
    session.receive({ type: 'inspect-episode', runId: 'a', request: 1, number: 3 });
    session.receive({ type: 'inspect-episode', runId: 'a', request: 2, number: 999 });
    session.receive({ type: 'read-alternatives', runId: 'a', request: 3, number: 3 });
    session.receive({ type: 'read-alternatives', runId: 'a', request: 4, number: 999 });
    await settle();
    const [known, unknown] = all('inspection');
    expect(unknown).toMatchObject({ request: 2, inspection: null });
    const { tokens, group } = known?.inspection ?? {};
    expect(group?.members.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(tokens?.every(({ worked, update }) => worked !== null && update !== null)).toBe(true);
    const [alternatives] = all('alternatives');
    expect(alternatives).toMatchObject({ request: 3, alternatives: { version: 6 } });
    expect(alternatives?.alternatives.tokens).toHaveLength(tokens?.length ?? -1);
    expect(all('refusal')).toMatchObject([{ request: 4, reason: /no longer kept/ }]);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
  });
});

describe('a round of evolution taken phase by phase', () => {
  it('shows what is tried, what is kept and thrown away, and what is learned', async () => {
    const { all, send } = await pausedLab({
      recipe: 'evolution',
      horizon: { schedule: 'fixed', turns: 6 },
      imitation: { epochs: 1, task_share: 0.5 },
      evolution: { tasks: 4, samples: 4 },
    });
    for (const _ of stepPhases.evolution) await send(next);
    const facts = all('phase').map((message) => message.facts);
    expect(facts.map(({ phase }) => phase)).toEqual(stepPhases.evolution);
    const [explore, sift, learn] = facts;
    if (explore?.phase !== 'explore' || sift?.phase !== 'sift' || learn?.phase !== 'learn') {
      throw new Error('the phases are others');
    }
    expect(explore).toMatchObject({ round: 1, part: 1, parts: 1, tasks: 4, episodes: 16 });
    expect(sift.kept).toBe(explore.solved);
    expect(sift.thrown).toBe(16 - explore.solved);
    for (const { why, weight, record } of sift.shown) {
      expect(why).toBe(record.success ? null : 'unrewarded');
      expect(weight).toBe(Number(record.success));
    }
    expect(new Set(sift.shown.map(({ why }) => why)).size).toBe(2);
    expect(learn).toMatchObject({ start: 'base', fresh: sift.kept, earlier: 0, expert: 2 });
    expect(learn.loss).toBeGreaterThan(0);
  });
});

describe('Critique-RL taken phase by phase', () => {
  const chains: ConfigInput = {
    recipe: 'critique',
    env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
    agent: { context_length: 128, max_action_tokens: 21 },
    rollout: { tasks_per_iteration: 3, group_size: 4 },
    algorithm: { advantage: 'rloo', epochs: 1, mini_batches: 1, entropy_coef: 0 },
    imitation: { epochs: 2, most_tasks: 60, batch_episodes: 4 },
    critique: { tokens: 32, refinements: 6, critiques: 8, critique_epochs: 3, first_stage: 1 },
    optimizer: { learning_rate: 1, warmup_updates: 0 },
    evaluation: { interval: 0 },
  };

  it('follows an answer to its critiques, their refinements, rewards and advantages', async () => {
    await loadEnvironments(['reasoning/chain-v1']);
    const run = await Trainer.create({
      config: parseConfig(chains),
      createPolicy: async (shape, capacity) => new TabularPolicy(shape, capacity),
    });
    const { all, send } = await pausedSession(run);
    const stages = [
      stepPhases.critique.filter((phase) => phase !== 'refine'),
      [...stepPhases.critique],
    ];
    for (const [i, phases] of stages.entries()) {
      const before = all('phase').length;
      for (const _ of phases) await send(next);
      const facts = all('phase')
        .slice(before)
        .map((message) => message.facts);
      expect(facts.map(({ phase }) => phase)).toEqual(phases);
      const of = <Name extends StepPhase>(name: Name) =>
        facts.find((one): one is FactsOf<Name> => one.phase === name);
      const [answer, criticise, refine] = [of('answer'), of('criticise'), of('refine')];
      const [reward, advantages] = [of('reward'), of('advantages')];
      expect(answer).toMatchObject({ iteration: i + 1, stage: i + 1, answers: 3 });
      expect(criticise?.critiques).toBe(12);
      const { ofRight, ofWrong } = criticise ?? {};
      expect([ofRight?.heard, ofWrong?.heard]).toEqual([
        ...[4 * (answer?.right ?? 0), 12 - 4 * (answer?.right ?? 0)],
      ]);
      expect(criticise?.followed).toHaveLength(4);
      for (const said of criticise?.followed ?? []) {
        expect([said.task, said.answer]).toEqual([
          ...[answer?.followed?.task, answer?.followed?.answer],
        ]);
      }
      expect(refine === undefined).toBe(i === 0);
      if (refine !== undefined) {
        const { mended, stillWrong, kept, spoilt } = refine;
        expect([mended + stillWrong, kept + spoilt]).toEqual([ofWrong?.heard, ofRight?.heard]);
        expect(refine.followed.every(({ refinement }) => refinement !== null)).toBe(true);
      }
      expect(reward?.followed).toHaveLength(4);
      const members = advantages?.group?.members ?? [];
      expect(members.map((member) => member.reward)).toEqual(reward?.followed);
      await send(next);
    }
    expect(all('iteration')).toHaveLength(2);
  });
});
