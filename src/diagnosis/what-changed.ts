/**
 * What changed first in a run: the state of its outcome, and the changes of all other series in
 * order.
 */

import { listed, percent, significant } from '../runs/numbers.ts';
import {
  type Change,
  changesOf,
  finitePoints,
  type Measured,
  notFiniteFrom,
  type Spike,
  spikesOf,
} from './changes.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { plainName, type Quantity, quantities, quantitiesIn } from './quantities.ts';

/** A change and its series. */
export interface ListedChange extends Change {
  /** The series' quantity, if it is known. */
  readonly quantity: Quantity | null;
  /**
   * Spearman correlation of the series with the outcome, over their common steps; NaN for fewer
   * than eight.
   */
  readonly correlation: number;
}

/** A series with NaN or infinities. */
export interface NotFinite {
  readonly key: string;
  readonly quantity: Quantity | null;
  readonly from: number;
  readonly count: number;
  /** Number of consecutive NaN or infinite values at the end. */
  readonly last: number;
  /** Number of rows of the series. */
  readonly of: number;
}

export interface WhatChanged {
  /** State of the outcome series; null if no series is recognized as one. */
  readonly outcome: (Outcome & { readonly key: string; readonly quantity: Quantity | null }) | null;
  /** The series of each quantity. */
  readonly quantities: ReadonlyMap<Quantity, Measured>;
  /** In the order of their steps. */
  readonly changes: readonly ListedChange[];
  /** Changes that precede the fall or, without a fall, the strongest ones; at most six. */
  readonly movers: readonly ListedChange[];
  readonly spikes: readonly (Spike & { readonly quantity: Quantity })[];
  readonly notFinite: readonly NotFinite[];
  /** What happened, in a few sentences with numbers. */
  readonly text: string;
}

export interface LogSeriesOf {
  readonly series: readonly Measured[];
  /** The name of a step: `step`, `iteration`, `row`. */
  readonly unit: string;
  /** Series names to which the user assigned a meaning. */
  readonly named?: ReadonlyMap<Quantity, string>;
}

/** Series of counts and times, which say nothing about learning. */
const BOOKKEEPING =
  /(^|_)(step|steps|epoch|epochs|iteration|iterations|iter|time|timesteps?|timestamp|runtime|seconds|secs?|ms|fps|throughput|tokens_per|mfu|memory|mem|gpu|cpu|ram|gb|lr|learning_rate|seqlen|num_tokens|total_num|total_flos|updates|n_updates|seed|world_size|ckpt|checkpoint|batch_size|queue|latency|duration|per_second|per_sec|samples_per|eta|percentage|progress|healthy_workers|pid|timers?|perf|kl_coeff?|cur_kl_coeff|kl_coef|hist_stats|policy_step|policy_version)(_|$)/;

const isBookkeeping = (key: string) => {
  const name = plainName(key);
  return (
    BOOKKEEPING.test(name) ||
    /^(timing|time|timers|perf|mfu|system|sampler_perf|sampler_results_sampler_perf|counters|info_num|num_env|num_agent)/.test(
      name,
    )
  );
};

/** A batch's minimum and maximum show the same changes as its mean, with more noise. */
const isExtreme = (key: string) =>
  /(^|_)(min|max|std|minmax_diff|median|low|high|hist)(_|$)/.test(plainName(key)) ||
  /__(min|max)$/i.test(key);

function isMonotone({ y }: Measured): boolean {
  if (y.length < 5) return false;
  for (let i = 1; i < y.length; i++) if (!((y[i] ?? 0) >= (y[i - 1] ?? 0))) return false;
  // A policy never changes this evenly: most steps are between 0.3 and 3 times the mean step.
  const mean = ((y[y.length - 1] ?? 0) - (y[0] ?? 0)) / (y.length - 1);
  let even = 0;
  for (let i = 1; i < y.length; i++) {
    const step = (y[i] ?? 0) - (y[i - 1] ?? 0);
    if (step > 0.3 * mean && step < 3 * mean) even++;
  }
  return mean > 0 && even > 0.8 * (y.length - 1);
}

