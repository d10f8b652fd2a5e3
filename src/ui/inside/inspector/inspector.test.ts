import { describe, expect, it } from 'vitest';
import type { InspectedToken, TokenUpdate } from '../../../runs/inspection.ts';
import { measures } from '../../shell/episode/inspection.ts';
import {
  dualClipOf,
  exact,
  firstDifference,
  heatOf,
  heldName,
  measureText,
  scaleOf,
  signed,
} from './measures.ts';
import { tokenAfter } from './token.tsx';
import { memberEquation } from './worked.tsx';

const update: TokenUpdate = {
  update: 3,
  logp: Math.log(0.3),
  oldLogp: Math.log(0.2),
  ratio: 1.5,
  importance: 1,
  clipLow: 0.8,
  clipHigh: 1.2,
  held: 'high',
  policyLoss: -1.2,
  otherLoss: 0,
  weight: 0.1,
};
const token = (turn: number, over: Partial<InspectedToken> = {}): InspectedToken => ({
  turn,
  text: 'up',
  logp: Math.log(0.2),
  entropy: 1,
  version: 1,
  worked: {
    reward: 0,
    discount: 1,
    value: null,
    nextValue: null,
    delta: null,
    estimate: -2,
    advantage: -2,
  },
  update,
  ...over,
});

describe('a measure', () => {
  it('keeps every color within its scale and gives the number as text', () => {
    const tokens = [token(0), token(1, { update: { ...update, ratio: 0.5, held: null } })];
    for (const measure of measures) {
      const scale = scaleOf(tokens, measure);
      for (const one of tokens) {
        const { amount } = heatOf(one, measure, scale);
        expect(amount).toBeGreaterThanOrEqual(0);
        expect(amount).toBeLessThanOrEqual(46);
        expect(measureText(one, measure)).not.toBe('not recorded');
      }
    }
    const ratios = scaleOf(tokens, 'ratio');
    expect(heatOf(tokens[0] ?? token(0), 'ratio', ratios).hue).toBe('up');
    expect(heatOf(tokens[1] ?? token(0), 'ratio', ratios)).toEqual({ hue: 'down', amount: 46 });
    expect(heatOf(token(0), 'advantage', scaleOf(tokens, 'advantage')).hue).toBe('down');
    expect(heatOf(token(0), 'clipped', scaleOf(tokens, 'clipped')).hue).toBe('up');
  });

  it('leaves tokens without a recorded value uncolored', () => {
    const untold = token(0, { worked: null, update: null });
    for (const measure of ['advantage', 'ratio', 'clipped'] as const) {
      expect(heatOf(untold, measure, scaleOf([untold], measure)).hue).toBe('none');
      expect(measureText(untold, measure)).toBe('not recorded');
    }
  });
});

describe('tokenAfter', () => {
  const tokens = [token(0), token(0), token(2), token(2), token(3)];
  it('moves token by token and turn by turn within the episode', () => {
    expect(tokenAfter(tokens, 0, 'ArrowRight')).toBe(1);
    expect(tokenAfter(tokens, 4, 'ArrowRight')).toBe(4);
    expect(tokenAfter(tokens, 0, 'ArrowLeft')).toBe(0);
    expect(tokenAfter(tokens, 1, 'ArrowDown')).toBe(2);
    expect(tokenAfter(tokens, 3, 'ArrowUp')).toBe(0);
    expect(tokenAfter(tokens, 4, 'ArrowUp')).toBe(2);
    expect(tokenAfter(tokens, 4, 'ArrowDown')).toBe(4);
    expect(tokenAfter(tokens, 2, 'Home')).toBe(0);
    expect(tokenAfter(tokens, 2, 'End')).toBe(4);
    expect(tokenAfter(tokens, 2, 'a')).toBeNull();
    // From the end of the episode, after the last turn.
    expect(tokenAfter(tokens, tokens.length, 'ArrowLeft')).toBe(4);
    expect(tokenAfter(tokens, tokens.length, 'ArrowUp')).toBe(4);
    expect(tokenAfter(tokens, tokens.length, 'ArrowRight')).toBe(4);
  });
});

describe('firstDifference', () => {
  const turn = (action: string, observation = 'o') => ({ action, observation });
  it('finds the first turn that differs in observation or action, or exists in only one episode', () => {
    expect(firstDifference([turn('a'), turn('b')], [turn('a'), turn('c')])).toBe(1);
    expect(firstDifference([turn('a'), turn('b')], [turn('a'), turn('b', 'p')])).toBe(1);
    expect(firstDifference([turn('a')], [turn('a'), turn('b')])).toBe(1);
    expect(firstDifference([turn('a')], [turn('a')])).toBeNull();
  });
});

describe('a number in a formula', () => {
  it('has four significant digits and a real minus sign', () => {
    expect([0.123456, -2, 0, 0.00001234, Number.NaN].map(exact)).toEqual([
      '0.1235',
      '−2',
      '0',
      '1.23e−5',
      '–',
    ]);
    expect([1.5, -0.25, 0].map(signed)).toEqual(['+1.5', '−0.25', '0']);
  });
});

describe('dualClipOf', () => {
  it('derives the dual clip from the loss of a token that it clipped', () => {
    const clipped = {
      ...update,
      ratio: 5,
      importance: 0.5,
      held: 'dual',
      policyLoss: 1.5,
    } as const;
    expect(dualClipOf(clipped, -1)).toBe(3);
    expect(dualClipOf({ ...clipped, policyLoss: 0 }, -1)).toBeNull();
    expect(dualClipOf(update, 1)).toBeNull();
  });
});

describe('heldName', () => {
  it('says that KL-Cov penalizes the tokens it selects', () => {
    expect(heldName('picked', 'clip_cov')).toBe('selected by its covariance');
    expect(heldName('picked', 'kl_cov')).toBe('penalized because of its covariance');
  });
});

describe('memberEquation', () => {
  it('derives an advantage from reward, baseline and scale', () => {
    const member = {
      number: 1,
      turns: 3,
      score: 1,
      success: true,
      truncated: false,
      reward: 1,
      baseline: -0.25,
      scale: 0.5,
      advantage: 2.5,
    };
    const group = { equal: false, estimator: 'grpo' } as const;
    expect(memberEquation(member, group)).toBe('(1 − (−0.25)) / 0.5 = +2.5');
    expect(memberEquation({ ...member, scale: null, advantage: 1.25 }, group)).toBe(
      '1 − (−0.25) = +1.25',
    );
    expect(memberEquation({ ...member, baseline: null }, group)).toBeNull();
    expect(memberEquation(member, { ...group, equal: true })).toBe('0');
    // The baseline of ReMax is the greedy episode, so equal rewards do not make the advantage 0.
    const remax = { equal: true, estimator: 'remax' } as const;
    expect(memberEquation({ ...member, scale: null, advantage: 1.25 }, remax)).toBe(
      '1 − (−0.25) = +1.25',
    );
  });
});
