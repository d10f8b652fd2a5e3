import { join } from 'node:path';
import type { Experiment } from '../experiments/catalogue.ts';
import { UnknownExperimentError } from '../experiments/catalogue.ts';
import { type ExperimentRun, formatRun, parseRun } from '../experiments/run.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { createRun } from '../training/create-run.ts';
import { drive } from '../training/drive.ts';
import { Starts } from '../training/starts.ts';
import { checkClaims } from './claims/check.ts';
import { claimList } from './claims/claims.ts';
import { deviceFlags, deviceRequest } from './device-options.ts';
import { Outputs } from './files.ts';
import { type Code, openingDigest } from './fingerprint.node.ts';
import { Command, optional, toggle, withDefault } from './flags.ts';
import {
  CONFIRMED,
  type Confirmation,
  keptRuns,
  measuredOf,
  plannedRuns,
  readConfirmations,
} from './kept-runs.node.ts';
import type { DeviceRequest, Machine, OpenMachine } from './machine.node.ts';
import { play } from './reproduce-command.ts';
import type { Streams } from './streams.ts';
import { EXIT_FAILED, exitCode } from './usage.ts';

const checker = new Command({
  name: 'claims',
  about: 'Recomputes every number in the documents from the stored results.',
  flags: {
    write: toggle('replace numbers in the documents that differ from the recomputed ones'),
    list: toggle('list the kinds of claims and exit'),
    confirm: optional(
      'NAME',
      'rerun the first iterations of one kept run per arm of this experiment, or all of it if the arm measures more after training; if they match bit for bit, the arm’s results count as made by the current code',
    ),
    out: withDefault('docs/results', optional('DIR', 'the results folder, for --confirm')),
    ...deviceFlags,
  },
});

interface ClaimsContext extends Streams {
  /** Root of the repository. */
  readonly root: string;
  readonly readCode: () => Promise<Code>;
  readonly open: OpenMachine;
  readonly find: (name: string) => Experiment;
}

/** @returns the exit code: 1 if a number in a document differs from its recomputed value */
export function claimsCommand(args: readonly string[], context: ClaimsContext): Promise<number> {
  const { out, root } = context;
  return exitCode(context, [UnknownExperimentError], async () => {
    const parsed = checker.parse(args);
    if (parsed === null || parsed.values.list) {
      out(parsed === null ? checker.help() : claimList());
      return 0;
    }
    const { write, confirm: name, out: results, ...device } = parsed.values;
    const code = await context.readCode();
    if (name !== undefined) {
      return await confirm(name, results, deviceRequest(device), code, context);
    }
    const { documents, pages, claims, mismatches } = checkClaims(root, code, write);
    for (const { document, line, what } of mismatches) out(`${document}:${line}: ${what}`);
    out(
      `${claims} claims in ${documents} documents and ${pages} generated pages: ${mismatches.length === 0 ? 'all correct' : `${mismatches.length} wrong`}`,
    );
    return mismatches.length === 0 ? 0 : EXIT_FAILED;
  });
}

/** The adapter without its thread count, which does not change results. */
function withoutThreads(adapter: string): string {
  return adapter.replace(/, \d+ threads?\b/, '');
}

type Made = NonNullable<ExperimentRun['made']>;

/** Reruns a run’s first iterations and compares their metrics. */
async function hasSameOpening(
  config: ExperimentRun['config'],
  { iterations, metrics, digest }: Made['opening'],
  { createPolicy, starts }: { createPolicy: Machine['createPolicy']; starts: Starts },
): Promise<boolean> {
  const rows: MetricRow[] = [];
  const run = await createRun({ config, createPolicy, starts });
  for await (const row of drive(run, () => rows.length < iterations)) rows.push(row.metrics);
  run.destroy();
  return openingDigest(rows, metrics) === digest;
}

/**
 * Compares the numbers of a kept run with those of another, without times and without what was found out
 * about it later. Metrics added by later versions do not count.
 */
function hasSameNumbers(kept: ExperimentRun, again: ExperimentRun): boolean {
  const left = /^(made|adapter|stale|diagnosed|seconds)$/;
  const numbersOf = (run: ExperimentRun) => {
    const places = kept.rows?.columns.map((column) => run.rows?.columns.indexOf(column) ?? -1);
    const rows = run.rows?.values.map((row) => places?.map((place) => row[place]));
    return JSON.stringify({ ...run, rows }, (key, value) => (left.test(key) ? undefined : value));
  };
  return numbersOf(parseRun('the rerun', formatRun(again))) === numbersOf(kept);
}

/**
 * Reruns the first iterations of one kept run per arm on the same adapter, or all of it if the arm measures
 * more after training. If they match bit for bit, the code change did not affect the results.
 */
async function confirm(
  name: string,
  results: string,
  request: DeviceRequest,
  code: Code,
  { log, open, find }: ClaimsContext,
): Promise<number> {
  const experiment = find(name);
  const old = keptRuns(results, experiment, code).filter(({ stale }) => stale === 'code');
  if (old.length === 0) {
    log(`${name}: no run is stale`);
    return 0;
  }
  // Runs of one arm may come from several versions of the code, so rerun one run of each version.
  const distinct = new Map(old.map((run) => [`${run.arm}\n${run.made?.code}`, run]));
  const file = new Outputs({ force: false }).file('--out', join(results, CONFIRMED), () => true);
  const { adapter, createPolicy, close } = await open(request);
  const planned = plannedRuns(experiment);
  const equal: Confirmation[] = [];
  const starts = new Starts();
  try {
    for (const kept of distinct.values()) {
      const { arm, seed, config, made, adapter: own } = kept;
      const label = `${name}, ${arm}, seed ${seed}`;
      const plan = planned.find((one) => one.arm.name === arm && one.seed === seed);
      if (plan === undefined) throw new TypeError(`${label} is not planned`);
      if (made === undefined) {
        log(`${label}: its first iterations were not recorded; run it again`);
      } else if (withoutThreads(own) !== withoutThreads(adapter)) {
        log(
          `${label}: it ran on ${own}, but this machine has ${adapter}; adapters round differently`,
        );
      } else {
        const measured = measuredOf(plan);
        const machine = { adapter, createPolicy, code, log, starts };
        const onlyTrains = measured === 'nothing' || measured === 'adapted';
        const same = onlyTrains
          ? await hasSameOpening(config, made.opening, machine)
          : hasSameNumbers(kept, await play(experiment, plan, machine));
        const compared = onlyTrains ? `${made.opening.iterations} iterations` : 'all numbers';
        log(`${label}: ${compared} ${same ? 'match bit for bit' : 'differ; run it again'}`);
        const date = new Date().toISOString().slice(0, 10);
        const to = code.fingerprint(config, adapter, measured);
        if (same) equal.push({ experiment: name, arm, seed, from: made.code, to, adapter, date });
      }
    }
  } finally {
    close();
  }
  if (equal.length > 0) {
    // A confirmation applies to a single version of the code, so the new one replaces earlier ones.
    const replaced = (old: Confirmation) =>
      equal.some(
        ({ experiment, arm, from }) =>
          old.experiment === experiment && old.arm === arm && old.from === from,
      );
    const all = [...readConfirmations(results).filter((old) => !replaced(old)), ...equal];
    file.write(`${JSON.stringify(all, null, 1)}\n`);
    log(
      `${equal.length} confirmed in ${file.path}; update the documents with npm run claims -- --write`,
    );
  }
  return equal.length === distinct.size ? 0 : EXIT_FAILED;
}
