import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { experimentPage } from '../runs/experiment-page.ts';
import {
  diagnosedColumns,
  type ExperimentRun,
  formatRun,
  KeptRunError,
  keepRows,
  keptDomains,
  keptTestTime,
  measuredAtTheEnd,
  parseRun,
  summarise,
} from '../runs/experiment-run.ts';
import { type Experiment, experiments, UnknownExperimentError } from '../runs/experiments.ts';
import { withFirstClip } from '../runs/first-clip.ts';
import type { KeptRun } from '../runs/kept-run.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { KeptTestTime, TestTimePlan } from '../runs/test-time.ts';
import { drive } from '../training/drive.ts';
import { evaluationTasks } from '../training/environments.ts';
import { Starts } from '../training/starts.ts';
import { drawCurves } from '../training/test-time/curves.ts';
import { hearDomains } from '../training/test-time/domains.ts';
import { Trainer } from '../training/trainer.ts';
import { autopsied } from './autopsied.ts';
import { deviceFlags, deviceHelp, readDeviceWish } from './device-options.ts';
import { Outputs, OutputTakenError } from './files.ts';
import { Code, OPENING_ITERATIONS, openingDigest, openingMetrics } from './fingerprint.node.ts';
import {
  isAsPlanned,
  keptRuns,
  measuredOf,
  type PlannedRun,
  plannedRuns,
} from './kept-runs.node.ts';
import type { Machine, OpenMachine } from './machine.node.ts';
import type { Streams } from './streams.ts';
import { EXIT_FAILED, EXIT_USAGE, UsageError } from './usage.ts';

const usage = `npm run reproduce -- NAME [--arm ARM]… [--seed SEED]… [--shard I/N] [--again] [--out DIR]
                            [--device NAME] [--threads N]

  --arm ARM     run only this side of the comparison; may be given several times
  --seed SEED   run only this seed; may be given several times
  --shard I/N   run only every N-th run, beginning with the I-th, so that N processes share the work
  --again       also run again what an earlier version of the code has made
  --page        run nothing; only write the page anew from the files that are there
  --out DIR     where results go; docs/results if not given
${deviceHelp(14)}

Experiments:
${experiments.map(({ name, question }) => `  ${name.padEnd(14)}  ${question}`).join('\n')}`;

export interface ReproduceSurroundings extends Streams {
  /** The repository's root, whose code makes the results. */
  readonly root: string;
  readonly open: OpenMachine;
  /** The experiment of a name. */
  readonly find: (name: string) => Experiment;
}

/**
 * Runs an experiment over its seeds and writes one JSON file a run into docs/results/NAME/ and the
 * page NAME.md. A run whose file is there with the experiment's settings is not run again, unless it
 * is old and that is asked for; its page says which are old.
 *
 * @returns the exit code
 */
export async function reproduceCommand(
  args: readonly string[],
  surroundings: ReproduceSurroundings,
): Promise<number> {
  try {
    await reproduce(readArguments(args), surroundings);
    return 0;
  } catch (error) {
    if (error instanceof Help) {
      surroundings.out(usage);
      return 0;
    }
    if (error instanceof UsageError || error instanceof UnknownExperimentError) {
      surroundings.log(error.message);
      return EXIT_USAGE;
    }
    if (!(error instanceof KeptRunError || error instanceof OutputTakenError)) throw error;
    surroundings.log(error.message);
    return EXIT_FAILED;
  }
}

type Arguments = ReturnType<typeof readArguments>;

