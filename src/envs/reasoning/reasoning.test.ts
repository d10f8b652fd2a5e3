/** Properties of every reasoning environment and problem. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thorough } from '../../../scripts/tier.mjs';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { adviceNames, type Criticism, faultKinds } from '../criticism.ts';
import type { Environment, EnvironmentOptions } from '../types.ts';
import { families } from './index.ts';

/** Options to test in addition to the defaults. */
const variants: Readonly<Record<string, EnvironmentOptions>> = {
  'reasoning/chain-v1': { prime: '23', steps: 8 },
  'reasoning/ledger-v1': { steps: 4, hard: 'off' },
  'reasoning/columns-v1': { steps: 8 },
};

interface Made {
  readonly name: string;
  readonly environment: Environment;
  readonly criticism: Criticism;
}

const made: readonly Made[] = families.flatMap((family) =>
  [{}, variants[family.id] ?? {}].map((options) => {
    const environment = family.create(options);
    const { criticism } = environment;
    if (criticism === undefined) throw new Error(`${family.id} has no criticism`);
    return { name: `${family.id} ${JSON.stringify(options)}`, environment, criticism };
  }),
);

const solved = ({ environment }: Made, task: string) =>
  environment.expert(environment.reset(task).state).action;

/** Random tasks, each with a solution that contains exactly one error. */
function flaws(one: Made) {
  const { environment, criticism } = one;
  return fc
    .record({
      task: fc.constantFrom(...environment.trainTasks, ...environment.evalTasks),
      place: fc.nat(20),
      kind: fc.constantFrom(...faultKinds),
      draws: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
        minLength: 3,
        maxLength: 3,
      }),
    })
    .map(({ task, place, kind, draws }) => {
      const right = solved(one, task);
      const { steps } = criticism.judge(task, right);
      const step = place % steps.length;
      let drawn = 0;
      const begun = criticism.flawed(task, step, kind, () => draws[drawn++ % 3] ?? 0);
      return { task, right, step, kind, begun };
    })
    .filter(({ begun }) => begun !== null)
    .map(({ begun, task, ...rest }) => ({
      ...rest,
      task,
      answer: criticism.finish(task, begun ?? ''),
    }));
}

const runs = { numRuns: thorough ? 300 : 100, seed: 5 };

