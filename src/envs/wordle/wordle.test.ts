import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EnvironmentOptionError } from '../options.ts';
import { EpisodeOverError, UnknownTaskError } from '../types.ts';
import { createWordle } from './environment.ts';
import { createExpert } from './expert.ts';
import { ALL_GREEN, patternTexts, realFeedback, simpleFeedback } from './feedback.ts';
import { createGame, INVALID, type WordleGame, type WordleState } from './game.ts';
import { wordleSettings } from './options.ts';
import { wordsFault } from './own-words.ts';
import { drawTasks } from './tasks.ts';
import { spell } from './text.ts';
import { wordLists } from './words.ts';

/** Few different letters, so that many occur several times. */
const anyWord = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'e'),
  minLength: 5,
  maxLength: 5,
});

const count = (text: string, letter: string): number => text.split(letter).length - 1;

describe('Wordle feedback', () => {
  it.each([
    ['shire', 'hairy', 'b y g g b'],
    ['paper', 'apple', 'y y g y b'],
    // One e is in place and is used up before the one on the left is considered.
    ['level', 'wheel', 'b y b g g'],
    ['eerie', 'green', 'y y y b b'],
    ['speed', 'abide', 'b b y b y'],
    ['allow', 'llama', 'y g y b b'],
    ['crane', 'crane', 'g g g g g'],
    ['jumpy', 'crane', 'b b b b b'],
  ])(
    'marks the guess %s for the hidden word %s as %s under Wordle’s own rule',
    (guess, hidden, text) => {
      expect(patternTexts[realFeedback(guess, hidden)]).toBe(text);
    },
  );

  it.each([
    ['shire', 'hairy', 'b y g g b'],
    ['eerie', 'green', 'y y y b y'],
    ['level', 'wheel', 'y y b g g'],
    ['sales', 'saleb', 'g g g g y'],
  ])(
    'marks the guess %s for the hidden word %s as %s under LMRL-Gym’s rule',
    (guess, hidden, text) => {
      expect(patternTexts[simpleFeedback(guess, hidden)]).toBe(text);
    },
  );

  it('marks each letter as often as both words contain it, green first, then from left to right', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (guess, hidden) => {
        const marks = (patternTexts[realFeedback(guess, hidden)] ?? '').split(' ');
        for (const [i, letter] of [...guess].entries()) {
          expect(marks[i] === 'g').toBe(letter === hidden[i]);
          const places = [...guess].flatMap((other, j) => (other === letter ? [j] : []));
          const found = places.filter((j) => marks[j] !== 'b').length;
          expect(found).toBe(Math.min(count(guess, letter), count(hidden, letter)));
          const rest = places.map((j) => marks[j]).filter((mark) => mark !== 'g');
          expect(rest.join('')).toMatch(/^y*b*$/);
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('marks every copy of a letter that the hidden word contains, under LMRL-Gym’s rule', () => {
    fc.assert(
      fc.property(anyWord, anyWord, (guess, hidden) => {
        const marks = (patternTexts[simpleFeedback(guess, hidden)] ?? '').split(' ');
        for (const [i, letter] of [...guess].entries()) {
          const elsewhere = hidden.includes(letter) ? 'y' : 'b';
          expect(marks[i]).toBe(letter === hidden[i] ? 'g' : elsewhere);
        }
      }),
      { seed: 2, numRuns: 500 },
    );
  });
});

describe('word list', () => {
  it('contains distinct five-letter words and starts with the next shorter list', () => {
    const { small, medium, large } = wordLists;
    expect([small.length, medium.length, large.length]).toEqual([32, 350, 1617]);
    expect(new Set(large).size).toBe(large.length);
    for (const word of large) expect(word).toMatch(/^[a-z]{5}$/);
    expect(large.slice(0, medium.length)).toEqual(medium);
    expect(medium.slice(0, small.length)).toEqual(small);
  });

  it('can be supplied by the user', () => {
    const words = 'Crane, shire\thairy\r\n\r\nfairy,dairy';
    const own = createWordle({ words: `${words} night light fight crane`, openings: 0 });
    expect(own.admissibleActions(own.reset('wordle_0').state)).toEqual(
      ['crane', 'shire', 'hairy', 'fairy', 'dairy', 'night', 'light', 'fight'].map(spell),
    );
  });

  it.each([
    ['crane shire\ncolour', 'line 2 has "colour"'],
    ['crane\r\nshire\r\n\r\nna\u00efve', 'line 4 has "na\u00efve"'],
    ['crane, shi-e', 'line 1 has "shi-e"'],
    ['crane shire crane hairy', 'from 8 to 2500 different words, but has 3'],
    [' \n ', 'but has 0'],
  ])('rejects %j', (words, message) => {
    expect(wordsFault(words)).toContain(message);
    expect(() => createWordle({ words })).toThrow(EnvironmentOptionError);
    expect(() => createWordle({ words })).toThrow(message);
  });

  it('rejects more than 2500 words, and a word of a million characters', () => {
    expect(wordsFault('x'.repeat(1_000_000))).toContain('line 1 has "xxxxxxxxxxxxxxxxxxxx…"');
    const many = Array.from({ length: 2501 }, (_, i) =>
      [0, 1, 2, 3, 4].map((k) => 'abcdefgh'.charAt((i >> (3 * k)) & 7)).join(''),
    );
    expect(wordsFault(many.join(' '))).toContain('but has 2501');
    expect(wordsFault(many.slice(1).join(' '))).toBe(null);
  });
});

describe('Wordle task set', () => {
  const key = ({ hidden, openings }: { hidden: number; openings: readonly number[] }) =>
    [hidden, ...openings].join(' ');

  it.each([
    [8, 0, 7, 1],
    [32, 0, 26, 6],
    [350, 0, 280, 70],
    [1617, 0, 1024, 128],
    [8, 1, 45, 11],
    [32, 1, 864, 128],
    [8, 3, 224, 56],
    [32, 3, 1024, 128],
    [350, 1, 1024, 128],
  ])(
    'turns %i words with %i openings into %i training and %i evaluation tasks, all distinct',
    (words, openings, a, b) => {
      const { train, evaluation } = drawTasks(words, openings);
      expect([train.length, evaluation.length]).toEqual([a, b]);
      expect(new Set([...train, ...evaluation].map(key)).size).toBe(a + b);
      for (const task of [...train, ...evaluation]) {
        expect(task.openings).toHaveLength(openings);
        expect(task.openings).not.toContain(task.hidden);
        expect([...new Set(task.openings)].sort((x, y) => x - y)).toEqual(task.openings);
        expect(task.hidden).toBeLessThan(words);
      }
    },
  );

  it('hides no word in both splits if there are no openings', () => {
    const { train, evaluation } = drawTasks(350, 0);
    const hidden = new Set(train.map((task) => task.hidden));
    expect(evaluation.filter((task) => hidden.has(task.hidden))).toEqual([]);
  });

  it('hides all words about equally often', () => {
    const { train, evaluation } = drawTasks(350, 2);
    const times = new Array<number>(350).fill(0);
    for (const { hidden } of [...train, ...evaluation]) times[hidden] = (times[hidden] ?? 0) + 1;
    expect([Math.min(...times), Math.max(...times)]).toEqual([3, 4]);
  });

  it('has ids from 0 for training and from 100000 for evaluation, and no others', () => {
    const wordle = createWordle();
    expect([wordle.trainTasks.at(0), wordle.trainTasks.at(-1)]).toEqual(['wordle_0', 'wordle_863']);
    expect([wordle.evalTasks.at(0), wordle.evalTasks.at(-1)]).toEqual([
      'wordle_100000',
      'wordle_100127',
    ]);
    for (const id of ['wordle_864', 'wordle_99999', 'wordle_100128', 'wordle_-1', 'wordle_00']) {
      expect(() => wordle.reset(id)).toThrow(UnknownTaskError);
    }
  });
});

/** A game that hides `hairy` after the opening `shire`. */
function hairy(options: Record<string, string | number> = {}) {
  const words = 'shire hairy crane fairy dairy night light fight';
  const wordle = createWordle({ words, ...options });
  const task = [...wordle.trainTasks, ...wordle.evalTasks].find((id) => {
    const { state, observation } = wordle.reset(id);
    return observation.includes('guess: s h i r e') && wordle.step(state, 'h a i r y').reward === 1;
  });
  return { wordle, ...wordle.reset(task ?? '') };
}

describe('Wordle game', () => {
  it('shows the openings and replies with marks', () => {
    const { wordle, state, observation } = hairy();
    expect(observation).toBe(
      'You have six guesses at a hidden word of five letters. guess: s h i r e feedback: b y g g b',
    );
    const after = wordle.step(state, 'f a i r y');
    expect(after).toMatchObject({
      observation: 'b g g g g',
      reward: 0,
      terminated: false,
      understood: true,
    });
    const end = wordle.step(after.state, 'h a i r y');
    expect(end).toMatchObject({
      observation: 'g g g g g',
      reward: 1,
      terminated: true,
      understood: true,
    });
    expect(wordle.success(end.state)).toBe(true);
    expect(wordle.admissibleActions(end.state)).toEqual([]);
    expect(() => wordle.step(end.state, 'h a i r y')).toThrow(EpisodeOverError);
    expect(() => wordle.expert(end.state)).toThrow(EpisodeOverError);
  });

  it('lists the words if configured', () => {
    expect(hairy({ shown: 'all' }).observation).toBe(
      'You have six guesses at a hidden word of five letters. The words: s h i r e, h a i r y, c r a n e, f a i r y, d a i r y, n i g h t, l i g h t, f i g h t. guess: s h i r e feedback: b y g g b',
    );
  });

  it('charges one turn for an invalid guess', () => {
    const { wordle, state } = hairy();
    for (const text of ['hairy', 'H A I R Y', 'h a i r', 's t o n e', 'h a i r y ', '1 2 3 4 5']) {
      const after = wordle.step(state, text);
      expect(after).toMatchObject({
        observation: 'invalid word',
        reward: 0,
        terminated: false,
        understood: false,
      });
      expect(after.state).toEqual({ ...state, guesses: [INVALID], patterns: [INVALID] });
      expect(wordle.expert(after.state)).toEqual(wordle.expert(state));
    }
  });

  it('is lost after six turns, including invalid ones, and can be won on the sixth', () => {
    const { wordle, state } = hairy();
    const texts = ['f a i r y', 'x', 'f a i r y', 'x', 'd a i r y'];
    let last = state;
    for (const text of texts) {
      const after = wordle.step(last, text);
      expect(after.terminated).toBe(false);
      last = after.state;
    }
    const lost = wordle.step(last, 'n i g h t');
    expect(lost).toMatchObject({ observation: 'b y b y b', reward: 0 });
    expect(lost.terminated).toBe(true);
    expect(wordle.success(lost.state)).toBe(false);
    expect(() => wordle.expert(lost.state)).toThrow(EpisodeOverError);
    expect(wordle.step(last, 'x').terminated).toBe(true);
    expect(wordle.step(last, 'h a i r y')).toMatchObject({ reward: 1, terminated: true });
  });

  it('stores no part of a hostile text', () => {
    const { wordle, state } = hairy();
    for (const text of ['h a i r y'.repeat(100_000), '__proto__', '\ud800 \u0000', 'ж а и р ы']) {
      const after = wordle.step(state, text);
      expect(after.observation).toBe('invalid word');
      expect(JSON.stringify(after.state).length).toBeLessThan(60);
    }
  });

  it('has the same observations with either spelling', () => {
    const words = createWordle({ openings: 2 });
    const letters = createWordle({ openings: 2, spelling: 'letters' });
    for (const task of words.evalTasks) {
      expect(letters.reset(task)).toEqual(words.reset(task));
    }
    expect(words.lexicon).toContain('a p p l e');
    expect(words.lexicon).toContain('b y g g b');
    expect(words.lexicon).not.toContain('a');
    expect(words.lexicon).not.toContain('g g y g g');
    expect(letters.lexicon).toHaveLength(26 + 4);
    expect(createWordle({ feedback: 'original' }).lexicon).toContain('g g y g g');
  });
});

/** Plays arbitrary words and returns every state on the way, including the last. */
function wander(
  game: WordleGame,
  wordle: ReturnType<typeof createWordle>,
  task: string,
  n: number,
) {
  const states: WordleState[] = [wordle.reset(task).state];
  for (let turn = 0, terminated = false; turn < 6 && !terminated; turn++) {
    const guess = game.words[(n * (turn + 3) + 7 * turn) % game.words.length] ?? '';
    const after = wordle.step(
      states.at(-1) ?? { task: 0, guesses: [], patterns: [] },
      spell(guess),
    );
    states.push(after.state);
    terminated = after.terminated;
  }
  return states;
}

describe('WordleGame', () => {
  it.each(['fixed', 'original'] as const)(
    'keeps exactly the words that agree with every mark, with %s feedback',
    (feedback) => {
      const options = { list: 'medium', openings: 2, feedback };
      const wordle = createWordle(options);
      const game = createGame(wordleSettings(options));
      const rule = feedback === 'fixed' ? realFeedback : simpleFeedback;
      fc.assert(
        fc.property(fc.constantFrom(...wordle.trainTasks), fc.nat({ max: 10_000 }), (task, n) => {
          for (const state of wander(game, wordle, task, n)) {
            const { hidden, openings } = game.taskOf(state.task);
            const hints = [
              ...openings.map((opening) => {
                const text = game.words[opening] ?? '';
                return [text, rule(text, game.words[hidden] ?? '')] as const;
              }),
              ...state.guesses.map(
                (guess, turn) => [game.words[guess] ?? '', state.patterns[turn] ?? 0] as const,
              ),
            ];
            const left = game.words.filter((word) =>
              hints.every(([guess, pattern]) => rule(guess, word) === pattern),
            );
            expect(game.consistent(state).map((word) => game.words[word])).toEqual(left);
            expect(left).toContain(game.words[game.hidden(state)]);
          }
        }),
        { seed: 3, numRuns: 60 },
      );
    },
  );

  it('changes the hidden word during a game only with original feedback', () => {
    const hiddenWords = (feedback: 'fixed' | 'original') => {
      const options = { list: 'large', openings: 0, feedback };
      const wordle = createWordle(options);
      const game = createGame(wordleSettings(options));
      const states = wander(game, wordle, 'wordle_4', 11);
      return new Set(states.map((state) => game.hidden(state))).size;
    };
    expect(hiddenWords('fixed')).toBe(1);
    expect(hiddenWords('original')).toBeGreaterThan(1);
  });
});

describe('Wordle expert', () => {
  /** Turns that the expert takes for each hidden word, without openings. */
  function turnsFor(words: readonly string[]): number[] {
    const game = createGame(wordleSettings({ words: words.join(' '), openings: 0 }));
    const choose = createExpert(words.length, game.feedbackOf);
    const known = new Map<string, number>();
    return words.map((_, hidden) => {
      let left: readonly number[] = words.map((_, word) => word);
      for (let turn = 1; turn <= 6; turn++) {
        const key = `${turn}:${left.join()}`;
        const guess = known.get(key) ?? choose(left, 7 - turn);
        known.set(key, guess);
        if (guess === hidden) return turn;
        const row = game.feedbackOf(guess);
        left = left.filter((word) => row[word] === row[hidden]);
      }
      return Number.POSITIVE_INFINITY;
    });
  }

  it.each([
    ['small', 3, 2.25],
    ['medium', 5, 2.8],
    ['large', 6, 3.39],
  ] as const)('finds every word of the %s list in at most %i turns', (list, most, mean) => {
    const turns = turnsFor(wordLists[list]);
    expect(Math.max(...turns)).toBe(most);
    expect(turns.reduce((sum, n) => sum + n, 0) / turns.length).toBeLessThanOrEqual(mean);
  });

  it('guesses a word that cannot be correct if there are too few turns to try each remaining word', () => {
    const alike = 'batch catch hatch latch match patch watch'.split(' ');
    expect(Math.max(...turnsFor([...alike, 'night', 'thing', 'crumb']))).toBeLessThanOrEqual(6);
    const words = [...alike, 'clamp', 'thumb'].join(' ');
    const wordle = createWordle({ words, openings: 1 });
    const thoughts = [...wordle.trainTasks, ...wordle.evalTasks].map((task) => {
      let { state } = wordle.reset(task);
      for (let turn = 0; turn < 3; turn++) state = wordle.step(state, 'no word').state;
      return wordle.expert(state).thought;
    });
    expect(thoughts).toContain('6 words are left. c l a m p tells them apart.');
  });

  it('guesses words that may be correct if no guess guarantees a win', () => {
    const words = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => letter.repeat(5));
    const turns = turnsFor(words);
    expect(turns.filter(Number.isFinite)).toHaveLength(6);
  });

  it('states how many words are left and names its guess', () => {
    const { wordle, state } = hairy();
    // Of the eight words, only hairy has h elsewhere, i and r in place, and neither s nor e.
    expect(wordle.expert(state)).toEqual({
      thought: 'Only one word is left. It is h a i r y.',
      action: 'h a i r y',
    });
    const large = createWordle({ list: 'large', openings: 0 });
    const thoughts = new Set<string>();
    for (const task of large.evalTasks) {
      let { state } = large.reset(task);
      for (let terminated = false; !terminated; ) {
        const { thought, action } = large.expert(state);
        thoughts.add(thought.replace(action, '…'));
        ({ state, terminated } = large.step(state, action));
      }
    }
    expect(thoughts).toContain('Many words are left. One of them is ….');
    expect(thoughts).toContain('2 words are left. One of them is ….');
    expect(thoughts).toContain('9 words are left. One of them is ….');
    expect(thoughts).toContain('Only one word is left. It is ….');
  });

  it('never guesses a word twice, and wins as soon as one word is left', () => {
    const wordle = createWordle({ list: 'medium', openings: 0 });
    for (const task of wordle.evalTasks) {
      let { state } = wordle.reset(task);
      for (let terminated = false; !terminated; ) {
        const { thought, action } = wordle.expert(state);
        ({ state, terminated } = wordle.step(state, action));
        if (thought.startsWith('Only one')) expect(state.patterns.at(-1)).toBe(ALL_GREEN);
      }
      expect(new Set(state.guesses).size).toBe(state.guesses.length);
    }
  });
});
