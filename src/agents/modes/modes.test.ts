import { describe, expect, it } from 'vitest';
import { critiqueMetrics } from '../../algorithms/critique-metrics.ts';
import { act, begin } from '../../envs/episode.ts';
import { createEnvironment, loadEnvironments } from '../../envs/registry.ts';
import { EpisodeOverError, UnknownTaskError } from '../../envs/types.ts';
import { expertTrajectory } from '../expert.ts';
import { critiquedAnswers, tokensOf, wordsOf } from './conversation.ts';
import { debate } from './debate.ts';
import { critiquePrompt, debatePrompt, isCriticizable, refinementPrompt } from './prompts.ts';
import { refine } from './refine.ts';
import { retry } from './retry.ts';
import { type Asked, scripted } from './testing/scripted.ts';
import { critiqueWorld, debateWorld, refinementWorld, taskOf } from './worlds.ts';

await loadEnvironments(['reasoning/chain-v1']);
const chain = createEnvironment('reasoning/chain-v1');
if (!isCriticizable(chain)) throw new Error('chains can be criticized');
const { criticism } = chain;
const tasks = chain.trainTasks.slice(0, 4);
const [task = ''] = tasks;
const question = (of: string) => chain.reset(of).observation;
const taskFor = new Map(tasks.map((one) => [question(one), one]));
const right = (of: string) => chain.expert(chain.reset(of).state).action;

/** A complete answer with an error in its first step. */
function wrong(of: string): string {
  const begun = criticism.flawed(of, 0, 'result', () => 0);
  if (begun === null) throw new Error('the first step can be wrong');
  return criticism.finish(of, begun);
}

/** The task, solution and critique of a prompt. */
function parts(prompt: string) {
  const [asked = '', rest] = prompt.split(' Solution: ');
  const solution = rest?.split(/ Critique: | Others: | Criticise it\.| Improve it\./)[0];
  const critique = rest?.split(' Critique: ')[1]?.split(' Improve it.')[0];
  return { task: taskFor.get(asked) ?? '', solution, critique };
}

/** Answers incorrectly, and follows critiques exactly. */
function actorSays({ prompt }: Asked): string {
  const { task: of, solution, critique } = parts(prompt);
  if (solution === undefined) return wrong(of);
  return criticism.refine(of, solution, critique ?? '');
}

function criticSays({ prompt }: Asked): string {
  const { task: of, solution = '' } = parts(prompt);
  return criticism.critique(of, solution, { advice: 'value' });
}

const key = { iteration: 3, episode: 10 };
const actor = { name: 'agent', agent: scripted(chain, actorSays) };
const critic = { name: 'critic', agent: scripted(chain, criticSays) };

describe('a derived environment', () => {
  const answer = wrong(task);

  it('rewards a critique for its verdict, and has the annotator as its expert', () => {
    const world = critiqueWorld(chain, 'value');
    const at = begin(world, taskOf({ task, answer }));
    expect(at.observation).toBe(critiquePrompt(question(task), answer));
    const { action } = world.expert(at.state);
    expect(action).toBe(criticism.critique(task, answer, { advice: 'value' }));
    expect(act(world, at, action)).toMatchObject({ reward: 1, terminated: true, understood: true });
    expect(act(world, at, 'right')).toMatchObject({ reward: 0, understood: true });
    // A text with both verdicts or neither is malformed, whichever is correct.
    for (const said of ['wrong right', 'right wrong', '', `${action} wrong`]) {
      expect(act(world, at, said)).toMatchObject({
        reward: 0,
        terminated: true,
        understood: false,
      });
    }
    const { state } = act(world, at, action);
    expect(world.success(state)).toBe(true);
    expect(() => world.step(state, action)).toThrow(EpisodeOverError);
    expect(() => world.reset('chain_1')).toThrow(UnknownTaskError);
    expect(() => world.reset('{"task":"chain_1"}')).toThrow(UnknownTaskError);
  });

  it('rewards a correct refinement, and has an expert that follows the critique', () => {
    const world = refinementWorld(chain);
    const critique = criticism.critique(task, answer, { advice: 'value' });
    const at = begin(world, taskOf({ task, answer, critique }));
    expect(at.observation).toBe(refinementPrompt(question(task), answer, critique));
    expect(world.expert(at.state).action).toBe(right(task));
    expect(act(world, at, right(task))).toMatchObject({ reward: 1, understood: true });
    expect(act(world, at, answer)).toMatchObject({ reward: 0, understood: true });
    expect(act(world, at, '')).toMatchObject({ reward: 0, understood: false });
  });

  it('shows a debater the others’ answers', () => {
    const about = { task, answer, others: [right(task), ''] };
    const at = begin(debateWorld(chain), taskOf(about));
    expect(at.observation).toBe(debatePrompt(question(task), answer, about.others));
    expect(debateWorld(chain).expert(at.state).action).toBe(right(task));
  });

  it('produces the critic’s prompt and response as training tokens, without unknown tokens', () => {
    const world = critiqueWorld(chain, 'value');
    const { turns } = expertTrajectory(critic.agent, world, taskOf({ task, answer }));
    const { tokenizer } = critic.agent;
    const [turn] = turns;
    expect(turns).toHaveLength(1);
    expect(tokenizer.decode(turn?.observationTokens ?? [])).toBe(turn?.observation);
    expect(tokenizer.decode(turn?.actionTokens.slice(0, -1) ?? [])).toBe(turn?.action);
    expect([...(turn?.observationTokens ?? []), ...(turn?.actionTokens ?? [])]).not.toContain(
      tokenizer.unk,
    );
  });
});

