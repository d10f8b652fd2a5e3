import { describe, expect, it } from 'vitest';
import { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import { parseConfig } from '../config/check.ts';
import { presetConfig } from '../config/presets.ts';
import { recipeTraits } from '../config/recipes.ts';
import type { ConfigInput } from '../config/schema.ts';
import { loadEnvironments } from '../envs/registry.ts';
import type { FactsOf, StepPhase } from '../runs/phase-facts.ts';
import { placeOf } from '../runs/phase-facts.ts';
import { corridorRun, iterate, timeless } from '../training/testing/corridor-run.ts';
import { Trainer } from '../training/trainer.ts';
import type { PageMessage, WorkerMessage } from './protocol.ts';
import type { AskOf, QuestionMessage, QuestionName } from './questions.ts';
import { sessionRun } from './run.ts';
import { LabSession } from './session/session.ts';
import { fakeMachine as machine } from './session/testing/fake-run.ts';

const settings = {
  algorithm: { advantage: 'gae', epochs: 2 },
  trajectories: { keep: 100 },
} as const;

/** A paused session with a real trainer and a tabular policy. */
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
    yieldToMessages: () => Promise.resolve(),
  });
  session.receive({ type: 'start', runId: 'a', config: presetConfig('maze'), paused: true });
  const all = <Type extends WorkerMessage['type']>(type: Type) =>
    messages.filter(
      (message): message is Extract<WorkerMessage, { readonly type: Type }> =>
        message.type === type,
    );
  /** Sends a message, and waits until the run is paused again. */
  const send = async (message: PageMessage) => {
    const before = messages.length;
    session.receive(message);
    for (let i = 0; i < 2000; i++) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      const last = messages.slice(before).filter(({ type }) => type === 'status');
      if (JSON.stringify(last.at(-1) ?? {}).includes('"paused"')) return;
    }
    throw new Error('the run did not pause');
  };
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  await settle();
  return { session, messages, all, send, settle };
}

const question = <Name extends QuestionName>(request: number, name: Name, ask: AskOf<Name>) =>
  ({ type: 'question', runId: 'a', request, name, ask }) as QuestionMessage;

const next = { type: 'step-phase', runId: 'a', to: 'next' } as const;

