import { describe, expect, it } from 'vitest';
import type { ModeName } from '../runs/mode-names.ts';
import { autopsySection, autopsySummary } from './autopsy.ts';
import { findExperiment } from './catalogue.ts';
import type { Fate, KeptAutopsy } from './kept-autopsy.ts';
import type { KeptRun } from './kept-run.ts';

const cure = (mode: ModeName, fate: Fate, success: number) => ({
  ...{ name: `for ${mode}`, mode, fate, success, greedy: success },
});

const gamma: KeptAutopsy = {
  provoked: 'bootstrapping_at_horizon',
  found: { mode: 'bootstrapping_at_horizon', onset: 26, known: 27 },
  forks: {
    ...{ after: 25, to: 65, iterations: 200, seconds: 30 },
    asItWas: { success: 0.2, greedy: 0.08 },
    cures: [
      cure('bootstrapping_at_horizon', 'lives', 0.99),
      cure('bootstrapping_at_horizon', 'fails', 0.2),
      cure('horizon_too_short', 'lives', 0.98),
      cure('no_step_bound', 'fails', 0.1),
      cure('nothing_moves', 'helps', 0.4),
    ],
  },
};
const misnamed: KeptAutopsy = {
  provoked: 'no_step_bound',
  found: { mode: 'learning_rate_too_high', onset: 2, known: 3 },
  forks: {
    ...{ after: 1, to: 41, iterations: 100, seconds: 10 },
    asItWas: { success: 0.1, greedy: null },
    cures: [cure('learning_rate_too_high', 'helps', 0.3), cure('no_step_bound', 'lives', 0.9)],
  },
};
const missed: KeptAutopsy = { provoked: 'reference_too_tight', found: null, forks: null };

describe('an autopsy summary', () => {
  it('counts correct and wrong remedies by the injected fault, not by the finding', () => {
    expect(autopsySummary([gamma, misnamed, missed])).toEqual({
      found: { count: 1, of: 3 },
      rightLives: { count: 2, of: 2 },
      wrongLives: { count: 1, of: 4 },
      wrongHelps: { count: 2, of: 4 },
      iterations: 150,
      seconds: 20,
    });
  });

  it('lists results by failure and by remedy', () => {
    const runs = [
      ['gamma-1', gamma],
      ['bounds-wide', misnamed],
      ['kl-1', missed],
    ].map(([arm, autopsy]) => ({ arm, seed: 11, stale: null, autopsy }) as unknown as KeptRun);
    const page = autopsySection(findExperiment('autopsy'), runs);
    expect(page).toContain('| gamma-1 | 1 of 1 | 1 of 1 | 1 of 3 | 1 of 3 | 200 | 30 |');
    expect(page).toContain('| kl-1 | 0 of 1 | 0 of 0 | 0 of 0 | 0 of 0 | – | – |');
    expect(page).toContain('| all | 1 of 3 | 2 of 2 | 1 of 4 | 2 of 4 | 150 | 20 |');
    expect(page).toContain(
      '| bounds-wide | 11 | learning rate too high | 2 | 1 to 41 | 10.0% | `for no_step_bound` | no step bound | 90.0% | 90.0% | **lives** |',
    );
    expect(page).toContain('| kl-1 | 11 | nothing |');
  });
});
