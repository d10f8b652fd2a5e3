/** A comparison of two logs, as text and as JSON. */

import {
  type Compared,
  type Comparison,
  type Divergence,
  divergenceName,
} from '../diagnosis/compare.ts';
import { levelText, stepText } from '../diagnosis/what-changed.ts';
import { type LogDiagnosis, stepOf } from '../exchange/logs/diagnose-log.ts';
import type { RunLog } from '../exchange/logs/log.ts';

interface Run {
  readonly place: string;
  readonly log: RunLog;
  readonly diagnosis: LogDiagnosis;
}

export function comparedOf({ log, diagnosis }: Pick<Run, 'log' | 'diagnosis'>): Compared {
  const named = new Map([...diagnosis.changed.quantities].map(([name, { key }]) => [name, key]));
  return { series: log.series, named, settings: log.settings };
}

const rounded = (value: number) => (Number.isFinite(value) ? Number(value.toPrecision(5)) : null);

const plainDivergence = ({ keys, quantity, at, ends, strength }: Divergence) => ({
  ...{ series: keys, quantity, parts_at: at, ends: ends.map(rounded) },
  strength: rounded(strength),
});

export const plainComparison = ({ steps, outcome, series, settings }: Comparison) => ({
  steps: [steps.from, steps.to],
  outcome: outcome === null ? null : plainDivergence(outcome),
  series: series.map(plainDivergence),
  settings: settings.map(({ path, values }) => ({
    path,
    values: values.map((value) => value ?? null),
  })),
});

/** Maximum number of series and settings in the text; `--json` lists all. */
const MOST = 12;

export function* comparisonLines(
  [a, b]: readonly [Run, Run],
  { steps, outcome, series, settings }: Comparison,
): Generator<string> {
  const unit = stepOf(a.log);
  const state = ({ diagnosis }: Run) =>
    diagnosis.changed.outcome?.state.replaceAll('_', ' ') ?? 'no known score';
  yield `${a.place} (${state(a)}) and ${b.place} (${state(b)})`;
  if (!(steps.to > steps.from)) {
    yield '  They have no steps in common.';
    return;
  }
  yield `  Compared over ${unit}s ${stepText(steps.from)} to ${stepText(steps.to)}.`;
  const line = (one: Divergence) => {
    const { quantity, at, ends } = one;
    const [left, right] = ends.map((value) => levelText(quantity, value));
    const when = at === null ? 'never diverges' : `diverges at ${unit} ${stepText(at)}`;
    return `  ${divergenceName(one)} ${when}; its final means are ${left} and ${right}`;
  };
  if (outcome !== null) yield line(outcome);
  const parted = series.filter(({ at }) => at !== null);
  for (const one of parted.slice(0, MOST)) yield line(one);
  if (parted.length > MOST) yield `  and ${parted.length - MOST} more series diverge`;
  if (parted.length < series.length) {
    yield `  ${series.length - parted.length} series never diverge`;
  }
  for (const { path, values } of settings.slice(0, MOST)) {
    yield `  ${path}: ${values.map((value) => value ?? 'not in the log').join(' and ')}`;
  }
  if (settings.length > MOST) yield `  and ${settings.length - MOST} more settings differ`;
}
