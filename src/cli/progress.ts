import { significant } from '../runs/numbers.ts';
import type { OnProgress } from '../training/look/onlooker.ts';

/** Milliseconds from the start of a phase to its first line. */
const FIRST_MS = 2000;
/** Milliseconds between further lines of the same phase. */
const NEXT_MS = 10_000;

const titles: Readonly<Record<Parameters<OnProgress>[0], string>> = {
  imitate: 'imitation',
  prefer: 'preference learning',
  rollout: 'rollout',
  score: 'scoring',
  advantages: 'advantages',
  update: 'update',
  evaluate: 'evaluation',
  explore: 'exploration',
  sift: 'filtering',
  learn: 'learning',
  answer: 'answers',
  criticize: 'critiques',
  refine: 'refinements',
};

/** Logs the progress of phases that last longer than two seconds. */
export function progressLog(
  log: (line: string) => void,
  now: () => number = () => performance.now(),
): OnProgress {
  let current = '';
  let reached = 0;
  let due = 0;
  return (phase, fraction, loss) => {
    const time = now();
    // The same phase may run again, in the next iteration.
    if (phase !== current || fraction < reached) due = time + FIRST_MS;
    current = phase;
    reached = fraction;
    if (time < due) return;
    const at = loss === undefined ? '' : `, loss ${significant(loss)}`;
    log(`${titles[phase]}: ${Math.floor(100 * fraction)}%${at}`);
    due = time + NEXT_MS;
  };
}
