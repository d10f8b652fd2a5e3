import type { Config } from '../../config/schema.ts';
import { diagnose } from '../../diagnosis/diagnose.ts';
import { recentMean } from '../../diagnosis/trend.ts';
import { percent } from '../../runs/numbers.ts';
import { expectedIterations } from '../../runs/run-length.ts';
import { evidenceOf, type LabState } from '../shell/lab/store.ts';
import { storyOf } from '../why/overview/story.ts';

/** Number of announcements of progress per run. */
const TOLD = 10;

/** In Critique-RL, the success rate in training is the share of correct verdicts. */
function successText(recipe: Config['recipe'], success: number | undefined): string {
  if (success === undefined) return '';
  return recipe === 'critique'
    ? ` In training, the critic judges ${percent(success)} of the answers correctly.`
    : ` ${percent(success)} of the episodes succeed.`;
}

/**
 * Text for screen readers at each tenth of the run, when the horizon grows, when a cause of failure is
 * found, and at the end. In between the text does not change, so nothing is read aloud.
 */
export function milestone(lab: LabState): string {
  const { rows, config, status } = lab;
  if (status === 'finished') {
    const { headline, detail } = storyOf(lab);
    return `${headline} ${detail}`;
  }
  const limit = config.stopping.iterations;
  // A budget of turns or tokens may end the run long before its limit of iterations.
  const total = expectedIterations(config, []);
  const [cause] = diagnose(evidenceOf(lab)).findings;
  const every = Math.max(1, Math.ceil(total / TOLD));
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    if (row === undefined) continue;
    if (row.iteration === cause?.known) return `Iteration ${row.iteration}: ${cause.title}`;
    const horizon = row.metrics['rollout/horizon'];
    const before = rows[index - 1]?.metrics['rollout/horizon'];
    if (horizon !== undefined && before !== undefined && horizon !== before) {
      return `Iteration ${row.iteration}: new phase. Episodes may now take up to ${horizon} turns.`;
    }
    if (row.iteration % every !== 0) continue;
    const success = recentMean(rows.slice(0, index + 1), 'rollout/success_rate');
    const text = successText(config.recipe, success);
    return total < limit
      ? `Iteration ${row.iteration}.${text}`
      : `Iteration ${row.iteration} of ${limit}.${text}`;
  }
  return '';
}
