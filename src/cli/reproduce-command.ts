import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultConfig } from '../config/check.ts';
import { suggestion } from '../config/nearest.ts';
import type { AgentFiles } from '../exchange/agent-files.ts';
import { newModelNames } from '../exchange/pretrained/new-model.ts';
import { packRuns } from '../experiments/archive.ts';
import {
  type Experiment,
  experiments,
  type Pretraining,
  UnknownExperimentError,
} from '../experiments/catalogue.ts';
import { keptEntropy } from '../experiments/kept-entropy.ts';
import { archiveOf, readRuns } from '../experiments/kept-files.node.ts';
import type { KeptRun } from '../experiments/kept-run.ts';
import { experimentPage } from '../experiments/page.ts';
import {
  diagnosedColumns,
  type ExperimentRun,
  formatRun,
  keepRows,
  keptDomains,
  keptTestTime,
  measuredAtTheEnd,
  parseRun,
  summarize,
} from '../experiments/run.ts';
import type { EntropyTrial } from '../runs/entropy-trials.ts';
import type { Player } from '../runs/evaluation-report.ts';
import { withFirstClip } from '../runs/first-clip.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { KeptTestTime, TestTimePlan } from '../runs/test-time.ts';
import { createRun } from '../training/create-run.ts';
import { drive } from '../training/drive.ts';
import { evaluationTasks } from '../training/environments.ts';
import { evaluateAgents, evaluatedEnvironments } from '../training/evaluation.ts';
import { entropyOfUpdate, tryEntropySteps } from '../training/look/entropy-steps.ts';
import type { OnPhase } from '../training/look/onlooker.ts';
import { Starts } from '../training/starts.ts';
import { drawCurves } from '../training/test-time/curves.ts';
import { hearDomains } from '../training/test-time/domains.ts';
import type { Trainer } from '../training/trainer.ts';
import { autopsied } from './autopsied.ts';
import { deviceFlags, deviceRequest } from './device-options.ts';
import { Outputs } from './files.ts';
import {
  type Code,
  OPENING_ITERATIONS,
  openingDigest,
  openingMetrics,
} from './fingerprint.node.ts';
import { Command, optional, repeated, toggle, withDefault } from './flags.ts';
import {
  isAsPlanned,
  keptRuns,
  measuredOf,
  type PlannedRun,
  plannedRuns,
} from './kept-runs.node.ts';
import { deviceLine, type Machine, type OpenMachine } from './machine.node.ts';
import { pretrainedStart, pretrainModel } from './pretraining.ts';
import { progressLog } from './progress.ts';
import type { Streams } from './streams.ts';
import { exitCode, UsageError } from './usage.ts';

const reproducer = new Command({
  name: 'reproduce',
  about: 'Runs an experiment over its seeds and writes the results to docs/results.',
  operands: { placeholder: 'NAME', help: 'the experiment; --help lists all', most: 1 },
  flags: {
    arm: repeated('ARM', 'run only this arm'),
    seed: repeated('SEED', 'run only this seed'),
    shard: withDefault(
      '1/1',
      optional(
        'I/N',
        'run only every N-th run, starting with the I-th, to divide the work among processes',
        shardText,
      ),
    ),
    again: toggle('rerun stale results too'),
    page: toggle('run nothing; only regenerate the page from existing files'),
    pack: toggle('at the end, move all runs into one compressed file, NAME.jsonl.gz'),
    out: withDefault('docs/results', optional('DIR', 'the results folder')),
    ...deviceFlags,
  },
  notes: () => `Experiments:
${experiments.map(({ name, question }) => `  ${name.padEnd(14)}  ${question}`).join('\n')}`,
});

interface ReproduceContext extends Streams {
  /** Reads the code that produces the results. */
  readonly readCode: () => Promise<Code>;
  readonly open: OpenMachine;
  /** Finds an experiment by name. */
  readonly find: (name: string) => Experiment;
}

/**
 * Runs an experiment over its seeds. Writes one JSON file per run into docs/results/NAME/ (`--pack`
 * moves them into NAME.jsonl.gz) and the page NAME.md. Skips runs whose file exists with the
 * settings of the experiment. If the code has changed since a run, the page marks it as stale and
 * `--again` reruns it.
 *
 * @returns the exit code
 */
export function reproduceCommand(
  args: readonly string[],
  context: ReproduceContext,
): Promise<number> {
  return exitCode(context, [UnknownExperimentError], async () => {
    const parsed = reproducer.parse(args);
    if (parsed === null) context.out(reproducer.help());
    else await reproduce(readArguments(parsed), context);
    return 0;
  });
}

type Arguments = ReturnType<typeof readArguments>;

