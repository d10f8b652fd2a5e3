import type { AdvantageName } from './advantages.ts';
import { equalRewards } from './grpo.ts';
import { discountAfter, episodeReward, equalUpTo, largestOf, magnitudeOf } from './returns.ts';
import type { EpisodeSignal, EstimatorSettings } from './signal.ts';

/** Mean and standard deviation used to standardize advantages. */
export interface Moments {
  readonly mean: number;
  readonly std: number;
  /** Number of values. */
  readonly count: number;
}

/** The computation of one token's advantage from its reward. */
export interface WorkedToken {
  /** The reward after it, minus any KL penalty. */
  readonly reward: number;
  /** γ^Δturn to the next token: 1 within a turn. */
  readonly discount: number;
  /** V at the token and after it, and δ = r + γ^Δturn·V′ − V; for `gae`, else null. */
  readonly value: number | null;
  readonly nextValue: number | null;
  readonly delta: number | null;
  /**
   * The value before whitening: for `gae` the λ-weighted sum of the TD errors δ from here on, for
   * `reinforce_plus_plus` the return; else the advantage itself.
   */
  readonly estimate: number;
  readonly advantage: number;
}

/** The computation of one episode's advantages from its rewards. */
export interface WorkedEpisode {
  /** R: its rewards, discounted from its start. */
  readonly reward: number;
  /**
   * Baseline of R: the group's mean for `grpo` and `dr_grpo`, the mean of the other episodes for
   * `rloo`, the greedy episode's reward for `remax`; null if there is none or advantages are per
   * token.
   */
  readonly baseline: number | null;
  /** Divisor of R − baseline; null if there is none. */
  readonly scale: number | null;
  readonly tokens: readonly WorkedToken[];
}

/** The advantages of an iteration with all intermediate results. */
export interface WorkedAdvantages {
  /** In the order of the signals. */
  readonly episodes: readonly WorkedEpisode[];
  /** Over all tokens of the iteration, if they are whitened. */
  readonly whitening: Moments | null;
}

/** Added to a group's standard deviation before dividing by it. */
const GRPO_EPSILON = 1e-6;

/**
 * Works out an iteration's advantages step by step for display. Written from the equations,
 * independently of the estimators, so that tests can compare both.
 *
 * @throws {RangeError} if an episode lacks an input of the estimator
 */
export function workOutAdvantages(
  name: AdvantageName,
  signals: readonly EpisodeSignal[],
  settings: EstimatorSettings,
): WorkedAdvantages {
  switch (name) {
    case 'gae':
      return whitened(
        signals,
        signals.map((signal) => lambdaSums(signal, settings)),
        settings,
      );
    case 'reinforce_plus_plus':
      return whitened(
        signals,
        signals.map((signal) => returns(signal, settings)),
        settings,
      );
    case 'grpo':
    case 'dr_grpo':
    case 'rloo':
    case 'remax':
    case 'reinforce':
      return { episodes: compared(name, signals, settings), whitening: null };
    default:
      return name satisfies never;
  }
}

type Estimated = Omit<WorkedToken, 'advantage'>;

/** Aₜ = Σₗ (Π discounts·λ)·δₜ₊ₗ, from the last token back (arXiv:1506.02438, Eq. 16). */
function lambdaSums(signal: EpisodeSignal, { gamma, lambda }: EstimatorSettings): Estimated[] {
  const { rewards, values, bootstrap } = signal;
  if (values === undefined || bootstrap === undefined) {
    throw new RangeError('gae is worked out from values and a bootstrap, which are missing');
  }
  const tokens: Estimated[] = [];
  let sum = 0;
  for (let t = rewards.length - 1; t >= 0; t--) {
    const reward = rewards[t] ?? Number.NaN;
    const discount = discountAfter(signal, t, gamma);
    const value = values[t] ?? Number.NaN;
    const nextValue = values[t + 1] ?? bootstrap;
    const delta = reward + discount * nextValue - value;
    sum = delta + discount * lambda * sum;
    tokens.unshift({ reward, discount, value, nextValue, delta, estimate: sum });
  }
  return tokens;
}

