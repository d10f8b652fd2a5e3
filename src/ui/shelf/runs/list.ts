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
export function listRuns(
  entries: readonly RunEntry[],
  search: string,
  { column, descending }: RunSorting,
): readonly RunEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const sign = descending ? -1 : 1;
  return entries
    .filter((entry) => {
      const text = searched(entry);
      return words.every((word) => text.includes(word));
    })
    .sort(
      (a, b) =>
        Number(b.pinned) - Number(a.pinned) ||
        sign * compare(a[column], b[column]) ||
        b.updated - a.updated,
    );
}

/** Filters and sorts logs by the same keys. */
export function listLogs(
  entries: readonly LogEntry[],
  search: string,
  { column, descending }: RunSorting,
): readonly LogEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const sign = descending ? -1 : 1;
  const value = (entry: LogEntry) => entry[column === 'iterations' ? 'rows' : column];
  return entries
    .filter(({ name, tool, format }) => {
      const text = `${name}\n${toolTitles[tool]}\n${format}\nlog`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => sign * compare(value(a), value(b)) || b.updated - a.updated);
}

function searched({ name, tags, notes, preset, config, status }: RunEntry): string {
  const environments = [config.env.id, ...config.env.mixture.map(({ id }) => id)];
  return [name, ...tags, notes, preset, ...environments, `seed ${config.seed}`, status]
    .join('\n')
    .toLowerCase();
}

/** Ascending order, with missing numbers first. */
function compare(a: string | number | null, b: string | number | null): number {
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b, 'en');
  return Number(a ?? -1) - Number(b ?? -1);
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
