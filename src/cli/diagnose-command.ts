import { planAutopsy } from '../autopsy/plan.ts';
import { parseConfig } from '../config/check.ts';
import { ConfigError } from '../config/error.ts';
import type { Config } from '../config/schema.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Evidence, Facts } from '../diagnosis/evidence.ts';
import { changesOf, type Finding, type Findings, type ModeName } from '../diagnosis/finding.ts';
import { toolTitles } from '../exchange/logs/counterparts.ts';
import { LogError } from '../exchange/logs/error.ts';
import { countOf, type RunLog } from '../exchange/logs/log.ts';
import { readGroup, recogniseAll } from '../exchange/logs/read-logs.ts';
import { percent } from '../runs/numbers.ts';
import { deviceFlags, deviceHelp, readDeviceWish } from './device-options.ts';
import { logFilesAt } from './log-paths.ts';
import type { OpenMachine } from './machine.node.ts';
import { readConfigFile } from './options.ts';
import { otherRun, type Proof, plainProof, prove } from './prove.ts';
import type { Streams } from './streams.ts';
import { calledBy, EXIT_USAGE, parseWords, readWhole, UsageError } from './usage.ts';

const flags = {
  ...deviceFlags,
  config: { type: 'string' },
  json: { type: 'boolean' },
  prove: { type: 'boolean' },
  seeds: { type: 'string' },
  iterations: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const help = `Names the first cause of a run that fails, since when, and what shows it.

  ${calledBy('diagnose')} PATH… [--json] [--config FILE]
                               [--prove [--seeds N] [--iterations N] [--device NAME] [--threads N]]

  PATH           what \`npm run train -- --json\` printed, a run file of the lab, or a log of another
                 tool, as a file or a folder: TensorBoard event files, verl, AgentGym-RL, BAPO, TRL,
                 OpenRLHF, Stable-Baselines3, CleanRL, RLlib, W&B, MLflow, CSV, JSON lines, Parquet
  --json         one JSON object a run: {"findings": […], "not_computable": […]}; of several
                 runs each begins with "file", of another tool's each has "log"
  --config FILE  the settings of a log that does not hold them, as train takes them; without them
                 the rules that need one say what to log
  --prove        play the run again up to where each finding began, and from there on once as it was
                 and once with each cure of it and of its rivals: says which of them lives, until one
                 finding is proved. What it costs is said first. Of Palestra's own runs only
  --seeds N      of each fork; 1 if not given. Another seed draws other words from there on
  --iterations N of each fork; as many as the log has from there on, from 40 to 120, if not given
${deviceHelp(15)}
  --help         print this and end

A sound run has no findings. What was left out of a log goes to standard error.
`;

/** What the command needs of the machine; it is opened where something is to be played. */
export interface DiagnoseMachine extends Streams {
  readonly open: OpenMachine;
}

/** Diagnoses the logs that the arguments name. Resolves with the exit code. */
export async function diagnoseCommand(
  args: readonly string[],
  { out, log, open }: DiagnoseMachine,
): Promise<number> {
  try {
    const { values, positionals } = parseWords(args, flags);
    if (values.help === true) {
      out(help.trimEnd());
      return 0;
    }
    if (positionals.length === 0) {
      throw new UsageError('no file was given; --help says which there are');
    }
    const facts = values.config === undefined ? null : parseConfig(readConfigFile(values.config));
    // All are read before anything is printed, so that a fault leaves nothing half told.
    const read: Read[] = [];
    for (const path of positionals) read.push(...(await runsAt(path, facts, log)));
    const wishes = values.prove === true ? readWishes(values) : null;
    if (wishes !== null) for (const run of read) configOf(run);
    for (const run of read) {
      const { evidence, notes } = run.log;
      for (const note of notes) log(`${run.place}: ${note}`);
      const proofs =
        wishes === null
          ? new Map<ModeName, Proof>()
          : await proveAll(evidence, configOf(run), wishes, { log, open });
      const findings = diagnose({ ...evidence, trials: outcomesOf(proofs) });
      const named = read.length > 1 ? { file: run.place } : {};
      if (values.json === true)
        out(JSON.stringify({ ...named, ...plain(findings, proofs), ...about(run) }));
      else for (const line of report(run, findings, proofs)) out(line);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    log(error.message);
    return EXIT_USAGE;
  }
}

type Wishes = ReturnType<typeof readWishes>;

/** Most seeds and iterations of a fork that are worth asking for here. */
const MOST_SEEDS = 50;
const MOST_ITERATIONS = 10_000;

/** @throws {UsageError} */
function readWishes(values: ReturnType<typeof parseWords<typeof flags>>['values']) {
  const iterations = readWhole('--iterations', values.iterations, 2, MOST_ITERATIONS);
  return {
    seeds: readWhole('--seeds', values.seeds, 1, MOST_SEEDS) ?? 1,
    ...(iterations === undefined ? {} : { iterations }),
    wish: readDeviceWish(values),
  };
}

/**
 * The settings of a run of this project, with which it can be played again.
 *
 * @throws {UsageError}
 */
function configOf({ place, log }: Read): Config {
  const { facts } = log.evidence;
  if (log.tool === 'palestra' && isWhole(facts)) return facts;
  throw new UsageError(
    log.tool === 'palestra'
      ? `${place} does not hold the settings of its run, so it cannot be played again; give them with --config`
      : `${place} is of a run of another tool, which cannot be played again here; leave out --prove`,
  );
}

/** Facts of a run's own log are its config, and only a config has a seed among them. */
const isWhole = (facts: Facts): facts is Config => 'seed' in facts;

/** Tries one finding after the other, the first one first, until one is proved. */
async function proveAll(
  evidence: Evidence,
  config: Config,
  { wish, ...wishes }: Wishes,
  { log, open }: Pick<DiagnoseMachine, 'log' | 'open'>,
): Promise<ReadonlyMap<ModeName, Proof>> {
  const proofs = new Map<ModeName, Proof>();
  // What is refuted no longer hides what it explained, so what is to be tried is asked anew.
  const next = () => {
    const { findings } = diagnose({ ...evidence, trials: outcomesOf(proofs) });
    const proved = findings.some(({ mode }) => proofs.get(mode)?.trial.outcome === 'proved');
    return proved ? undefined : findings.find(({ mode }) => !proofs.has(mode));
  };
  let finding = next();
  if (finding === undefined) return proofs;
  const machine = await open(wish);
  try {
    const last = evidence.rows.at(-1)?.iteration ?? 0;
    while (finding !== undefined) {
      const plan = planAutopsy(finding, config, last, wishes);
      proofs.set(finding.mode, await prove(plan, evidence.rows, machine, log));
      finding = next();
    }
    return proofs;
  } finally {
    machine.close();
  }
}

function outcomesOf(proofs: ReadonlyMap<ModeName, Proof>): NonNullable<Evidence['trials']> {
  return Object.fromEntries([...proofs].map(([mode, { trial }]) => [mode, trial.outcome]));
}

interface Read {
  /** The file, or where several belong to the run the first of them. */
  readonly place: string;
  readonly log: RunLog;
}

/**
 * The runs of a path. In a folder, files that are no log are passed over; one that is damaged is told
 * of, and the others are read.
 *
 * @throws {UsageError} where there is no run
 */
async function runsAt(path: string, given: Facts | null, say: Streams['log']): Promise<Read[]> {
  const files = logFilesAt(path);
  const alone = files.length === 1 && files[0]?.path === path;
  try {
    const { groups, others } = await recogniseAll(files);
    if (alone && others[0] !== undefined) throw new UsageError(`${path} ${others[0].why}`);
    const read: Read[] = [];
    for (const group of groups) {
      const place = group.files[0]?.path ?? path;
      try {
        for (const run of await readGroup(group, () => {})) {
          const evidence = given === null ? run.evidence : { ...run.evidence, facts: given };
          read.push({
            place: run.name === place ? place : placeOf(place, run),
            log: { ...run, evidence },
          });
        }
      } catch (error) {
        if (!(error instanceof LogError)) throw error;
        if (alone || groups.length === 1) throw new UsageError(`${place} ${error.message}`);
        say(`${place} ${error.message}`);
      }
    }
    if (read.length === 0) throw new UsageError(`${path} holds no log that can be read`);
    return read;
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    throw new UsageError(`the files of ${path} ${error.message}`);
  }
}

/** W&B's chart export holds several runs in one file. */
const placeOf = (place: string, { format, name }: RunLog) =>
  format.includes('chart') ? `${place} (${name})` : place;

/** The findings as JSON has them. */
function plain(
  { findings, notComputable }: Findings,
  proofs: ReadonlyMap<ModeName, Proof>,
): object {
  return {
    findings: findings.map(({ beside: _, rivals, remedies, ...finding }) => {
      const proof = proofs.get(finding.mode);
      return {
        ...finding,
        rivals: rivals.map(({ mode, separatedBy }) => ({ mode, separated_by: separatedBy })),
        remedies,
        ...(proof === undefined ? {} : { proof: plainProof(proof) }),
      };
    }),
    not_computable: notComputable,
  };
}

const unmapped = ({ series }: RunLog) =>
  series.filter(({ metric }) => metric === null).map(({ key }) => key);

/** What was read, of a log of another tool. */
function about({ log }: Read): object {
  const { tool, format, axis, series, evidence, notes } = log;
  if (tool === 'palestra') return {};
  const mapped = series.filter(({ metric }) => metric !== null);
  return {
    log: {
      ...{ tool, format, axis: axis.unit, rows: evidence.rows.length },
      mapped: Object.fromEntries(mapped.map(({ key, metric }) => [metric, key])),
      differs: Object.fromEntries(
        mapped.flatMap(({ metric, differs }) => (differs === null ? [] : [[metric, differs]])),
      ),
      ...{ not_mapped: unmapped(log), notes },
    },
  };
}

/** Names of series that are listed in words; `--json` has all. */
const MOST_LISTED = 12;

function* report(
  run: Read,
  { findings, notComputable }: Findings,
  proofs: ReadonlyMap<ModeName, Proof>,
) {
  const { place, log } = run;
  const found =
    findings.length === 0
      ? 'nothing found'
      : `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  yield `${place}: ${extentOf(log)}, ${found}`;
  for (const finding of findings) {
    yield* paragraph(finding, log);
    const proof = proofs.get(finding.mode);
    if (proof !== undefined) yield* proofLines(proof);
  }
  for (const { mode, log: lacking } of notComputable) {
    yield `  not computable: ${mode}; log ${lacking.join(', ')}`;
  }
  for (const { key, metric, differs } of log.series) {
    if (differs !== null) yield `  ${key} stands for ${metric}: ${differs}`;
  }
  const keys = unmapped(log);
  if (keys.length > 0) {
    const more = keys.length - MOST_LISTED;
    const listed = keys.slice(0, MOST_LISTED).join(', ');
    yield `  not mapped: ${listed}${more > 0 ? ` and ${more} more` : ''}`;
  }
}

/** How far it goes: `435 iterations`, or `verl, 120 rows up to 12,000 optimiser steps`. */
function extentOf({ tool, axis, places, evidence }: RunLog): string {
  const last = evidence.rows.at(-1)?.iteration ?? 0;
  if (tool === 'palestra' && axis.iterations) return `${last} iterations`;
  const title = tool === 'unknown' ? '' : `${toolTitles[tool]}, `;
  const far = (places.at(-1) ?? 0).toLocaleString('en-US');
  return `${title}${evidence.rows.length} rows up to ${far} ${axis.unit}`;
}

function* paragraph(finding: Finding, log: RunLog) {
  const { mode, title, text, onset, interval, confidence, rivals, remedies } = finding;
  const [from, to] = interval;
  const span = from === to ? '' : ` (${from} to ${to})`;
  yield '';
  yield `  ${title} [${mode}, since ${countOf(log)} ${onset}${span}, confidence ${percent(confidence)}]`;
  yield `  ${text}`;
  for (const remedy of remedies) {
    const flags = changesOf(remedy).map(({ setting, value }) => `--set ${setting}=${value}`);
    yield `  try: ${remedy.text} (${flags.length === 0 ? remedy.setting : flags.join(' ')})`;
  }
  for (const rival of rivals) yield `  or ${rival.mode}? ${rival.separatedBy}`;
}

const outcomeWords = {
  proved: 'proved: a cure of it lives',
  refuted: 'refuted: no cure of it lives',
  open: 'not decided',
} as const;

function* proofLines(proof: Proof) {
  yield `  ${outcomeWords[proof.trial.outcome]}. ${proof.trial.text}`;
  const other = otherRun(proof);
  if (other !== null) yield `  ${other}`;
}
