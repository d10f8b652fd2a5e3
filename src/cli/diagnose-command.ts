import { parseArgs } from 'node:util';
import { parseConfig } from '../config/check.ts';
import { ConfigError } from '../config/error.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Evidence } from '../diagnosis/evidence.ts';
import type { Finding, Findings } from '../diagnosis/finding.ts';
import { RowLogError, readRowLog } from '../exchange/logs/rows.ts';
import { logLimits } from '../files/log-limits.ts';
import { CheckpointError } from '../runs/checkpoint.ts';
import { percent } from '../runs/numbers.ts';
import { decodeRunFile, RunFileError } from '../runs/run-file.ts';
import { readGivenFile } from './files.ts';
import { readConfigFile } from './options.ts';
import type { Streams } from './streams.ts';
import { EXIT_USAGE, UsageError } from './usage.ts';

const flags = {
  config: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const help = `Names the first cause of a run that fails, since when, and what shows it.

  npm run --silent diagnose -- FILE… [--json] [--config FILE]

  FILE           what \`npm run train -- --json\` printed, or a run file of the lab
  --json         one JSON object a file: {"findings": […], "not_computable": […]}; of several
                 files each begins with "file"
  --config FILE  the settings of a log that does not hold them, as train takes them; without them
                 the rules that need one say what to log
  --help         print this and end

A sound run has no findings. What was left out of a log goes to standard error.
`;

/** Diagnoses the files that the arguments name. Returns the exit code. */
export function diagnoseCommand(args: readonly string[], { out, log }: Streams): number {
  try {
    const { values, positionals } = readArguments(args);
    if (values.help === true) {
      out(help.trimEnd());
      return 0;
    }
    if (positionals.length === 0) {
      throw new UsageError('no file was given; --help says which there are');
    }
    const facts = values.config === undefined ? null : parseConfig(readConfigFile(values.config));
    // All are read before anything is printed, so that a fault leaves nothing half told.
    const read = positionals.map((file) => ({ file, ...evidenceOf(file, facts) }));
    for (const { file, evidence, notes } of read) {
      for (const note of notes) log(`${file}: ${note}`);
      const findings = diagnose(evidence);
      const named = read.length > 1 ? { file } : {};
      if (values.json === true) out(JSON.stringify({ ...named, ...plain(findings) }));
      else for (const line of report(file, evidence, findings)) out(line);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    log(error.message);
    return EXIT_USAGE;
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${message.split(/\.\s|\n/)[0]}; --help lists what there is`);
  }
}

interface Read {
  readonly evidence: Evidence;
  readonly notes: readonly string[];
}

/** A zip begins with these. */
const ZIP = 'PK';

/** @throws {UsageError} for a file that cannot be read. */
function evidenceOf(file: string, given: Evidence['facts'] | null): Read {
  const bytes = readGivenFile('the log', file, logLimits.bytes);
  try {
    if (bytes.subarray(0, 2).toString('latin1') === ZIP) {
      const { rows, entry, replaced } = decodeRunFile(bytes);
      const evaluations = rows.flatMap(({ iteration, evaluation }) =>
        evaluation === undefined ? [] : [{ iteration, metrics: evaluation.metrics }],
      );
      return { evidence: { rows, evaluations, facts: given ?? entry.config }, notes: replaced };
    }
    const { rows, evaluations, config, notes } = readRowLog(textOf(bytes));
    return { evidence: { rows, evaluations, facts: given ?? config ?? {} }, notes };
  } catch (error) {
    if (error instanceof RowLogError) throw new UsageError(`${file} ${error.message}`);
    if (error instanceof RunFileError || error instanceof CheckpointError) {
      throw new UsageError(`${file}: ${error.message}`);
    }
    throw error;
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RowLogError('is no text in UTF-8');
  }
}

/** The findings as JSON has them. */
function plain({ findings, notComputable }: Findings): object {
  return {
    findings: findings.map(({ beside: _, rivals, remedies, ...finding }) => ({
      ...finding,
      rivals: rivals.map(({ mode, separatedBy }) => ({ mode, separated_by: separatedBy })),
      remedies,
    })),
    not_computable: notComputable,
  };
}

function* report(file: string, { rows }: Evidence, { findings, notComputable }: Findings) {
  const last = rows.at(-1)?.iteration ?? 0;
  yield `${file}: ${last} iterations, ${findings.length === 0 ? 'nothing found' : `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`}`;
  for (const finding of findings) yield* paragraph(finding);
  for (const { mode, log } of notComputable) {
    yield `  not computable: ${mode}; log ${log.join(', ')}`;
  }
}

function* paragraph({ mode, title, text, onset, interval, confidence, rivals, remedies }: Finding) {
  const [from, to] = interval;
  const span = from === to ? '' : ` (${from} to ${to})`;
  yield '';
  yield `  ${title} [${mode}, since iteration ${onset}${span}, confidence ${percent(confidence)}]`;
  yield `  ${text}`;
  for (const { setting, value, text: what } of remedies) {
    yield `  try: ${what} (${value === undefined ? setting : `--set ${setting}=${value}`})`;
  }
  for (const rival of rivals) yield `  or ${rival.mode}? ${rival.separatedBy}`;
}
