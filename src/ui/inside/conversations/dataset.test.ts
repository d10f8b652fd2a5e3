import { describe, expect, it } from 'vitest';
import type { CritiqueItem } from '../../../runs/critique-item.ts';
import { aspects, countBy, wantedItems } from './dataset-counts.ts';

const item = (change: Partial<CritiqueItem>): CritiqueItem => ({
  ...{
    task: 'chain_1',
    level: 1,
    question: '',
    answer: '',
    right: false,
    step: 0,
    fault: 'result',
  },
  ...{ source: 'sampled', from: null, critique: '', true: true, filter: null },
  ...change,
});
const items = [
  item({ level: 10, filter: { right: 2, of: 8 } }),
  item({ level: 2, source: 'inserted', true: false, fault: 'form' }),
  item({ level: 2, right: true, fault: null, step: null, filter: { right: 8, of: 8 } }),
];
const counted = (name: string, of = items) =>
  aspects
    .filter((aspect) => aspect.name === name)
    .flatMap((aspect) => countBy(aspect, of).map(({ kind, count }) => [aspect.label(kind), count]));

describe('a critique data set', () => {
  it('counts every aspect in a stable order', () => {
    expect(counted('level')).toEqual([
      ['level 2', 2],
      ['level 10', 1],
    ]);
    expect(counted('fault')).toEqual([
      ['no error', 1],
      ['unreadable', 1],
      ['wrong result', 1],
    ]);
    expect(counted('annotator')).toEqual([
      ['wrong', 1],
      ['correct', 2],
    ]);
    expect(counted('filter')).toEqual([
      ['2 of 8', 1],
      ['8 of 8', 1],
      ['not filtered', 1],
    ]);
    for (const { name } of aspects) {
      expect(counted(name).reduce((sum, [, count]) => sum + Number(count), 0)).toBe(3);
      expect(counted(name, [])).toEqual([]);
    }
  });

  it('lists the items that match all filters', () => {
    expect(wantedItems(items, {})).toBe(items);
    expect(wantedItems(items, { level: '2' })).toEqual(items.slice(1));
    expect(wantedItems(items, { level: '2', answer: 'right' })).toEqual(items.slice(2));
    expect(wantedItems(items, { level: '3' })).toEqual([]);
  });
});