async function reproduce(asked: Arguments, surroundings: ReproduceSurroundings): Promise<void> {
  const { log, root } = surroundings;
  const { out } = asked;
  const experiment = surroundings.find(asked.name);
  const planned = plannedRuns(experiment);
  const chosen = choose(experiment, planned, asked);
  const code = await Code.read(root);

  const folder = join(out, experiment.name);
  mkdirSync(folder, { recursive: true });
  // What this experiment made before it may replace, and nothing else.
  const outputs = new Outputs({ force: false });
  const page = outputs.file('--out', join(out, `${experiment.name}.md`), (contents) =>
    contents.includes(commandOf(experiment)),
  );
  const kept = keptRuns(out, experiment, code);
  const due = chosen.filter((run) => {
    const old = isOld(run, kept);
    const isDue = old === null || (old && asked.again);
    if (!isDue) {
      log(
        `${labelOf(experiment, run)}: already there${old ? ', made by an earlier version of the code (--again runs it again)' : ''}`,
      );
    }
    return isDue;
  });
  const files = due.map((run) =>
    outputs.file('--out', join(folder, run.file), (contents) => isOf(contents, run)),
  );
  if (due.length > 0 && !asked.page) {
    const { adapter, createPolicy, close } = await surroundings.open(asked.wish);
    try {
      // Arms that are taught the same before they differ are taught once.
      const starts = new Starts();
      for (const [index, run] of due.entries()) {
        // Another process may have made it meanwhile.
        if (!asked.again && isThere(join(folder, run.file), run)) continue;
        const result = await play(experiment, run, { adapter, createPolicy, code, log, starts });
        // Written whole: processes that share the work cannot harm each other's results.
        files[index]?.write(formatRun(result));
      }
    } finally {
      close();
    }
  }
  const all = keptRuns(out, experiment, code);
  page.write(experimentPage(experiment, all));
  log(`${all.length} of ${planned.length} runs are in ${page.path}`);
}

/** The runs that this process has to see to. */
function choose(
  { name, arms, seeds }: Experiment,
  planned: readonly PlannedRun[],
  asked: Arguments,
): readonly PlannedRun[] {
  const known = arms.map((arm) => arm.name);
  for (const arm of asked.arms) {
    if (!known.includes(arm)) {
      throw new UsageError(`${name} has no arm ${JSON.stringify(arm)}; it has ${known.join('; ')}`);
    }
  }
  for (const seed of asked.seeds) {
    if (!seeds.map(String).includes(seed)) {
      throw new UsageError(`${name} has no seed ${seed}; it has ${seeds.join(', ')}`);
    }
  }
  return planned
    .filter(({ arm }) => asked.arms.length === 0 || asked.arms.includes(arm.name))
    .filter(({ seed }) => asked.seeds.length === 0 || asked.seeds.includes(String(seed)))
    .filter((_, index) => index % asked.shards === asked.shard - 1);
}

/** Null where a run is not there with its settings, else whether it is old. */
function isOld({ arm, seed }: PlannedRun, kept: readonly KeptRun[]): boolean | null {
  const found = kept.find((run) => run.arm === arm.name && run.seed === seed);
  return found === undefined || found.stale === 'settings' ? null : found.stale !== null;
}

function isThere(file: string, planned: PlannedRun): boolean {
  return existsSync(file) && isAsPlanned(parseRun(file, readFileSync(file, 'utf8')), planned);
}

/** Whether a file is a result of the same run, of other settings or another version of the code. */
function isOf(contents: Buffer, { arm, seed }: PlannedRun): boolean {
  try {
    const known: Partial<ExperimentRun> = JSON.parse(contents.toString('utf8'));
    return known.arm === arm.name && known.seed === seed;
  } catch {
    return false;
  }
}

function commandOf({ name }: Experiment): string {
  return `npm run reproduce -- ${name}`;
}

function labelOf({ name }: Experiment, { arm, seed }: PlannedRun): string {
  return `${name}, ${arm.name}, seed ${seed}`;
}

