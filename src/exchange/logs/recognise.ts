/** What a file is, by its first bytes; its name decides only where its content could be two things. */

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

/** A file that no run can be read from, and why, to go on after its name. */
export interface Unreadable {
  readonly why: string;
}

/** Bytes that are looked at; a console log may begin with pages of other output. */
const HEAD = 2 ** 18;
/** Lines of a console log that are tried. */
const TRIED = 2000;

/** What a file is; `LogError` and faults of reading come from whoever reads it. */
export async function recognise(file: LogFile): Promise<FileKind | Unreadable> {
  const head = await file.read(0, Math.min(file.size, HEAD));
  if (head.length === 0) return { why: 'is empty' };
  if (beginsWithRecord(head) || /\.?tfevents\./.test(nameOf(file))) return 'event';
  if (isWandb(head)) return 'wandb';
  if (isParquet(head)) return 'parquet';
  if (head[0] === 0x50 && head[1] === 0x4b) return 'run-file';
  if (head[0] === 0x1f && head[1] === 0x8b) return { why: 'is compressed; unpack it first' };
  if (head.subarray(0, 4096).includes(0)) return { why: 'is no log that is known' };
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
    // A dict that was printed, or a JSON text over several lines.
    return ofConsole(text) ?? { why: 'is one JSON object, and a log has one on each line' };
  }
  if (fields === null) return { why: 'is no log that is known' };
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
  if (nameOf(file) === 'wandb-summary.json') return { why: 'has the last values alone' };
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
  if (head.length < 2 || rows.length < 2) return { why: 'is no log that is known' };
  // A table of measurements names its columns.
  const named = head.filter((cell) => cell !== '' && !/^[-+.\d]/.test(cell));
  const numbers = rows[1]?.split(/[,;\t]/).some((cell) => /^\s*"?[-+]?[\d.]+/.test(cell)) === true;
  return 2 * named.length >= head.length && numbers ? 'csv' : { why: 'is no log that is known' };
}

/** Whose files belong to one run: those of a folder, and of TensorBoard and MLflow the folder's own kind. */
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
      // Each checkpoint has the history up to it.
      return `trainer-state ${folderOf(file).replace(/(^|\/)checkpoint-\d+$/, '')}`;
    default:
      return `${kind} ${file.path}`;
  }
}
