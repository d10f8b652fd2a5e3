import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { EnvironmentOptionError } from '../options.ts';
import type { Environment } from '../types.ts';
import { corpusOf } from './corpus.ts';
import {
  EVAL_NUMBERS,
  rememberQuestions,
  type SearchQaState,
  trainNumbers,
} from './environment.ts';
import { searchqa } from './index.ts';
import * as names from './names.ts';
import { HOPS, type Hops, PASSAGE_LENGTHS } from './options.ts';

import { normalised, parseAction } from './text.ts';
import { factValue, thingNumber, world } from './world.ts';

type SearchQa = Environment<SearchQaState>;

/** The result of several actions in sequence. */
function play(environment: SearchQa, task: string, actions: readonly string[]) {
  let { state } = environment.reset(task);
  return actions.map((action) => {
    const after = environment.step(state, action);
    state = after.state;
    return after;
  });
}

const subjects = (hops: Hops, numbers: readonly number[]): string[] => {
  const questionOf = rememberQuestions(hops);
  return numbers.map((n) => questionOf(n).parts.find(({ role }) => role === 'subject')?.text ?? '');
};

describe('SearchQA data', () => {
  it('has no duplicate words within or across the name lists', () => {
    const words = Object.values(names).flatMap((list) => list.map((word) => word.toLowerCase()));
    expect(new Set(words).size).toBe(words.length);
    expect(names.GIVEN_NAMES).toHaveLength(60);
    expect(names.FAMILY_NAMES).toHaveLength(60);
    expect(names.PROFESSIONS.filter((word) => /^[aeiou]/.test(word))).toEqual([]);
  });

  it('has 2258 entities with distinct names', () => {
    expect(world()).toHaveLength(2258);
    expect(new Set(world().map(({ name }) => name)).size).toBe(2258);
  });

  it('holds out one person in nine, with the books and companies of that person', () => {
    const people = world().filter(({ kind }) => kind === 'person');
    expect(people.filter(({ split }) => split === 'eval')).toHaveLength(160);
    expect(people.filter(({ split }) => split === 'train')).toHaveLength(1280);
    for (const thing of world()) {
      const maker =
        thing.kind === 'book'
          ? factValue(thing, 'author')
          : thing.kind === 'company'
            ? factValue(thing, 'founder')
            : undefined;
      if (maker === undefined) continue;
      expect(thing.split).toBe(world()[thingNumber(maker) ?? -1]?.split);
    }
  });
});

describe('SearchQA passage', () => {
  it.each(PASSAGE_LENGTHS)(
    'ranks first in a search for its title, with passage length %s',
    (length) => {
      const corpus = corpusOf(length);
      const missed = world().filter(({ name }, i) => corpus.search(name, 1)[0] !== i);
      expect(missed).toEqual([]);
    },
  );

  it('states every fact about its subject, and has one more sentence in the long version', () => {
    for (const [i, thing] of world().entries()) {
      const short = corpusOf('short').passages[i]?.text ?? '';
      const long = corpusOf('long').passages[i]?.text ?? '';
      for (const { value } of thing.facts) expect(short).toContain(value);
      expect(long).toContain(short);
      expect(long.replace(short, '').trim()).toBe(thing.aside);
    }
  });
});