function fingerprint({ x, y }: Measured): string {
  let [sum, weighted] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    const value = Number.isFinite(y[i]) ? (y[i] ?? 0) : 0;
    sum += value;
    weighted += value * (i % 97);
  }
  return `${x.length} ${x[0]} ${sum} ${weighted}`;
}

/** Ranks with ties averaged. */
function ranks(values: readonly number[]): readonly number[] {
  const order = values.map((_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const found = new Array<number>(values.length);
  for (let i = 0; i < order.length; ) {
    let j = i;
    while (j + 1 < order.length && values[order[j + 1] ?? 0] === values[order[i] ?? 0]) j++;
    for (let k = i; k <= j; k++) found[order[k] ?? 0] = (i + j) / 2;
    i = j + 1;
  }
  return found;
}

/** Spearman's rank correlation over the common steps of both series; NaN for fewer than eight. */
export function spearman(a: Measured, b: Measured): number {
  const other = new Map(Array.from(b.x, (x, i) => [x, b.y[i] ?? Number.NaN]));
  const [left, right]: [number[], number[]] = [[], []];
  for (let i = 0; i < a.x.length; i++) {
    const [mine, theirs] = [a.y[i] ?? Number.NaN, other.get(a.x[i] ?? Number.NaN) ?? Number.NaN];
    if (!Number.isFinite(mine) || !Number.isFinite(theirs)) continue;
    left.push(mine);
    right.push(theirs);
  }
  const n = left.length;
  if (n < 8) return Number.NaN;
  const [p, q] = [ranks(left), ranks(right)];
  const mean = (n - 1) / 2;
  let [pq, pp, qq] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const [u, v] = [(p[i] ?? 0) - mean, (q[i] ?? 0) - mean];
    pq += u * v;
    pp += u * u;
    qq += v * v;
  }
  return pp === 0 || qq === 0 ? Number.NaN : pq / Math.sqrt(pp * qq);
}

/** The series to report, without duplicates. */
function distinct(
  all: readonly Measured[],
  known: ReadonlySet<string>,
  outcome: Measured | null,
): readonly Measured[] {
  const seen = new Set<string>(outcome === null ? [] : [fingerprint(outcome)]);
  // Known quantities come first, so that of two equal series the known one is kept.
  const order = [...all].sort((a, b) => Number(known.has(b.key)) - Number(known.has(a.key)));
  return order.filter((one) => {
    if (one.key === outcome?.key || one.y.length < 2) return false;
    if (!known.has(one.key)) {
      if (isBookkeeping(one.key) || isExtreme(one.key) || isMonotone(one)) return false;
    }
    const mark = fingerprint(one);
    if (seen.has(mark)) return false;
    seen.add(mark);
    return true;
  });
}

/** The outcome series: success if it has about as many rows as the score, otherwise the score. */
function outcomeSeries(
  found: ReadonlyMap<Quantity, Measured>,
): readonly [Quantity, Measured] | null {
  const candidates = (['score', 'success', 'held_out'] as const).flatMap((quantity) => {
    const series = found.get(quantity);
    return series === undefined || series.y.length === 0 ? [] : [[quantity, series] as const];
  });
  const [first, second] = candidates;
  if (first?.[0] === 'score' && second?.[0] === 'success') {
    return 1.1 * second[1].y.length >= first[1].y.length ? second : first;
  }
  return first ?? null;
}

/** Maximum number of changes listed. */
const MOST_MOVERS = 6;
/** Maximum number of these in series of unknown quantities. */
const MOST_UNKNOWN = 2;

/**
 * Quantities that follow from the outcome or the update by construction. Their changes are not
 * reported as preceding a fall, and otherwise rank lower.
 */
const CONSEQUENCES: ReadonlySet<Quantity> = new Set([
  'explained_variance',
  'policy_loss',
  'equal_groups',
  'all_wrong_groups',
  'clip_fraction',
  'step_kl',
  'held_out',
  'success',
  'value_loss',
]);

/** What changed in the series of a log, and the course of its outcome. */
export function whatChanged({ series, unit, named }: LogSeriesOf): WhatChanged {
  const byKey = new Map(series.map((one) => [one.key, one]));
  const keys = new Map([...quantitiesIn(series.map(({ key }) => key)), ...(named ?? [])]);
  const found = new Map<Quantity, Measured>();
  for (const [quantity, key] of keys) {
    const one = byKey.get(key);
    if (one !== undefined) found.set(quantity, one);
  }
  const quantityOf = new Map([...found].map(([quantity, { key }]) => [key, quantity]));
  const chosen = outcomeSeries(found);
  const state = chosen === null ? null : outcomeOf(chosen[1].x, chosen[1].y);
  const outcome =
    chosen === null || state === null
      ? null
      : { ...state, key: chosen[1].key, quantity: chosen[0] };
  const measured = distinct(series, new Set(quantityOf.keys()), chosen?.[1] ?? null);

  const changes = measured
    .flatMap((one) => {
      const own = changesOf(one);
      if (own.length === 0) return [];
      const correlation = chosen === null ? Number.NaN : spearman(one, chosen[1]);
      return own.map((change) => ({
        ...{ ...change, correlation, quantity: quantityOf.get(one.key) ?? null },
      }));
    })
    .sort((a, b) => a.at - b.at || b.strength - a.strength);
  const notFinite = series
    .filter(({ key }) => !isBookkeeping(key) && !isExtreme(key))
    .flatMap((one): NotFinite[] => {
      const first = notFiniteFrom(one);
      if (first === null) return [];
      const quantity = quantityOf.get(one.key) ?? null;
      const { count, last } = first;
      // A run that ends in NaN broke where the final NaN rows began, not at single rows before.
      const from = last >= LASTING && last < count ? first.lastFrom : first.at;
      return [{ key: one.key, quantity, from, count, last, of: one.y.length }];
    })
    .sort((a, b) => a.from - b.from || b.count - a.count);
  const spikes = (['grad_norm', 'kl', 'step_kl', 'policy_loss'] as const).flatMap((quantity) => {
    const one = found.get(quantity);
    return one === undefined ? [] : spikesOf(one).map((spike) => ({ ...spike, quantity }));
  });
  const movers = moversOf(changes, outcome);
  const about = { outcome, quantities: found, changes, movers, spikes, notFinite };
  const text = paragraph(about, unit);
  if (outcome === null || !isBroken(notFinite)) return { ...about, text };
  return { ...about, outcome: { ...outcome, state: 'not_finite' }, text };
}

/** Quantities of the update; training does not survive a lasting NaN in one of them. */
const UPDATE: ReadonlySet<Quantity | null> = new Set([
  'grad_norm',
  'policy_loss',
  'entropy',
  'step_kl',
]);
/** With fewer consecutive NaN rows at the end, training may still recover. */
const LASTING = 3;

/**
 * Whether NaN in a series ends training: it is a quantity of the update, and its last values or at
 * least half of all are not finite. Single NaN rows are usual with float16, whose loss scaler skips
 * such updates.
 */
export const endsTraining = ({ quantity, count, last, of }: NotFinite) =>
  UPDATE.has(quantity) && (last >= LASTING || (count >= 3 && 2 * count >= of));

const isBroken = (all: readonly NotFinite[]) => all.some(endsTraining);

/** Start of the search for changes, slightly before the outcome reached its best level or its fall began. */
export function lookback(outcome: Outcome): number {
  const { fall, best, steps } = outcome;
  if (fall === null) return steps.from;
  const back = Math.min(best.from, fall.from);
  return Math.max(steps.from, back - 0.1 * (steps.to - steps.from));
}

/**
 * The first lasting change of each series that began before the fall was over, limited to the
 * strongest and in the order of their steps.
 */
function moversOf(
  changes: readonly ListedChange[],
  outcome: WhatChanged['outcome'],
): readonly ListedChange[] {
  if (outcome === null) return strongest(changes);
  const { fall } = outcome;
  if (fall === null) return strongest(changes);
  const from = lookback(outcome);
  const slack = 0.02 * (outcome.steps.to - outcome.steps.from);
  const inTime = changes.filter(
    ({ at, until, quantity }) =>
      at <= fall.from + slack + 0.6 * (fall.to - fall.from) &&
      (at >= from || until >= fall.from) &&
      !(quantity !== null && CONSEQUENCES.has(quantity)),
  );
  return strongest(inTime);
}

function strongest(changes: readonly ListedChange[]): readonly ListedChange[] {
  const first = new Map<string, ListedChange>();
  changes.forEach((change) => {
    if (isTransient(change, changes)) return;
    const known = first.get(change.key);
    if (known === undefined || change.strength > 2 * known.strength) first.set(change.key, change);
  });
  const weight = ({ quantity, strength }: ListedChange) =>
    strength * (quantity !== null && CONSEQUENCES.has(quantity) ? 0.3 : 1);
  const ranked = [...first.values()].sort((a, b) => weight(b) - weight(a));
  // A series that follows the outcome closely is the outcome under another name.
  const unknown = ranked.filter(
    ({ quantity, correlation }) => quantity === null && !(Math.abs(correlation) > 0.85),
  );
  const known = ranked.filter(({ quantity }) => quantity !== null);
  return [...known.slice(0, MOST_MOVERS), ...unknown.slice(0, MOST_UNKNOWN)]
    .slice(0, MOST_MOVERS)
    .sort((a, b) => a.at - b.at || b.strength - a.strength);
}

/** Whether a change was mostly reversed later, or itself reverses an earlier one. */
const isTransient = (change: ListedChange, all: readonly ListedChange[]) =>
  all.some(
    (other) =>
      other.key === change.key &&
      other.direction !== change.direction &&
      (returns(change, other) || returns(other, change)),
  );

const returns = (there: ListedChange, back: ListedChange) =>
  back.at > there.at &&
  Math.abs(back.after - there.before) < 0.3 * Math.abs(there.after - there.before);

/** A level in a sentence: shares as percent, others with three digits. */
export function levelText(quantity: Quantity | null, value: number): string {
  const share = quantity !== null && quantities[quantity].share === true;
  return share && value >= 0 && value <= 1 ? percent(value) : signed(value);
}

const signed = (value: number) => significant(value).replace(/^-/, '−');

/** A step as text. */
export const stepText = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en-US')
    : String(Number(value.toPrecision(4)));

export const nameOf = (quantity: Quantity | null, key: string): string =>
  quantity === null ? key : quantities[quantity].title;

/**
 * The change of a series, as part of a sentence: `response length rose from 215 to 557 from step 67
 * to 90`.
 */
export function moveText(change: ListedChange, unit: string): string {
  const { quantity, key, direction, before, after, at, kind, until } = change;
  const levels = `from ${levelText(quantity, before)} to ${levelText(quantity, after)}`;
  const steps =
    kind === 'jump' || until <= at
      ? `at ${unit} ${stepText(at)}`
      : `from ${unit} ${stepText(at)} to ${stepText(until)}`;
  return `${nameOf(quantity, key)} ${direction === 'up' ? 'rose' : 'fell'} ${levels} ${steps}`;
}

/** Capitalizes a sentence, except for names of series. */
export const capital = (text: string): string =>
  /^[a-z]+[\w.-]*[_./]/i.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);

