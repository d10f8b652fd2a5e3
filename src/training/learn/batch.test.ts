import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextStart } from '../../agents/dialogue.ts';
import { contextOf } from '../../agents/testing/tabular-policy.ts';
import type { Trajectory, Turn } from '../../agents/trajectory.ts';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import type { TrainingBatch } from '../../policy/types.ts';
import type { TrainingEpisode } from './batch.ts';
import { packMicroBatches, unpackRows, writtenEpisode } from './batch.ts';

const tokenizer = new WordTokenizer(['a', 'b', 'go']);
const { obs, act, end } = tokenizer;
const [a, b, go] = [5, 6, 7];

function turn(observationTokens: number[], actionTokens: number[], start: number): Turn {
  return {
    observation: '',
    thought: '',
    action: '',
    observationTokens,
    actionTokens,
    // Numbers that float32 represents exactly and that identify every token.
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
    iteration: 1,
    episode: 0,
    task: 't',
    group: 0,
    horizon: 9,
    taskKept: false,
    turns,
    finalObservation: '',
    score: 1,
    success: true,
    terminated: true,
    truncated: false,
  };
}

/** An episode whose tokens all have the same advantage. */
function training(trajectory: Trajectory, advantage: number): TrainingEpisode {
  const written = writtenEpisode(trajectory, tokenizer);
  return { ...written, advantages: written.targets.map(() => advantage) };
}

describe('writtenEpisode', () => {
  it('makes one sequence per episode if the window covers its whole history', () => {
    const written = writtenEpisode(
      episode([turn([a], [go, end], 0), turn([a, b], [b], 0)]),
      tokenizer,
    );
    expect(written).toEqual({
      // The last action token, b, is only a target.
      sequences: [{ tokens: [obs, a, act, go, end, obs, a, b, act], rows: [2, 3, 8], first: 0 }],
      targets: [go, end, b],
      behaviorLogps: [-7, -(4 + 1 / 8), -6],
      versions: [3, 3, 3],
      turns: [0, 0, 1],
    });
  });

  it('makes one sequence per turn for a window of one turn', () => {
    const turns = [turn([a], [go, end], 0), turn([b], [a], 1)];
    expect(writtenEpisode(episode(turns), tokenizer).sequences).toEqual([
      { tokens: [obs, a, act, go], rows: [2, 3], first: 0 },
      { tokens: [obs, b, act], rows: [2], first: 2 },
    ]);
  });

  it('includes earlier turns of a window as context without training on them again', () => {
    const turns = [turn([a], [go], 0), turn([b], [a], 0), turn([a], [b], 1)];
    expect(writtenEpisode(episode(turns), tokenizer).sequences).toEqual([
      { tokens: [obs, a, act, go, obs, b, act], rows: [2, 6], first: 0 },
      { tokens: [obs, b, act, a, obs, a, act], rows: [6], first: 2 },
    ]);
  });
});

/** Every loss row of the batches as text: its context and its values. */
function rowsOf(batches: readonly TrainingBatch[]): string[] {
  return batches
    .flatMap((batch) =>
      Array.from(batch.rows, (row, r) =>
        [
          contextOf(batch, row).join(' '),
          batch.targets[r],
          batch.behaviorLogps[r],
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
  it('gives the same rows for any split into micro-batches, each token exactly once', () => {
    fc.assert(
      fc.property(episodes, fc.integer({ min: 24, max: 90 }), (plan, limit) => {
        const played = plan.map(({ advantage, window, turns }) => {
          const seen: { observationTokens: number[]; actionTokens: number[] }[] = [];
          const starts = turns.map(({ observation, action }) => {
            const start = contextStart(
              [...seen, { observationTokens: observation }],
              { historyWindow: window, contextLength: 24, maxActionTokens: 3, keepTask: false },
              tokenizer,
            );
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
        const learned = played.map(({ trajectory, advantage }) => training(trajectory, advantage));
        const rows = learned.reduce((sum, { targets }) => sum + targets.length, 0);
        const weights = learned.map(() => 1 / rows);
        const pack = (tokens: number, most: number) =>
          packMicroBatches(learned, weights, { tokens, rows: most, lossRows: most });
        const { batches: whole } = pack(1e6, 1e6);
        const packed = pack(limit, 16);
        const cut = packed.batches;
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
        const weighed = cut.flatMap(({ weights: w }) => Array.from(w));
        expect(weighed.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 5);
        // Row values map back to the tokens they belong to.
        const back = unpackRows(
          learned,
          packed,
          cut.map(({ behaviorLogps }) => behaviorLogps),
        );
        expect(back).toEqual(learned.map(({ behaviorLogps }) => behaviorLogps));
      }),
    );
  });

  it('packs a context once, with the loss rows of all episodes that share it', () => {
    const episodes = [
      training(episode([turn([a, b], [go], 0)]), 1),
      training(episode([turn([b, b], [go], 0)]), 0),
      training(episode([turn([a, b], [a], 0)]), -2),
    ];
    const weights = [0.5, 0.25, 0.125];
    const {
      batches: [batch, ...rest],
    } = packMicroBatches(episodes, weights, { tokens: 99, rows: 9, lossRows: 9 });
    expect(rest).toHaveLength(0);
    // `<obs> a b <act>` and `<obs> b b <act>`; rows 3, 3 and 7.
    expect(Array.from(batch?.sequenceStarts ?? [])).toEqual([0, 4, 8]);
    expect(Array.from(batch?.rows ?? [])).toEqual([3, 3, 7]);
    expect(Array.from(batch?.targets ?? [])).toEqual([go, a, go]);
    expect(Array.from(batch?.advantages ?? [])).toEqual([1, -2, 0]);
    expect(Array.from(batch?.weights ?? [])).toEqual([0.5, 0.125, 0.25]);
    expect(Array.from(batch?.episodes ?? [])).toEqual([0, 2, 1]);

    const narrow = packMicroBatches(episodes, weights, { tokens: 99, rows: 9, lossRows: 1 });
    expect(narrow.batches.map(({ targets }) => Array.from(targets))).toEqual([[go], [go], [a]]);
  });

  it('packs only the per-token data that an objective needs', () => {
    const written = writtenEpisode(
      episode([turn([a], [go, end], 0), turn([b], [a], 1)]),
      tokenizer,
    );
    const bare = { ...written, advantages: [1, 2, 3] };
    const limits = { tokens: 99, rows: 9, lossRows: 9 };
    const [plain] = packMicroBatches([bare], [1], limits).batches;
    expect(Array.from(plain?.advantages ?? [])).toEqual([1, 2, 3]);
    for (const name of ['proximalLogps', 'referenceLogps', 'oldValues', 'returns'] as const) {
      expect(plain).not.toHaveProperty(name);
      const [batch] = packMicroBatches([{ ...bare, [name]: [-4, -5, -6] }], [1], limits).batches;
      expect(Array.from(batch?.[name] ?? [])).toEqual([-4, -5, -6]);
    }
  });

  it('rejects a sequence that is larger than a micro-batch', () => {
    const learned = training(episode([turn([a, b], [go], 0)]), 1);
    expect(() => packMicroBatches([learned], [1], { tokens: 3, rows: 9, lossRows: 9 })).toThrow(
      /micro_batch_tokens/,
    );
  });
});