describe('SearchQA question set', () => {
  it('has disjoint subjects in training and evaluation, in any setting', () => {
    const train = new Set(HOPS.flatMap((hops) => subjects(hops, trainNumbers(hops))));
    const evaluation = new Set(HOPS.flatMap((hops) => subjects(hops, EVAL_NUMBERS)));
    expect([...evaluation].filter((name) => train.has(name))).toEqual([]);
  });

  it('has no training question that leads through a held-out person, book or company', () => {
    for (const hops of HOPS) {
      const questionOf = rememberQuestions(hops);
      for (const n of trainNumbers(hops)) {
        for (const { thing } of questionOf(n).hops) expect(world()[thing]?.split).not.toBe('eval');
      }
    }
  });

  it.each(HOPS)('has no duplicates and uses the configured number of hops: %s', (hops) => {
    const questionOf = rememberQuestions(hops);
    const all = [...trainNumbers(hops), ...EVAL_NUMBERS].map(questionOf);
    expect(new Set(all.map(({ text }) => text)).size).toBe(all.length);
    const lengths = all.map((question) => question.hops.length);
    const twos = lengths.filter((length) => length === 2).length;
    expect(twos).toBe({ single: 0, two: all.length, both: all.length / 2 }[hops]);
  });

  it('has answers that match the facts', () => {
    const questionOf = rememberQuestions('two');
    for (const n of EVAL_NUMBERS) {
      const { hops, answer } = questionOf(n);
      const [first, second] = hops;
      const subject = world()[first?.thing ?? -1];
      const bridge = world()[second?.thing ?? -1];
      if (first === undefined || second === undefined || !subject || !bridge) throw new Error();
      expect(factValue(subject, first.relation)).toBe(bridge.name);
      expect(factValue(bridge, second.relation)).toBe(answer);
    }
  });

  it('uses only lexemes from training in evaluation questions and answers', () => {
    const environment = searchqa.create();
    const tokenizer = new WordTokenizer(environment.lexicon);
    const questionOf = rememberQuestions('both');
    const seen = new Set<number>();
    for (const n of trainNumbers('both')) {
      for (const text of [questionOf(n).text, questionOf(n).answer]) {
        for (const id of tokenizer.encode(text)) seen.add(id);
      }
    }
    for (const n of EVAL_NUMBERS) {
      for (const text of [questionOf(n).text, questionOf(n).answer]) {
        for (const id of tokenizer.encode(text)) expect(seen.has(id), text).toBe(true);
      }
    }
  });
});

describe('SearchQA parser', () => {
  it('accepts a search or an answer in tags, optionally after a thought', () => {
    expect(parseAction('<search>Mara Olin</search>')).toEqual({
      type: 'search',
      query: 'Mara Olin',
    });
    expect(parseAction('<answer>Tarsk</answer>')).toEqual({ type: 'answer', answer: 'Tarsk' });
    for (const gap of ['', ' ', '\n']) {
      expect(parseAction(`<think>Why not?</think>${gap}<answer>Tarsk</answer>`)).toEqual({
        type: 'answer',
        answer: 'Tarsk',
      });
    }
  });

  it('rejects any other text', () => {
    for (const text of [
      'Mara Olin',
      '<search>Mara Olin',
      '<search>Mara Olin</answer>',
      '<Search>Mara Olin</Search>',
      '<search>a</search><search>b</search>',
      '<search>a</search> ',
      '<search>',
      '<search></searc',
      '</search>',
      '<think>Why not?</think>',
      '<think>Why not?<answer>Tarsk</answer>',
    ]) {
      expect(parseAction(text), text).toBeNull();
    }
  });

  it('truncates texts and replaces control characters and lone surrogates', () => {
    const action = parseAction(`<search>${'😀'.repeat(500_000)}</search>`);
    expect(action).toMatchObject({ query: '😀'.repeat(60) });
    expect(parseAction(`<search>x${'😀'.repeat(500_000)}</search>`)).toMatchObject({
      query: `x${'😀'.repeat(59)} `,
    });
    expect(parseAction('<answer>Tar\u0000sk\n\ud800</answer>')).toEqual({
      type: 'answer',
      answer: 'Tar sk  ',
    });
  });

  it('normalizes answers like SQuAD', () => {
    expect(normalised('  The  Tarsk!')).toBe('tarsk');
    expect(normalised('a an the')).toBe('');
    expect(normalised('Mara\tOLIN.')).toBe('mara olin');
    expect(normalised('theatre')).toBe('theatre');
    expect(normalised("o'neil-smith")).toBe('oneilsmith');
  });
});

