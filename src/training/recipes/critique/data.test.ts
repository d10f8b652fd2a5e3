import { describe, expect, it } from 'vitest';
import { isCriticizable } from '../../../agents/modes/prompts.ts';
import { scripted } from '../../../agents/modes/testing/scripted.ts';
import { refinementWorld } from '../../../agents/modes/worlds.ts';
import { parseConfig } from '../../../config/check.ts';
import type { ConfigInput } from '../../../config/schema.ts';
import type { Advice } from '../../../envs/criticism.ts';
import { createEnvironment, loadEnvironments } from '../../../envs/registry.ts';
import { collectCritiques } from '../../critique-data/collect.ts';
import { collectionSettings } from '../../critique-data/settings.ts';
import { splitSeed } from '../../random.ts';
import { balancedDiscrimination, refinementTasks } from './data.ts';

await loadEnvironments(['reasoning/chain-v1']);
const chain = createEnvironment('reasoning/chain-v1');
if (!isCriticizable(chain)) throw new Error('chains can be criticized');
const { criticism } = chain;

interface Row {
  readonly task: string;
  readonly answer: string;
  readonly critique: string;
}
const settings = (critique: ConfigInput['critique']) => parseConfig({ critique });
const rowsOf = (tasks: readonly string[]): Row[] => tasks.map((task) => JSON.parse(task));
const refinements = (critique: ConfigInput['critique']) =>
  rowsOf(
    refinementTasks(settings({ refinements: 200, ...critique }), chain, splitSeed(1).criticism),
  );
const refined = ({ task, answer, critique }: Row) => criticism.refine(task, answer, critique);
const judged = ({ task }: Row, answer: string) => criticism.judge(task, answer);

describe("the actor's refinement data", () => {
  it('keeps a share of the answers and follows the critique in the others', () => {
    const rows = refinements({ right_originals: 0.25 });
    expect(rows).toHaveLength(200);
    const kept = rows.filter((row) => criticism.read(row.critique)?.right === true);
    expect(kept).toHaveLength(50);
    for (const row of kept) expect(refined(row)).toBe(row.answer);
    for (const row of rows) {
      const { observation } = refinementWorld(chain).reset(JSON.stringify(row));
      expect(observation).toContain(row.critique);
      expect(criticism.read(row.critique)).not.toBeNull();
    }
    const levels = [1, 2, 3, 4, 5].map(
      (level) => rows.filter(({ task }) => criticism.level(task) === level).length,
    );
    expect(levels).toEqual([40, 40, 40, 40, 40]);
  });

  it('reveals withheld values only by chance', () => {
    const seen = { right: 0, all: 0 };
    for (const row of refinements({ refinements: 1000 })) {
      const { steps } = judged(row, refined(row));
      for (const step of criticism.withheld(row.task)) {
        seen.all++;
        // The value is random, whether advised or copied; one in 11 is correct.
        seen.right += Number(steps[step]?.fault !== 'result');
      }
    }
    expect(seen.all).toBeGreaterThan(300);
    expect(seen.right / seen.all).toBeLessThan(0.2);
  });

  it('uses the advised value, correct or not, at the configured rate', () => {
    const rightShare = (arbitrary_advice: number) => {
      const own = refinements({ right_originals: 0, arbitrary_advice }).filter(
        ({ task }) => criticism.withheld(task).length === 0,
      );
      for (const row of own) {
        const { step, value } = criticism.read(row.critique) ?? {};
        const line = criticism.upTo(refined(row), (step ?? 0) + 1);
        expect(line.endsWith(` ${value}`)).toBe(true);
      }
      return own.filter((row) => judged(row, refined(row)).right).length / own.length;
    };
    expect(rightShare(0)).toBe(1);
    expect(rightShare(1)).toBeLessThan(0.3);
  });

  it('contains no random values if no value is advised', () => {
    for (const advice of ['place', 'type', 'verdict'] satisfies Advice[]) {
      const rows = refinements({ advice, arbitrary_advice: 0 });
      expect(rows.every(({ task }) => criticism.withheld(task).length === 0)).toBe(true);
      expect(rows.every((row) => judged(row, refined(row)).right)).toBe(true);
    }
  });
});

const right = (of: string) => chain.expert(chain.reset(of).state).action;
const byQuestion = new Map(chain.trainTasks.map((task) => [chain.reset(task).observation, task]));

describe("the critic's training data", () => {
  const answers = async (
    critiques: number,
    right_answers: number,
    rightly: (episode: number) => boolean,
  ): Promise<readonly Row[]> => {
    const { critique } = settings({ critiques, right_answers });
    const { items } = await collectCritiques(
      { ...collectionSettings(critique), distinct: false, effort: 3 },
      chain,
      scripted(chain, ({ prompt, episode }) =>
        rightly(episode) ? right(byQuestion.get(prompt) ?? '') : 'answer',
      ),
      splitSeed(1).criticism,
    );
    return items;
  };

  it('contains the requested share of correct answers if both kinds are available', async () => {
    const share = (rows: readonly Row[]) =>
      rows.filter((row) => judged(row, row.answer).right).length;
    const half = await answers(60, 0.5, (episode) => episode % 4 !== 0);
    expect([half.length, share(half)]).toEqual([60, 30]);
    expect(await answers(20, 0.5, () => true)).toHaveLength(20);
    const none = await answers(20, 0.5, () => false);
    expect([none.length, share(none)]).toEqual([20, 0]);
    expect(await answers(0, 0.5, () => true)).toEqual([]);
  });
});

describe('critic discrimination', () => {
  it('weights correct and wrong answers equally and counts malformed verdicts as wrong', async () => {
    const { critique } = settings({ critiques: 40, right_answers: 0.75 });
    const { items } = await collectCritiques(
      { ...collectionSettings(critique), distinct: false, effort: 3 },
      chain,
      scripted(chain, ({ prompt, episode }) =>
        episode % 2 === 0 ? right(byQuestion.get(prompt) ?? '') : 'answer',
      ),
      splitSeed(1).criticism,
    );
    expect(items.filter(({ right }) => right)).toHaveLength(30);
    const toldBy = (say: (task: string, answer: string) => string) =>
      balancedDiscrimination(
        settings({}),
        chain,
        scripted(chain, ({ prompt }) => {
          const item = items.find(
            ({ task, answer }) =>
              prompt.includes(chain.reset(task).observation) && prompt.includes(answer),
          );
          return say(item?.task ?? '', item?.answer ?? '');
        }),
        items,
      );
    const called = (task: string, answer: string, step: number | null) =>
      criticism.critique(task, answer, { advice: 'value', step });
    expect(
      await toldBy((task, answer) => criticism.critique(task, answer, { advice: 'value' })),
    ).toBe(1);
    // A constant verdict scores one half, even if one kind is more common.
    expect(await toldBy((task, answer) => called(task, answer, null))).toBe(0.5);
    expect(await toldBy(() => 'answer')).toBe(0);
  });
});
