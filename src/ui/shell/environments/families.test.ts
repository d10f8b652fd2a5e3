import { describe, expect, it } from 'vitest';
import { grouped, groupName } from './families.ts';

describe('families', () => {
  it('groups environments by the first part of their ids', () => {
    expect(groupName('maze/generated-v2')).toBe('Maze');
    expect(groupName('babyai/goto-obj-v1')).toBe('BabyAI');
    expect(groupName('textcraft/textcraft-v1')).toBe('TextCraft');
    expect(groupName('reasoning/columns-v1')).toBe('Reasoning');
    expect(groupName('searchqa/searchqa-v1')).toBe('Question answering by search');
    expect(grouped([1, 2, 3, 4], (n) => (n % 2 === 0 ? 'even' : 'odd'))).toEqual([
      { group: 'odd', items: [1, 3] },
      { group: 'even', items: [2, 4] },
    ]);
  });
});