describe('SearchQA episode', () => {
  const environment = searchqa.create({ documents: 1, hops: 'two' }) as SearchQa;
  const task = environment.trainTasks[0] ?? '';

  it('shows the found passages with their titles', () => {
    const { state, observation } = environment.reset(task);
    expect(observation).toBe('Which river flows through the town that Silke Quist was born in?');
    const [found] = play(environment, task, ['<search>Silke Quist</search>']);
    expect(found?.observation).toBe(
      '<information>Doc 1(Title: Silke Quist) Silke Quist was born in Zelmark and is a member of the Hawks. Quist is a tanner by profession.</information>',
    );
    expect(found).toMatchObject({ reward: 0, terminated: false, understood: true });
    expect(state).toEqual({ task: 0, turn: 0, searches: [], answers: [], solved: false });
  });

  it('shows as many distinct passages as configured', () => {
    for (const documents of [1, 2, 3, 4, 5]) {
      const several = searchqa.create({ documents }) as SearchQa;
      const [found] = play(several, task, ['<search>Silke Quist</search>']);
      const numbers = found?.state.searches[0]?.found ?? [];
      expect(new Set(numbers).size).toBe(documents);
      expect(found?.observation.match(/Doc \d/g)).toHaveLength(documents);
    }
  });

  it('accepts a query without matches, and reports that there are none', () => {
    for (const query of ['', 'the', 'Atlantis', '上へ移動', '<answer>', '__proto__']) {
      expect(play(environment, task, [`<search>${query}</search>`])[0]).toMatchObject({
        observation: '<information>No passage has these words.</information>',
        understood: true,
      });
    }
  });

  it('finds a passage by its content, regardless of case and punctuation', () => {
    const [found] = play(environment, task, ['<search>the mayor of  "ZELMARK"?</search>']);
    expect(found?.observation).toContain('Doc 1(Title: Zelmark)');
  });

  it('ends with reward 1 for the correct answer in any equivalent spelling', () => {
    for (const answer of ['Pelm', 'the pelm.']) {
      const [end] = play(environment, task, [`<answer>${answer}</answer>`]);
      expect(end).toMatchObject({
        reward: 1,
        terminated: true,
        observation: 'The answer is right.',
      });
      expect(environment.success(end?.state as SearchQaState)).toBe(true);
    }
  });

  it('ends after a wrong answer, unless retries are allowed', () => {
    const wrong = ['<answer>Drenn</answer>', '<answer></answer>'];
    expect(play(environment, task, wrong.slice(0, 1))[0]).toMatchObject({
      reward: 0,
      terminated: true,
      understood: true,
      observation: 'The answer is wrong.',
    });
    const retry = searchqa.create({ hops: 'two', wrong_answer: 'retry' }) as SearchQa;
    const steps = play(retry, task, [...wrong, '<answer>Pelm</answer>']);
    expect(steps.map(({ reward }) => reward)).toEqual([0, 0, 1]);
    expect(steps.map(({ terminated }) => terminated)).toEqual([false, false, true]);
    expect(steps[2]?.state.answers).toEqual(['Drenn', '', 'Pelm']);
  });

  it('ends after 10 turns and can be solved on the last one', () => {
    const idle = Array.from({ length: 9 }, () => 'dance');
    const steps = play(environment, task, [...idle, '<search>Silke Quist</search>']);
    expect(steps[8]).toMatchObject({
      observation: 'Invalid action. Only a search or an answer counts.',
      terminated: false,
      understood: false,
    });
    expect(steps[9]?.terminated).toBe(true);
    expect(steps[9]?.observation).toMatch(/<\/information> No turns are left\.$/);
    expect(play(environment, task, [...idle, '<answer>Pelm</answer>'])[9]).toMatchObject({
      reward: 1,
      observation: 'The answer is right.',
    });
  });

  it('keeps its state small for any text', () => {
    const hostile = fc.string({ unit: 'binary', minLength: 100, maxLength: 400 });
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 10, maxLength: 10 }), (texts) => {
        const actions = texts.map((text) => `<search>${text}</search>`);
        const state = play(environment, task, actions).at(-1)?.state;
        expect(JSON.stringify(state).length).toBeLessThan(10 * 1000);
      }),
      { numRuns: 5 },
    );
  });
});

