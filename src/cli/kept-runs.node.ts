import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isSeparate, samplerSettings } from '../config/sampler.ts';
import type { Config } from '../config/schema.ts';
import { type Experiment, experimentConfig } from '../experiments/catalogue.ts';
import { readRuns } from '../experiments/kept-files.node.ts';
import type { KeptRun, Staleness } from '../experiments/kept-run.ts';
import { type ExperimentRun, KeptRunError } from '../experiments/run.ts';
import { diagnosed } from './diagnosed.ts';
import type { Code, Measured } from './fingerprint.node.ts';

/** One planned run of an experiment. */
export interface PlannedRun {
  readonly arm: Experiment['arms'][number];
  readonly seed: number;
  readonly config: Config;
  /** Its file's name within the experiment's folder. */
  readonly file: string;
}

/** Every planned run of an experiment, arm by arm. */
export function plannedRuns(experiment: Experiment): readonly PlannedRun[] {
  return experiment.arms.flatMap((arm) =>
    experiment.seeds.map((seed) => ({
      arm,
      seed,
      config: experimentConfig(experiment, arm, seed),
      file: `${fileName(arm.name)}.${seed}.json`,
    })),
  );
}

/** An arm's name in ASCII, without characters at which a shell splits words. */
const fileName = (arm: string): string =>
  arm
    .replaceAll(/[ ,]+/g, '-')
    .replaceAll(/[^!-~]/g, (letter) => `u${letter.codePointAt(0)?.toString(16)}`);

/** What else a run's numbers depend on, besides its training. */
export function measuredOf({ arm, config }: Pick<PlannedRun, 'arm' | 'config'>): Measured {
  const { testTime, domains, autopsy, rank, trialRate } = arm;
  if (isSeparate(samplerSettings(config)) || config.agent.action_vocabulary === 'phrases') {
    return 'adapted';
  }
  if (trialRate !== undefined) return 'trials';
  if (autopsy !== undefined) return 'forks';
  if (rank !== undefined) return 'model';
  return testTime !== undefined || domains === true ? 'samples' : 'nothing';
}

/** Whether a kept run has the planned settings and measurements. */
export function isAsPlanned(run: ExperimentRun, { arm, config }: PlannedRun): boolean {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  return (
    same(run.config, config) &&
    same(run.testTime?.plan, arm.testTime) &&
    (run.domains !== undefined) === (arm.domains ?? false) &&
    run.model?.rank === arm.rank &&
    run.trials?.rate === arm.trialRate &&
    run.autopsy?.provoked === arm.autopsy
  );
}

/**
 * Records that two versions of the code gave bit-identical first iterations of an experiment's arm.
 */
export interface Confirmation {
  readonly experiment: string;
  readonly arm: string;
  readonly seed: number;
  /** Fingerprints of the kept run and of the later code compared with it. */
  readonly from: string;
  readonly to: string;
  readonly adapter: string;
  readonly date: string;
}

/** The file of confirmations, beside the experiments' folders. */
export const CONFIRMED = 'confirmed.json';

const confirmations = z.array(
  z.object({
    experiment: z.string(),
    arm: z.string(),
    seed: z.int(),
    from: z.string(),
    to: z.string(),
    adapter: z.string(),
    date: z.iso.date(),
  }),
);

/**
 * The confirmations in a results folder.
 *
 * @throws {KeptRunError} for a malformed file
 */
export function readConfirmations(results: string): readonly Confirmation[] {
  const file = join(results, CONFIRMED);
  if (!existsSync(file)) return [];
  try {
    return confirmations.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new KeptRunError(file, error instanceof Error ? error.message : String(error));
  }
}

/**
 * The kept runs of an experiment in the order of its plan. Each states whether the current code would
 * reproduce its numbers.
 *
 * @param results the folder of all experiments, such as docs/results
 * @throws {KeptRunError}
 */
export function keptRuns(results: string, experiment: Experiment, code: Code): readonly KeptRun[] {
  const kept = readRuns(results, experiment.name);
  const confirmed = readConfirmations(results);
  return plannedRuns(experiment).flatMap((planned) => {
    const there = kept.find(({ run }) => run.arm === planned.arm.name && run.seed === planned.seed);
    if (there === undefined) return [];
    const { run } = there;
    const found = planned.arm.diagnosis === undefined ? null : diagnosed(run);
    return {
      ...run,
      stale: staleness(experiment, planned, run, code, confirmed),
      ...(found === null ? {} : { diagnosed: found }),
    };
  });
}

function staleness(
  { name }: Experiment,
  planned: PlannedRun,
  run: ExperimentRun,
  code: Code,
  confirmed: readonly Confirmation[],
): Staleness {
  if (!isAsPlanned(run, planned)) return 'settings';
  const present = code.fingerprint(run.config, run.adapter, measuredOf(planned));
  const from = run.made?.code;
  const equal = confirmed.some(
    (c) => c.experiment === name && c.arm === run.arm && c.from === from && c.to === present,
  );
  return from === present || equal ? null : 'code';
}