function outcomeText(outcome: NonNullable<WhatChanged['outcome']>, unit: string): string {
  const { state, start, best, end, fall, dip, steps, quantity, key, constantFrom, notFinite } =
    outcome;
  const name = capital(nameOf(quantity, key));
  const level = (value: number) => levelText(quantity, value);
  const between = ({ from, to }: { from: number; to: number }) =>
    from === to ? `${unit} ${stepText(from)}` : `${unit}s ${stepText(from)}–${stepText(to)}`;
  const rest =
    constantFrom === null || constantFrom <= steps.from
      ? ''
      : ` It is exactly ${level(end.value)} from ${unit} ${stepText(constantFrom)} on.`;
  const rose = best.value - start.value > 0.1 * Math.max(Math.abs(best.value), 1e-12);
  switch (state) {
    case 'not_finite':
      return `${name} is not finite from ${unit} ${stepText(notFinite?.from ?? steps.from)} on.`;
    case 'too_short':
      return `${name} has too few rows to tell: ${level(start.value)} at ${unit} ${stepText(steps.from)}, ${level(end.value)} at ${unit} ${stepText(steps.to)}.`;
    case 'dead':
      return best.value - end.value > 0 || start.value !== end.value
        ? `${name} stays near ${level(end.value)} from the start (highest mean ${level(best.value)}, ${between(best)}).`
        : `${name} is ${level(end.value)} from the first ${unit} to the last (${stepText(steps.to)}).`;
    case 'slow_collapse':
    case 'sudden_collapse': {
      const before = rose
        ? `rose to ${level(best.value)} (${between(best)}), then fell`
        : `was ${level(best.value)} (${between(best)}), then fell`;
      const when =
        fall === null
          ? ''
          : state === 'sudden_collapse'
            ? ` between ${unit} ${stepText(fall.from)} and ${stepText(fall.to)}`
            : ` slowly from ${unit} ${stepText(fall.from)} to ${stepText(fall.to)}`;
      return `${name} ${before} to ${level(end.value)}${when}.${rest}`;
    }
    case 'dip_and_recovery':
      return `${name} fell from ${level(best.value)} to ${level(dip?.value ?? Number.NaN)} (${dip === null ? '' : between(dip)}) and recovered to ${level(end.value)}.`;
    case 'oscillating':
      return `${name} rises and falls repeatedly: it starts at ${level(start.value)}, its highest mean is ${level(best.value)} (${between(best)}), and it ends at ${level(end.value)}.`;
    case 'learning':
      return `${name} rose from ${level(start.value)} to ${level(end.value)} (highest mean ${level(best.value)}, ${between(best)}).`;
    case 'plateau':
      return rose && best.value > end.value
        ? `${name} rose from ${level(start.value)} to ${level(best.value)} (${between(best)}) and ends at ${level(end.value)}.`
        : `${name} stays near ${level(end.value)} (${level(start.value)} at the start).`;
    default:
      return state satisfies never;
  }
}