async function reproduce(asked: Arguments, context: ReproduceContext): Promise<void> {
  const { log } = context;
  const { out } = asked;
  const experiment = context.find(asked.name);
  const planned = plannedRuns(experiment);
  const chosen = choose(experiment, planned, asked);
  const code = await context.readCode();

  const folder = join(out, experiment.name);
  mkdirSync(folder, { recursive: true });
  // Replace only files that this experiment wrote.
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
        `${labelOf(experiment, run)}: exists${old ? ', made by an earlier version of the code (--again reruns it)' : ''}`,
      );
    }
    return isDue;
  });
  const files = due.map((run) =>
    outputs.file('--out', join(folder, run.file), (contents) => isOf(contents, run)),
  );
  if (due.length > 0 && !asked.page) {
    const machine = await context.open(asked.request);
    const { adapter, createPolicy, close } = machine;
    log(deviceLine(machine));
    try {
      // Arms with the same imitation share its result.
      const starts = new Starts();
      for (const [index, run] of due.entries()) {
        // Another process may have finished it in the meantime.
        if (!asked.again && isThere(join(folder, run.file), run)) continue;
        const result = await play(experiment, run, { adapter, createPolicy, code, log, starts });
        // The file appears complete or not at all, so that parallel processes do not interfere.
        files[index]?.write(formatRun(result));
      }
    } finally {
      close();
    }
  }
  const all = keptRuns(out, experiment, code);
  page.write(experimentPage(experiment, all));
  if (asked.pack) packAll(out, experiment);
  log(`${all.length} of ${planned.length} runs are in ${page.path}`);
}

/** Moves every run of an experiment into its archive. */
function packAll(results: string, experiment: Experiment): void {
  const kept = readRuns(results, experiment.name).map(({ run }) => run);
  const planned = plannedRuns(experiment);
  const place = (run: ExperimentRun) =>
    planned.findIndex(({ arm, seed }) => arm.name === run.arm && seed === run.seed);
  const archive = archiveOf(results, experiment.name);
  const whole = `${archive}.new`;
  writeFileSync(whole, packRuns(kept.toSorted((a, b) => place(a) - place(b))));
  // Complete the archive before removing the files that it replaces.
  renameSync(whole, archive);
  rmSync(join(results, experiment.name), { recursive: true });
}

