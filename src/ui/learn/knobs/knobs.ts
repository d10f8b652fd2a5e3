/** The knobs of a running run: title, settings and range of each. */

import { horizonSchedule } from '../../../agents/horizon.ts';
import { type Change, changesOf, configAt, type LiveField } from '../../../config/changes.ts';
import { completeConfig } from '../../../config/check.ts';
import { ConfigError } from '../../../config/error.ts';
import { configDifferences, describeConfig, getConfigValue } from '../../../config/fields.ts';
import { textOf } from '../../../config/panel-fields.ts';
import { inForce } from '../../../config/relevance.ts';
import type { Config } from '../../../config/schema.ts';
import { significant } from '../../../runs/numbers.ts';
import type { LabStatus } from '../../shell/lab/store.ts';

export interface Knob {
  readonly title: string;
  /** The effect of a higher value. */
  readonly effect: string;
  /** The setting of each thumb, from left to right. */
  readonly fields: readonly LiveField[];
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The slider works on the decimal logarithm; so do `min`, `max` and `step`. */
  readonly log?: true;
  /** Further settings that a change of this knob sets. */
  readonly also?: Readonly<Partial<Record<LiveField, string>>>;
}

/** Whether the run accepts changes. */
export const isLive = (status: LabStatus) =>
  status === 'running' || status === 'paused' || status === 'starting';

const knobs: readonly Knob[] = [
  {
    title: 'Learning rate',
    effect: 'Higher: larger steps. Steps that are too large can undo earlier learning.',
    fields: ['optimizer.learning_rate'],
    min: -6,
    max: -1,
    step: 0.05,
    log: true,
  },
  {
    title: 'Clip bounds',
    effect: 'Wider: the probability of a token may change more before it is clipped.',
    fields: ['algorithm.clip_low', 'algorithm.clip_high'],
    min: 0,
    max: 3,
    step: 0.02,
  },
  {
    title: 'Positive-advantage share',
    effect:
      'Higher: BAPO moves its bounds until tokens with positive advantage have a larger share of the gradient.',
    fields: ['bapo.target'],
    min: 0,
    max: 1,
    step: 0.01,
  },
  {
    title: 'Entropy bonus',
    effect: 'Higher: randomness is rewarded, so the agent keeps exploring.',
    fields: ['algorithm.entropy_coef'],
    min: 0,
    max: 0.1,
    step: 0.001,
  },
  {
    title: 'Horizon',
    effect: 'Higher: an episode may take more turns before it is truncated.',
    fields: ['horizon.turns'],
    min: 1,
    max: 60,
    step: 1,
    also: { 'horizon.schedule': 'fixed' },
  },
  {
    title: 'KL penalty',
    effect:
      'Higher: the agent stays closer to the reference policy, a copy made when the penalty was turned on.',
    fields: ['algorithm.kl_coef'],
    min: 0,
    max: 0.5,
    step: 0.005,
  },
  {
    title: 'Temperature',
    effect: 'Higher: less probable tokens are sampled more often.',
    fields: ['agent.temperature'],
    min: 0.1,
    max: 2,
    step: 0.05,
  },
];

/** The knobs that have an effect under these settings. */
export function knobsOf(settings: Config): readonly Knob[] {
  return knobs
    .filter(({ fields, also }) => {
      const read = (path: string) => also?.[path as LiveField] ?? textOf(settings, path);
      return fields.every((path) => inForce(path, read));
    })
    .map((knob) => withRoom(knob, settings));
}

/** Extends the range of a knob to the current values. */
function withRoom(knob: Knob, settings: Config): Knob {
  const places = placesOf(knob, settings);
  return { ...knob, min: Math.min(knob.min, ...places), max: Math.max(knob.max, ...places) };
}

/** Whether a schedule sets the knob's value, so that moving the knob would end the schedule. */
export function isScheduled({ also }: Pick<Knob, 'also'>, settings: Config): boolean {
  return Object.entries(also ?? {}).some(([path, value]) => textOf(settings, path) !== value);
}

/**
 * Positions of the thumbs.
 *
 * @param iteration at which a schedule is read
 */
export function placesOf(knob: Knob, settings: Config, iteration = 1): readonly number[] {
  const { fields, log } = knob;
  if (isScheduled(knob, settings)) return [horizonSchedule(settings.horizon)(iteration)];
  return fields.map((path) => {
    const value = Number(getConfigValue(settings, path));
    return log === true ? Math.log10(Math.max(value, 1e-12)) : value;
  });
}

/** The settings for given positions of the thumbs. */
export function valuesAt(
  { fields, log, also }: Knob,
  places: readonly number[],
): Readonly<Partial<Record<LiveField, number | string>>> {
  const values = fields.map((path, i): [LiveField, number] => {
    const place = places[i] ?? 0;
    // Two significant digits on a logarithmic knob; otherwise no floating-point residue.
    return [path, log === true ? Number((10 ** place).toPrecision(2)) : Number(place.toFixed(6))];
  });
  return { ...also, ...Object.fromEntries(values) };
}

/** Range of a thumb: the knob’s, within the bounds of the thumb’s setting. */
export function rangeOf(
  { fields, min, max, log }: Knob,
  thumb: number,
): { readonly min: number; readonly max: number } {
  const field = describeConfig().find(({ path }) => path === fields[thumb]);
  if (log === true || field === undefined) return { min, max };
  return { min: Math.max(min, field.min ?? min), max: Math.min(max, field.max ?? max) };
}

/** The value of a knob as text. */
export function shownAt({ log }: Knob, places: readonly number[]): string {
  return places
    .map((place) => (log === true ? Number((10 ** place).toPrecision(2)) : place))
    .map((value) => (value !== 0 && Math.abs(value) < 0.001 ? String(value) : significant(value)))
    .join('–');
}

/** A change as text: `Learning rate 0.001`. */
function changeInWords({ path, value }: Pick<Change, 'path' | 'value'>): string {
  const field = describeConfig().find((one) => one.path === path);
  return `${field?.title ?? path} ${value}`;
}

/** The current settings as those of a new run, for *Restart with changes*. */
export function asFromTheStart(config: Config): {
  readonly config: Config;
  /** Number of settings that differ from the start of the run. */
  readonly differences: number;
  /** Why no run can start with them; null if one can. */
  readonly fault: string | null;
} {
  const now = configAt(config, Number.POSITIVE_INFINITY);
  const began = { ...config, changes: '' };
  const differences = configDifferences(began, now).length;
  try {
    return { config: completeConfig(now), differences, fault: null };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: began, differences, fault: error.message };
  }
}

/** Changes by iteration, newest first. */
export function changeList(
  config: Config,
): readonly { readonly iteration: number; readonly text: string }[] {
  const byIteration = new Map<number, string[]>();
  for (const change of changesOf(config)) {
    const texts = byIteration.get(change.iteration) ?? [];
    byIteration.set(change.iteration, [...texts, changeInWords(change)]);
  }
  return [...byIteration]
    .map(([iteration, texts]) => ({ iteration, text: texts.join(', ') }))
    .reverse();
}
