/** Generated, seeded logs of many tools, scales, lengths and noise levels with a known outcome. */

import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Measured } from '../changes.ts';
import { flat, ramp, type Shape, step } from './synthetic.ts';

/** The names that each tool gives to the kinds of numbers. */
const dialects = {
  verl: {
    score: 'critic/score/mean',
    entropy: 'actor/entropy',
    grad: 'actor/grad_norm',
    length: 'response_length/mean',
    cap: 'response_length/clip_ratio',
    kl: 'actor/kl_loss',
    value: 'critic/vf_loss',
    stepKl: 'actor/ppo_kl',
    clip: 'actor/pg_clipfrac',
  },
  verlCsv: {
    score: 'critic_score_mean',
    entropy: 'actor_entropy',
    grad: 'actor_grad_norm',
    length: 'response_length_mean',
    cap: 'response_length_clip_ratio',
    kl: 'actor_kl_loss',
    value: 'critic_vf_loss',
    stepKl: 'actor_ppo_kl',
    clip: 'actor_pg_clipfrac',
  },
  trl: {
    score: 'reward',
    entropy: 'entropy',
    grad: 'grad_norm',
    length: 'completions/mean_length',
    cap: 'completions/clipped_ratio',
    kl: 'kl',
    value: 'loss/value_avg',
    stepKl: 'policy/approxkl_avg',
    clip: 'clip_ratio/region_mean',
  },
  openrlhf: {
    score: 'train/reward',
    entropy: 'train/entropy_loss',
    grad: 'train/actor_grad_norm',
    length: 'train/response_length',
    cap: 'train/truncated',
    kl: 'train/kl',
    value: 'train/critic_loss',
    stepKl: 'train/ppo_kl',
    clip: 'train/ppo_clip_ratio',
  },
  cleanrl: {
    score: 'charts/episodic_return',
    entropy: 'losses/entropy',
    grad: 'losses/grad_norm',
    length: 'response_length',
    cap: 'truncated',
    kl: 'ref_kl',
    value: 'losses/value_loss',
    stepKl: 'losses/approx_kl',
    clip: 'losses/clipfrac',
  },
  homemade: {
    score: 'avg_episode_reward_100',
    entropy: 'policy_entropy',
    grad: 'gradient_norm',
    length: 'avg_response_len',
    cap: 'truncation_rate',
    kl: 'reference_kl',
    value: 'value_loss',
    stepKl: 'approx_kl',
    clip: 'clip_fraction',
  },
} as const;
export type Dialect = keyof typeof dialects;
export const dialectNames: readonly Dialect[] = [
  'verl',
  'verlCsv',
  'trl',
  'openrlhf',
  'cleanrl',
  'homemade',
];
type Kind = keyof (typeof dialects)['verl'];

/** Maps a score in [0, 1] to the units of each scale. */
export const scales = {
  share: (value: number) => Math.min(1, Math.max(0, value)),
  signed: (value: number) => 2 * value - 1,
  pong: (value: number) => 42 * value - 21,
  steps: (value: number) => 500 * value,
  negative: (value: number) => 1000 * value - 1200,
} as const;
export type Scale = keyof typeof scales;
export const scaleNames: readonly Scale[] = ['share', 'signed', 'pong', 'steps', 'negative'];

export interface Variant {
  readonly dialect: Dialect;
  readonly scale: Scale;
  readonly rows: number;
  /**
   * Standard deviation of the score's noise as a share of its range; the noise of windowed means is
   * autocorrelated.
   */
  readonly noise: number;
  readonly windowed: boolean;
  readonly seed: number;
  /** Kinds that are not logged. */
  readonly without?: readonly Kind[];
}

export interface Story {
  readonly score: Shape;
  /** Kinds that behave differently than in a healthy run. */
  readonly others?: Readonly<Partial<Record<Kind, Shape>>>;
  /** Share of the run after which the gradient, entropy and KL are NaN. */
  readonly nanFrom?: number;
}

/** Other series of a healthy run: trends and bursts that are not failures. */
const healthy: Readonly<Record<Exclude<Kind, 'score'>, Shape>> = {
  entropy: ramp(0.9, 0.35, 0, 1),
  grad: flat(0.4),
  length: ramp(260, 340, 0.1, 0.9),
  cap: flat(0.02),
  kl: ramp(0.0005, 0.06, 0, 1),
  // Large at first, while the value function is untrained.
  value: (share) => 0.05 + 400 * Math.exp(-60 * share),
  stepKl: flat(0.004),
  clip: flat(0.05),
};
const noiseOf: Readonly<Record<Exclude<Kind, 'score'>, number>> = {
  ...{ entropy: 0.06, grad: 0.25, length: 0.08, cap: 0.5, kl: 0.2, value: 0.4, stepKl: 0.4 },
  clip: 0.3,
};

