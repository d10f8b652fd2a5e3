/** Recognizes a file by its first bytes; its name decides only between two possible formats. */

import { foreignLimits } from '../../files/log-limits.ts';
import { isDictLine, isTableLine, isVerlLine } from './console.ts';
import { headOf, isChartExport, isRunsTable } from './csv.ts';
import { parseLooseJson, recordOf } from './loose-json.ts';
import { isMlflowLine, within } from './mlflow.ts';
import { isParquet } from './parquet.ts';
import { beginsWithRecord } from './records.ts';
import { folderOf, type LogFile, nameOf } from './source.ts';
import { isWandb } from './wandb.ts';

export type FileKind =
  | 'event'
  | 'wandb'
  | 'parquet'
  | 'run-file'
  | 'palestra-rows'
  | 'trainer-state'
  | 'verl-lines'
  | 'object-lines'
  | 'object-list'
  | 'verl-console'
  | 'dict-console'
  | 'table-console'
  | 'mlflow'
  | 'monitor'
  | 'chart-export'
  | 'csv';

/** A file that is not a log, and why; continues after its name. */
export interface Unreadable {
  readonly why: string;
}

/** Number of bytes inspected; a console log may start with pages of other output. */
const HEAD = 2 ** 18;
/** Number of lines of a console log that are tried. */
const TRIED = 2000;

/** The kind of a file; readers throw `LogError` and errors of reading. */
export async function recognise(file: LogFile): Promise<FileKind | Unreadable> {
  const head = await file.read(0, Math.min(file.size, HEAD));
  if (head.length === 0) return { why: 'is empty' };
  if (beginsWithRecord(head) || /\.?tfevents\./.test(nameOf(file))) return 'event';
  if (isWandb(head)) return 'wandb';
  if (isParquet(head)) return 'parquet';
  if (head[0] === 0x50 && head[1] === 0x4b) return 'run-file';
  if (head[0] === 0x1f && head[1] === 0x8b) return { why: 'is compressed; unpack it first' };
  if (head.subarray(0, 4096).includes(0)) return { why: 'is not a log of a known format' };
  return ofText(file, new TextDecoder().decode(head).replace(/^\ufeff/, ''));
}

function ofText(file: LogFile, text: string): FileKind | Unreadable {
  const first = text.trimStart();
  const [line = ''] = first.split('\n', 1);
  if (/^#\{"t_start"/.test(line)) return 'monitor';
  if (first.startsWith('{')) return ofObject(file, first, line);
  if (first.startsWith('[') && /^\[\s*[{\]]/.test(first)) return 'object-list';
  const folder = within(file.path, 'metrics') ?? within(file.path, 'params');
  if (folder !== null && (isMlflowLine(line) || within(file.path, 'params') !== null))
    return 'mlflow';
  const console = ofConsole(text);
  if (console !== null) return console;
  return ofTable(text);
}

function ofObject(file: LogFile, text: string, line: string): FileKind | Unreadable {
  if (/"log_history"\s*:/.test(text) || nameOf(file) === 'trainer_state.json')
    return 'trainer-state';
  let fields: Readonly<Record<string, unknown>> | null = null;
  try {
    fields = recordOf(parseLooseJson(line, foreignLimits.lineJson));
  } catch {
    // A printed dict, or a JSON text over several lines.
    return ofConsole(text) ?? { why: 'is a single JSON object; a log has one per line' };
  }
  if (fields === null) return { why: 'is not a log of a known format' };
  if (typeof fields.step === 'number' && recordOf(fields.data) !== null) return 'verl-lines';
  const own = Object.keys(fields).some((key) =>
    /^(rollout|policy|imitation|evolution|critique)\//.test(key),
  );
  if (typeof fields.iteration === 'number' && own) return 'palestra-rows';
  if (fields.final === true && 'config' in fields) return 'palestra-rows';
  const measured = Object.values(fields).some(
    (value) => typeof value === 'number' || recordOf(value) !== null,
  );
  if (!measured) return { why: 'has no numbers in its first line' };
  if (nameOf(file) === 'wandb-summary.json') return { why: 'contains only the last values' };
  return 'object-lines';
}

function ofConsole(text: string): FileKind | null {
  for (const line of text.split('\n', TRIED)) {
    if (isVerlLine(line)) return 'verl-console';
    if (isTableLine(line.trim())) return 'table-console';
    if (line.length < 20_000 && isDictLine(line)) return 'dict-console';
  }
  return null;
}

function ofTable(text: string): FileKind | Unreadable {
  const head = headOf(text.slice(0, HEAD));
  if (isRunsTable(head)) return { why: 'is a table of runs, which has no history' };
  if (isChartExport(head)) return 'chart-export';
  const rows = text.trimEnd().split('\n', 3);
  if (head.length < 2 || rows.length < 2) return { why: 'is not a log of a known format' };
  // A table of measurements has a header row.
  const named = head.filter((cell) => cell !== '' && !/^[-+.\d]/.test(cell));
  const numbers = rows[1]?.split(/[,;\t]/).some((cell) => /^\s*"?[-+]?[\d.]+/.test(cell)) === true;
  return 2 * named.length >= head.length && numbers
    ? 'csv'
    : { why: 'is not a log of a known format' };
}

/**
 * Which files belong to one run: those of a folder, for TensorBoard and MLflow of their specific
 * folders.
 */
export function runOf(file: LogFile, kind: FileKind): string {
  switch (kind) {
    case 'event':
    case 'monitor':
      return `${kind} ${folderOf(file)}`;
    case 'mlflow': {
      const part = within(file.path, 'metrics') === null ? 'params' : 'metrics';
      return `mlflow ${`/${file.path}`.slice(1, `/${file.path}`.lastIndexOf(`/${part}/`))}`;
    }
    case 'trainer-state':
      // Each checkpoint contains the history up to it.
      return `trainer-state ${folderOf(file).replace(/(^|\/)checkpoint-\d+$/, '')}`;
    default:
      return `${kind} ${file.path}`;
  }
}