function notFiniteText(all: readonly NotFinite[], unit: string): string {
  const known = all.filter(
    ({ quantity }) => quantity !== null && quantity !== 'explained_variance',
  );
  const first = known[0];
  if (first === undefined) return '';
  const names = (some: readonly NotFinite[]) =>
    listed([...new Set(some.map(({ quantity, key }) => nameOf(quantity, key)))]);
  const earliest = known.filter(({ from }) => from === first.from);
  const later = known.filter(({ from }) => from !== first.from);
  const counts =
    first.count === first.of ? `in all ${first.of} rows` : `in ${first.count} of ${first.of} rows`;
  const and =
    later.length === 0
      ? ''
      : ` ${capital(names(later))} followed from ${unit} ${stepText(later[0]?.from ?? first.from)} on.`;
  return ` ${capital(names(earliest))} ${earliest.length === 1 ? 'is' : 'are'} not finite from ${unit} ${stepText(first.from)} on, ${counts}.${and}`;
}

/** The means over the run of known quantities that the text does not mention otherwise. */
function steadyText(
  found: ReadonlyMap<Quantity, Measured>,
  mentioned: ReadonlySet<string>,
): string {
  const parts = (
    [
      'equal_groups',
      'all_wrong_groups',
      'grad_norm',
      'entropy',
      'length_cap',
      'invalid',
      'turns',
      'length',
    ] as const
  ).flatMap((quantity) => {
    const one = found.get(quantity);
    if (one === undefined || mentioned.has(one.key)) return [];
    const { y } = finitePoints(one);
    if (y.length === 0) return [];
    const mean = y.reduce((sum, value) => sum + value, 0) / y.length;
    return [`${quantities[quantity].title} ${levelText(quantity, mean)}`];
  });
  return parts.length === 0 ? '' : ` Means over the run: ${listed(parts.slice(0, 6))}.`;
}