/** The planned runs that the arguments select for this process. */
function choose(
  { name, arms, seeds }: Experiment,
  planned: readonly PlannedRun[],
  asked: Arguments,
): readonly PlannedRun[] {
  const known = arms.map((arm) => arm.name);
  for (const arm of asked.arms) {
    if (!known.includes(arm)) {
      throw new UsageError(`${name} has no arm ${JSON.stringify(arm)}${suggestion(arm, known)}`);
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

/** Whether an existing run is stale; null if there is no run with these settings. */
function isOld({ arm, seed }: PlannedRun, kept: readonly KeptRun[]): boolean | null {
  const found = kept.find((run) => run.arm === arm.name && run.seed === seed);
  return found === undefined || found.stale === 'settings' ? null : found.stale !== null;
}

function isThere(file: string, planned: PlannedRun): boolean {
  return existsSync(file) && isAsPlanned(parseRun(file, readFileSync(file, 'utf8')), planned);
}

/**
 * Whether a file holds a result of the same arm and seed, with any settings and version of the
 * code.
 */
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

/** Runs one arm of an experiment with one seed, and measures what the arm asks for. */
export async function play(
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
  const start = await startOf(experiment, planned, { adapter, createPolicy, code, log });
  const run = await createRun({ config, ...start, createPolicy, starts });
  const before = start && (await evaluated(run));
  const rows: MetricRow[] = [];
  /** Includes the columns that diagnosis needs. */
  const diagnosable: MetricRow[] = [];
  const trials: EntropyTrial[] = [];
  const driven = arm.trialRate === undefined ? run : withTrials(run, arm.trialRate, trials);
  for await (const result of drive(driven)) {
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
      code: code.fingerprint(config, adapter, measuredOf(planned)),
      opening: {
        iterations: Math.min(OPENING_ITERATIONS, rows.length),
        metrics,
        digest: openingDigest(rows, metrics),
      },
    },
    ...(start &&
      before && {
        model: {
          ...{ digest: start.model.identity.digest, rank: arm.rank ?? 'all' },
          sampled: [before.sampled, (await evaluated(run)).sampled],
        },
      }),
    imitationSuccess: before?.greedy ?? rows[0]?.['imitation/success_rate'] ?? null,
    evaluationTasks: {
      onTheWay: evaluationTasks(run.environment, config.evaluation.tasks).length,
      atTheEnd: evaluation.trajectories.length,
    },
    ...summarize(rows, arm.target ?? experiment.target ?? Number.POSITIVE_INFINITY),
    greedySuccess: evaluation.metrics['eval/success_rate'] ?? Number.NaN,
    ...(evaluation.environments === undefined ? {} : { environments: evaluation.environments }),
    seconds: run.seconds,
    rows: arm.diagnosis === undefined ? keepRows(rows) : keepRows(diagnosable, diagnosedColumns),
    ...measuredAtTheEnd(evaluation.metrics),
    ...(arm.testTime === undefined ? {} : { testTime: await drawn(run, arm.testTime, label, log) }),
    ...(arm.autopsy === undefined
      ? {}
      : { autopsy: await autopsied(run, rows, arm.autopsy, { createPolicy, log, label }) }),
    ...(arm.trialRate === undefined ? {} : { trials: keptEntropy(arm.trialRate, trials) }),
    ...(arm.domains === true ? { domains: keptDomains(await run.converse(hearDomains)) } : {}),
  };
  run.destroy();
  return result;
}

/** The run with trials at the last update of every iteration; training is the same. */
function withTrials(run: Trainer, rate: number, trials: EntropyTrial[]) {
  const onPhase: OnPhase = async (result) => {
    if (result.phase !== 'before-update' && result.phase !== 'after-update') return;
    const { index, of, packed, objective, scores } = result.update;
    if (index < of) return;
    const update = { batches: packed.batches, objective, scores };
    trials.push(
      ...(result.phase === 'after-update'
        ? entropyOfUpdate(update, result.after)
        : await tryEntropySteps(run.agent.policy, update, rate)),
    );
  };
  return {
    get finished() {
      return run.finished;
    },
    iterate: () => run.iterate(undefined, onPhase),
  };
}

/** The pretrained model that a run starts from; null if it has none. */
async function startOf(
  { model: plan, name }: Experiment,
  { arm: { rank }, config }: PlannedRun,
  {
    adapter,
    createPolicy,
    code,
    log,
  }: Pick<Machine, 'adapter' | 'createPolicy'> & Pick<Streams, 'log'> & { code: Code },
) {
  if (rank === undefined) return null;
  if (plan === undefined) throw new TypeError(`${name} has no model`);
  const progress = progressLog(log);
  const onProgress = (fraction: number) => progress('learn', fraction);
  const files = await cachedModel(
    [plan, adapter.replace(/, \d+ threads?\b/, '')],
    code,
    async () => {
      log('pretraining the model');
      return (await pretrainModel(plan, { createPolicy, log, onProgress })).files;
    },
  );
  return await pretrainedStart(files, rank, config);
}

/** Success of a run's agent on all evaluation tasks, over one greedy and one sampled episode of each. */
async function evaluated(run: Trainer): Promise<{ greedy: number; sampled: number }> {
  const { config, iteration, turns, tokens } = run;
  const { report } = await evaluateAgents({
    agent: run.agent,
    trained: { config, iteration, turns, tokens },
    environments: evaluatedEnvironments(config, 'trained'),
    ...{ tasks: 0, samples: 1, seed: config.seed },
  });
  const results = report.environments.flatMap((one) => one.results);
  const of = (player: Player) => results.find((one) => one.player === player)?.success.mean;
  return { greedy: of('greedy') ?? Number.NaN, sampled: of('sampled') ?? Number.NaN };
}

/** The files of a model, which is made once per plan, device and version of the code. */
async function cachedModel(
  settings: readonly [Pretraining, adapter: string],
  code: Code,
  make: () => Promise<AgentFiles>,
): Promise<AgentFiles> {
  const [, adapter] = settings;
  const made = JSON.stringify([...settings, code.fingerprint(defaultConfig(), adapter, 'model')]);
  const key = createHash('sha256').update(made).digest('hex').slice(0, 16);
  const folder = join('node_modules', '.cache', 'palestra', 'models', key);
  if (!existsSync(folder)) {
    const whole = `${folder}.${process.pid}`;
    const files = await make();
    mkdirSync(whole, { recursive: true });
    for (const [name, bytes] of files) writeFileSync(join(whole, name), bytes);
    // Complete or not at all; another process may have been faster.
    if (existsSync(folder)) rmSync(whole, { recursive: true });
    else renameSync(whole, folder);
  }
  return new Map(newModelNames.map((name) => [name, readFileSync(join(folder, name))]));
}

/** Test-time curves of a trained run. */
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
        `${label}: ${how} to ${samples} samples, ${last?.tokens.toFixed(0)} tokens per task, majority ${last?.majority.mean.toFixed(2)}, ${((performance.now() - began) / 1000).toFixed(0)} s so far`,
      );
    }),
  );
  return keptTestTime(plan, curves);
}

function shardText(text: string, name: string): string {
  const [, shard = 0, shards = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (shard >= 1 && shard <= shards) return text;
  throw new UsageError(`--${name} must be I/N with I from 1 to N, got ${JSON.stringify(text)}`);
}

function readArguments({ values, operands }: NonNullable<ReturnType<typeof reproducer.parse>>) {
  const [name = ''] = operands;
  const [shard = 1, shards = 1] = values.shard.split('/').map(Number);
  const { arm: arms, seed: seeds, again, page, pack, out } = values;
  return {
    name,
    request: deviceRequest(values),
    arms,
    seeds,
    shard,
    shards,
    again,
    page,
    pack,
    out,
  };
}
