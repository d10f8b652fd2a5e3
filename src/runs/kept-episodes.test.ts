import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptEpisodes } from './kept-episodes.ts';

describe('KeptEpisodes', () => {
  it('keeps the newest training episodes and the latest evaluation, in order and with unique numbers', () => {
    fc.assert(
      fc.property(
        fc.nat(12),
        fc.array(fc.record({ train: fc.nat(9), evaluate: fc.option(fc.nat(9)) }), { maxLength: 8 }),
        (keep, iterations) => {
          const kept = new KeptEpisodes<string>(keep);
          const trained: string[] = [];
          let evaluated: string[] = [];
          for (const [i, { train, evaluate }] of iterations.entries()) {
            const iteration = i + 1;
            const episodes = Array.from({ length: train }, (_, k) => `${iteration}/${k}`);
            kept.addTraining(iteration, episodes);
            trained.push(...episodes);
            if (evaluate === null) continue;
            evaluated = Array.from({ length: evaluate }, (_, k) => `${iteration}/eval ${k}`);
            kept.setEvaluation(iteration, evaluated);
          }
          const { all } = kept;
          expect(all.map(({ episode }) => episode)).toEqual([
            ...(keep === 0 ? [] : trained.slice(-keep)),
            ...evaluated.slice(0, keep),
          ]);
          for (const { iteration, kind, episode } of all) {
            expect(episode.startsWith(`${iteration}/`)).toBe(true);
            expect(kind).toBe(episode.includes('eval') ? 'eval' : 'train');
          }
          expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
        },
      ),
    );
  });
});