type About = Omit<WhatChanged, 'text'>;

/** Readers usually ask about entropy first, so mention it even if it did not collapse. */
function entropyText(found: ReadonlyMap<Quantity, Measured>): string {
  const series = found.get('entropy');
  if (series === undefined) return '';
  const { y } = finitePoints(series);
  if (y.length < 8) return '';
  const mean = (values: readonly number[]) =>
    Math.abs(values.reduce((sum, value) => sum + value, 0) / values.length);
  const part = Math.max(3, Math.floor(y.length / 8));
  const [first, last] = [mean(y.slice(0, part)), mean(y.slice(-part))];
  const range = `${signed(Math.min(...y))} to ${signed(Math.max(...y))}`;
  return last > 0.4 * first && last < 2.5 * first ? ` Entropy did not collapse (${range}).` : '';
}

/** The first gradient-norm spike shortly before or within a fall. */
function spikeText({ outcome, spikes }: About, unit: string): string {
  if (outcome === null || outcome.fall === null) return '';
  const { fall, steps } = outcome;
  const reach = 0.05 * (steps.to - steps.from);
  const spike = spikes.find(
    ({ quantity, at }) => quantity === 'grad_norm' && at >= fall.from - reach && at <= fall.to,
  );
  if (spike === undefined) return '';
  return ` The gradient norm was ${spikeSize(spike, unit)}.`;
}

