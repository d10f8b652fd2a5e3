/**
 * The surrogates: what is true of each beside its equation, which stands in `policy-losses.ts`, and
 * its kernel, `shaders/surrogate.wgsl`. Names of settings, labels, which settings are in force, what a
 * step over the whole update computes and the numbers that kernels know surrogates by come from here.
 */

/** What has to be known of all rows of an update before one of them can pull. */
export type LooksAt =
  /** Nothing: a row is enough. */
  | 'row'
  /** Contributions, for bounds that suit this update. */
  | 'bounds'
  /** The ratios of each episode. */
  | 'episode'
  /** How log-probability and advantage vary together, to pick some rows. */
  | 'covariance'
  /** Episodes 2p and 2p+1: the better and the worse of pair p. */
  | 'pair';

/** What the bounds of the ratio do. */
export type BoundsOn =
  /** A token outside loses its gradient. */
  | 'tokens'
  /** An episode outside loses its gradient; a single token's ratio does not decide. */
  | 'episodes'
  /** A token outside keeps its gradient, but weighs no more than the bound. */
  | 'weights'
  /** There are none. */
  | 'nothing';

/** What is true of a surrogate. */
export interface SurrogateTraits {
  /** As its paper writes it. */
  readonly label: string;
  /** Paper and equation. */
  readonly source: string;
  /** The loss of a token in a line, where one shows it; else empty. */
  readonly equation: string;
  /** What it does, to go on after its name and a colon. */
  readonly summary: string;
  /** Whether a config may choose it for reinforcement learning. */
  readonly reinforces: boolean;
  readonly looksAt: LooksAt;
  /** Of rows picked by covariance: whether they are drawn anew in every update, or are the highest. */
  readonly picks: 'drawn' | 'highest' | null;
  readonly bounds: BoundsOn;
  /** What it does to tokens in the bounds' place, to go on after a colon; empty where it has bounds. */
  readonly inPlaceOfBounds: string;
  /** Whether it asks for the reference policy's log-probabilities. */
  readonly reference: boolean;
  /** Fields of the config that it reads and some others do not. */
  readonly fields: readonly string[];
  /** How the entropy-clip rule counts its tokens, as a sentence; empty where as PPO's. */
  readonly counts: string;
}

const clip = ['algorithm.clip_low', 'algorithm.clip_high'] as const;
const dualClip = 'algorithm.dual_clip';

/** In the order of the kernels' numbers, so a new one comes last. */
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
    summary: 'one ratio an episode',
    reinforces: true,
    looksAt: 'episode',
    picks: null,
    bounds: 'episodes',
    inPlaceOfBounds: '',
    reference: false,
    fields: [...clip, dualClip],
    counts: 'A token counts by the ratio of its episode, and not where that is clipped.',
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
    summary: 'holds back some of the tokens that cost the most entropy',
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
    summary: 'charges the tokens that cost the most entropy',
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
    summary: 'direct preference optimisation',
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

/** Every surrogate; its place is the number that kernels know it by. */
export const surrogates = Object.keys(surrogateTraits) as readonly Surrogate[];

/** What is true of a surrogate, as far as it may differ from the others. */
export function traitsOf(surrogate: Surrogate): SurrogateTraits {
  return surrogateTraits[surrogate];
}

/** A surrogate that reinforcement learning may lower. */
export type ObjectiveName = {
  [Name in Surrogate]: (typeof surrogateTraits)[Name]['reinforces'] extends true ? Name : never;
}[Surrogate];

/** Those that a config may choose. */
export const objectives = surrogates.filter(
  (name): name is ObjectiveName => surrogateTraits[name].reinforces,
);

/** Names of the objectives of which something is true, in a sentence: `a`, `a, b`. */
export function objectivesThat(holds: (traits: SurrogateTraits) => boolean): string {
  return objectives.filter((name) => holds(surrogateTraits[name])).join(', ');
}
