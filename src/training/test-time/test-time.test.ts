import { describe, expect, it } from 'vitest';
import { isCriticizable } from '../../agents/modes/prompts.ts';
import { type Asked, scripted } from '../../agents/modes/testing/scripted.ts';
import { play } from '../../agents/play.ts';
import { agentTokens } from '../../agents/trajectory.ts';
import { parseConfig } from '../../config/check.ts';
import { createEnvironment, loadEnvironments } from '../../envs/registry.ts';
import type { Hearing } from '../recipes/critique/play.ts';
import { drawCurves } from './curves.ts';
import { drawSamples } from './draw.ts';

await loadEnvironments(['reasoning/chain-v1']);
const chain = createEnvironment('reasoning/chain-v1');
if (!isCriticizable(chain)) throw new Error('chains can be criticized');
const environment = chain;
const { criticism } = environment;
const tasks = environment.evalTasks.slice(0, 2);
const question = (of: string) => environment.reset(of).observation;
const taskFor = new Map(tasks.map((one) => [question(one), one]));
const right = (of: string) => environment.expert(environment.reset(of).state).action;

function wrong(of: string): string {
  const begun = criticism.flawed(of, 0, 'result', () => 0);
  if (begun === null) throw new Error('the first step can be wrong');
  return criticism.finish(of, begun);
}

/** Tokens of a text with its end token. */
const length = (text: string) => text.split(' ').length + 1;

/** The actor cycles through first answers to each task; after a critique it follows the critic. */
function hearing(first: (of: string, time: number) => string): Hearing {
  const times = new Map<string, number>();
  const actor = ({ prompt }: Asked) => {
    const [asked = '', rest] = prompt.split(' Solution: ');
    const of = taskFor.get(asked) ?? '';
    if (rest === undefined) {
      times.set(of, (times.get(of) ?? 0) + 1);
      return first(of, times.get(of) ?? 0);
    }
    if (rest.includes('Others:')) return right(of);
    const [solution = '', critique = ''] = rest.replace(' Improve it.', '').split(' Critique: ');
    return criticism.refine(of, solution, critique);
  };
  const critic = ({ prompt }: Asked) => {
    const [asked = '', rest = ''] = prompt.split(' Solution: ');
    const of = taskFor.get(asked) ?? '';
    return criticism.critique(of, rest.replace(' Criticise it.', ''), { advice: 'value' });
  };
  return {
    config: parseConfig({
      recipe: 'critique',
      env: { id: 'reasoning/chain-v1' },
      agent: { context_length: 176, max_action_tokens: 40 },
      critique: { refinement_temperature: 1 },
    }),
    environment,
    actor: scripted(environment, actor),
    critic: scripted(environment, critic),
    iteration: 0,
  };
}

/** Wrong in the first of every three answers. */
const oftenRight = (of: string, time: number) => (time % 3 === 1 ? wrong(of) : right(of));

describe('drawSamples', () => {
  it('returns the requested number of answers per task, with their tokens', async () => {
    const drawn = await drawSamples(hearing(oftenRight), {
      ...{ plan: { how: 'answers', samples: 3 }, tasks },
    });
    expect(drawn.map(({ samples }) => samples.map((sample) => sample.right))).toEqual([
      [false, true, true],
      [false, true, true],
    ]);
    const [task = ''] = tasks;
    expect(drawn[0]?.samples[0]).toEqual({
      ...{ answer: criticism.final(wrong(task)), right: false, tokens: length(wrong(task)) },
    });
    const [played] = await play(
      scripted(environment, () => right(task)),
      environment,
      [{ task, horizon: 1 }],
    );
    expect(drawn[0]?.samples[1]?.tokens).toBe(played === undefined ? 0 : agentTokens(played));
  });

  it('counts tokens of answer, critique and refinement in a chain', async () => {
    const drawn = await drawSamples(hearing(oftenRight), {
      ...{ plan: { how: 'chains', samples: 3 }, tasks },
    });
    expect(drawn.flatMap(({ samples }) => samples.map((sample) => sample.right))).toEqual(
      new Array(6).fill(true),
    );
    const [task = ''] = tasks;
    const critique = criticism.critique(task, wrong(task), { advice: 'value' });
    const whole = length(wrong(task)) + length(critique) + length(right(task));
    expect(drawn[0]?.samples[0]?.tokens).toBe(whole);
  });

  it('returns the refined answer of each round, with the tokens that the round added', async () => {
    const [one] = await drawSamples(hearing(oftenRight), {
      ...{ plan: { how: 'rounds', samples: 3 }, tasks },
    });
    const [task = ''] = tasks;
    const says = (answer: string) => criticism.critique(task, answer, { advice: 'value' });
    expect(one?.samples.map((sample) => [sample.right, sample.tokens])).toEqual([
      [false, length(wrong(task))],
      [true, length(says(wrong(task))) + length(right(task))],
      [true, length(says(right(task))) + length(right(task))],
    ]);
  });

  it("keeps an answer once the critic accepts it, adding only the critique's tokens", async () => {
    const [one] = await drawSamples(hearing(oftenRight), {
      ...{ plan: { how: 'retries', samples: 5 }, tasks },
    });
    const [task = ''] = tasks;
    const says = (answer: string) => criticism.critique(task, answer, { advice: 'value' });
    expect(one?.samples.map((sample) => [sample.right, sample.tokens])).toEqual([
      [false, length(wrong(task))],
      [true, length(says(wrong(task))) + length(right(task))],
      [true, length(says(right(task)))],
      ...[
        [true, 0],
        [true, 0],
      ],
    ]);
  });

  it('counts tokens of every round in a debate', async () => {
    const [one] = await drawSamples(hearing(wrong), {
      ...{ plan: { how: 'debate', samples: 2, rounds: 1 }, tasks },
    });
    const [task = ''] = tasks;
    const whole = length(wrong(task)) + length(right(task));
    expect(one?.samples).toEqual(
      new Array(2).fill({ answer: criticism.final(right(task)), right: true, tokens: whole }),
    );
  });
});

describe('drawCurves', () => {
  it('makes one curve per draw, over the requested number of evaluation tasks', async () => {
    const curves = await drawCurves(hearing(oftenRight), {
      tasks: 2,
      draws: [
        { how: 'answers', samples: 3 },
        { how: 'rounds', samples: 2 },
        { how: 'debate', samples: 2, rounds: 1 },
      ],
    });
    expect(curves.map(({ how, points }) => [how, points.map((at) => at.samples)])).toEqual([
      ['answers', [1, 2, 3]],
      ['rounds', [1, 2]],
      ['debate', [2]],
    ]);
    const [answers, rounds] = curves;
    // Two of three answers are correct. With one sample the mean is 2/3; of the three pairs, one is
    // correct and two are ties; with three samples the majority is correct.
    for (const [i, mean] of [2 / 3, 2 / 3, 1].entries()) {
      expect(answers?.points[i]?.majority.mean).toBeCloseTo(mean, 12);
    }
    // The fourth answer to a task is wrong again; its refinement is correct.
    expect(rounds?.points.map(({ last }) => last?.mean)).toEqual([0, 1]);
  });
});
