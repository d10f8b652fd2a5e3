import { describe, expect, it } from 'vitest';
import { createWordle } from './environment.ts';
import { GREEN, GREY, type Mark, YELLOW } from './feedback.ts';
import { knownFrom, placedActions } from './letters.ts';
import type { WordleRow } from './scene.ts';

const marks: Readonly<Record<string, Mark>> = { b: GREY, y: YELLOW, g: GREEN };

/** A guess with its marks, e.g. `shire` with `bygyb`. */
const row = (word: string, pattern: string): WordleRow => ({
  kind: 'guess',
  tiles: [...word].map((letter, i) => ({ letter, mark: marks[pattern.charAt(i)] ?? GREY })),
});

describe('knownFrom', () => {
  it('collects the marks, and the positions where a yellow letter cannot be', () => {
    const { green, yellow, grey } = knownFrom([row('shire', 'bygyb'), row('night', 'bgbyb')]);
    expect([...green]).toEqual([
      [2, 'i'],
      [1, 'i'],
    ]);
    // The letter h is yellow in two positions.
    expect([...yellow]).toEqual([
      ['h', new Set([1, 3])],
      ['r', new Set([3])],
    ]);
    expect([...grey].sort()).toEqual(['e', 'g', 'n', 's', 't']);
  });

  it('does not exclude a letter that occurs more often in the guess than in the word', () => {
    const { green, yellow, grey } = knownFrom([row('allay', 'bygbb')]);
    expect([[...green], [...yellow.keys()], [...grey].sort()]).toEqual([
      [[2, 'l']],
      // One l is in place, so no other is required.
      [],
      ['a', 'y'],
    ]);
    expect(knownFrom([row('allay', 'bybbb')]).grey.has('l')).toBe(false);
  });

  it('ignores a turn without a valid guess', () => {
    const nothing: WordleRow = { kind: 'invalid', tiles: [null, null, null, null, null] };
    const { green, yellow, grey } = knownFrom([nothing]);
    expect([green.size, yellow.size, grey.size]).toEqual([0, 0, 0]);
  });
});

describe('placedActions', () => {
  const options = { words: 'shire hairy crane fairy dairy night light fight' };
  const wordle = createWordle(options);

  /**
   * Actions counted for each guess of the task that hides `hairy` behind the opening `shire`, marked byggb.
   */
  function deeds(...guesses: readonly string[]) {
    const task = [...wordle.trainTasks, ...wordle.evalTasks].find((id) => {
      const { state, observation } = wordle.reset(id);
      return (
        observation.includes('guess: s h i r e') && wordle.step(state, 'h a i r y').reward === 1
      );
    });
    let { state } = wordle.reset(task ?? '');
    return guesses.map((action) => {
      const before = state;
      state = wordle.step(state, action).state;
      const turn = { environmentId: wordle.id, options, before, action, after: state };
      return placedActions(turn).map((deed) => `${deed.place}: ${deed.action}`);
    });
  }

  it("counts a guess's letters by position and records whether it uses the marks of the openings", () => {
    expect(deeds('h a i r y')).toEqual([
      [
        'first 0: h',
        'first 1: a',
        'first 2: i',
        'first 3: r',
        'first 4: y',
        'word: yes',
        'green: yes',
        'yellow: yes',
        'grey: yes',
      ],
    ]);
  });

  it('separates first and later guesses, and uses all earlier marks', () => {
    const [first, second] = deeds('n i g h t', 'f a i r y');
    // shire put i and r in place and h elsewhere; night has h in a new position, and i in a wrong one.
    expect(first?.slice(5)).toEqual(['word: yes', 'green: no', 'yellow: yes', 'grey: yes']);
    expect(second?.[0]).toBe('later 0: f');
    expect(second?.slice(5)).toEqual(['word: yes', 'green: yes', 'yellow: no', 'grey: yes']);
    // night has n, g and t, which the word does not have, and h where it was already yellow.
    expect(deeds('n i g h t', 'n i g h t')[1]?.slice(5)).toEqual([
      'word: yes',
      'green: no',
      'yellow: no',
      'grey: no',
    ]);
  });

  it('counts no letters of an invalid word, and does not treat the next guess as the first', () => {
    const [first, second] = deeds('x x x x x', 'h a i r y');
    expect(first).toEqual(['word: no']);
    expect(second?.[0]).toBe('later 0: h');
  });

  it('returns nothing for an invalid state', () => {
    const turn = { environmentId: wordle.id, options, before: null, action: 'a', after: 1 };
    expect(placedActions(turn)).toEqual([]);
  });
});
