/**
 * The autopsy of a run with an injected fault: its diagnosis and the forks that test each remedy.
 */

import { iterationsOf, type Outcome } from '../autopsy/judge.ts';
import { planAutopsy } from '../autopsy/plan.ts';
import { curesBeside, diagnose } from '../diagnosis/diagnose.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { KeptAutopsy, KeptFork } from '../experiments/kept-autopsy.ts';
import { failures } from '../runs/failures.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { ModeName } from '../runs/mode-names.ts';
import type { Trainer } from '../training/trainer.ts';
import type { Machine } from './machine.node.ts';
import { prove } from './prove.ts';
import type { Streams } from './streams.ts';

/**
 * Diagnoses the run, then tests the remedies for its first finding and for every other known cause
 * of failure.
 *
 * @param provoked the failure mode injected into this run
 */
export async function autopsied(
  { config }: Pick<Trainer, 'config'>,
  metrics: readonly MetricRow[],
  provoked: ModeName,
  {
    createPolicy,
    log,
    label,
  }: Pick<Machine, 'createPolicy'> & Pick<Streams, 'log'> & { readonly label: string },
): Promise<KeptAutopsy> {
  const rows = metrics.map((row, place) => ({ iteration: place + 1, metrics: row }));
  const evidence = { rows, evaluations: [], facts: config };
  const [finding] = diagnose(evidence).findings;
  if (finding === undefined) {
    log(`${label}: no finding`);
    return { provoked, found: null, forks: null };
  }
  const { mode, onset, known } = finding;
  const causes = [...new Set(failures.map((failure) => failure.mode))];
  const others = curesBeside(
    evidence,
    known,
    causes.filter((cause) => cause !== mode),
  );
  const widened: Finding = {
    ...finding,
    rivals: others.map((other) => ({ ...other, separatedBy: '' })),
  };
  const plan = planAutopsy(widened, config, rows.length);
  const began = performance.now();
  const { trial, played, differs } = await prove(plan, rows, { createPolicy }, (line) =>
    log(`${label}: ${line}`),
  );
  if (differs !== null) {
    throw new Error(`${label}: the replay differs from the run, starting at iteration ${differs}`);
  }
  return {
    provoked,
    found: { mode, onset, known },
    forks: {
      after: plan.after,
      to: plan.to,
      asItWas: keptFork(trial.asItWas),
      cures: trial.cures.map(({ cure, fate, ...outcome }) => ({
        ...{ name: cure.name, mode: cure.mode, fate },
        ...keptFork(outcome),
      })),
      iterations: iterationsOf(played),
      seconds: Number(((performance.now() - began) / 1000).toFixed(1)),
    },
  };
}

const keptFork = ({ success, greedy }: Outcome): KeptFork => ({
  success: Number(success.mean.toFixed(4)),
  greedy,
});
