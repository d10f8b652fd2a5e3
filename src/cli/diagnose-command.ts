import { planAutopsy } from '../autopsy/plan.ts';
import { parseConfig } from '../config/check.ts';
import { ConfigError } from '../config/error.ts';
import type { Config } from '../config/schema.ts';
import { compareRuns } from '../diagnosis/compare.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Evidence, Facts } from '../diagnosis/evidence.ts';
import { changesOf, type Finding, type Findings, type ModeName } from '../diagnosis/finding.ts';
import { quantityNames } from '../diagnosis/quantities.ts';
import { isRemote } from '../envs/registry.ts';
import { readableLogs, toolTitles } from '../exchange/logs/counterparts.ts';
import {
  diagnoseLog,
  type LogDiagnosis,
  type NamedColumns,
  namedColumn,
  stepOf,
} from '../exchange/logs/diagnose-log.ts';
import { LogError } from '../exchange/logs/error.ts';
import { GrowingUrl } from '../exchange/logs/growing.ts';
import type { RunLog } from '../exchange/logs/log.ts';
import { readGroup, recognizeAll } from '../exchange/logs/read-logs.ts';
import type { LogFile } from '../exchange/logs/source.ts';
import { holdsRollouts } from '../exchange/rollouts/read-rollouts.ts';
import { percent } from '../runs/numbers.ts';
import { deviceFlags, deviceRequest } from './device-options.ts';
import { Command, optional, repeated, toggle, whole } from './flags.ts';
import { type FollowMachine, follow, growingPath } from './follow.ts';
import { comparedOf, comparisonLines, plainComparison } from './log-comparison.ts';
import { logFilesAt } from './log-paths.ts';
import type { OpenMachine } from './machine.node.ts';
import { readConfigFile } from './options.ts';
import { otherRun, type Proof, plainProof, prove } from './prove.ts';
import type { Streams } from './streams.ts';
import { exitCode, UsageError } from './usage.ts';

/** Maximum numbers of seeds and of iterations per fork. */
const MOST_SEEDS = 50;
const MOST_ITERATIONS = 10_000;
const DEFAULT_SEEDS = 1;
/** Default number of seconds between polls of a followed log. */
const DEFAULT_EVERY = 2;

const seconds = (text: string, name: string): number => {
  const value = Number(text);
  if (value >= 0.05 && value <= 86_400) return value;
  throw new UsageError(
    `--${name} must be a number of seconds from 0.05 to 86400, got ${JSON.stringify(text)}`,
  );
};

const isAddress = (text: string) => /^https?:\/\//i.test(text);

const address = (text: string, name: string): string => {
  if (isAddress(text) && URL.canParse(text)) return text;
  throw new UsageError(
    `--${name} must be an address that begins with http, got ${JSON.stringify(text)}`,
  );
};

const diagnosis = new Command({
  name: 'diagnose',
  about:
    'Reads a training log and reports the state of the run, what changed first, and the causes of a failure.',
  operands: {
    placeholder: 'PATH…',
    help: `the output of \`npm run train -- --json\`, a run file of the lab, or a log of another tool, as a file or a folder: ${readableLogs}`,
    most: Number.POSITIVE_INFINITY,
  },
  flags: {
    json: toggle(
      'print one JSON object per run: "outcome", "summary", "changes", "spikes", "not_finite", "findings", "not_computable"; also "file" if there are several runs, and "log" for logs of other tools',
    ),
    column: repeated(
      'QUANTITY=NAME',
      `the column that contains a quantity, such as score=my_reward; QUANTITY is one of ${quantityNames.join(', ')}`,
    ),
    config: optional(
      'FILE',
      'a config file, as for train --config, for a log that contains no settings; rules whose settings are missing only report what to log',
    ),
    prove: toggle(
      'rerun up to the onset of each finding, then continue once unchanged and once with each remedy, until one finding is proved; the cost is printed first. Only for runs of Palestra',
    ),
    compare: toggle(
      'compare the first run with each of the others: where the score and each series diverge, and which settings differ',
    ),
    follow: toggle(
      'keep reading as the log grows and report each new state and finding; PATH may be an address (http, https)',
    ),
    every: optional(
      'SECONDS',
      `with --follow, seconds between polls (default: ${DEFAULT_EVERY})`,
      seconds,
    ),
    idle: optional(
      'SECONDS',
      'with --follow, exit after this many seconds without a change',
      seconds,
    ),
    'until-finding': toggle('with --follow, exit at the first finding'),
    webhook: optional(
      'URL',
      'with --follow, POST each finding to this URL as JSON with the fields text, event, file, state, rows, step, summary, finding',
      address,
    ),
    seeds: optional(
      'N',
      `with --prove, number of seeds per continuation (default: ${DEFAULT_SEEDS})`,
      whole(1, MOST_SEEDS),
    ),
    iterations: optional(
      'N',
      'with --prove, number of iterations per continuation (default: as many as remain in the log, between 40 and 120)',
      whole(2, MOST_ITERATIONS),
    ),
    ...deviceFlags,
  },
  notes: () =>
    'A healthy run has no findings. Skipped parts of a log are reported on standard error. The exit code is 0, or 2 if a file cannot be read; with --follow it is 3 if there was a finding.',
});

