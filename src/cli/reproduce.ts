/**
 * `npm run reproduce -- NAME`: runs an experiment over its seeds and writes one JSON file a run into
 * docs/results/NAME/ and the table NAME.md. A run whose file is there, with the same config, is not
 * run again.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseConfig } from '../runs/config.ts';
import {
  type ExperimentRun,
  experimentConfig,
  experimentPage,
  experiments,
  findExperiment,
  UnknownExperimentError,
} from '../runs/experiments.ts';
import type { MetricKey, MetricRow } from '../runs/metrics.ts';
import { ReinforcementLearning } from '../training/reinforcement.ts';
import { type OutputFile, Outputs } from './files.ts';
import { openMachine } from './machine.node.ts';
import { UsageError } from './usage.ts';

const usage = `npm run reproduce -- NAME [--arm ARM]… [--shard I/N] [--out DIR]

  --arm ARM     run only this side of the comparison; may be given several times
  --shard I/N   run only every N-th run, beginning with the I-th, so that N processes share the work
  --out DIR     where results go; docs/results if not given

Experiments:
${experiments.map(({ name, question }) => `  ${name.padEnd(14)}  ${question}`).join('\n')}`;

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const { name, arms, shard, shards, out } = readArguments();
const experiment = (() => {
  try {
    return findExperiment(name);
  } catch (error) {
    if (error instanceof UnknownExperimentError) return fail(error.message);
    throw error;
  }
})();

const outputs = new Outputs({ force: false });
// One file a run, written whole: processes that share the work cannot harm each other's results.
const folder = join(out, experiment.name);
mkdirSync(folder, { recursive: true });
const planned = experiment.arms.flatMap((arm) =>
  experiment.seeds.map((seed) => ({ arm, seed, config: experimentConfig(experiment, arm, seed) })),
);
const known = experiment.arms.map((arm) => arm.name);
for (const arm of arms) {
  if (!known.includes(arm))
    fail(`${name} has no arm ${JSON.stringify(arm)}; it has ${known.join('; ')}`);
}
const wanted = arms.length === 0 ? planned : planned.filter(({ arm }) => arms.includes(arm.name));
const page = output(`${experiment.name}.md`, (contents) =>
  contents.toString('utf8').startsWith(`# ${experiment.title}\n`),
);
const { adapter, createPolicy, close } = await openMachine();

for (const [index, { arm, seed, config }] of wanted.entries()) {
  if (index % shards !== shard - 1) continue;
  const file = join(folder, `${arm.name.replaceAll(/[ ,]+/g, '-')}.${seed}.json`);
  const label = `${experiment.name}, ${arm.name}, seed ${seed}`;
  if (isDone(file, config)) {
    process.stderr.write(`${label}: already there\n`);
    continue;
  }
  const kept = output(join(experiment.name, basename(file)), (contents) =>
    isRun(contents, arm.name, seed),
  );
  const run = await ReinforcementLearning.create({ config, createPolicy });
  const rows: MetricRow[] = [];
  while (run.stopped === null) {
    const { metrics } = await run.iterate();
    rows.push(metrics);
    const greedy = metrics['eval/success_rate'];
    if (greedy !== undefined) {
      process.stderr.write(
        `${label}: ${run.turns} turns, ${run.seconds.toFixed(0)} s, sampled ${metrics['rollout/success_rate']?.toFixed(2)}, greedy ${greedy.toFixed(2)}\n`,
      );
    }
  }
  const evaluation = await run.evaluate();
  const result: ExperimentRun = {
    arm: arm.name,
    seed,
    config,
    adapter,
    imitationSuccess: rows[0]?.['imitation/success_rate'] ?? null,
    ...summary(rows, arm.target ?? experiment.target),
    greedySuccess: evaluation.metrics['eval/success_rate'] ?? Number.NaN,
    ...(evaluation.environments === undefined ? {} : { environments: evaluation.environments }),
    seconds: run.seconds,
  };
  kept.write(`${JSON.stringify(result, null, 1)}\n`);
  run.destroy();
}
close();

const runs = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file): ExperimentRun => JSON.parse(readFileSync(join(folder, file), 'utf8')))
  .filter((run) => planned.some((p) => p.arm.name === run.arm && p.seed === run.seed))
  .sort((a, b) => place(a) - place(b));
page.write(experimentPage(experiment, runs));
process.stderr.write(`${runs.length} of ${planned.length} runs are in ${page.path}\n`);
process.exit(0);

function place(run: ExperimentRun): number {
  return planned.findIndex(({ arm, seed }) => arm.name === run.arm && seed === run.seed);
}

/** A file below `--out` that this experiment writes. What it made before it may replace, and nothing else. */
function output(name: string, made: (contents: Buffer) => boolean): OutputFile {
  try {
    return outputs.file('--out', join(out, name), made);
  } catch (error) {
    if (error instanceof UsageError) return fail(error.message);
    throw error;
  }
}

/** Whether a file is a result of the same run, of other settings or another version of the code. */
function isRun(contents: Buffer, arm: string, seed: number): boolean {
  try {
    const known: Partial<ExperimentRun> = JSON.parse(contents.toString('utf8'));
    return known.arm === arm && known.seed === seed;
  } catch {
    return false;
  }
}

function summary(rows: readonly MetricRow[], target: number) {
  const evaluations = rows.flatMap((row): [number, number][] => {
    const greedy = row['eval/success_rate'];
    return greedy === undefined ? [] : [[row['progress/turns'] ?? 0, greedy]];
  });
  const turns = rows.at(-1)?.['progress/turns'] ?? 0;
  const end = rows.filter((row) => (row['progress/turns'] ?? 0) > 0.9 * turns);
  return {
    turnsToTarget: evaluations.find(([, greedy]) => greedy >= target)?.[0] ?? null,
    turns,
    iterations: rows.length,
    sampledSuccess: mean(end, 'rollout/success_rate'),
    areaUnderCurve: mean(rows, 'rollout/success_rate'),
    entropy: mean(end, 'policy/entropy'),
    worstGradNorm: Math.max(...rows.map((row) => row['policy/grad_norm_max'] ?? 0)),
    staleness: mean(rows, 'policy/staleness'),
    evaluations,
  };
}

/**
 * Mean of a metric over iterations. Those of one run have about the same number of turns; one that
 * did not measure it, as when a partial rollout finished no episode, does not count.
 */
function mean(rows: readonly MetricRow[], key: MetricKey): number {
  const values = rows.flatMap((row) => row[key] ?? []);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function isDone(file: string, config: ExperimentRun['config']): boolean {
  try {
    const known: ExperimentRun = JSON.parse(readFileSync(file, 'utf8'));
    // Fields that came later have defaults that change nothing for an earlier run.
    return JSON.stringify(parseConfig(known.config)) === JSON.stringify(config);
  } catch {
    return false;
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        arm: { type: 'string', multiple: true, default: [] },
        shard: { type: 'string', default: '1/1' },
        out: { type: 'string', default: 'docs/results' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) {
      process.stdout.write(`${usage}\n`);
      process.exit(0);
    }
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) return fail(usage);
    const [, shard = 0, shards = 0] = (/^(\d+)\/(\d+)$/.exec(values.shard) ?? []).map(Number);
    if (!(shard >= 1 && shard <= shards)) {
      return fail(`--shard takes I/N with I from 1 to N, got ${JSON.stringify(values.shard)}`);
    }
    return { name, arms: values.arm, shard, shards, out: values.out };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}
