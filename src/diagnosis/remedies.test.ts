import { expect, it } from 'vitest';
import type { Assignment } from '../config/methods.ts';
import { setConfigValues } from '../config/text.ts';
import { curesBeside } from './diagnose.ts';
import type { ModeName } from './finding.ts';
import { configOf, findProvocation } from './testing/provocations.ts';
import { readRecorded, rowsOf } from './testing/recorded.ts';

const run = configOf(findProvocation('learning-rate-0.02'), 1);
const rows = rowsOf(readRecorded('learning-rate-0.02.1'));

/** The settings named by the remedies for a mode, if the run had these settings. */
function named(mode: ModeName, ...set: readonly Assignment[]): readonly (string | undefined)[] {
  const facts = setConfigValues(run, set);
  const [cures] = curesBeside({ rows, evaluations: [], facts }, 5, [mode]);
  return cures?.remedies.map(({ setting }) => setting) ?? [];
}

it.each<[ModeName, string, Assignment, Assignment]>([
  [
    'learning_rate_too_high',
    'optimizer.warmup_updates',
    ['optimizer.warmup_updates', '19'],
    ['optimizer.warmup_updates', '20'],
  ],
  ['too_many_epochs', 'algorithm.epochs', ['algorithm.epochs', '5'], ['algorithm.epochs', '4']],
  ['setback', 'stopping.success', ['stopping.success', '0.9'], ['stopping.success', '1']],
  [
    'horizon_too_short',
    'horizon.schedule',
    ['horizon.schedule', 'fixed'],
    ['horizon.schedule', 'scaling_inter'],
  ],
  [
    'bootstrapping_at_horizon',
    'horizon.schedule',
    ['horizon.schedule', 'scaling_inter'],
    ['horizon.schedule', 'fixed'],
  ],
  [
    'value_head_untrained',
    'algorithm.value_clip',
    ['algorithm.value_clip', '0.2'],
    ['algorithm.value_clip', '0'],
  ],
  ['groups_agree', 'imitation.epochs', ['imitation.epochs', '0'], ['imitation.epochs', '5']],
])('%s: proposes %s only if that changes the run', (mode, setting, other, inForce) => {
  expect(named(mode, other)).toContain(setting);
  expect(named(mode, inForce)).not.toContain(setting);
});