describe('refine', () => {
  it('plays an answer, a critique and a refinement', async () => {
    const conversations = await refine({
      environment: chain,
      actor,
      critic,
      tasks,
      rounds: 1,
      key,
    });
    expect(conversations.map((one) => one.task)).toEqual(tasks);
    for (const { task: of, utterances } of conversations) {
      expect(utterances.map(({ author, act: what }) => [author, what])).toEqual([
        ['agent', 'answer'],
        ['critic', 'critique'],
        ['agent', 'refinement'],
      ]);
      expect(utterances.map(wordsOf)).toEqual([
        wrong(of),
        criticism.critique(of, wrong(of), { advice: 'value' }),
        right(of),
      ]);
      expect(utterances.map(({ trajectory }) => trajectory.success)).toEqual([false, true, true]);
    }
    expect(critiqueMetrics(critiquedAnswers(conversations))).toMatchObject({
      accuracy: 0,
      refinedAccuracy: 1,
      incorrectToCorrect: 1,
      discrimination: 1,
      malformed: 0,
    });
    const by = (author?: string) => tokensOf(conversations, author);
    expect(by('agent') + by('critic')).toBe(by());
    expect(by('critic')).toBe(
      conversations
        .map(({ utterances: [, said] }) => said?.trajectory.turns[0]?.actionTokens.length ?? 0)
        .reduce((sum, n) => sum + n, 0),
    );
  });

  it('repeats for the given number of rounds; 0 rounds give only the answers', async () => {
    const all = { environment: chain, actor, critic, tasks, key };
    const twice = await refine({ ...all, rounds: 2 });
    for (const { task: of, utterances } of twice) {
      expect(utterances.map((one) => one.act)).toEqual([
        'answer',
        ...['critique', 'refinement', 'critique', 'refinement'],
      ]);
      // The second critique accepts the refined answer, which stays unchanged.
      expect(utterances.slice(3).map(wordsOf)).toEqual([
        criticism.critique(of, right(of), { advice: 'value' }),
        right(of),
      ]);
    }
    expect(critiquedAnswers(twice).slice(0, 2)).toEqual([
      { right: false, verdict: false, refined: true },
      { right: true, verdict: true, refined: true },
    ]);
    const plain = await refine({ ...all, rounds: 0 });
    expect(plain.map(({ utterances }) => utterances.length)).toEqual(tasks.map(() => 1));
  });

  it('adds a refinement after a malformed critique and leaves the answer unchanged', async () => {
    const mute = { name: 'critic', agent: scripted(chain, () => 'right wrong') };
    const [heard] = await refine({
      ...{ environment: chain, actor, critic: mute, rounds: 1, key },
      tasks: [task],
    });
    expect(heard?.utterances).toHaveLength(3);
    expect(critiquedAnswers(heard === undefined ? [] : [heard])).toEqual([
      { right: false, verdict: null, refined: false },
    ]);
  });

  it('never reuses random numbers, and samples a greedy agent only once per distinct task', async () => {
    const asked: string[] = [];
    const listening = (of: typeof actor, temperature: number, says: (one: Asked) => string) => ({
      ...of,
      agent: scripted(
        chain,
        (one) => {
          asked.push(`${of.name} ${one.iteration}/${one.episode}`);
          return says(one);
        },
        temperature,
      ),
    });
    const twice = [task, task];
    const talk = (temperature: number) =>
      refine({
        environment: chain,
        actor: listening(actor, temperature, actorSays),
        critic: listening(critic, temperature, criticSays),
        ...{ tasks: twice, rounds: 1, key },
      });
    await talk(1);
    expect(asked).toEqual([
      ...['agent 3/10', 'agent 3/11', 'critic 3/12', 'critic 3/13', 'agent 3/14', 'agent 3/15'],
    ]);
    asked.length = 0;
    const silent = await talk(0);
    expect(asked).toHaveLength(3);
    expect(silent).toHaveLength(2);
    expect(silent[1]).toEqual(silent[0]);
  });
});

