import { describe, expect, it } from 'vitest';
import { EnvironmentOptionError } from '../options.ts';
import type { Environment, EnvironmentOptions } from '../types.ts';
import { corpusOf } from './corpus.ts';
import { EVAL_NUMBERS, type SearchQaState } from './environment.ts';
import { searchqa } from './index.ts';
import { describeScene, isSearchQaState, type SearchQaScene, searchQaScene } from './scene.ts';

const EXPERT = 'what the expert does';

/** The scenes of an episode, including the start. */
function scenes(options: EnvironmentOptions, task: string, actions: string[]): SearchQaScene[] {
  const environment = searchqa.create(options) as Environment<SearchQaState>;
  let { state } = environment.reset(task);
  const drawn = [searchQaScene(options, state)];
  for (const action of actions) {
    const text = action === EXPERT ? environment.expert(state).action : action;
    ({ state } = environment.step(state, text));
    drawn.push(searchQaScene(options, state));
  }
  return drawn;
}

const statuses = ({ chain }: SearchQaScene) => chain.map(({ status }) => status);
const textOf = (segments: readonly { readonly text: string }[]) =>
  segments.map(({ text }) => text).join('');

describe('scene of a two-hop question', () => {
  const two = { hops: 'two' };

  it('fills in the chain as passages are read', () => {
    const all = scenes(two, 'searchqa_0', [EXPERT, EXPERT, EXPERT]);
    expect(all.map(statuses)).toEqual([
      ['given', 'hidden', 'hidden'],
      ['given', 'found', 'hidden'],
      ['given', 'found', 'found'],
      ['given', 'found', 'found'],
    ]);
    expect(all[0]?.chain).toMatchObject([
      { relation: null, value: 'Silke Quist' },
      { relation: 'born in', value: 'Zelmark' },
      { relation: 'river', value: 'Pelm' },
    ]);
    expect(all.map(({ outcome }) => outcome)).toEqual(['running', 'running', 'running', 'success']);
    expect(all.map(({ truth }) => truth)).toEqual([null, null, null, 'Pelm']);
    expect(all.map(({ queries }) => queries.length)).toEqual([0, 1, 2, 2]);
  });

  it('does not count a value as found before the chain leads to it', () => {
    const [, chance, linked] = scenes(two, 'searchqa_0', [
      '<search>Zelmark</search>',
      '<search>Silke Quist</search>',
    ]);
    expect(chance && statuses(chance)).toEqual(['given', 'hidden', 'hidden']);
    expect(linked && statuses(linked)).toEqual(['given', 'found', 'found']);
  });

  it('splits the question into its subject and its hops', () => {
    const [start] = scenes(two, 'searchqa_0', []);
    expect(start?.question).toEqual([
      { text: 'Which river flows through ', role: 'second' },
      { text: 'the town that ', role: 'first' },
      { text: 'Silke Quist', role: 'subject' },
      { text: ' was born in', role: 'first' },
      { text: '?', role: 'second' },
    ]);
  });

  it("marks the query's words and the required value", () => {
    const [, searched] = scenes(two, 'searchqa_0', [EXPERT]);
    const [card] = searched?.cards ?? [];
    expect(card?.onTheWay).toBe(true);
    const marked = (mark: string) =>
      card?.text.filter((segment) => segment.mark === mark).map(({ text }) => text);
    expect(marked('evidence')).toEqual(['Zelmark']);
    expect(marked('match')).toEqual(['Silke', 'Quist', 'Quist']);
    expect(searched?.cards?.slice(1).every(({ onTheWay }) => !onTheWay)).toBe(true);
  });

  it('shows missed values, wasted turns and wrong answers', () => {
    const end = scenes(two, 'searchqa_0', ['dance', '<answer>Drenn</answer>']).at(-1);
    expect(end).toMatchObject({
      outcome: 'wrong',
      truth: 'Pelm',
      wasted: 1,
      turn: 2,
      answers: [{ text: 'Drenn', right: false }],
      cards: null,
    });
    expect(end && statuses(end)).toEqual(['given', 'missed', 'missed']);
    const retry = { hops: 'two', wrong_answer: 'retry' };
    const tries = Array.from({ length: 10 }, () => '<answer>Drenn</answer>');
    const all = scenes(retry, 'searchqa_0', tries);
    expect(all[9]?.outcome).toBe('running');
    expect(all[10]?.outcome).toBe('out of turns');
  });

  it('has a text description', () => {
    const all = scenes(two, 'searchqa_0', [
      EXPERT,
      '<search>Atlantis</search>',
      '<answer>x</answer>',
    ]);
    const [start, first, second, third] = all.map(describeScene);
    expect(start).toBe(
      'Question: Which river flows through the town that Silke Quist was born in? Turn 0 of 10.',
    );
    expect(first).toContain('Search 1 was for “Silke Quist” and found Silke Quist, ');
    expect(first).toContain('Silke Quist, born in: Zelmark.');
    expect(second).toContain('Search 2 was for “Atlantis” and found nothing.');
    expect(third).toContain(
      'The agent answered “x”, which is wrong. The correct answer was Pelm. Turn 3 of 10.',
    );
  });
});

describe('SearchQA highlighting', () => {
  it('leaves the text unchanged, and marks one whole word or name as evidence in relevant passages', () => {
    const options = { hops: 'two', passage: 'long', documents: 5 };
    for (const n of EVAL_NUMBERS) {
      for (const { cards } of scenes(options, `searchqa_${n}`, [EXPERT, EXPERT])) {
        for (const card of cards ?? []) {
          const passage = corpusOf('long').passages.find(
            ({ title }) => title === textOf(card.title),
          );
          expect(textOf(card.text)).toBe(passage?.text);
          const at = card.text.findIndex(({ mark }) => mark === 'evidence');
          expect(at !== -1).toBe(card.onTheWay);
          expect(card.text[at - 1]?.text ?? '').not.toMatch(/\p{L}$/u);
          if (card.onTheWay) expect(card.text[at + 1]?.text).not.toMatch(/^\p{L}/u);
        }
      }
    }
  });
});

describe('SearchQA validation', () => {
  const { state } = searchqa.create().reset('searchqa_0');

  it('accepts a cloned state', () => {
    expect(isSearchQaState(structuredClone(state))).toBe(true);
  });

  it('rejects malformed states', () => {
    for (const foreign of [
      null,
      undefined,
      7,
      {},
      [],
      { ...state, task: 50_000 },
      { ...state, task: 0.5 },
      { ...state, turn: '1' },
      { ...state, searches: [{ query: 'x'.repeat(1000), found: [] }] },
      { ...state, searches: [{ query: 'x', found: ['0'] }] },
      { ...state, searches: [null] },
      { ...state, answers: [1] },
      { ...state, answers: Array(1000).fill('') },
      { ...state, solved: 1 },
    ]) {
      expect(isSearchQaState(foreign), JSON.stringify(foreign)).toBe(false);
    }
  });

  it('omits nonexistent passages from the scene', () => {
    const found = [-1, 1e9, 0.5, Number.NaN];
    expect(searchQaScene({}, { ...state, searches: [{ query: 'x', found }] }).cards).toEqual([]);
  });

  it('rejects invalid options', () => {
    expect(() => searchQaScene({ hops: 'three' }, state)).toThrow(EnvironmentOptionError);
  });
});