/** What the command needs; the device is opened only for --prove. */
interface DiagnoseMachine extends Streams {
  readonly open: OpenMachine;
  /** Waits between two polls of a followed log. Resolves to false if interrupted. */
  readonly wait?: FollowMachine['wait'];
  readonly post?: FollowMachine['post'];
}

/** Diagnoses the logs named by the arguments. Resolves with the exit code. */
export function diagnoseCommand(
  args: readonly string[],
  { out, log, open, wait = waitFor, post = postJson }: DiagnoseMachine,
): Promise<number> {
  return exitCode({ log }, [ConfigError], async () => {
    const parsed = diagnosis.parse(args);
    if (parsed === null) {
      out(diagnosis.help());
      return 0;
    }
    const { values, operands } = parsed;
    checkPartners(values);
    const facts = values.config === undefined ? null : parseConfig(readConfigFile(values.config));
    const columns = readColumns(values.column);
    if (values.follow) return await followOne(operands, values, { out, log, wait, post });
    // Read everything before printing, so an error leaves no partial output.
    const read: Read[] = [];
    for (const path of operands) read.push(...(await runsAt(path, facts, columns, log)));
    if (values.compare) {
      const lines = [...compared(read, values.json)];
      for (const line of read.flatMap(notesOn)) log(line);
      for (const line of lines) out(line);
      return 0;
    }
    const wishes = values.prove ? readWishes(values) : null;
    if (wishes !== null) for (const run of read) configOf(run);
    for (const run of read) {
      const { evidence } = run.log;
      for (const line of notesOn(run)) log(line);
      const proofs =
        wishes === null
          ? new Map<ModeName, Proof>()
          : await proveAll(evidence, configOf(run), wishes, { log, open });
      const findings =
        proofs.size === 0 ? run.diagnosis : diagnose({ ...evidence, trials: outcomesOf(proofs) });
      const named = read.length > 1 ? { file: run.place } : {};
      if (values.json)
        out(
          JSON.stringify({ ...named, ...happened(run), ...plain(findings, proofs), ...about(run) }),
        );
      else for (const line of report(run, findings, proofs)) out(line);
    }
    return 0;
  });
}

type Values = NonNullable<ReturnType<typeof diagnosis.parse>>['values'];

/** Options that have an effect only with another one, by its name. */
const partners = {
  follow: ['every', 'idle', 'until-finding', 'webhook'],
  prove: ['seeds', 'iterations'],
} as const;

/** @throws {UsageError} for options that need or exclude others */
function checkPartners(values: Values): void {
  for (const partner of ['follow', 'prove'] as const) {
    const extra = partners[partner].find(
      (name) => values[name] !== undefined && values[name] !== false,
    );
    if (extra !== undefined && !values[partner]) {
      throw new UsageError(`--${extra} needs --${partner}`);
    }
  }
  if (values.compare && values.prove) {
    throw new UsageError('--compare cannot be combined with --prove');
  }
}

const notesOn = ({ place, log }: Read) => log.notes.map((note) => `${place}: ${note}`);

/** @throws {UsageError} */
async function followOne(
  [path, ...others]: readonly string[],
  values: Values,
  machine: FollowMachine,
): Promise<number> {
  if (path === undefined || others.length > 0 || values.prove || values.compare) {
    throw new UsageError(
      '--follow takes one PATH or URL and cannot be combined with --prove or --compare',
    );
  }
  const { every = DEFAULT_EVERY, idle, webhook, json, 'until-finding': untilFinding } = values;
  const facts = values.config === undefined ? null : parseConfig(readConfigFile(values.config));
  const columns = readColumns(values.column);
  // Each poll meets the same unreadable files and skipped parts.
  const said = new Set<string>();
  const sayOnce = (line: string, id = line) => {
    if (!said.has(id)) machine.log(line);
    said.add(id);
  };
  const source = isAddress(path) ? new GrowingUrl(path) : growingPath(path, sayOnce);
  const readRuns = async (read: readonly LogFile[]) => {
    const runs = await runsIn(path, read, facts, columns, sayOnce);
    // The numbers in a note change as the log grows.
    for (const { place, log } of runs) {
      for (const note of log.notes) {
        sayOnce(`${place}: ${note}`, `${place}: ${note.replaceAll(/\d+/g, '#')}`);
      }
    }
    return runs.map(({ place, files, log, diagnosis: found }) => ({
      ...{ place, files, diagnosis: found, rows: log.evidence.rows.length, unit: stepOf(log) },
      end: log.series.reduce((most, { x }) => Math.max(most, x.at(-1) ?? 0), 0),
    }));
  };
  const wishes = { every, untilFinding, json, ...(idle === undefined ? {} : { idle }) };
  return follow(source, readRuns, webhook === undefined ? wishes : { ...wishes, webhook }, machine);
}

