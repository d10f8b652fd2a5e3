/**
 * Indexes files of episodes in one pass. Summaries stay in memory; texts are read from the file on
 * demand.
 */

import { type FileMetaData, parquetReadObjects } from 'hyparquet';
import { joinBytes } from '../../files/bytes.ts';
import { JsonError } from '../../files/json.ts';
import { rolloutLimits } from '../../files/log-limits.ts';
import { readZip, ZipError } from '../../files/zip.ts';
import { LogError } from '../logs/error.ts';
import { parseLooseJson, recordOf } from '../logs/loose-json.ts';
import { isParquet, parquetBuffer, readFooter } from '../logs/parquet.ts';
import { type LogFile, nameOf, type OnRead, piecesOf } from '../logs/source.ts';
import {
  type EpisodeFlag,
  episodeFlags,
  flagsOf,
  lengthOf,
  type RolloutLevels,
  rewardedWithoutSuccess,
} from './detectors.ts';
import type { RolloutEpisode } from './episode.ts';
import { PickleError, plainOf, readPickle } from './pickle.ts';
import { type RolloutMapping, type RolloutTool, readerOf } from './readers.ts';

/** An episode without its text. */
export interface EpisodeEntry {
  readonly id: number;
  /** Index of its file. */
  readonly file: number;
  /** Byte range in the file; in tables and pickles, the row index twice. */
  readonly from: number;
  readonly to: number;
  readonly step: number | null;
  readonly task: string | null;
  readonly reward: number | null;
  readonly success: boolean | null;
  readonly advantage: number | null;
  /** Number of turns of the policy. */
  readonly turns: number;
  /** Length in tokens if known, else in characters. */
  readonly length: number;
  readonly flags: readonly EpisodeFlag[];
  readonly error: string | null;
}

export interface Rollouts {
  readonly tool: RolloutTool;
  readonly entries: readonly EpisodeEntry[];
  /** What was left out, one sentence each. */
  readonly notes: readonly string[];
  /** The episode with its text. @throws {LogError} if the file has changed */
  readonly read: (id: number) => Promise<RolloutEpisode>;
}

/** A possible episode and its position in the file. */
interface Item {
  readonly from: number;
  readonly to: number;
  readonly fields: Readonly<Record<string, unknown>> | null;
}

const decoder = new TextDecoder();

function parseItem(bytes: Uint8Array): Item['fields'] {
  try {
    return recordOf(parseLooseJson(decoder.decode(bytes), rolloutLimits.json));
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

async function* lineItems(file: LogFile, onRead: OnRead): AsyncGenerator<Item> {
  let [rest, start, size, at]: [Uint8Array[], number, number, number] = [[], 0, 0, 0];
  const item = (end: number): Item | null => {
    const bytes = size > rolloutLimits.item ? null : joinBytes(rest);
    const [from, to] = [start, end];
    [rest, size] = [[], 0];
    if (bytes?.every((byte) => byte <= 0x20) === true) return null;
    return { from, to, fields: bytes === null ? null : parseItem(bytes) };
  };
  for await (const piece of piecesOf(file, onRead)) {
    let from = 0;
    for (;;) {
      const end = piece.indexOf(0x0a, from);
      const part = piece.subarray(from, end === -1 ? piece.length : end);
      size += part.length;
      if (size <= rolloutLimits.item) rest.push(part.slice());
      if (end === -1) break;
      const found = item(at + end);
      if (found !== null) yield found;
      start = at + end + 1;
      from = end + 1;
    }
    at += piece.length;
  }
  // The file's writer may still be running; the last line counts only if it is complete.
  const last = size === 0 ? null : item(at);
  if (last !== null && last.fields !== null) yield last;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/** The objects at depth one of a JSON list. */
async function* listItems(file: LogFile, onRead: OnRead): AsyncGenerator<Item> {
  let [depth, inText, escaped, start, at, size] = [0, false, false, -1, 0, 0];
  let rest: Uint8Array[] = [];
  for await (const piece of piecesOf(file, onRead)) {
    let from = start === -1 ? -1 : 0;
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i];
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
        continue;
      }
      if (byte === QUOTE) inText = true;
      else if (byte === OPEN || byte === OPEN_LIST) {
        if (depth === 1 && byte === OPEN) {
          [start, from, size] = [at + i, i, 0];
          rest = [];
        }
        depth++;
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        depth--;
        if (depth === 1 && byte === CLOSE && start !== -1) {
          const part = piece.subarray(Math.max(0, from), i + 1);
          const tooLong = size + part.length > rolloutLimits.item;
          const to = at + i + 1;
          yield { from: start, to, fields: tooLong ? null : parseItem(joinBytes([...rest, part])) };
          [start, from, rest] = [-1, -1, []];
        }
      }
    }
    if (start !== -1) {
      const part = piece.subarray(Math.max(0, from));
      size += part.length;
      if (size <= rolloutLimits.item) rest.push(part.slice());
    }
    at += piece.length;
  }
}

