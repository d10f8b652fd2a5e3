import { describe, expect, it } from 'vitest';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { LossToken } from '../../../runs/phase-facts.ts';
import { tellingLoss, tellingMember, tellingToken } from './telling.ts';

const episode = (success: boolean, ...actions: readonly (readonly [string, boolean])[]) =>
  ({
    success,
    turns: actions.map(([action, understood]) => ({ action, understood })),
  }) as unknown as EpisodeRecord;

const nonsense = ['<pad>', false] as const;
const up = ['move up', true] as const;

describe('choosing examples', () => {
  it('selects the longest success, else the episode with the most actions', () => {
    const [lost, lively, won, walk] = [
      episode(false, nonsense, up),
      episode(false, up, up, up),
      episode(true, nonsense, nonsense, up),
      episode(true, up, up),
    ];
    expect(tellingMember([lost, lively, won, walk, walk])).toBe(3);
    expect(tellingMember([lost, lively])).toBe(1);
    expect(tellingMember([])).toBe(0);
  });

  it('selects the least probable token of a valid action', () => {
    const record = episode(true, nonsense, up, ['4.', false], up);
    const tokens = (...logps: number[]) =>
      record.turns.map(({ action }, turn) => ({ text: action, turn, logp: logps[turn] ?? 0 }));
    expect(tellingToken(record, tokens(-9, -1, -9, -2))).toBe(3);
    expect(tellingToken(record, tokens(-9, 0, -9, 0))).toBe(1);
  });

  it('selects a word of the action if a thought precedes it', () => {
    const record = episode(true, up);
    const words = ['Thought:', 'go', 'Action:', 'move up', '<end>'];
    const tokens = words.map((text) => ({ text, turn: 0, logp: text === 'move up' ? -1 : -5 }));
    expect(tellingToken(record, tokens)).toBe(3);
  });

  it('never selects a special token, even if no action is valid', () => {
    const record = episode(false, nonsense, ['<obs>', false], ['below you', false]);
    const tokens = record.turns.map(({ action }, turn) => ({ text: action, turn, logp: -9 }));
    expect(tellingToken(record, tokens)).toBe(2);
  });

  it('selects a clipped token of an action if an update has one', () => {
    const token = (text: string, understood: boolean, advantage: number, held: string | null) =>
      ({ text, understood, advantage, update: { held } }) as unknown as LossToken;
    const shown = [
      token('<pad>', false, 9, 'high'),
      token('move up', true, 3, null),
      token('move down', true, -1, 'low'),
    ];
    expect(tellingLoss(shown)).toBe(2);
    expect(tellingLoss(shown.slice(0, 2))).toBe(1);
    expect(tellingLoss([])).toBe(0);
  });
});