/** Compares the first run with each of the others. @throws {UsageError} */
function* compared([first, ...others]: readonly Read[], json: boolean): Generator<string> {
  if (first === undefined || others.length === 0) {
    throw new UsageError('--compare needs at least two runs');
  }
  for (const other of others) {
    const comparison = compareRuns(comparedOf(first), comparedOf(other));
    if (json) {
      yield JSON.stringify({
        files: [first.place, other.place],
        states: [first, other].map((run) => run.diagnosis.changed.outcome?.state ?? null),
        ...plainComparison(comparison),
      });
      continue;
    }
    yield* comparisonLines([first, other], comparison);
  }
}

type Wishes = ReturnType<typeof readWishes>;

/** @throws {UsageError} */
export function readColumns(given: readonly string[]): NamedColumns {
  return new Map(
    given.map((text) => {
      const named = namedColumn(text);
      if (named !== null) return named;
      throw new UsageError(
        `--column takes QUANTITY=NAME, where QUANTITY is one of ${quantityNames.join(', ')}; got ${JSON.stringify(text)}`,
      );
    }),
  );
}

/** @throws {UsageError} */
function readWishes({ seeds = DEFAULT_SEEDS, iterations, ...device }: Values) {
  return {
    seeds,
    ...(iterations === undefined ? {} : { iterations }),
    wish: deviceRequest(device),
  };
}

/**
 * The config of a run of this project, to replay it.
 *
 * @throws {UsageError}
 */
function configOf({ place, log }: Read): Config {
  const { facts } = log.evidence;
  if (log.model !== undefined) {
    throw new UsageError(
      `${place} trained an adapter of the pretrained model ${log.model} and cannot be replayed; omit --prove`,
    );
  }
  if (log.tool === 'palestra' && isWhole(facts)) {
    if (!isRemote(facts.env.id)) return facts;
    throw new UsageError(
      `${place} played a remote environment and cannot be replayed; omit --prove`,
    );
  }
  throw new UsageError(
    log.tool === 'palestra'
      ? `${place} does not contain the settings of its run, so the run cannot be replayed; pass them with --config`
      : `${place} is a log of another tool and cannot be replayed; omit --prove`,
  );
}

/** Whether the facts are a complete config: only a config has a seed. */
const isWhole = (facts: Facts): facts is Config => 'seed' in facts;

