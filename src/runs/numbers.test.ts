import { describe, expect, it } from 'vitest';
import {
  duration,
  fineShare,
  listed,
  percent,
  several,
  significant,
  thousands,
  withSign,
} from './numbers.ts';

describe('number formatting', () => {
  it('formats shares, counts, times and other numbers', () => {
    expect([0, 0.004, 0.5, 0.999, 1, undefined].map(percent)).toEqual([
      '0%',
      '<1%',
      '50%',
      '>99%',
      '100%',
      '–',
    ]);
    expect([0, 0.00012, 0.0345, 7.6e-11].map(fineShare)).toEqual([
      '0%',
      '0.012%',
      '3.5%',
      '<0.0001%',
    ]);
    expect([950, 1234, 12_400, 999_499, 999_500, 3_140_000].map(thousands)).toEqual([
      ...['950', '1,234', '12.4k', '999k', '1M', '3.14M'],
    ]);
    expect([8, 75, 700, 3569, 3570, 3900, 7180, Number.NaN].map(duration)).toEqual([
      ...['8 s', '1 min 15 s', '12 min', '59 min', '1 h 00 min', '1 h 05 min', '2 h 00 min', '–'],
    ]);
    expect([0, 2.71234, 0.00123, 0.00000123].map(significant)).toEqual([
      '0',
      '2.71',
      '0.0012',
      '1.2e−6',
    ]);
  });

  it('chooses between singular and plural by the rounded count', () => {
    expect([0, 1, 1.04, 1.06, 12_400].map((count) => several(count, 'turn'))).toEqual([
      ...['0 turns', '1 turn', '1 turn', '1.1 turns', '12.4k turns'],
    ]);
  });

  it('joins names into a list', () => {
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed)).toEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ]);
  });

  it('formats differences with their sign, except zero', () => {
    const format = (value: number) => value.toFixed(1);
    expect([1.25, -1.25, 0.04, -0.04, 0].map((value) => withSign(value, format))).toEqual([
      ...['+1.3', '-1.3', '0.0', '0.0', '0.0'],
    ]);
  });
});
