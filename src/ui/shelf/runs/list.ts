import { configDifferences, describeConfig, getConfigValue } from '../../../config/fields.ts';
import type { ConfigValue } from '../../../config/schema.ts';
import { toolTitles } from '../../../exchange/logs/counterparts.ts';
import type { LogEntry } from '../../../exchange/logs/shown-log.ts';
import type { RunEntry } from '../../../runs/record.ts';

/** Sort keys of the table. Pinned runs always come first. */
const runColumns = ['name', 'iterations', 'success', 'updated'] as const;
export type RunColumn = (typeof runColumns)[number];

export interface RunSorting {
  readonly column: RunColumn;
  readonly descending: boolean;
}

/** Filters and sorts runs. Every search word must occur in name, tags, notes or settings. */
export const listRuns = (entries: readonly RunEntry[], search: string, sorting: RunSorting) =>
  matching(entries, search, textOfRun).sort(
    (a, b) =>
      Number(b.pinned) - Number(a.pinned) ||
      compare(a[sorting.column], b[sorting.column], sorting) ||
      b.updated - a.updated,
  );

/** Filters and sorts logs by the same keys. */
export function listLogs(entries: readonly LogEntry[], search: string, sorting: RunSorting) {
  const column = sorting.column === 'iterations' ? 'rows' : sorting.column;
  return matching(entries, search, textOfLog).sort(
    (a, b) => compare(a[column], b[column], sorting) || b.updated - a.updated,
  );
}

/** The entries in whose text every word of a search occurs. */
function matching<Entry>(
  entries: readonly Entry[],
  search: string,
  textOf: (entry: Entry) => string,
): Entry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    const text = textOf(entry).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function textOfRun({ name, tags, notes, preset, config, status }: RunEntry): string {
  const environments = [config.env.id, ...config.env.mixture.map(({ id }) => id)];
  const texts = [name, ...tags, notes, preset, ...environments, `seed ${config.seed}`, status];
  return texts.join('\n');
}

const textOfLog = ({ name, tool, format }: LogEntry) =>
  `${name}\n${toolTitles[tool]}\n${format}\nlog`;

/** Missing numbers count as smallest. */
function compare(
  a: string | number | null,
  b: string | number | null,
  { descending }: RunSorting,
): number {
  const order =
    typeof a === 'string' && typeof b === 'string'
      ? a.localeCompare(b, 'en')
      : Number(a ?? -1) - Number(b ?? -1);
  return descending ? -order : order;
}

/** A field that differs, with its value in each run. */
export interface Difference {
  readonly path: string;
  readonly title: string;
  readonly values: readonly ConfigValue[];
}

/** Fields in which some run differs from the first, in the order of the schema. */
export function differences(runs: readonly Pick<RunEntry, 'config'>[]): readonly Difference[] {
  const [first, ...others] = runs;
  if (first === undefined) return [];
  const changed = new Set(others.flatMap(({ config }) => configDifferences(first.config, config)));
  return describeConfig()
    .filter(({ path }) => changed.has(path))
    .map(({ path, title }) => ({
      path,
      title,
      values: runs.map(({ config }) => getConfigValue(config, path)),
    }));
}
