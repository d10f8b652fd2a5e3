import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Bytes by which the heap grows per episode, after a warm-up: the median of five rounds, because compiled
 * code also grows and shrinks the heap.
 *
 * @param episodes per round
 * @param play plays this many episodes, the same in each round
 */
export function heapGrowth(episodes: number, play: (episodes: number) => void): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  play(episodes);
  const rounds = Array.from({ length: 5 }, () => {
    const before = heap();
    play(episodes);
    return (heap() - before) / episodes;
  });
  return rounds.sort((a, b) => a - b)[2] ?? Number.NaN;
}