/** Draws the series of a story in a tool's log format. */
export function drawVariant({ score, others = {}, nanFrom = 2 }: Story, variant: Variant) {
  const { dialect, scale, rows, noise, windowed, seed, without = [] } = variant;
  const random = xoroshiro128plus(seed);
  const normal = () =>
    Math.sqrt(-2 * Math.log(1 - uniformFloat64(random))) *
    Math.cos(2 * Math.PI * uniformFloat64(random));
  const x = Float64Array.from({ length: rows }, (_, i) => i + 1);
  const at = (i: number) => i / Math.max(1, rows - 1);
  const names: Readonly<Record<Kind, string>> = dialects[dialect];
  let drift = 0;
  const outcome: Measured = {
    key: names.score,
    x,
    y: x.map((_, i) => {
      drift = windowed ? 0.8 * drift + 0.6 * normal() : normal();
      const level = score(at(i));
      // A share of exactly 0 or 1 has no noise.
      const still = scale === 'share' && (level <= 0 || level >= 1);
      return scales[scale](level + (still ? 0 : noise * drift));
    }),
  };
  const kinds = Object.keys(healthy) as readonly Exclude<Kind, 'score'>[];
  const broken: ReadonlySet<Kind> = new Set(['grad', 'entropy', 'kl', 'stepKl']);
  const series = kinds
    .filter((kind) => !without.includes(kind))
    .map((kind): Measured => {
      const shape = others[kind] ?? healthy[kind];
      return {
        key: names[kind],
        x,
        y: x.map((_, i) => {
          if (broken.has(kind) && at(i) >= nanFrom) return Number.NaN;
          const value = shape(at(i)) * Math.exp(noiseOf[kind] * normal());
          return kind === 'cap' || kind === 'clip' ? Math.min(1, value) : value;
        }),
      };
    });
  return [outcome, ...series];
}

const rise = ramp(0.25, 0.75, 0, 0.45);

/** Runs that did not fail. */
export const soundStories: Readonly<Record<string, Story>> = {
  'rises throughout': { score: ramp(0.1, 0.85, 0, 1) },
  'rises late': { score: step(flat(0.05), 0.6, ramp(0.05, 0.85, 0.6, 0.8)) },
  'rises and saturates': { score: ramp(0.2, 0.95, 0, 0.4) },
  'is good from the start': { score: flat(0.9) },
  'stays at an intermediate level': { score: flat(0.45) },
  'rises while responses grow and entropy falls': {
    score: ramp(0.1, 0.8, 0, 0.9),
    others: { length: ramp(200, 900, 0, 0.9), entropy: ramp(1, 0.08, 0, 0.7) },
  },
};

/** Runs that failed, with the causes that may be ranked first. */
export const failedStories: Readonly<
  Record<string, Story & { readonly modes: readonly string[]; readonly states: readonly string[] }>
> = {
  'reaches the length limit': {
    score: step(rise, 0.5, ramp(0.75, 0, 0.5, 0.75)),
    others: { length: ramp(260, 1024, 0.42, 0.6), cap: ramp(0.02, 0.95, 0.46, 0.62) },
    modes: ['length_cap'],
    states: ['slow_collapse', 'sudden_collapse'],
  },
  'loses its entropy': {
    score: step(rise, 0.55, ramp(0.75, 0.02, 0.55, 0.7)),
    others: { entropy: step(flat(0.9), 0.48, ramp(0.9, 0.02, 0.48, 0.6)) },
    modes: ['entropy_collapse'],
    states: ['slow_collapse', 'sudden_collapse'],
  },
  'generates noise': {
    score: step(rise, 0.55, ramp(0.75, 0.02, 0.55, 0.7)),
    others: { entropy: ramp(0.5, 4, 0.5, 0.65) },
    modes: ['entropy_explosion'],
    states: ['slow_collapse', 'sudden_collapse'],
  },
  'generates nothing': {
    score: step(rise, 0.6, ramp(0.75, 0, 0.6, 0.66)),
    others: { length: ramp(260, 4, 0.57, 0.64) },
    modes: ['empty_answers'],
    states: ['slow_collapse', 'sudden_collapse'],
  },
  'becomes NaN': {
    score: step(rise, 0.5, flat(0)),
    nanFrom: 0.49,
    modes: ['not_finite'],
    states: ['not_finite'],
  },
};
