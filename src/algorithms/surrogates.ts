/**
 * Properties of the surrogates. The equations are in `policy-losses.ts`, the kernels in
 * `shaders/surrogate.wgsl`. This table defines the names of settings, labels, relevant settings,
 * the computation over a whole update, and the numbers that kernels use for surrogates.
 */

/** The quantity that must be computed over all rows of an update before the loss of a row. */
export type LooksAt =
  /** Nothing: rows are independent. */
  | 'row'
  /** Contributions, to find bounds for this update. */
  | 'bounds'
  /** The ratios of each episode. */
  | 'episode'
  /** The covariance of log-probability and advantage, to select rows. */
  | 'covariance'
  /** Episodes 2p and 2p+1: the better and the worse of pair p. */
  | 'pair';

/** The effect of the ratio's bounds. */
type BoundsOn =
  /** A token outside the bounds loses its gradient. */
  | 'tokens'
  /** An episode outside the bounds loses its gradient, regardless of its tokens' own ratios. */
  | 'episodes'
  /** A token outside the bounds keeps its gradient, but its weight is limited to the bound. */
  | 'weights'
  /** There are no bounds. */
  | 'nothing';

/** Properties of a surrogate. */
export interface SurrogateTraits {
  /** Name as in its paper. */
  readonly label: string;
  /** Paper and equation. */
  readonly source: string;
  /** The loss of a token in one line, if it fits; otherwise empty. */
  readonly equation: string;
  /** Description; follows the name and a colon. */
  readonly summary: string;
  /** Whether a config may choose it for reinforcement learning. */
  readonly reinforces: boolean;
  readonly looksAt: LooksAt;
  /** How rows are selected by covariance: at random in each update, or the highest; null if they are not. */
  readonly picks: 'drawn' | 'highest' | null;
  readonly bounds: BoundsOn;
  /** What the surrogate does instead of clipping; follows a colon. Empty if it has bounds. */
  readonly inPlaceOfBounds: string;
  /** Whether it needs the reference policy's log-probabilities. */
  readonly reference: boolean;
  /** Config fields that it uses but some other surrogates do not. */
  readonly fields: readonly string[];
  /** How the entropy-clip rule counts its tokens, as a sentence; empty if as in PPO. */
  readonly counts: string;
}

const clip = ['algorithm.clip_low', 'algorithm.clip_high'] as const;
const dualClip = 'algorithm.dual_clip';

/** Ordered by the numbers that kernels use, so new surrogates are appended. */
export const surrogateTraits = {
  ppo_clip: {
    label: 'PPO clip',
    source: 'PPO, arXiv:1707.06347, Eq. 7',
    equation: '',
    summary: 'the clipped surrogate',
    reinforces: true,
    looksAt: 'row',
    picks: null,
    bounds: 'tokens',
    inPlaceOfBounds: '',
    reference: false,
    fields: [...clip, dualClip],
    counts: '',
  },
  bapo: {
    label: 'BAPO',
    source: 'arXiv:2510.18927, Algorithm 1',
    equation: '',
    summary: 'bounds that adapt to each update',
    reinforces: true,
    looksAt: 'bounds',
    picks: null,
    bounds: 'tokens',
    inPlaceOfBounds: '',
    reference: false,
    fields: [dualClip, 'bapo.'],
    counts: '',
  },
  gspo: {
    label: 'GSPO',
    source: 'arXiv:2507.18071, §4.3',
    equation: '',
    summary: 'one ratio per episode',
    reinforces: true,
    looksAt: 'episode',
    picks: null,
    bounds: 'episodes',
    inPlaceOfBounds: '',
    reference: false,
    fields: [...clip, dualClip],
    counts: 'A token counts by the ratio of its episode, or not at all if that is clipped.',
  },
  cispo: {
    label: 'CISPO',
    source: 'MiniMax-M1, arXiv:2506.13585, Eq. 4',
    equation: '−clip(r)·A·log π',
    summary: 'clipped weights that keep every gradient',
    reinforces: true,
    looksAt: 'row',
    picks: null,
    bounds: 'weights',
    inPlaceOfBounds: '',
    reference: false,
    fields: clip,
    counts: 'Every token counts, by its clipped weight.',
  },
  clip_cov: {
    label: 'Clip-Cov',
    source: 'arXiv:2505.22617, §4',
    equation: '',
    summary: 'removes the gradient of some tokens that cost the most entropy',
    reinforces: true,
    looksAt: 'covariance',
    picks: 'drawn',
    bounds: 'tokens',
    inPlaceOfBounds: '',
    reference: false,
    fields: [...clip, dualClip, 'covariance.fraction', 'covariance.low', 'covariance.high'],
    counts: 'Tokens that it picked do not count.',
  },
  kl_cov: {
    label: 'KL-Cov',
    source: 'arXiv:2505.22617, §4',
    equation: '',
    summary: 'penalizes changes of the tokens that cost the most entropy',
    reinforces: true,
    looksAt: 'covariance',
    picks: 'highest',
    bounds: 'nothing',
    inPlaceOfBounds:
      'it charges the few tokens whose log-probability and advantage vary together the most',
    reference: false,
    fields: ['covariance.fraction', 'covariance.kl_coef'],
    counts: 'Tokens that it picked count with their penalty.',
  },
  likelihood: {
    label: 'Likelihood',
    source: 'supervised learning; with a reward as A, reward-weighted',
    equation: '',
    summary: 'the log-probability of what was written',
    reinforces: false,
    looksAt: 'row',
    picks: null,
    bounds: 'nothing',
    inPlaceOfBounds: 'every token pulls with its advantage',
    reference: false,
    fields: [],
    counts: '',
  },
  dpo: {
    label: 'DPO',
    source: 'arXiv:2305.18290, Eq. 7',
    equation: '',
    summary: 'direct preference optimization',
    reinforces: false,
    looksAt: 'pair',
    picks: null,
    bounds: 'nothing',
    inPlaceOfBounds: 'the tokens of a pair pull alike',
    reference: true,
    fields: [],
    counts: '',
  },
} as const satisfies Readonly<Record<string, SurrogateTraits>>;

export type Surrogate = keyof typeof surrogateTraits;

/** Every surrogate; its index is its number in kernels. */
export const surrogates = Object.keys(surrogateTraits) as readonly Surrogate[];

/** The properties of a surrogate, with defaults filled in. */
export function traitsOf(surrogate: Surrogate): SurrogateTraits {
  return surrogateTraits[surrogate];
}

/** A surrogate that can be an objective of reinforcement learning. */
export type ObjectiveName = {
  [Name in Surrogate]: (typeof surrogateTraits)[Name]['reinforces'] extends true ? Name : never;
}[Surrogate];

/** The surrogates that a config may choose. */
export const objectives = surrogates.filter(
  (name): name is ObjectiveName => surrogateTraits[name].reinforces,
);

/** Names of the objectives with a property, joined with commas. */
export function objectivesThat(holds: (traits: SurrogateTraits) => boolean): string {
  return objectives.filter((name) => holds(surrogateTraits[name])).join(', ');
}