/** Tries the findings in order until one is proved. */
async function proveAll(
  evidence: Evidence,
  config: Config,
  { wish, ...wishes }: Wishes,
  { log, open }: Pick<DiagnoseMachine, 'log' | 'open'>,
): Promise<ReadonlyMap<ModeName, Proof>> {
  const proofs = new Map<ModeName, Proof>();
  // A refuted finding no longer masks others, so diagnose again.
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

export interface Read {
  /** Path of the run's first file, followed by the run's name or number if a file has several runs. */
  readonly place: string;
  /** Paths of all files of the run. */
  readonly files: readonly string[];
  readonly log: RunLog;
  readonly diagnosis: LogDiagnosis;
}

/**
 * The runs at a path. In a folder, files that are not logs are skipped; a damaged log is reported
 * and skipped.
 *
 * @throws {UsageError} if there is no run
 */
export async function runsAt(
  path: string,
  given: Facts | null,
  columns: NamedColumns,
  say: Streams['log'],
): Promise<Read[]> {
  if (isAddress(path)) {
    const source = new GrowingUrl(path);
    try {
      if ((await source.poll()) === 'absent') throw new UsageError(`${path} was not found`);
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      throw new UsageError(`${path} ${error.message}`);
    }
    return runsIn(path, source.files(), given, columns, say);
  }
  return runsIn(path, logFilesAt(path, say), given, columns, say);
}

/** The runs in the given files. @throws {UsageError} if there is no run */
async function runsIn(
  path: string,
  files: readonly LogFile[],
  given: Facts | null,
  columns: NamedColumns,
  say: Streams['log'],
): Promise<Read[]> {
  const alone = files.length === 1 && (files[0]?.path === path || isAddress(path));
  try {
    const { groups, others } = await recognizeAll(files);
    const unreadable = new Set(others.filter((one) => one.unreadable).map((one) => one.path));
    if (alone && unreadable.size > 0) throw new UsageError(`${path} ${others[0]?.why}`);
    for (const other of others) {
      if (other.unreadable) say(`${other.path} ${other.why}; it is skipped`);
    }
    if (alone && files[0] !== undefined && (await holdsRollouts(files[0]))) {
      throw new UsageError(`${path} contains episodes; read them with npm run episodes -- ${path}`);
    }
    if (alone && others[0] !== undefined) throw new UsageError(`${path} ${others[0].why}`);
    const read: Read[] = [];
    for (const group of groups) {
      const place = group.files[0]?.path ?? path;
      try {
        for (const run of await readGroup(group, () => {})) {
          const evidence = given === null ? run.evidence : { ...run.evidence, facts: given };
          const log = { ...run, evidence };
          read.push({
            ...{ place: placeOf(place, run), log, diagnosis: diagnoseLog(log, columns) },
            files: group.files.map((file) => file.path),
          });
        }
      } catch (error) {
        if (!(error instanceof LogError)) throw error;
        if (alone || groups.length === 1) throw new UsageError(`${place} ${error.message}`);
        say(`${place} ${error.message}`);
      }
    }
    if (read.length === 0) {
      for (const file of files.slice(0, 20)) {
        if (unreadable.has(file.path) || !(await holdsRollouts(file))) continue;
        throw new UsageError(
          `${path} contains episodes; read them with npm run episodes -- ${path}`,
        );
      }
      throw new UsageError(`${path} contains no readable log`);
    }
    return read;
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    throw new UsageError(`the files of ${path} ${error.message}`);
  }
}

/** If a file contains several runs, its path is followed by the run's name or number. */
const placeOf = (place: string, { name, part }: RunLog) =>
  part === undefined ? place : `${place} (${part === 'named' ? name : part})`;

/** Resolves to false early if the process is interrupted. */
const waitFor: FollowMachine['wait'] = (milliseconds) =>
  new Promise((resolve) => {
    const interrupted = () => end(false);
    const timer = setTimeout(() => end(true), milliseconds);
    const end = (whole: boolean) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupted);
      process.off('SIGTERM', interrupted);
      resolve(whole);
    };
    process.once('SIGINT', interrupted);
    process.once('SIGTERM', interrupted);
  });

/** Timeout of a webhook in milliseconds. */
const WEBHOOK_TIMEOUT = 10_000;