/** The size of a spike and of the preceding rows, as part of a sentence. */
export const spikeSize = ({ value, at, largest, rows }: Spike, unit: string): string =>
  `${significant(value)} at ${unit} ${stepText(at)} and at most ${significant(largest)} in the ${rows} rows before`;

function paragraph(about: About, unit: string): string {
  const { outcome, movers, changes, notFinite, quantities: found } = about;
  if (outcome === null) {
    const what =
      changes.length === 0
        ? 'no other series changed either'
        : listed(movers.map((move) => moveText(move, unit)));
    return `No series of this log is recognized as a score, success rate or reward. Name one with --column score=NAME.${changes.length === 0 ? '' : ` What changed: ${what}.`}${notFiniteText(notFinite, unit)}`;
  }
  const sentences = outcomeText(outcome, unit) + notFiniteText(notFinite, unit);
  const mentioned = new Set(movers.map(({ key }) => key));
  if (outcome.fall !== null) {
    const { from } = outcome.fall;
    const [before, during] = [
      movers.filter(({ at }) => at <= from),
      movers.filter(({ at }) => at > from),
    ];
    const parts = [
      ...(before.length === 0
        ? []
        : [` Before that: ${before.map((move) => moveText(move, unit)).join('; ')}.`]),
      ...(during.length === 0
        ? []
        : [` During the fall: ${during.map((move) => moveText(move, unit)).join('; ')}.`]),
      ...(movers.length === 0 ? [' No other series changed before the fall was over.'] : []),
    ];
    return sentences + parts.join('') + spikeText(about, unit) + entropyText(found);
  }
  const moves =
    movers.length === 0
      ? ''
      : ` ${capital(movers.map((move) => moveText(move, unit)).join('; '))}.`;
  return sentences + moves + (outcome.state === 'dead' ? steadyText(found, mentioned) : '');
}