/** Rows read from a Parquet file at once. */
const ROWS = 200;

/** Any error is a `LogError`: hyparquet throws others for damaged files. */
async function inTable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof LogError) throw error;
    const reason = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
    throw new LogError(`is not a readable Parquet file: ${reason.slice(0, 200)}`);
  }
}

const footerOf = (file: LogFile) => inTable(readFooter(file));

function rowsOf(
  file: LogFile,
  metadata: FileMetaData,
  from: number,
  to: number,
): Promise<readonly unknown[]> {
  const range = { rowStart: from, rowEnd: to };
  return inTable(parquetReadObjects({ file: parquetBuffer(file), metadata, ...range }));
}

async function* tableItems(file: LogFile, onRead: OnRead): AsyncGenerator<Item> {
  const metadata = await footerOf(file);
  const all = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  let first = 0;
  for (const group of metadata.row_groups) {
    const bytes = group.columns.reduce(
      (sum, { meta_data: about }) => sum + Number(about?.total_uncompressed_size ?? 0),
      0,
    );
    if (!(bytes >= 0 && bytes <= rolloutLimits.group)) {
      throw new LogError(`has a row group of ${bytes} bytes; the limit is ${rolloutLimits.group}`);
    }
    const rows = Number(group.num_rows);
    for (let row = 0; row < rows; row += ROWS) {
      const to = first + Math.min(rows, row + ROWS);
      const part = await rowsOf(file, metadata, first + row, to);
      for (const [i, fields] of part.entries()) {
        const place = first + row + i;
        yield { from: place, to: place, fields: recordOf(fields) };
      }
      onRead(Math.round((file.size * Math.min(ROWS, rows - row)) / all));
    }
    first += rows;
  }
}

const isPickle = (path: string) => /(^|\/)data\.pkl$/.test(path);

/** slime's samples from a file written by `torch.save`. */
async function pickledSamples(file: LogFile): Promise<readonly unknown[]> {
  if (file.size > rolloutLimits.pickle) {
    throw new LogError(`has ${file.size} bytes; the limit is ${rolloutLimits.pickle}`);
  }
  try {
    const entries = readZip(
      await file.read(0, file.size),
      (path) => (isPickle(path) ? rolloutLimits.pickle : null),
      rolloutLimits.pickle,
    );
    const [pickle] = entries.values();
    if (pickle === undefined) throw new LogError('is a zip without data.pkl');
    const data = plainOf(readPickle(pickle), pickle.length);
    const fields = recordOf(data);
    const samples = fields?.samples ?? data;
    const id = fields?.rollout_id;
    if (!Array.isArray(samples)) throw new LogError('contains no list of samples');
    return samples.map((sample) =>
      typeof id === 'number' ? { rollout_id: id, ...recordOf(sample) } : sample,
    );
  } catch (error) {
    if (error instanceof ZipError || error instanceof PickleError)
      throw new LogError(error.message);
    throw error;
  }
}

async function* pickledItems(file: LogFile, onRead: OnRead): AsyncGenerator<Item> {
  const samples = await pickledSamples(file);
  onRead(file.size);
  for (const [i, sample] of samples.entries()) yield { from: i, to: i, fields: recordOf(sample) };
}

type Layout = 'lines' | 'list' | 'table' | 'pickle';

