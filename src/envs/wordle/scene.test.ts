import { describe, expect, it } from 'vitest';
import { UnknownTaskError } from '../types.ts';
import { createWordle } from './environment.ts';
import { describeScene, isWordleState, verdict, wordleScene } from './scene.ts';

const options = { words: 'shire hairy crane fairy dairy night light fight' };
const wordle = createWordle(options);

/** The start of the task that hides `hairy` behind the opening `shire`. */
function start() {
  for (const id of [...wordle.trainTasks, ...wordle.evalTasks]) {
    const { state, observation } = wordle.reset(id);
    const hidden = wordle.step(state, 'h a i r y').reward === 1;
    if (hidden && observation.includes('guess: s h i r e')) return state;
  }
  throw new Error('no such task');
}

function after(...actions: readonly string[]) {
  let state = start();
  for (const action of actions) state = wordle.step(state, action).state;
  return wordleScene(options, state);
}

describe('wordleScene', () => {
  it('has the openings, then a row for each of six turns', () => {
    const { rows, turn, turnLimit, outcome, answer } = after('f a i r y', 'no word');
    expect(rows.map((row) => row.kind)).toEqual([
      'given',
      'guess',
      'invalid',
      'empty',
      'empty',
      'empty',
      'empty',
    ]);
    expect(rows[0]?.tiles).toEqual([
      { letter: 's', mark: 0 },
      { letter: 'h', mark: 1 },
      { letter: 'i', mark: 2 },
      { letter: 'r', mark: 2 },
      { letter: 'e', mark: 0 },
    ]);
    expect(rows[1]?.tiles.map((tile) => tile?.mark)).toEqual([0, 2, 2, 2, 2]);
    expect(rows[2]?.tiles).toEqual([null, null, null, null, null]);
    expect([turn, turnLimit, outcome, answer]).toEqual([2, 6, 'running', null]);
  });

  it('keeps the best mark of each letter and counts the words that fit', () => {
    const first = after();
    expect(Object.fromEntries(first.letters)).toEqual({ s: 0, h: 1, i: 2, r: 2, e: 0 });
    expect([first.words, first.left, first.leftWords]).toEqual([8, 1, ['hairy']]);
    expect(verdict(first)).toBe('One word fits all marks.');
    const later = after('n i g h t');
    // h is yellow again; i stays green although this guess has it in a wrong position.
    expect([later.letters.get('h'), later.letters.get('i'), later.letters.get('n')]).toEqual([
      1, 2, 0,
    ]);
  });

  it('lists no words if more than 12 fit', () => {
    const open = { list: 'medium', openings: 0 };
    const scene = wordleScene(open, createWordle(open).reset('wordle_0').state);
    expect([scene.words, scene.left, scene.leftWords]).toEqual([350, 350, []]);
    expect(verdict(scene)).toBe('350 words fit all marks.');
    expect(scene.rows).toHaveLength(6);
  });

  it('reveals the hidden word at the end if it was fixed from the start', () => {
    const won = after('f a i r y', 'h a i r y');
    expect([won.outcome, won.answer, verdict(won)]).toEqual([
      'success',
      'hairy',
      'Found in 2 guesses: hairy.',
    ]);
    const lost = after('x', 'x', 'x', 'x', 'x', 'f a i r y');
    expect([lost.outcome, lost.answer, verdict(lost)]).toEqual([
      'failure',
      'hairy',
      'Not found: the word was hairy.',
    ]);
    const redrawn = { ...options, feedback: 'original' };
    const original = createWordle(redrawn);
    let { state } = original.reset('wordle_0');
    for (let turn = 0; turn < 6; turn++) state = original.step(state, 'x').state;
    const scene = wordleScene(redrawn, state);
    expect([scene.redrawn, scene.answer, verdict(scene)]).toEqual([
      true,
      null,
      'No guesses are left.',
    ]);
  });

  it('has a text description', () => {
    expect(describeScene(after('x'))).toBe(
      'Wordle after 1 of 6 guesses. Given shire: s not (again) in the word, h elsewhere, i in place, r in place, e not (again) in the word. Invalid guess: not in the list. One word fits all marks.',
    );
  });

  it('rejects unknown tasks and malformed states', () => {
    expect(() => wordleScene(options, { task: 5000, guesses: [], patterns: [] })).toThrow(
      UnknownTaskError,
    );
    expect(isWordleState(start())).toBe(true);
    expect(isWordleState(wordle.step(start(), 'x').state)).toBe(true);
    for (const value of [
      null,
      'wordle',
      {},
      { task: 1, position: { row: 1, column: 1 }, turn: 0, moves: '' },
      { task: 1, guesses: [1], patterns: [] },
      { task: 1, guesses: ['crane'], patterns: [0] },
      { task: 1, guesses: new Array(7).fill(0), patterns: new Array(7).fill(0) },
    ]) {
      expect(isWordleState(value)).toBe(false);
    }
  });
});
