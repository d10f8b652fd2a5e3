import { expect, it } from 'vitest';
import { byTurn, inFew, raised, rewardsToCome, share, signedInFew } from './numbers.ts';

it('combines token numbers by turn', () => {
  const tokens = [{ turn: 0 }, { turn: 0 }, { turn: 2 }];
  expect(byTurn(tokens, [1, 2, 5], 4)).toEqual([3, 0, 5, 0]);
  expect(byTurn(tokens, [1, 2, 5], 4, 'mean')).toEqual([1.5, 0, 5, 0]);
});

it('computes the discounted reward to go of each turn', () => {
  expect(rewardsToCome([0, 0, 1], 0.5)).toEqual([0.25, 0.5, 1]);
  expect(rewardsToCome([1, 0, 2], 0.5)).toEqual([1.5, 1, 2]);
  expect(rewardsToCome([], 0.9)).toEqual([]);
});

it('formats a number to fit into a cell', () => {
  expect([0, 0.004, 0.7351, 1, 9.96, 12.3, -0.2].map(inFew)).toEqual([
    '0',
    '0',
    '0.74',
    '1.0',
    '10.0',
    '12',
    '−0.20',
  ]);
  expect([0, 0.04, 0.29, -0.29, 7.1, -12.3].map(signedInFew)).toEqual([
    '0',
    '0',
    '+0.3',
    '−0.3',
    '+7.1',
    '−12',
  ]);
  expect(raised(17)).toBe('¹⁷');
  expect([0, 3e-9, 0.00001234, 0.5].map(share)).toEqual(['0%', '<0.0001%', '0.00123%', '50%']);
});