async function layoutOf(file: LogFile): Promise<Layout | null> {
  const head = await file.read(0, Math.min(file.size, 4096));
  if (isParquet(head)) return 'table';
  if (head[0] === 0x50 && head[1] === 0x4b)
    return /\.(pt|pth|pkl)$/.test(file.path) ? 'pickle' : null;
  const text = decoder
    .decode(head)
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text.startsWith('{')) return 'lines';
  return /^\[\s*(\{|\])/.test(text) ? 'list' : null;
}

const itemsOf = {
  lines: lineItems,
  list: listItems,
  table: tableItems,
  pickle: pickledItems,
} as const;

/** The step in a file's path: `step12/0.json`, `40.jsonl`, `rollout_7.pt`, `completions_00010.parquet`. */
function stepInPath({ path }: Pick<LogFile, 'path'>): number | null {
  const folder = /(?:^|\/)(?:global_)?step[_-]?(\d{1,9})\/[^/]*$/.exec(path);
  const name = /(?:^|[^\d])(\d{1,9})\.(?:jsonl?|parquet|pt|pth)$/.exec(nameOf({ path }));
  const found = folder?.[1] ?? name?.[1];
  return found === undefined ? null : Number(found);
}

/** Number of rows tried before a file is rejected. */
const TRIED = 20;

/**
 * Whether a file contains episodes, judged by its first rows.
 *
 * @param say receives a line if it cannot be read
 */
export async function holdsRollouts(
  file: LogFile,
  mapping: RolloutMapping = {},
  say: (line: string) => void = () => {},
): Promise<boolean> {
  const layout = await layoutOf(file);
  if (layout === null) return false;
  let tried = 0;
  try {
    for await (const { fields } of itemsOf[layout](file, () => {})) {
      if (fields !== null && readerOf(fields, mapping) !== null) return true;
      if (++tried >= TRIED) return false;
    }
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    say(`${file.path} was skipped: it ${error.message}`);
  }
  return false;
}

/**
 * Indexes the episodes of some files.
 *
 * @throws {LogError} if no file contains an episode, or above the limit of episodes
 */
export async function readRollouts(
  files: readonly LogFile[],
  { mapping = {}, onRead = () => {} }: { mapping?: RolloutMapping; onRead?: OnRead } = {},
): Promise<Rollouts> {
  const entries: EpisodeEntry[] = [];
  const notes: string[] = [];
  const layouts: Layout[] = [];
  const tasks = new Map<string, string>();
  let tool: RolloutTool | null = null;
  let keys: readonly string[] = [];
  for (const [place, file] of files.entries()) {
    const layout = await layoutOf(file);
    layouts.push(layout ?? 'lines');
    if (layout === null) continue;
    const inPath = stepInPath(file);
    let skipped = 0;
    try {
      for await (const { from, to, fields } of itemsOf[layout](file, onRead)) {
        const reader = fields === null ? null : readerOf(fields, mapping);
        if (fields === null || reader === null) {
          if (fields !== null && keys.length === 0) keys = Object.keys(fields);
          skipped++;
          continue;
        }
        tool ??= reader.tool;
        const episode = reader.read(fields);
        if (entries.length >= rolloutLimits.episodes) {
          throw new LogError(`contains more than ${rolloutLimits.episodes} episodes`);
        }
        const { task } = episode;
        // A task's name may be a long prompt; store equal ones once.
        const known = task === null ? null : (tasks.get(task) ?? task);
        if (known !== null && tasks.size < 100_000) tasks.set(known, known);
        entries.push({
          ...{ id: entries.length, file: place, from, to, task: known, error: episode.error },
          step: episode.step ?? inPath,
          ...{ reward: episode.reward, success: episode.success, advantage: episode.advantage },
          turns: episode.messages.filter(({ sampled }) => sampled).length,
          ...{ length: lengthOf(episode), flags: flagsOf(episode) },
        });
      }
    } catch (error) {
      if (!(error instanceof LogError) || files.length === 1) throw error;
      notes.push(`${file.path} ${error.message}`);
    }
    if (skipped > 0) notes.push(`${file.path}: rows without an episode are skipped (${skipped}).`);
  }
  if (tool === null) {
    const has =
      keys.length === 0 ? '' : `; its rows have the fields ${keys.slice(0, 12).join(', ')}`;
    throw new LogError(`contains no episode${has}`);
  }
  // Episodes are usually read in order, and a pickle is parsed as a whole.
  let parsed: { readonly file: LogFile; readonly samples: readonly unknown[] } | null = null;
  const samplesOf = async (file: LogFile): Promise<readonly unknown[]> => {
    if (parsed?.file !== file) parsed = { file, samples: await pickledSamples(file) };
    return parsed.samples;
  };
  const read = async (id: number): Promise<RolloutEpisode> => {
    const entry = entries[id];
    const file = entry === undefined ? undefined : files[entry.file];
    const layout = entry === undefined ? undefined : layouts[entry.file];
    if (entry === undefined || file === undefined) throw new LogError(`contains no episode ${id}`);
    let fields: Item['fields'] = null;
    if (layout === 'table') {
      const [row] = await rowsOf(file, await footerOf(file), entry.from, entry.from + 1);
      fields = recordOf(row);
    } else if (layout === 'pickle') fields = recordOf((await samplesOf(file))[entry.from]);
    else fields = parseItem(await file.read(entry.from, entry.to));
    const reader = fields === null ? null : readerOf(fields, mapping);
    if (fields === null || reader === null) {
      throw new LogError('has changed since it was opened; open it again');
    }
    const episode = reader.read(fields);
    return { ...episode, step: episode.step ?? stepInPath(file) };
  };
  return { tool, entries: withLevels(entries), notes, read };
}