describe('stepping through an iteration', () => {
  it('stops at every phase and trains exactly like an uninterrupted run', async () => {
    const { all, send } = await pausedLab();
    for (let i = 0; i < 3 + 2 * 6; i++) {
      await send(next);
      expect(all('phase')).toHaveLength(i + 1);
      expect(all('row')).toHaveLength(0);
    }
    await send(next);
    const [stepped] = all('row');
    const uninterrupted = await corridorRun(settings);
    const [expected] = await iterate(uninterrupted.run, 1);
    expect(timeless(stepped?.row.metrics ?? {})).toEqual(timeless(expected?.metrics ?? {}));
    expect(stepped?.row.details).toEqual(expected?.details);
    const seen = all('phase').map(({ facts }) => facts.phase);
    expect(seen.slice(0, 5)).toEqual(recipeTraits.reinforcement.phases);
  });

  it('reports consistent numbers from phase to phase', async () => {
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

  it('stops at the update that contains a followed token, or at the last update if none does', async () => {
    const { session, all, send } = await pausedLab();
    await send(next);
    const [rollout] = all('phase').map(({ facts }) => facts);
    if (rollout?.phase !== 'rollout') throw new Error('not a rollout');
    const member = rollout.members.length - 1;
    const followed = { member, token: (rollout.members[member]?.tokens.length ?? 0) - 1 };
    await send({ ...next, to: followed });
    const loss = all('phase').at(-1)?.facts;
    if (loss?.phase !== 'loss') throw new Error('not a loss');
    expect(placeOf(loss, followed)).toBeGreaterThanOrEqual(0);
    const text = rollout.members[member]?.tokens[followed.token]?.text;
    const own = loss.shown.find(
      ({ token, ...one }) => one.member === member && token === followed.token,
    );
    expect(own?.text).toBe(text);
    await send({ type: 'step', runId: 'a' });
    await send({ ...next, to: { member: 99, token: 0 } });
    expect(all('phase').at(-1)?.facts).toMatchObject({ phase: 'loss', index: 6, of: 6 });
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
  });

  it('stops at the last loss on request, finishes the iteration with a step, and continues with resume', async () => {
    const { session, all, send, settle } = await pausedLab();
    await send({ ...next, to: 'last-loss' });
    expect(all('phase').map(({ facts }) => facts)).toMatchObject([
      { phase: 'loss', index: 6, of: 6 },
    ]);
    await send({ type: 'step', runId: 'a' });
    expect(all('phase')).toHaveLength(1);
    expect(all('row')).toHaveLength(1);
    await send(next);
    session.receive({ type: 'resume', runId: 'a' });
    for (let i = 0; i < 2000 && all('row').length < 4; i++) await settle();
    expect(
      all('row')
        .map(({ row }) => row.iteration)
        .slice(0, 4),
    ).toEqual([1, 2, 3, 4]);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
  });

  it('rejects questions for the agent in the middle of an iteration, and can be stopped there', async () => {
    const { session, all, send, settle } = await pausedLab();
    await send(next);
    session.receive(question(7, 'read-checkpoint', {}));
    await settle();
    expect(all('refusal')).toMatchObject([{ request: 7 }]);
    expect(all('refusal')[0]?.reason).toMatch(/middle of an iteration/);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    expect(all('status').at(-1)?.status).toBe('stopped');
    expect(all('error')).toEqual([]);
  });
});

describe('inspecting a kept episode', () => {
  it('returns its group, its updates and the alternatives under the current weights', async () => {
    const { session, all, send, settle } = await pausedLab();
    await send({ type: 'step', runId: 'a' });
    session.receive(question(1, 'inspect-episode', { number: 3 }));
    session.receive(question(2, 'inspect-episode', { number: 999 }));
    session.receive(question(3, 'read-alternatives', { number: 3 }));
    session.receive(question(4, 'read-alternatives', { number: 999 }));
    await settle();
    const [known, unknown, third] = all('answer');
    expect(unknown).toMatchObject({ request: 2, answer: null });
    if (known?.name !== 'inspect-episode') throw new Error('no inspection');
    const { tokens, group } = known.answer ?? {};
    expect(group?.members.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(tokens?.every(({ worked, update }) => worked !== null && update !== null)).toBe(true);
    if (third?.name !== 'read-alternatives') throw new Error('no alternatives');
    expect(third).toMatchObject({ request: 3, answer: { version: 6 } });
    expect(third.answer.tokens).toHaveLength(tokens?.length ?? -1);
    expect(all('refusal')).toMatchObject([{ request: 4, reason: /no longer kept/ }]);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
  });
});

describe('stepping through a round of evolution', () => {
  it('reports explored, kept and discarded episodes, and the training on the kept ones', async () => {
    const { all, send } = await pausedLab({
      recipe: 'evolution',
      horizon: { schedule: 'fixed', turns: 6 },
      imitation: { epochs: 1, task_share: 0.5 },
      evolution: { tasks: 4, samples: 4 },
    });
    for (const _ of recipeTraits.evolution.phases) await send(next);
    const facts = all('phase').map((message) => message.facts);
    expect(facts.map(({ phase }) => phase)).toEqual(recipeTraits.evolution.phases);
    const [explore, sift, learn] = facts;
    if (explore?.phase !== 'explore' || sift?.phase !== 'sift' || learn?.phase !== 'learn') {
      throw new Error('unexpected phases');
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

describe('stepping through Critique-RL', () => {
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

  it('follows one answer through critiques, refinements, rewards and advantages', async () => {
    await loadEnvironments(['reasoning/chain-v1']);
    const run = await Trainer.create({
      config: parseConfig(chains),
      createPolicy: async (shape, capacity) => new TabularPolicy(shape, capacity),
    });
    const { all, send } = await pausedSession(run);
    const stages = [
      recipeTraits.critique.phases.filter((phase) => phase !== 'refine'),
      [...recipeTraits.critique.phases],
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
      const [answer, criticize, refine] = [of('answer'), of('criticize'), of('refine')];
      const [reward, advantages] = [of('reward'), of('advantages')];
      expect(answer).toMatchObject({ iteration: i + 1, stage: i + 1, answers: 3 });
      expect(criticize?.critiques).toBe(12);
      const { ofRight, ofWrong } = criticize ?? {};
      expect([ofRight?.heard, ofWrong?.heard]).toEqual([
        ...[4 * (answer?.right ?? 0), 12 - 4 * (answer?.right ?? 0)],
      ]);
      expect(criticize?.followed).toHaveLength(4);
      for (const said of criticize?.followed ?? []) {
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
    expect(all('row')).toHaveLength(2);
  });
});