const postJson: FollowMachine['post'] = async (url, body) => {
  const response = await fetch(url, {
    ...{ method: 'POST', body, headers: { 'content-type': 'application/json' } },
    signal: AbortSignal.timeout(WEBHOOK_TIMEOUT),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
};

/** A number for JSON, rounded to five significant digits; null for NaN. */
const rounded = (value: number) => (Number.isFinite(value) ? Number(value.toPrecision(5)) : null);

const level = ({ value, low, high }: { value: number; low: number; high: number }) => ({
  mean: rounded(value),
  interval: [rounded(low), rounded(high)],
});

/** The state of the outcome and the changes, for JSON. */
export function happened({ diagnosis: { changed, summary } }: Read) {
  const { outcome, changes, movers, spikes, notFinite } = changed;
  const first = new Set(movers);
  return {
    outcome:
      outcome === null
        ? null
        : {
            ...{ state: outcome.state, series: outcome.key, quantity: outcome.quantity },
            ...{ start: level(outcome.start), end: level(outcome.end) },
            best: { ...level(outcome.best), steps: [outcome.best.from, outcome.best.to] },
            fall: outcome.fall === null ? null : [outcome.fall.from, outcome.fall.to],
            constant_from: outcome.constantFrom,
          },
    summary,
    changes: changes.map((change) => ({
      ...{ series: change.key, quantity: change.quantity, kind: change.kind },
      ...{ direction: change.direction, at: change.at, interval: [change.from, change.to] },
      ...{ until: change.until, before: rounded(change.before), after: rounded(change.after) },
      ...{ strength: rounded(change.strength), correlation: rounded(change.correlation) },
      first_mover: first.has(change),
    })),
    spikes: spikes.map(({ key, at, value, usual }) => ({ series: key, at, value, usual })),
    not_finite: notFinite.map(({ key, from, count, of }) => ({ series: key, from, count, of })),
  };
}

/** The findings, for JSON. */
export function plain(
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

/** Series mapped to neither a metric nor a quantity. */
function unmapped({ log, diagnosis }: Pick<Read, 'log' | 'diagnosis'>): readonly string[] {
  const known = new Set([...diagnosis.changed.quantities.values()].map(({ key }) => key));
  return log.series
    .filter(({ key, metric }) => metric === null && !known.has(key))
    .map(({ key }) => key);
}

/** How a log of another tool was read. */
export function about({ log, diagnosis }: Read): object {
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
      quantities: Object.fromEntries(
        [...diagnosis.changed.quantities].map(([quantity, { key }]) => [quantity, key]),
      ),
      ...{ not_mapped: unmapped({ log, diagnosis }), notes },
    },
  };
}

/** Maximum number of unmapped series in the text report; `--json` lists all. */
const MOST_LISTED = 12;

function* report(
  run: Read,
  { findings, notComputable }: Findings,
  proofs: ReadonlyMap<ModeName, Proof>,
) {
  const { place, log } = run;
  const found =
    findings.length === 0
      ? 'no findings'
      : `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  yield `${place}: ${extentOf(log)}, ${stateOf(run)}, ${found}`;
  yield `  ${run.diagnosis.summary}`;
  for (const finding of findings) {
    yield* paragraph(finding, log);
    const proof = proofs.get(finding.mode);
    if (proof !== undefined) yield* proofLines(proof);
  }
  const state = run.diagnosis.changed.outcome?.state;
  const healthy = log.tool !== 'palestra' && (state === 'learning' || state === 'plateau');
  for (const { mode, log: lacking } of healthy ? [] : notComputable) {
    yield `  not computable: ${mode}: ${log.tool === 'palestra' ? 'log ' : ''}${lacking.join(', ')}`;
  }
  for (const { key, metric, differs } of log.series) {
    if (differs !== null) yield `  ${key} is mapped to ${metric}: ${differs}`;
  }
  const keys = unmapped(run);
  if (keys.length > 0) {
    const more = keys.length - MOST_LISTED;
    const listed = keys.slice(0, MOST_LISTED).join(', ');
    yield `  not mapped: ${listed}${more > 0 ? ` and ${more} more` : ''}`;
  }
}

const stateOf = ({ diagnosis }: Read) =>
  diagnosis.changed.outcome?.state.replaceAll('_', ' ') ?? 'no known score';

/** The extent of a log: `435 iterations`, or `verl, 120 rows up to 12,000 optimizer steps`. */
function extentOf({ tool, axis, places, evidence, series }: RunLog): string {
  const last = evidence.rows.at(-1)?.iteration ?? 0;
  if (tool === 'palestra' && axis.iterations) return `${last} iterations`;
  const title = tool === 'unknown' ? '' : `${toolTitles[tool]}, `;
  const longest = series.reduce((most, { x }) => Math.max(most, x.length), 0);
  const end = series.reduce((most, { x }) => Math.max(most, x.at(-1) ?? 0), 0);
  const rows = evidence.rows.length || longest;
  return `${title}${rows} rows up to ${(places.at(-1) ?? end).toLocaleString('en-US')} ${axis.unit}`;
}

function* paragraph(finding: Finding, log: RunLog) {
  const { mode, title, text, onset, interval, confidence, rivals, remedies } = finding;
  const [from, to] = interval;
  const span = from === to ? '' : ` (${from} to ${to})`;
  yield '';
  yield `  ${title} [${mode}, since ${stepOf(log)} ${onset}${span}, confidence ${percent(confidence)}]`;
  yield `  ${text}`;
  for (const remedy of remedies) {
    const flags = changesOf(remedy).map(({ setting, value }) => `--set ${setting}=${value}`);
    const setting = flags.length === 0 ? (remedy.setting ?? '') : flags.join(' ');
    yield `  try: ${remedy.text}${setting === '' ? '' : ` (${setting})`}`;
  }
  for (const rival of rivals) yield `  or ${rival.mode}? ${rival.separatedBy}`;
}

const outcomeWords = {
  proved: 'proved: one of its remedies helps',
  refuted: 'refuted: none of its remedies helps',
  open: 'not decided',
} as const;

function* proofLines(proof: Proof) {
  yield `  ${outcomeWords[proof.trial.outcome]}. ${proof.trial.text}`;
  const other = otherRun(proof);
  if (other !== null) yield `  ${other}`;
}
