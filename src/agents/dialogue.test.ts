import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordTokenizer } from '../policy/tokenizer.ts';
import { ContextOverflowError, contextStart, contextTokens } from './dialogue.ts';
import { readTurn, writeTurn } from './format.ts';
import { parseTurn } from './parse.ts';

const tokenizer = new WordTokenizer(['a', 'b', 'go']);
const { obs, act, end } = tokenizer;
const [a, b, go] = [5, 6, 7];

describe('the context of a turn', () => {
  const turns = [
    { observationTokens: [a], actionTokens: [go, end] },
    { observationTokens: [a, b], actionTokens: [go] },
    { observationTokens: [b] },
  ];

  it('has <obs> o… <act> a… for each turn, and leaves the last one open for the action', () => {
    expect(contextTokens(turns, 0, tokenizer, false)).toEqual([
      ...[obs, a, act, go, end],
      ...[obs, a, b, act, go],
      ...[obs, b, act],
    ]);
    expect(contextTokens(turns, 2, tokenizer, false)).toEqual([obs, b, act]);
  });

  it('includes as many turns as the window allows, and drops whole turns that do not fit', () => {
    const at = (historyWindow: number, contextLength: number) =>
      contextStart(
        turns,
        { historyWindow, contextLength, maxActionTokens: 2, keepTask: false },
        tokenizer,
      );
    expect(at(0, 100)).toBe(0);
    expect(at(1, 100)).toBe(2);
    expect(at(2, 100)).toBe(1);
    expect(at(9, 100)).toBe(0);
    // With two action tokens, all three turns need 13 + 2 tokens, the last two 8 + 2, the last one
    // 3 + 2.
    expect([15, 14, 10, 9, 5].map((length) => at(0, length))).toEqual([0, 1, 1, 2, 2]);
    expect(() => at(0, 4)).toThrow(ContextOverflowError);
    expect(() => at(0, 4)).toThrow(/needs 5 tokens but the context holds 4/);
  });

  it('never includes a dropped turn again as an episode grows', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        lengths,
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 10, max: 40 }),
        (sizes, historyWindow, contextLength) => {
          const episode = sizes.map((n) => ({
            observationTokens: new Array<number>(n).fill(a),
            actionTokens: [go],
          }));
          const window = { historyWindow, contextLength, maxActionTokens: 1, keepTask: false };
          let before = 0;
          for (let t = 0; t < episode.length; t++) {
            const present = { observationTokens: episode[t]?.observationTokens ?? [] };
            const seen = [...episode.slice(0, t), present];
            const start = contextStart(seen, window, tokenizer);
            expect(start).toBeGreaterThanOrEqual(before);
            const length = contextTokens(seen, start, tokenizer, false).length;
            expect(length + 1).toBeLessThanOrEqual(contextLength);
            before = start;
          }
        },
      ),
    );
  });
});

describe('the context of a turn if the task stays in view', () => {
  const turns = [
    { observationTokens: [a, b], actionTokens: [go, end] },
    { observationTokens: [a], actionTokens: [go] },
    { observationTokens: [b] },
  ];
  const window = { historyWindow: 1, contextLength: 100, maxActionTokens: 2, keepTask: true };

  it('begins with the task if the window has moved past it, and never repeats it', () => {
    expect(contextStart(turns, window, tokenizer)).toBe(2);
    expect(contextTokens(turns, 2, tokenizer, true)).toEqual([obs, a, b, obs, b, act]);
    expect(contextTokens(turns, 0, tokenizer, true)).toEqual(
      contextTokens(turns, 0, tokenizer, false),
    );
  });

  it('counts the task towards the context length', () => {
    const at = (contextLength: number) =>
      contextStart(turns, { ...window, historyWindow: 0, contextLength }, tokenizer);
    // All three turns need 13 + 2 tokens, the last two with the task 10 + 2, the last one 6 + 2.
    expect([15, 14, 12, 11, 8].map(at)).toEqual([0, 1, 1, 2, 2]);
    expect(() => at(7)).toThrow(/needs 8 tokens/);
  });
});

describe('readTurn', () => {
  it('returns the action before <end>', () => {
    const bare = (ids: number[]) => parseTurn(ids, tokenizer, 'bare').action;
    expect(bare([go, a, end])).toBe('go a');
    expect(bare([go, a])).toBe('go a');
    expect(bare([end])).toBe('');
    expect(bare([act, go])).toBe('<act> go');
  });

  it('splits thought and action at the last `Action:` in the ReAct format', () => {
    expect(readTurn('Thought: a b Action: go a', 'react')).toEqual({
      thought: 'a b',
      action: 'go a',
    });
    expect(readTurn('Thought: Action: a Action: go', 'react').action).toBe('go');
    expect(readTurn('Thought:\na b\n\nAction:\ngo a', 'react')).toEqual({
      thought: 'a b',
      action: 'go a',
    });
    expect(readTurn('go a', 'react')).toEqual({ thought: '', action: 'go a' });
    expect(readTurn('Thought: a', 'bare')).toEqual({ thought: '', action: 'Thought: a' });
  });

  it('reads what writeTurn writes', () => {
    const written = { thought: 'a is near.', action: 'go a' };
    expect(readTurn(writeTurn(written, 'react'), 'react')).toEqual(written);
  });
});