/** Gₜ = rₜ + γ^Δturn·Gₜ₊₁. */
function returns(signal: EpisodeSignal, { gamma }: EstimatorSettings): Estimated[] {
  const tokens: Estimated[] = [];
  let after = 0;
  for (let t = signal.rewards.length - 1; t >= 0; t--) {
    const reward = signal.rewards[t] ?? Number.NaN;
    const discount = discountAfter(signal, t, gamma);
    after = reward + discount * after;
    tokens.unshift({ ...plain(reward, discount), estimate: after });
  }
  return tokens;
}

const plain = (reward: number, discount: number) =>
  ({ reward, discount, value: null, nextValue: null, delta: null }) as const;

/** (x − mean)/std over all tokens of all episodes; 0 if they are all equal. */
function whitened(
  signals: readonly EpisodeSignal[],
  estimated: readonly (readonly Estimated[])[],
  { gamma }: EstimatorSettings,
): WorkedAdvantages {
  const all = estimated.flatMap((tokens) => tokens.map(({ estimate }) => estimate));
  const mean = all.reduce((sum, x) => sum + x, 0) / all.length;
  const std = Math.sqrt(all.reduce((sum, x) => sum + (x - mean) ** 2, 0) / all.length);
  const magnitudes = signals.map(({ rewards, values = [], bootstrap = 0 }) =>
    magnitudeOf(rewards, values, [bootstrap]),
  );
  // Equal values get exactly 0: whitening must not amplify rounding errors.
  const flat = equalUpTo(all, largestOf(magnitudes));
  return {
    whitening: { mean, std, count: all.length },
    episodes: signals.map((signal, i) => ({
      reward: episodeReward(signal, gamma),
      baseline: null,
      scale: null,
      tokens: (estimated[i] ?? []).map((token) => ({
        ...token,
        advantage: flat ? 0 : (token.estimate - mean) / std,
      })),
    })),
  };
}

/** Episode-level estimators: relative to the group, to a greedy episode, or without baseline. */
function compared(
  name: 'grpo' | 'dr_grpo' | 'rloo' | 'remax' | 'reinforce',
  signals: readonly EpisodeSignal[],
  { gamma }: EstimatorSettings,
): WorkedEpisode[] {
  const rewards = signals.map((signal) => episodeReward(signal, gamma));
  const groups = new Map<number, number[]>();
  for (const [i, reward] of rewards.entries()) {
    const key = signals[i]?.group ?? 0;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [reward]);
    else known.push(reward);
  }
  return signals.map((signal, i) => {
    const reward = rewards[i] ?? Number.NaN;
    const group = groups.get(signal.group) ?? [];
    const { mean, std } = sampleMoments(group);
    const baselines = {
      grpo: mean,
      dr_grpo: mean,
      rloo: (mean * group.length - reward) / (group.length - 1),
      remax: signal.greedyReward ?? Number.NaN,
      reinforce: null,
    };
    const baseline = baselines[name];
    const scale = name === 'grpo' ? std + GRPO_EPSILON : null;
    const alone = name === 'remax' || name === 'reinforce';
    const advantage = !alone && equalRewards(group) ? 0 : (reward - (baseline ?? 0)) / (scale ?? 1);
    return {
      reward,
      baseline,
      scale,
      tokens: signal.rewards.map((own, t) => ({
        ...plain(own, discountAfter(signal, t, gamma)),
        estimate: advantage,
        advantage,
      })),
    };
  });
}

/**
 * Mean and standard deviation of a sample, with n − 1; NaN for the deviation of a single number.
 */
export function sampleMoments(numbers: readonly number[]): Moments {
  const count = numbers.length;
  const mean = numbers.reduce((sum, x) => sum + x, 0) / count;
  const squares = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  return { mean, std: Math.sqrt(squares / (count - 1)), count };
}