describe('SearchQA expert', () => {
  // A search with more documents starts with the same ones, so 1 and 5 cover 2 to 4.
  const settings = HOPS.flatMap((hops) =>
    [1, 5].flatMap((documents) => PASSAGE_LENGTHS.map((passage) => ({ hops, documents, passage }))),
  );

  it.each(settings)('solves every task in the minimum number of turns with %o', (options) => {
    const environment = searchqa.create(options) as SearchQa;
    const questionOf = rememberQuestions(options.hops);
    for (const n of [...trainNumbers(options.hops), ...EVAL_NUMBERS]) {
      let { state } = environment.reset(`searchqa_${n}`);
      for (let terminated = false; !terminated; ) {
        const { action } = environment.expert(state);
        ({ state, terminated } = environment.step(state, action));
      }
      if (!state.solved || state.turn > questionOf(n).hops.length + 1) {
        throw new Error(`searchqa_${n} is not solved well: ${JSON.stringify(state)}`);
      }
    }
  });

  it('bases its thoughts on the name in the question, then on what passages say', () => {
    const environment = searchqa.create({ hops: 'two' }) as SearchQa;
    let { state } = environment.reset('searchqa_0');
    const demonstrations = [0, 1, 2].map(() => {
      const demonstration = environment.expert(state);
      ({ state } = environment.step(state, demonstration.action));
      return demonstration;
    });
    expect(demonstrations).toEqual([
      {
        thought: 'The question names Silke Quist. I search for Silke Quist.',
        action: '<search>Silke Quist</search>',
      },
      {
        thought: 'Silke Quist was born in Zelmark. I search for Zelmark.',
        action: '<search>Zelmark</search>',
      },
      {
        thought: 'The Pelm flows through Zelmark. I answer Pelm.',
        action: '<answer>Pelm</answer>',
      },
    ]);
  });

  it('uses passages found by searches other than its own', () => {
    const environment = searchqa.create({ hops: 'two', documents: 1 }) as SearchQa;
    const [aside] = play(environment, 'searchqa_0', ['<search>Zelmark</search>']);
    // It answers only from passages: it has read about the town, but not who was born there.
    expect(environment.expert(aside?.state as SearchQaState).action).toBe(
      '<search>Silke Quist</search>',
    );
    const both = play(environment, 'searchqa_0', [
      '<search>Zelmark</search>',
      '<search>Silke Quist</search>',
    ])[1];
    expect(environment.expert(both?.state as SearchQaState).action).toBe('<answer>Pelm</answer>');
  });

  it('solves the task from any state with enough turns left', () => {
    const environment = searchqa.create({ wrong_answer: 'retry' }) as SearchQa;
    const choices = fc.array(fc.nat(), { maxLength: 7 });
    fc.assert(
      fc.property(fc.constantFrom(...environment.evalTasks), choices, (task, strayed) => {
        let { state } = environment.reset(task);
        let terminated = false;
        for (const choice of strayed) {
          const actions = environment.admissibleActions(state);
          const action = actions[choice % actions.length] ?? '';
          ({ state, terminated } = environment.step(state, action));
          if (terminated) return;
        }
        while (!terminated) {
          const { action } = environment.expert(state);
          ({ state, terminated } = environment.step(state, action));
        }
        expect(state.solved).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('SearchQA', () => {
  it('keeps texts short enough for a small agent', () => {
    const environment = searchqa.create({ documents: 1 }) as SearchQa;
    const tokenizer = new WordTokenizer(environment.lexicon);
    expect(tokenizer.size).toBeLessThan(500);
    const length = (text: string) => tokenizer.encode(text).length;
    for (const task of environment.trainTasks) {
      const first = environment.reset(task);
      expect(length(first.observation)).toBeLessThanOrEqual(10);
      const { action } = environment.expert(first.state);
      expect(length(action)).toBeLessThanOrEqual(5);
      expect(length(environment.step(first.state, action).observation)).toBeLessThanOrEqual(35);
    }
  });

  it('offers at most 60 admissible actions', () => {
    const environment = searchqa.create({ documents: 5, wrong_answer: 'retry' }) as SearchQa;
    const choices = fc.array(fc.nat(), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(fc.constantFrom(...environment.trainTasks), choices, (task, picks) => {
        let { state } = environment.reset(task);
        for (const choice of picks) {
          const actions = environment.admissibleActions(state);
          expect(actions.length).toBeLessThanOrEqual(60);
          const after = environment.step(state, actions[choice % actions.length] ?? '');
          if (after.terminated) return;
          state = after.state;
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('SearchQA environment', () => {
  it('rejects invalid options with a message that states the valid values', () => {
    for (const [options, message] of [
      [{ hops: 'three' }, /hops must be one of single, two, both; it is three/],
      [{ documents: 6 }, /documents must be from 1 to 5 in steps of 1; it is 6/],
      [{ documents: 1.5 }, /documents must be from 1 to 5/],
      [{ passage: 'medium' }, /passage must be one of short, long/],
      [{ wrong_answer: 'maybe' }, /wrong_answer must be one of ends, retry/],
      [{ docs: 1 }, /has no option "docs"/],
    ] as const) {
      expect(() => searchqa.create(options)).toThrow(EnvironmentOptionError);
      expect(() => searchqa.create(options)).toThrow(message);
    }
  });

  it('has the same vocabulary for all options', () => {
    const { lexicon } = searchqa.create();
    expect(searchqa.create({ hops: 'single', documents: 5 }).lexicon).toEqual(lexicon);
    expect(searchqa.create({ passage: 'long' }).lexicon).toEqual(lexicon);
  });
});
