import { diagnose } from '../../diagnosis/diagnose.ts';
import { recentMean } from '../../diagnosis/trend.ts';
import { percent } from '../../runs/numbers.ts';
import { evidenceOf, type LabState } from '../lab/store.ts';
import { storyOf } from '../overview/story.ts';

/** Parts that a run is told in. */
const TOLD = 10;

/**
 * What a screen reader is told of the run: a tenth of it is done, the horizon has grown,
 * a cause of failure is known, it is finished.
 * Between these the text stays the same, so that nothing is said.
 */
export function milestone(lab: LabState): string {
  const { rows, config, status } = lab;
  if (status === 'finished') {
    const { headline, detail } = storyOf(lab);
    return `${headline} ${detail}`;
  }
  const total = config.stopping.iterations;
  const [cause] = diagnose(evidenceOf(lab)).findings;
  const every = Math.max(1, Math.ceil(total / TOLD));
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    if (row === undefined) continue;
    if (row.iteration === cause?.known) return `Iteration ${row.iteration}: ${cause.title}`;
    const horizon = row.metrics['rollout/horizon'];
    const before = rows[index - 1]?.metrics['rollout/horizon'];
    if (horizon !== undefined && before !== undefined && horizon !== before) {
      return `Iteration ${row.iteration}: a new phase, episodes may now take ${horizon} turns.`;
    }
    if (row.iteration % every !== 0) continue;
    const success = recentMean(rows.slice(0, index + 1), 'rollout/success_rate');
    const solved = success === undefined ? '' : ` ${percent(success)} of the episodes succeed.`;
    return `Iteration ${row.iteration} of ${total}.${solved}`;
  }
  return '';
}