async function play(
  experiment: Experiment,
  planned: PlannedRun,
  {
    adapter,
    createPolicy,
    code,
    log,
    starts,
  }: Pick<Machine, 'adapter' | 'createPolicy'> & { code: Code; starts: Starts } & Pick<
      Streams,
      'log'
    >,
): Promise<ExperimentRun> {
  const { arm, seed, config } = planned;
  const label = labelOf(experiment, planned);
  const run = await Trainer.create({ config, createPolicy, starts });
  const rows: MetricRow[] = [];
  /** With what a diagnosis reads beside the metrics. */
  const diagnosable: MetricRow[] = [];
  for await (const result of drive(run)) {
    const { metrics } = result;
    rows.push(metrics);
    diagnosable.push(withFirstClip(result));
    const greedy = metrics['eval/success_rate'];
    if (greedy !== undefined) {
      log(
        `${label}: ${run.turns} turns, ${run.seconds.toFixed(0)} s, sampled ${metrics['rollout/success_rate']?.toFixed(2)}, greedy ${greedy.toFixed(2)}`,
      );
    }
  }
  const evaluation = await run.evaluate();
  const metrics = openingMetrics(rows);
  const result: ExperimentRun = {
    arm: arm.name,
    seed,
    config,
    adapter,
    made: {
      command: commandOf(experiment),
      date: new Date().toISOString().slice(0, 10),
      code: code.fingerprint(config, measuredOf(arm)),
      opening: {
        iterations: Math.min(OPENING_ITERATIONS, rows.length),
        metrics,
        digest: openingDigest(rows, metrics),
      },
    },
    imitationSuccess: rows[0]?.['imitation/success_rate'] ?? null,
    evaluationTasks: {
      onTheWay: evaluationTasks(run.environment, config.evaluation.tasks).length,
      atTheEnd: evaluation.trajectories.length,
    },
    ...summarise(rows, arm.target ?? experiment.target ?? Number.POSITIVE_INFINITY),
    greedySuccess: evaluation.metrics['eval/success_rate'] ?? Number.NaN,
    ...(evaluation.environments === undefined ? {} : { environments: evaluation.environments }),
    seconds: run.seconds,
    rows: arm.diagnosis === undefined ? keepRows(rows) : keepRows(diagnosable, diagnosedColumns),
    ...measuredAtTheEnd(evaluation.metrics),
    ...(arm.testTime === undefined ? {} : { testTime: await drawn(run, arm.testTime, label, log) }),
    ...(arm.autopsy === undefined
      ? {}
      : { autopsy: await autopsied(run, rows, arm.autopsy, { createPolicy, log, label }) }),
    ...(arm.domains === true ? { domains: keptDomains(await run.converse(hearDomains)) } : {}),
  };
  run.destroy();
  return result;
}

/** What a plan asks of a trained run. */
async function drawn(
  run: Trainer,
  plan: TestTimePlan,
  label: string,
  log: Streams['log'],
): Promise<KeptTestTime> {
  const began = performance.now();
  const curves = await run.converse((hearing) =>
    drawCurves(hearing, plan, ({ how, samples, points }) => {
      const last = points.at(-1);
      log(
        `${label}: ${how} to ${samples} samples, ${last?.tokens.toFixed(0)} tokens a task, majority ${last?.majority.mean.toFixed(2)}, ${((performance.now() - began) / 1000).toFixed(0)} s so far`,
      );
    }),
  );
  return keptTestTime(plan, curves);
}

/** Not an error: it was asked for. */
class Help extends Error {}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parse(args);
  if (values.help === true) throw new Help();
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageError(usage);
  const [, shard = 0, shards = 0] = (/^(\d+)\/(\d+)$/.exec(values.shard) ?? []).map(Number);
  if (!(shard >= 1 && shard <= shards)) {
    throw new UsageError(
      `--shard takes I/N with I from 1 to N, got ${JSON.stringify(values.shard)}`,
    );
  }
  const { arm: arms, seed: seeds, again, page, out } = values;
  const wish = readDeviceWish(values);
  return { name, wish, arms, seeds, shard, shards, again, page, out };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...deviceFlags,
        arm: { type: 'string', multiple: true, default: [] },
        seed: { type: 'string', multiple: true, default: [] },
        shard: { type: 'string', default: '1/1' },
        again: { type: 'boolean', default: false },
        page: { type: 'boolean', default: false },
        out: { type: 'string', default: 'docs/results' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}
