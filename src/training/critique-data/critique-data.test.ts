import { describe, expect, it } from 'vitest';
import { continueTexts } from '../../agents/continuation.ts';
import { outsideTraining } from '../../agents/modes/conversation.ts';
import { isCriticizable } from '../../agents/modes/prompts.ts';
import { type Asked, scripted } from '../../agents/modes/testing/scripted.ts';
import { createEnvironment, loadEnvironments } from '../../envs/registry.ts';
import { splitSeed } from '../random.ts';
import { annotate } from './annotate.ts';
import { makeAnswers } from './answers.ts';
import { type CollectionSettings, collectCritiques } from './collect.ts';

await loadEnvironments(['reasoning/chain-v1']);
const chain = createEnvironment('reasoning/chain-v1');
if (!isCriticizable(chain)) throw new Error('chains can be criticized');
const { criticism } = chain;
const question = (task: string) => chain.reset(task).observation;
const taskOf = new Map(chain.trainTasks.map((task) => [question(task), task]));
const solved = (task: string) => chain.expert(chain.reset(task).state).action;
const stream = (seed = 1) => splitSeed(seed).criticism;

/** Wrong at the first step, in a way that depends on the draw. */
function wrong(task: string, draw: number): string {
  const begun = criticism.flawed(task, 0, 'result', () => draw);
  if (begun === null) throw new Error('the first step can be wrong');
  return criticism.finish(task, begun);
}

/**
 * Answers correctly in every other draw, continues partial answers, and follows critiques exactly
 * at level 1 only.
 */
function speak({ prompt, episode }: Asked): string {
  const [asked = '', rest] = prompt.split(' Solution: ');
  const known = taskOf.get(asked);
  if (rest !== undefined && known !== undefined) {
    const [solution = '', critique = ''] = rest.replace(' Improve it.', '').split(' Critique: ');
    return criticism.level(known) === 1 ? criticism.refine(known, solution, critique) : solution;
  }
  if (known !== undefined) return episode % 2 === 0 ? solved(known) : wrong(known, 0.3);
  const open = [...taskOf].find(([text]) => prompt.startsWith(`${text} `));
  if (open === undefined) throw new Error(`nobody asked ${prompt}`);
  const begun = prompt.slice(open[0].length + 1);
  return criticism.finish(open[1], begun).slice(begun.length + 1);
}

const actor = scripted(chain, speak);

describe('a partial answer', () => {
  const [task = '', other = ''] = chain.trainTasks;
  const begin = (of: string, steps: number, episode = 0) => ({
    ...{ observation: question(of), begun: criticism.upTo(solved(of), steps) },
    ...{ iteration: 0, episode },
  });

  it('is continued token by token, with results in the order of the inputs', async () => {
    const texts = [begin(task, 1), begin(other, 2), begin(task, 0)];
    const continued = await continueTexts(actor, texts);
    expect(continued.map(({ action }) => action)).toEqual([
      solved(task),
      solved(other),
      solved(task),
    ]);
    for (const [i, { action, begunTokens, tokens, logps }] of continued.entries()) {
      expect(actor.tokenizer.decode([...begunTokens])).toBe(texts[i]?.begun);
      expect([...begunTokens, ...tokens]).toEqual([
        ...actor.tokenizer.encode(action),
        actor.tokenizer.end,
      ]);
      expect(logps).toHaveLength(tokens.length);
    }
  });

  it("counts towards the turn's token limit", async () => {
    const text = begin(task, 1);
    const begun = actor.tokenizer.encode(text.begun);
    const of = (maxActionTokens: number, contextLength = 256) =>
      continueTexts({ ...actor, window: { ...actor.window, maxActionTokens, contextLength } }, [
        text,
      ]);
    const [whole] = await of(begun.length);
    expect(whole).toEqual({ action: text.begun, begunTokens: begun, tokens: [], logps: [] });
    await expect(of(64, 20)).rejects.toThrow(/raise agent\.context_length/);
  });
});

describe('answer construction', () => {
  const maker = { ...{ environment: chain, actor, temperature: 1, hotTemperature: 2 } };
  const tasks = chain.trainTasks.slice(0, 12);

  it('inserts an error at the stated step and lets the actor continue from it', async () => {
    const asked = tasks.map((task) => ({ task, source: 'inserted' as const }));
    const answers = await makeAnswers({ ...maker, stream: stream() }, asked, outsideTraining);
    expect(answers.map(({ task }) => task)).toEqual(tasks);
    for (const { task, answer, from, source } of answers) {
      const { right, firstWrong, steps } = criticism.judge(task, answer);
      expect([source, firstWrong]).toEqual(['inserted', from]);
      // Only a formal error can leave the final answer correct.
      if (right) expect(steps[from ?? -1]?.fault).toBe('form');
    }
    expect(new Set(answers.map(({ from }) => from)).size).toBeGreaterThan(1);
  });

  it('keeps the greedy answer up to a step and samples the rest', async () => {
    const temperatures: number[] = [];
    const hearing = scripted(chain, speak);
    const { generate } = hearing.policy;
    hearing.policy.generate = (request) => {
      temperatures.push(request.temperature);
      return generate.call(hearing.policy, request);
    };
    const asked = tasks.map((task) => ({ task, source: 'hot' as const }));
    const answers = await makeAnswers(
      { ...maker, actor: hearing, stream: stream() },
      asked,
      outsideTraining,
    );
    expect([...new Set(temperatures)]).toEqual([0, 2]);
    expect(answers).toHaveLength(tasks.length);
    for (const [i, { task, answer, from }] of answers.entries()) {
      const greedily = i % 2 === 0 ? solved(task) : wrong(task, 0.3);
      const kept = criticism.upTo(greedily, from ?? -1);
      expect(answer.startsWith(kept)).toBe(true);
    }
  });
});

