/** The knobs of a run that trains: what each is called, which settings it moves, and how far. */

import { type Change, changesOf, configAt, type LiveField } from '../../config/changes.ts';
import { completeConfig } from '../../config/check.ts';
import { configDifferences, describeConfig, getConfigValue } from '../../config/fields.ts';
import { textOf } from '../../config/panel-fields.ts';
import { inForce } from '../../config/relevance.ts';
import type { Config } from '../../config/schema.ts';
import { significant } from '../../runs/numbers.ts';
import type { LabStatus } from '../lab/store.ts';

export interface Knob {
  readonly title: string;
  /** What turning it up does, in a few words. */
  readonly effect: string;
  /** One setting for each of its thumbs, from left to right. */
  readonly fields: readonly LiveField[];
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The slider moves over the decimal logarithm; `min`, `max` and `step` are of that. */
  readonly log?: true;
  /** Settings that it gives a value of their own once it is moved. */
  readonly also?: Readonly<Partial<Record<LiveField, string>>>;
}

/** Whether a run takes a change: it trains, or waits to go on. */
export const isLive = (status: LabStatus) =>
  status === 'running' || status === 'paused' || status === 'starting';

const knobs: readonly Knob[] = [
  {
    title: 'Learning rate',
    effect: 'Longer steps after every update; too long, and what was learned breaks.',
    fields: ['optimizer.learning_rate'],
    min: -6,
    max: -1,
    step: 0.05,
    log: true,
  },
  {
    title: 'Clip bounds',
    effect: 'Wider: a token may change its probability more before it is held back.',
    fields: ['algorithm.clip_low', 'algorithm.clip_high'],
    min: 0,
    max: 3,
    step: 0.02,
  },
  {
    title: 'Share of positive tokens',
    effect: 'Up: BAPO widens its bounds until more of the pull comes from good tokens.',
    fields: ['bapo.target'],
    min: 0,
    max: 1,
    step: 0.01,
  },
  {
    title: 'Entropy bonus',
    effect: 'More: chance is rewarded for itself, so the agent keeps trying.',
    fields: ['algorithm.entropy_coef'],
    min: 0,
    max: 0.1,
    step: 0.001,
  },
  {
    title: 'Horizon',
    effect: 'Longer: an episode may take more turns before it is cut.',
    fields: ['horizon.turns'],
    min: 1,
    max: 60,
    step: 1,
    also: { 'horizon.schedule': 'fixed' },
  },
  {
    title: 'KL penalty',
    effect: 'Stronger: the agent is held to what it was when the penalty began.',
    fields: ['algorithm.kl_coef'],
    min: 0,
    max: 0.5,
    step: 0.005,
  },
  {
    title: 'Temperature',
    effect: 'Hotter: less probable words are drawn more often.',
    fields: ['agent.temperature'],
    min: 0.1,
    max: 2,
    step: 0.05,
  },
];

/**
 * The knobs that move something in these settings: each moves a setting that is in force, or brings it
 * into force.
 */
export function knobsOf(settings: Config): readonly Knob[] {
  return knobs
    .filter(({ fields, also }) => {
      const read = (path: string) => also?.[path as LiveField] ?? textOf(settings, path);
      return fields.every((path) => inForce(path, read));
    })
    .map((knob) => reaching(knob, settings));
}

/** The knob with room for the values that the settings have. */
function reaching(knob: Knob, settings: Config): Knob {
  const places = placesOf(knob, settings);
  return { ...knob, min: Math.min(knob.min, ...places), max: Math.max(knob.max, ...places) };
}

/** Where the thumbs stand. */
export function placesOf({ fields, log }: Knob, settings: Config): readonly number[] {
  return fields.map((path) => {
    const value = Number(getConfigValue(settings, path));
    return log === true ? Math.log10(Math.max(value, 1e-12)) : value;
  });
}

/** The settings that a knob gives when its thumbs stand at these places. */
export function valuesAt(
  { fields, log, also }: Knob,
  places: readonly number[],
): Readonly<Partial<Record<LiveField, number | string>>> {
  const values = fields.map((path, i): [LiveField, number] => {
    const place = places[i] ?? 0;
    // Two digits of a power, and no tail of a sum of steps.
    return [path, log === true ? Number((10 ** place).toPrecision(2)) : Number(place.toFixed(6))];
  });
  return { ...also, ...Object.fromEntries(values) };
}

/** What a knob stands at, in words. */
export function shownAt({ log }: Knob, places: readonly number[]): string {
  return places
    .map((place) => (log === true ? Number((10 ** place).toPrecision(2)) : place))
    .map((value) => (value !== 0 && Math.abs(value) < 0.001 ? String(value) : significant(value)))
    .join(' to ');
}

/** A change in words: `Learning rate 0.001`. */
export function changeInWords({ path, value }: Pick<Change, 'path' | 'value'>): string {
  const field = describeConfig().find((one) => one.path === path);
  return `${field?.title ?? path} ${value}`;
}

/** The settings that a run has come to, from the beginning: what *Again* starts with. */
export function asFromTheStart(config: Config): {
  readonly config: Config;
  /** In how many settings it differs from how the run began. */
  readonly differences: number;
} {
  const now = configAt(config, Number.POSITIVE_INFINITY);
  const began = { ...config, changes: '' };
  return { config: completeConfig(now), differences: configDifferences(began, now).length };
}

/** What was changed on the way, newest first, the settings of one iteration together. */
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