/** Minimum share of episodes of one length for that length to count as a limit. */
const CAPPED = 0.05;

function levelsOf(entries: readonly EpisodeEntry[]): RolloutLevels {
  const rewards = entries.flatMap(({ reward }) => reward ?? []).sort((a, b) => a - b);
  const at = (share: number) => rewards[Math.round(share * (rewards.length - 1))] ?? 0;
  const won = entries
    .filter(({ success }) => success === true)
    .flatMap(({ reward }) => reward ?? []);
  const most = entries.reduce((longest, { length }) => Math.max(longest, length), 0);
  const longest = entries.filter(({ length }) => length === most).length;
  return {
    cap: longest >= Math.max(3, CAPPED * entries.length) && most > 1 ? most : null,
    successReward: won.length === 0 ? null : won.reduce((sum, one) => sum + one, 0) / won.length,
    ...{ highReward: at(0.75), lowReward: at(0) },
  };
}

/** Adds the flags that depend on the other episodes. */
function withLevels(entries: readonly EpisodeEntry[]): readonly EpisodeEntry[] {
  const levels = levelsOf(entries);
  return entries.map((entry) => {
    const flags = new Set(entry.flags);
    if (rewardedWithoutSuccess(entry, levels)) flags.add('reward_without_success');
    return flags.size === entry.flags.length
      ? entry
      : { ...entry, flags: episodeFlags.filter((flag) => flags.has(flag)) };
  });
}

/** Counts and means over the episodes of a step. */
export interface StepSummary {
  readonly step: number | null;
  readonly episodes: number;
  /** Mean over episodes with a reward. */
  readonly reward: number | null;
  readonly success: number | null;
  readonly length: number;
  readonly flags: Readonly<Partial<Record<EpisodeFlag, number>>>;
}

/** The steps in order; episodes without a step last. */
export function stepsOf(entries: readonly EpisodeEntry[]): readonly StepSummary[] {
  const groups = new Map<number | null, EpisodeEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.step);
    if (group === undefined) groups.set(entry.step, [entry]);
    else group.push(entry);
  }
  const mean = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;
  return [...groups]
    .sort(([a], [b]) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY))
    .map(([step, all]) => ({
      ...{ step, episodes: all.length, reward: mean(all.flatMap(({ reward }) => reward ?? [])) },
      success: mean(all.flatMap(({ success }) => (success === null ? [] : [Number(success)]))),
      length: mean(all.map(({ length }) => length)) ?? 0,
      flags: countFlags(all),
    }));
}

export function countFlags(
  entries: readonly EpisodeEntry[],
): Readonly<Partial<Record<EpisodeFlag, number>>> {
  const counts: Partial<Record<EpisodeFlag, number>> = {};
  for (const { flags } of entries) for (const flag of flags) counts[flag] = (counts[flag] ?? 0) + 1;
  return counts;
}
