import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextStart } from '../agents/dialogue.ts';
import { contextOf } from '../agents/testing/tabular-policy.ts';
import type { Trajectory, Turn } from '../agents/trajectory.ts';
import { Tokenizer } from '../policy/tokenizer.ts';
import type { TrainingBatch } from '../policy/types.ts';
import { lossSequences, packMicroBatches } from './batch.ts';

const tokenizer = new Tokenizer(['a', 'b', 'go']);
const { obs, act, end } = tokenizer;
const [a, b, go] = [5, 6, 7];

function turn(observationTokens: number[], actionTokens: number[], start: number): Turn {
  return {
    observation: '',
    action: '',
    observationTokens,
    actionTokens,
    // Numbers that float32 holds exactly and that tell every token apart.
    logps: actionTokens.map((token, k) => -(token + k / 8 + start / 64)),
    entropies: actionTokens.map(() => 1),
    version: 3,
    contextStart: start,
    reward: 0,
    understood: true,
  };
}

function episode(turns: Turn[]): Trajectory {
  return {
    episode: 0,
    task: 't',
    group: 0,
    turns,
    finalObservation: '',
    score: 1,
    success: true,
    terminated: true,
    truncated: false,
  };
}

describe('lossSequences', () => {
  it('makes one sequence of an episode whose whole history was read', () => {
    const [sequence, ...rest] = lossSequences(
      episode([turn([a], [go, end], 0), turn([a, b], [b], 0)]),
      0.5,
      tokenizer,
    );
    expect(rest).toEqual([]);
    // The last action token, b, is only a target.
    expect(sequence).toEqual({
      tokens: [obs, a, act, go, end, obs, a, b, act],
      rows: [2, 3, 8],
      targets: [go, end, b],
      behaviourLogps: [-7, -(4 + 1 / 8), -6],
      versions: [3, 3, 3],
      advantage: 0.5,
    });
  });

  it('makes a sequence of each turn for a window of one turn', () => {
    const turns = [turn([a], [go], 0), turn([b], [a], 1)];
    const sequences = lossSequences(episode(turns), 1, tokenizer);
    expect(sequences.map(({ tokens, rows, targets }) => ({ tokens, rows, targets }))).toEqual([
      { tokens: [obs, a, act], rows: [2], targets: [go] },
      { tokens: [obs, b, act], rows: [2], targets: [a] },
    ]);
  });

  it('shows earlier turns of a window as context without learning from them again', () => {
    const turns = [turn([a], [go], 0), turn([b], [a], 0), turn([a], [b], 1)];
    const sequences = lossSequences(episode(turns), 1, tokenizer);
    expect(sequences.map(({ tokens, rows, targets }) => ({ tokens, rows, targets }))).toEqual([
      { tokens: [obs, a, act, go, obs, b, act], rows: [2, 6], targets: [go, a] },
      { tokens: [obs, b, act, a, obs, a, act], rows: [6], targets: [b] },
    ]);
  });
});

/** Every loss row of some batches, as what it reads and what it is worth. */
function rowsOf(batches: readonly TrainingBatch[]): string[] {
  return batches
    .flatMap((batch) =>
      Array.from(batch.rows, (row, r) =>
        [
          contextOf(batch, row).join(' '),
          batch.targets[r],
          batch.behaviourLogps[r],
          batch.advantages[r],
          batch.weights[r],
        ].join(' | '),
      ),
    )
    .sort();
}

const episodes = fc.array(
  fc.record({
    advantage: fc.integer({ min: -4, max: 4 }),
    window: fc.integer({ min: 0, max: 3 }),
    turns: fc.array(
      fc.record({
        observation: fc.array(fc.constantFrom(a, b), { maxLength: 4 }),
        action: fc.array(fc.constantFrom(a, b, go), { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  }),
  { minLength: 1, maxLength: 5 },
);

describe('packMicroBatches', () => {
  it('gives the same rows wherever the micro-batches are cut, each token exactly once', () => {
    fc.assert(
      fc.property(episodes, fc.integer({ min: 24, max: 90 }), (plan, limit) => {
        const played = plan.map(({ advantage, window, turns }) => {
          const seen: { observationTokens: number[]; actionTokens: number[] }[] = [];
          const starts = turns.map(({ observation, action }) => {
            const start = contextStart([...seen, { observationTokens: observation }], {
              historyWindow: window,
              contextLength: 24,
              maxActionTokens: 3,
            });
            seen.push({ observationTokens: observation, actionTokens: action });
            return start;
          });
          return {
            advantage,
            trajectory: episode(
              turns.map(({ observation, action }, t) => turn(observation, action, starts[t] ?? 0)),
            ),
          };
        });
        const sequences = played.flatMap(({ trajectory, advantage }) =>
          lossSequences(trajectory, advantage, tokenizer),
        );
        const whole = packMicroBatches(sequences, { tokens: 1e6, rows: 1e6, lossRows: 1e6 });
        const cut = packMicroBatches(sequences, { tokens: limit, rows: 16, lossRows: 16 });
        expect(whole).toHaveLength(1);
        expect(rowsOf(cut)).toEqual(rowsOf(whole));
        for (const batch of cut) {
          expect(batch.tokens.length).toBeLessThanOrEqual(limit);
          expect(batch.rows.length).toBeLessThanOrEqual(16);
          expect(batch.sequenceStarts.at(-1)).toBe(batch.tokens.length);
        }
        const targets = whole.flatMap(({ targets: t }) => Array.from(t));
        const written = played.flatMap(({ trajectory }) =>
          trajectory.turns.flatMap(({ actionTokens }) => actionTokens),
        );
        expect(targets.sort()).toEqual(written.sort());
        const weights = cut.flatMap(({ weights: w }) => Array.from(w));
        expect(weights.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 5);
      }),
    );
  });

  it('packs a context once, with the loss rows of all episodes that read it side by side', () => {
    const first = lossSequences(episode([turn([a, b], [go], 0)]), 1, tokenizer);
    const other = lossSequences(episode([turn([b, b], [go], 0)]), 0, tokenizer);
    const again = lossSequences(episode([turn([a, b], [a], 0)]), -2, tokenizer);
    const sequences = [...first, ...other, ...again];
    const [batch, ...rest] = packMicroBatches(sequences, { tokens: 99, rows: 9, lossRows: 9 });
    expect(rest).toHaveLength(0);
    // `<obs> a b <act>` and `<obs> b b <act>`; rows 3, 3 and 7.
    expect(Array.from(batch?.sequenceStarts ?? [])).toEqual([0, 4, 8]);
    expect(Array.from(batch?.rows ?? [])).toEqual([3, 3, 7]);
    expect(Array.from(batch?.targets ?? [])).toEqual([go, a, go]);
    expect(Array.from(batch?.advantages ?? [])).toEqual([1, -2, 0]);
    expect(Array.from(batch?.weights ?? [])).toEqual(new Array(3).fill(Math.fround(1 / 3)));

    const narrow = packMicroBatches(sequences, { tokens: 99, rows: 9, lossRows: 1 });
    expect(narrow.map(({ targets }) => Array.from(targets))).toEqual([[go], [go], [a]]);
  });

  it('refuses a sequence that is larger than a micro-batch', () => {
    const sequences = lossSequences(episode([turn([a, b], [go], 0)]), 1, tokenizer);
    expect(() => packMicroBatches(sequences, { tokens: 3, rows: 9, lossRows: 9 })).toThrow(
      /micro_batch_tokens/,
    );
  });
});
