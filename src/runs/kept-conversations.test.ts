import { describe, expect, it } from 'vitest';
import type { ConversationRecord } from './conversation.ts';
import { KeptConversations } from './kept-conversations.ts';

/** Conversations in `groups` groups of `size` each. */
const heard = (groups: number, size: number): ConversationRecord[] =>
  Array.from({ length: groups * size }, (_, i) => ({
    ...{ task: `chain_${i}`, answer: 'answer 1', critique: 'right', refinement: null },
    ...{ group: Math.floor(i / size), learned: null },
  }));

/** How often each value occurs in a list, in order of first occurrence. */
const counts = (values: readonly number[]) =>
  [...new Set(values)].map((value) => [value, values.filter((one) => one === value).length]);
const byIteration = ({ state }: KeptConversations) =>
  counts(state.kept.map(({ iteration }) => iteration));

describe('KeptConversations', () => {
  it('keeps whole groups, spread over the iteration, and fewer from earlier iterations', () => {
    const kept = new KeptConversations();
    kept.add(1, heard(64, 8));
    expect(byIteration(kept)).toEqual([[1, 96]]);
    const groups = counts(kept.state.kept.map(({ group }) => group));
    expect(groups.map(([, size]) => size)).toEqual(new Array(12).fill(8));
    expect(groups.at(-1)?.[0]).toBeGreaterThan(56);
    kept.add(2, heard(4, 1));
    expect(byIteration(kept)).toEqual([
      [1, 16],
      [2, 4],
    ]);
  });

  it('thins out earlier iterations, and keeps the first', () => {
    const kept = new KeptConversations();
    for (let iteration = 1; iteration <= 300; iteration++) {
      kept.add(iteration, heard(40, 8));
      expect(kept.state.kept.length).toBeLessThanOrEqual(96 + 49 * 16);
    }
    const iterations = byIteration(kept).map(([iteration]) => iteration);
    expect(iterations[0]).toBe(1);
    expect(iterations.at(-1)).toBe(300);
    expect(iterations.length).toBeGreaterThan(20);
  });

  it('continues with unused numbers when the run resumes elsewhere', () => {
    const first = new KeptConversations();
    first.add(1, heard(2, 2));
    first.add(3, []);
    const second = new KeptConversations();
    second.restore(structuredClone(first.state));
    second.add(4, heard(1, 2));
    expect(byIteration(second)).toEqual([
      [1, 4],
      [4, 2],
    ]);
    expect(second.state.kept.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('keeps as many conversations of an oversized group as fit', () => {
    const kept = new KeptConversations();
    kept.add(1, heard(1, 500));
    expect(byIteration(kept)).toEqual([[1, 96]]);
  });
});