describe('retry', () => {
  it('answers again without seeing the critique until the critic accepts the answer', async () => {
    const prompts: string[] = [];
    // The first task is answered incorrectly twice, the second correctly at once.
    const [often = '', once = ''] = tasks;
    const tried = new Map<string, number>();
    const answering = scripted(chain, ({ prompt }) => {
      prompts.push(prompt);
      const of = taskFor.get(prompt) ?? '';
      tried.set(of, (tried.get(of) ?? 0) + 1);
      return of === often && (tried.get(of) ?? 0) < 3 ? wrong(of) : right(of);
    });
    const chains = await retry({
      ...{ environment: chain, actor: { name: 'agent', agent: answering }, critic },
      ...{ tasks: [often, once], rounds: 5, key },
    });
    const acts = chains.map(({ utterances }) => utterances.map(({ act: of }) => of));
    expect(acts).toEqual([
      ['answer', 'critique', 'answer', 'critique', 'answer', 'critique'],
      ['answer', 'critique'],
    ]);
    expect(prompts).toEqual([often, once, often, often].map(question));
    const draws = chains.flatMap(({ utterances }) => utterances.map((u) => u.trajectory.episode));
    expect(new Set(draws).size).toBe(draws.length);
  });

  it('stops after the last round, and keeps an answer whose critique is malformed', async () => {
    const all = { environment: chain, actor, tasks: [task], key };
    const [stubborn] = await retry({ ...all, critic, rounds: 2 });
    expect(stubborn?.utterances.map(({ act: of }) => of)).toEqual([
      ...['answer', 'critique', 'answer', 'critique', 'answer'],
    ]);
    const mute = { name: 'critic', agent: scripted(chain, () => 'right wrong') };
    const [left] = await retry({ ...all, critic: mute, rounds: 2 });
    expect(left?.utterances).toHaveLength(2);
  });
});

describe('debate', () => {
  /** Answers with `first`, then repeats the first of the others' answers. */
  const voice = (name: string, first: (of: string) => string) => ({
    name,
    agent: scripted(chain, ({ prompt }) => {
      const { task: of, solution } = parts(prompt);
      if (solution === undefined) return first(of);
      return prompt.split(' Others: ')[1]?.replace(' Improve it.', '') ?? '';
    }),
  });
  const none = () => 0;

  it('returns the majority of the last round', async () => {
    const voices = [voice('a', right), voice('b', right), voice('c', wrong)];
    const all = { environment: chain, voices, tasks: [task], key, below: none };
    const [poll] = await debate({ ...all, rounds: 0 });
    expect(poll).toMatchObject({ majority: criticism.final(right(task)), right: true });
    expect(poll?.rounds).toHaveLength(1);
    // Each repeats the first answer it reads: a repeats b, b and c repeat a.
    const [after] = await debate({ ...all, rounds: 1 });
    expect(after?.rounds.map((round) => round.map(wordsOf))).toEqual([
      [right(task), right(task), wrong(task)],
      [right(task), right(task), right(task)],
    ]);
    expect(after?.rounds[1]?.map(({ author, act: what }) => [author, what])).toEqual([
      ['a', 'refinement'],
      ['b', 'refinement'],
      ['c', 'refinement'],
    ]);
  });

  it('breaks ties at random, and has no majority if no answer has a result', async () => {
    const voices = [voice('a', right), voice('b', wrong)];
    const poll = (place: number) =>
      debate({
        ...{ environment: chain, voices, tasks: [task], rounds: 0, key },
        below: (n) => Math.min(place, n - 1),
      });
    expect((await poll(0)).map((one) => one.right)).toEqual([true]);
    expect((await poll(1)).map((one) => one.right)).toEqual([false]);
    const [silence] = await debate({
      ...{ environment: chain, tasks: [task], rounds: 0, key, below: none },
      voices: [voice('a', () => '')],
    });
    expect(silence).toMatchObject({ majority: null, right: false });
    await expect(
      debate({ environment: chain, voices: [], tasks, rounds: 0, key, below: none }),
    ).rejects.toThrow(/at least one voice/);
  });
});
