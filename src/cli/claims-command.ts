import { join } from 'node:path';
import { KeptRunError } from '../runs/experiment-run.ts';
import type { Experiment } from '../runs/experiments.ts';
import { UnknownExperimentError } from '../runs/experiments.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { drive } from '../training/drive.ts';
import { Starts } from '../training/starts.ts';
import { Trainer } from '../training/trainer.ts';
import { checkClaims } from './claims/check.ts';
import { claimList } from './claims/claims.ts';
import { deviceFlags, deviceHelp, readDeviceWish } from './device-options.ts';
import { Outputs } from './files.ts';
import { Code, openingDigest } from './fingerprint.node.ts';
import { CONFIRMED, type Confirmation, keptRuns, readConfirmations } from './kept-runs.node.ts';
import type { DeviceWish, OpenMachine } from './machine.node.ts';
import type { Streams } from './streams.ts';
import { EXIT_FAILED, EXIT_USAGE, parseFlags, UsageError } from './usage.ts';

const usage = `npm run claims [-- options]: recomputes every number of the documents from the kept files

  --write          put in what comes out, where a document says something else
  --list           the claims that a document can make
  --confirm NAME   play the first iterations of one kept run of every arm of this experiment again; where
                   they are the same bit for bit, its results count as made by the present code
  --out DIR        where results are, for --confirm; docs/results if not given
${deviceHelp(17)}`;

export interface ClaimsSurroundings extends Streams {
  /** The repository's root. */
  readonly root: string;
  readonly open: OpenMachine;
  readonly find: (name: string) => Experiment;
}

/** @returns the exit code: 1 where a document says what does not come out */
export async function claimsCommand(
  args: readonly string[],
  surroundings: ClaimsSurroundings,
): Promise<number> {
  const { out, log, root } = surroundings;
  try {
    const asked = parseFlags(args, {
      write: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      confirm: { type: 'string' },
      out: { type: 'string', default: 'docs/results' },
      ...deviceFlags,
      help: { type: 'boolean', short: 'h', default: false },
    });
    if (asked.help || asked.list) {
      out(asked.help ? usage : claimList());
      return 0;
    }
    const code = await Code.read(root);
    if (asked.confirm !== undefined) {
      return await confirm(asked.confirm, asked.out, readDeviceWish(asked), code, surroundings);
    }
    const { documents, pages, claims, mismatches } = checkClaims(root, code, asked.write);
    for (const { document, line, what } of mismatches) out(`${document}:${line}: ${what}`);
    out(
      `${claims} claims in ${documents} documents and ${pages} pages made from kept files: ${mismatches.length === 0 ? 'all come out' : `${mismatches.length} to be mended`}`,
    );
    return mismatches.length === 0 ? 0 : EXIT_FAILED;
  } catch (error) {
    if (error instanceof UsageError || error instanceof UnknownExperimentError) {
      log(error.message);
      return EXIT_USAGE;
    }
    if (!(error instanceof KeptRunError)) throw error;
    log(error.message);
    return EXIT_FAILED;
  }
}

/** The number of threads changes no bit. */
function withoutThreads(adapter: string): string {
  return adapter.replace(/, \d+ threads?\b/, '');
}

/**
 * A change that alters no bit makes no result old: of every arm one kept run is begun again, on the same
 * adapter, and its first iterations are compared.
 */
async function confirm(
  name: string,
  results: string,
  wish: DeviceWish,
  code: Code,
  { log, open, find }: ClaimsSurroundings,
): Promise<number> {
  const experiment = find(name);
  const old = keptRuns(results, experiment, code).filter(({ stale }) => stale === 'code');
  if (old.length === 0) {
    log(`${name}: no run is old`);
    return 0;
  }
  // Runs of one arm may come from several versions: each is held against the present one by itself.
  const distinct = new Map(old.map((run) => [`${run.arm}\n${run.made?.code}`, run]));
  const file = new Outputs({ force: false }).file('--out', join(results, CONFIRMED), () => true);
  const { adapter, createPolicy, close } = await open(wish);
  const equal: Confirmation[] = [];
  const starts = new Starts();
  try {
    for (const { arm, seed, config, made, adapter: own, ...run } of distinct.values()) {
      const label = `${name}, ${arm}, seed ${seed}`;
      if (made === undefined) {
        log(`${label}: it was not kept how it began; run it again`);
      } else if (run.testTime !== undefined || run.domains !== undefined) {
        log(
          `${label}: how it began says nothing of what was measured of it at the end; run it again`,
        );
      } else if (withoutThreads(own) !== withoutThreads(adapter)) {
        log(
          `${label}: it was made on ${own}, and this is ${adapter}; other adapters round otherwise`,
        );
      } else {
        const { iterations, metrics, digest } = made.opening;
        const rows: MetricRow[] = [];
        const run = await Trainer.create({ config, createPolicy, starts });
        for await (const row of drive(run, () => rows.length < iterations)) rows.push(row.metrics);
        run.destroy();
        const same = openingDigest(rows, metrics) === digest;
        log(
          `${label}: ${iterations} iterations ${same ? 'are the same, bit for bit' : 'differ; run it again'}`,
        );
        const date = new Date().toISOString().slice(0, 10);
        const to = code.fingerprint(config);
        if (same) equal.push({ experiment: name, arm, seed, from: made.code, to, adapter, date });
      }
    }
  } finally {
    close();
  }
  if (equal.length > 0) {
    const all = [...readConfirmations(results), ...equal];
    file.write(`${JSON.stringify(all, null, 1)}\n`);
    log(
      `${equal.length} confirmed in ${file.path}; npm run claims -- --write brings the documents up to date`,
    );
  }
  return equal.length === distinct.size ? 0 : EXIT_FAILED;
}