describe('the annotator', () => {
  const [task = ''] = chain.trainTasks;

  it('errs at the configured rate and marks each error', () => {
    const random = stream();
    const answer = wrong(task, 0.3);
    const settings = { advice: 'value', errorRate: 0.25 } as const;
    const all = Array.from({ length: 400 }, () =>
      annotate(criticism, { task, answer }, settings, random),
    );
    const truth = criticism.critique(task, answer, { advice: 'value' });
    const erring = all.filter((annotation) => !annotation.true);
    expect(erring.length / all.length).toBeGreaterThan(0.18);
    expect(erring.length / all.length).toBeLessThan(0.32);
    for (const { critique, true: holds } of all) expect(critique === truth).toBe(holds);
    const verdicts = erring.map(({ critique }) => criticism.read(critique)?.right);
    expect(new Set(verdicts)).toEqual(new Set([true, false]));
  });

  it('can criticize a correct answer', () => {
    const answer = solved(task);
    const { critique } = annotate(
      criticism,
      { task, answer },
      { advice: 'type', errorRate: 1 },
      stream(),
    );
    expect(criticism.read(critique)).toMatchObject({ right: false });
  });
});

describe('a collection of critiques', () => {
  const settings: CollectionSettings = {
    ...{ count: 40, rightShare: 0.25, sources: ['sampled', 'hot', 'inserted'] },
    ...{ temperature: 1, hotTemperature: 2, advice: 'value', errorRate: 0 },
    ...{ filter: null, distinct: true, effort: 20 },
  };
  const collect = (over: Partial<CollectionSettings> = {}, seed = 1) =>
    collectCritiques({ ...settings, ...over }, chain, actor, stream(seed));

  it('contains both kinds of answers at all levels, each critiqued by the oracle, without duplicates', async () => {
    const { items, counts } = await collect();
    expect(items).toHaveLength(40);
    expect(items.filter(({ right }) => right)).toHaveLength(10);
    expect(new Set(items.map(({ level }) => level)).size).toBe(criticism.levels);
    expect(new Set(items.map(({ source }) => source))).toEqual(new Set(settings.sources));
    expect(new Set(items.map(({ task, answer }) => `${task} ${answer}`)).size).toBe(40);
    for (const { task, answer, right, step, critique, question: asked } of items) {
      expect(asked).toBe(question(task));
      expect(criticism.judge(task, answer)).toMatchObject({ right, firstWrong: step });
      expect(criticism.read(critique)).toMatchObject({ right, step });
    }
    expect(counts.asked).toBe(40 + counts.surplus + counts.duplicates + counts.cancelled);
  });

  it('is deterministic for a seed and differs between seeds', async () => {
    const [first, again, other] = [await collect(), await collect(), await collect({}, 2)];
    expect(again).toEqual(first);
    expect(other.items).not.toEqual(first.items);
  });

  it('drops duplicate answers and counts them', async () => {
    // At most two answers per task.
    const few = { ...chain, criticism, trainTasks: chain.trainTasks.slice(0, 30) };
    const over = { sources: ['sampled'], count: 70, rightShare: 0.5, effort: 4 } as const;
    const collectFew = (distinct: boolean) =>
      collectCritiques({ ...settings, ...over, distinct }, few, actor, stream());
    const { items, counts } = await collectFew(true);
    expect(items.length).toBeLessThanOrEqual(60);
    expect(counts.duplicates).toBeGreaterThan(0);
    expect(new Set(items.map(({ task, answer }) => `${task} ${answer}`)).size).toBe(items.length);
    const repeated = await collectFew(false);
    expect(repeated.counts.duplicates).toBe(0);
    expect(repeated.items).toHaveLength(70);
  });

  it('keeps critiques that help the actor: at least k of N refinements are correct', async () => {
    const { items, counts } = await collect({
      filter: { refinements: 3, right: 2 },
      rightShare: 0,
    });
    expect(new Set(items.map(({ level }) => level))).toEqual(new Set([1]));
    expect(items.every(({ filter }) => filter?.right === 3 && filter.of === 3)).toBe(true);
    expect(counts.filtered[0]).toBe(0);
    expect(counts.filtered.slice(1).every((dropped) => dropped > 0)).toBe(true);
  });

  it('ends when the actor produces no new answers', async () => {
    const { items, counts } = await collect({ sources: ['inserted'], rightShare: 1, effort: 2 });
    expect(items.every(({ right }) => !right)).toBe(true);
    expect(counts.asked).toBe(80);
  });
});