describe.each(made)('$name', (one) => {
  const { environment, criticism } = one;
  const { trainTasks, evalTasks, lexicon } = environment;
  const tasks = fc.constantFrom(...trainTasks, ...evalTasks);

  it('judges every step of a correct solution as correct', () => {
    fc.assert(
      fc.property(tasks, (task) => {
        const { right, steps, firstWrong } = criticism.judge(task, solved(one, task));
        expect([right, firstWrong]).toEqual([true, null]);
        expect(steps.every(({ verdict }) => verdict === 'right')).toBe(true);
        // The steps and the answer.
        expect(steps).toHaveLength(criticism.level(task) + 2);
      }),
      runs,
    );
  });

  it('finds an inserted error and judges the lines after it as carried', () => {
    fc.assert(
      fc.property(flaws(one), ({ task, answer, step, kind }) => {
        const { right, steps, firstWrong } = criticism.judge(task, answer);
        expect(firstWrong).toBe(step);
        expect(steps[step]?.fault).toBe(kind);
        expect(steps.map(({ verdict }) => verdict)).toEqual(
          steps.map((_, i) => (i < step ? 'right' : i === step ? 'wrong' : 'carried')),
        );
        if (kind !== 'form') expect(right).toBe(false);
      }),
      runs,
    );
  });

  it('can produce every kind of error', () => {
    const kinds = fc.sample(flaws(one), { numRuns: 400, seed: 3 }).map(({ kind }) => kind);
    const possible = faultKinds.filter(
      (kind) => kind !== 'operation' || !environment.id.includes('columns'),
    );
    expect(new Set(kinds)).toEqual(new Set(possible));
  });

  it('parses the annotator’s critiques into the oracle’s judgments', () => {
    fc.assert(
      fc.property(flaws(one), ({ task, right, answer, step, kind }) => {
        const judged = criticism.judge(task, answer);
        const critique = criticism.critique(task, answer, { advice: 'value' });
        const read = criticism.read(critique);
        expect(read).toMatchObject({ right: judged.right, step, fault: kind });
        // The advised value corrects the step.
        expect(read?.value).not.toBe(null);
        const mended = criticism.refine(task, answer, critique.replace(/right$/, 'wrong'));
        expect(mended).toBe(right);
        const all = criticism.critique(task, right, { advice: 'value' });
        expect(criticism.read(all)).toEqual({ right: true, step: null, fault: null, value: null });
      }),
      runs,
    );
  });

  it('refines to the correct answer after a true critique with any advice, and keeps an answer that the critique accepts', () => {
    fc.assert(
      fc.property(
        flaws(one),
        fc.constantFrom(...adviceNames),
        ({ task, right, answer }, advice) => {
          const critique = criticism.critique(task, answer, { advice });
          const refined = criticism.refine(task, answer, critique);
          expect(refined).toBe(criticism.judge(task, answer).right ? answer : right);
          expect(criticism.refine(task, right, criticism.critique(task, right, { advice }))).toBe(
            right,
          );
        },
      ),
      runs,
    );
  });

  it('follows false advice to a wrong answer', () => {
    fc.assert(
      fc.property(
        flaws(one),
        fc.constantFrom(...criticism.values),
        ({ task, right, step }, value) => {
          fc.pre(step < criticism.judge(task, right).steps.length - 1);
          const critique = criticism.critique(task, right, { advice: 'value', step, value });
          expect(criticism.read(critique)).toMatchObject({ right: false, step, value });
          const torn = criticism.critique(task, right, {
            ...{ advice: 'value', step, value },
            verdict: true,
          });
          expect(criticism.read(torn)).toMatchObject({ right: true, step, value });
          expect(criticism.remarks(torn)).toHaveLength(step + 1);
          const refined = criticism.refine(task, right, critique);
          const { right: still, firstWrong } = criticism.judge(task, refined);
          if (refined === right) expect(still).toBe(true);
          else expect([still, firstWrong]).toEqual([false, step]);
        },
      ),
      runs,
    );
  });

  it('accepts a correct answer even if two errors cancel out', () => {
    const cancelled = fc
      .sample(flaws(one), { numRuns: 100, seed: 9 })
      .filter(({ kind, step, task }) => kind === 'result' && step < criticism.level(task));
    expect(cancelled.length).toBeGreaterThan(3);
    for (const { task, right, answer, step } of cancelled) {
      // The correct solution with one wrong line.
      const steps = criticism.judge(task, right).steps.map(({ text }) => text);
      const text = steps
        .with(step, criticism.judge(task, answer).steps[step]?.text ?? '')
        .join(' ');
      const judged = criticism.judge(task, text);
      expect([judged.right, judged.firstWrong]).toEqual([true, step]);
      expect(judged.steps.slice(step + 1).some(({ verdict }) => verdict === 'wrong')).toBe(true);
      expect(criticism.critique(task, text, { advice: 'value' })).toMatch(/ right$/);
      const { state } = environment.reset(task);
      expect(environment.step(state, text)).toMatchObject({ reward: 1, understood: true });
    }
  });

  it('judges any text, and finds a wrong step in every wrong answer', () => {
    const words = fc.array(fc.constantFrom(...lexicon, 'strange'), { maxLength: 40 });
    const texts = fc.oneof(
      words.map((list) => list.join(' ')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(tasks, texts, (task, text) => {
        const { right, firstWrong } = criticism.judge(task, text);
        expect(right || firstWrong !== null).toBe(true);
        const { state } = environment.reset(task);
        expect(environment.step(state, text).reward).toBe(right ? 1 : 0);
        const critique = criticism.critique(task, text, { advice: 'value' });
        if (firstWrong !== null) {
          expect(criticism.read(critique)).toMatchObject({ right, step: firstWrong });
        }
        criticism.finish(task, text);
        criticism.refine(task, text, critique);
      }),
      runs,
    );
  });

  it('writes parsable critiques within the maximum length for any text', () => {
    const words = fc.array(fc.constantFrom(...lexicon, ...criticism.lexicon, 'strange'), {
      maxLength: 40,
    });
    const spliced = fc
      .tuple(flaws(one), fc.nat(40), words)
      .map(([{ task, right, answer }, place, extra]) => {
        const base = place % 2 === 0 ? right : answer;
        const list = base.split(' ');
        const text = list.toSpliced(place % (list.length + 1), 0, ...extra).join(' ');
        return { task, text };
      });
    const trailing = fc
      .tuple(flaws(one), words)
      .map(([{ task, right }, extra]) => ({ task, text: [right, ...extra].join(' ') }));
    const any = fc
      .tuple(
        tasks,
        fc.oneof(
          words.map((list) => list.join(' ')),
          fc.string({ unit: 'binary' }),
        ),
      )
      .map(([task, text]) => ({ task, text }));
    const tokenizer = new WordTokenizer([...lexicon, ...criticism.lexicon]);
    fc.assert(
      fc.property(
        fc.oneof(any, spliced, trailing),
        fc.constantFrom(...adviceNames),
        fc.option(fc.nat(60)),
        fc.option(fc.constantFrom(...criticism.values)),
        ({ task, text }, advice, wrong, value) => {
          const { steps } = criticism.judge(task, text);
          const untrue = { step: wrong === null ? null : wrong % steps.length };
          for (const options of [{}, untrue, { ...untrue, ...(value === null ? {} : { value }) }]) {
            const critique = criticism.critique(task, text, { advice, ...options });
            expect(criticism.read(critique)).not.toBe(null);
            const tokens = tokenizer.encode(critique);
            expect(tokens).not.toContain(tokenizer.unk);
            expect(tokens.length + 1).toBeLessThanOrEqual(criticism.longest.critique);
          }
        },
      ),
      { ...runs, numRuns: thorough ? 3000 : 500 },
    );
  });

  it('treats an answer that is followed by more text as one malformed line', () => {
    const task = trainTasks[0] ?? '';
    const right = solved(one, task);
    const { steps } = criticism.judge(task, right);
    const judged = criticism.judge(task, `${right} s1`);
    expect(judged.steps).toHaveLength(steps.length);
    expect(judged).toMatchObject({ right: false, firstWrong: steps.length - 1 });
    expect(judged.steps.at(-1)).toMatchObject({ verdict: 'wrong', fault: 'form' });
  });

  it('parses only valid critiques', () => {
    const words = fc.array(fc.constantFrom(...lexicon, ...criticism.lexicon), { maxLength: 30 });
    const word = /(^| )(right|wrong)( |$)/g;
    fc.assert(
      fc.property(words, (list) => {
        const text = list.join(' ');
        const read = criticism.read(text);
        if (read === null) return;
        expect(text.replaceAll(' ', '  ').match(word)).toHaveLength(1);
        expect(text.endsWith(read.right ? 'right' : 'wrong')).toBe(true);
      }),
      { ...runs, numRuns: thorough ? 3000 : 1000 },
    );
    for (const text of ['right wrong', 'wrong right', 'right right', '', ' ', 'right ']) {
      expect(criticism.read(text)).toBe(null);
    }
  });

  it('states the exact maximum lengths of texts, with one token per lexeme', () => {
    const tokenizer = new WordTokenizer([...lexicon, ...criticism.lexicon]);
    const length = (text: string) => {
      const tokens = tokenizer.encode(text);
      expect(tokens).not.toContain(tokenizer.unk);
      expect(tokenizer.decode(tokens)).toBe(text);
      return tokens.length;
    };
    const longest = { question: 0, answer: 0, critique: 0 };
    const note = (what: keyof typeof longest, tokens: number) => {
      longest[what] = Math.max(longest[what], tokens);
    };
    for (const task of evalTasks) {
      const right = solved(one, task);
      note('question', length(environment.reset(task).observation));
      note('answer', length(right) + 1);
      note('critique', length(criticism.critique(task, right, { advice: 'value' })) + 1);
      const last = criticism.judge(task, right).steps.length - 1;
      const spoilt = criticism.flawed(task, last, 'answer', () => 0.3) ?? '';
      note('critique', length(criticism.critique(task, spoilt, { advice: 'value' })) + 1);
    }
    expect(longest).toEqual(criticism.longest);
    expect(new Set([...lexicon, ...criticism.lexicon]).size).toBe(
      lexicon.length + criticism.lexicon.length,
    );
  });

  it('fits a conversation into a context of 256 tokens with default options', () => {
    if (!one.name.endsWith('{}')) return;
    const { question, answer, critique } = criticism.longest;
    expect(answer).toBeLessThanOrEqual(64);
    expect(critique).toBeLessThanOrEqual(140);
    expect(question + 2 * answer + critique).toBeLessThan(250);
  });

  it('has withheld steps in training and evaluation tasks, but not in tasks that the expert shows', () => {
    const shown = environment.shownTasks ?? trainTasks;
    const withheld = (list: readonly string[]) =>
      list.filter((task) => criticism.withheld(task).length > 0).length;
    expect(withheld(shown)).toBe(0);
    if (environment.shownTasks === undefined) return;
    expect(shown.length).toBe(trainTasks.length / 2);
    expect(withheld(trainTasks)).toBeGreaterThan(500);
    expect(withheld(evalTasks)).toBeGreaterThan(50);
  });
});
