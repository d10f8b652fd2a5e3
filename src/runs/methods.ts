import type { Config } from './config.ts';
import { setConfigValues } from './config.ts';

/** A field of the config and its value in text, as `--set` takes them. */
export type Assignment = readonly [path: string, text: string];

/** A published algorithm as the settings that make it up. */
export interface Method {
  readonly name: string;
  readonly title: string;
  /** What sets it apart, in one line. */
  readonly description: string;
  readonly paper: { readonly title: string; readonly url: string };
  /** Every field that methods differ in. */
  readonly set: readonly Assignment[];
}

/** GRPO; what the other methods do not mention, they share with it. */
const shared = {
  'algorithm.advantage': 'grpo',
  'algorithm.gamma': '1',
  'algorithm.gae_lambda': '1',
  'algorithm.objective': 'ppo_clip',
  'algorithm.clip_low': '0.8',
  'algorithm.clip_high': '1.2',
  'algorithm.dual_clip': '0',
  'algorithm.ratio_to': 'behaviour',
  'algorithm.importance_cap': '0',
  'algorithm.loss_aggregation': 'token_mean',
  'rollout.resampling_rounds': '0',
} as const;

function method(
  name: string,
  title: string,
  description: string,
  paper: readonly [title: string, arxiv: string],
  set: Readonly<Partial<Record<keyof typeof shared, string>>> = {},
): Method {
  return {
    name,
    title,
    description,
    paper: { title: paper[0], url: `https://arxiv.org/abs/${paper[1]}` },
    set: Object.entries({ ...shared, ...set }),
  };
}

/** Every method, the usual ones first. */
export const methods: readonly Method[] = [
  method('grpo', 'GRPO', 'Compares the episodes of one task with each other; no value head.', [
    'DeepSeekMath',
    '2402.03300',
  ]),
  method(
    'ppo',
    'PPO',
    'A value head learns what to expect; what is better than expected is reinforced.',
    ['Proximal Policy Optimization Algorithms', '1707.06347'],
    {
      'algorithm.advantage': 'gae',
      // A horizon cut is bootstrapped: without a discount every place would end up worth the goal.
      'algorithm.gamma': '0.95',
      'algorithm.gae_lambda': '0.95',
    },
  ),
  method(
    'bapo',
    'BAPO',
    'Moves the clip bounds in every update until good tokens weigh enough against bad ones.',
    ['BAPO: Stabilizing Off-Policy Reinforcement Learning for LLMs', '2510.18927'],
    { 'algorithm.objective': 'bapo', 'algorithm.dual_clip': '3' },
  ),
  method(
    'dapo',
    'DAPO',
    'A higher upper bound keeps rare tokens alive; tasks without signal are drawn again.',
    ['DAPO: An Open-Source LLM Reinforcement Learning System at Scale', '2503.14476'],
    { 'algorithm.clip_high': '1.28', 'rollout.resampling_rounds': '2' },
  ),
  method(
    'dr_grpo',
    'Dr. GRPO',
    'GRPO without dividing by the spread of rewards or the length of the episode.',
    ['Understanding R1-Zero-Like Training', '2503.20783'],
    {
      'algorithm.advantage': 'dr_grpo',
      'algorithm.loss_aggregation': 'seq_mean_token_sum_norm',
    },
  ),
  method(
    'rloo',
    'RLOO',
    'Measures every episode against the mean of the others of its task.',
    ['Back to Basics: Revisiting REINFORCE-Style Optimization', '2402.14740'],
    { 'algorithm.advantage': 'rloo' },
  ),
  method(
    'reinforce_plus_plus',
    'REINFORCE++',
    'One baseline for all tasks: returns are whitened over the whole iteration.',
    ['REINFORCE++', '2501.03262'],
    { 'algorithm.advantage': 'reinforce_plus_plus' },
  ),
  method(
    'remax',
    'ReMax',
    'Measures every episode against a greedy one of the same task.',
    ['ReMax', '2310.10505'],
    { 'algorithm.advantage': 'remax' },
  ),
  method(
    'gspo',
    'GSPO',
    'Clips whole episodes by the geometric mean of their token ratios.',
    ['Group Sequence Policy Optimization', '2507.18071'],
    {
      'algorithm.objective': 'gspo',
      'algorithm.clip_low': '0.9',
      'algorithm.clip_high': '1.15',
      'algorithm.loss_aggregation': 'seq_mean_token_mean',
    },
  ),
  method(
    'cispo',
    'CISPO',
    'Clips the weight of a token and not the token, so that none loses its gradient.',
    ['MiniMax-M1', '2506.13585'],
    // A lower bound would go on pushing tokens down that hardly occur any more.
    { 'algorithm.objective': 'cispo', 'algorithm.clip_low': '0' },
  ),
  method(
    'clip_cov',
    'Clip-Cov',
    'Takes the gradient from a few of the tokens that would cost the most entropy.',
    ['The Entropy Mechanism of Reinforcement Learning', '2505.22617'],
    { 'algorithm.objective': 'clip_cov' },
  ),
  method(
    'kl_cov',
    'KL-Cov',
    'Charges the tokens that would cost the most entropy for moving.',
    ['The Entropy Mechanism of Reinforcement Learning', '2505.22617'],
    { 'algorithm.objective': 'kl_cov' },
  ),
  method(
    'decoupled_ppo',
    'Decoupled PPO',
    'Clips against the newest policy and weighs old tokens by how likely they still are.',
    ['Batch size-invariance for policy optimization', '2110.00641'],
    { 'algorithm.ratio_to': 'proximal' },
  ),
  method(
    'tis',
    'GRPO with truncated importance sampling',
    'Decoupled, with the weight of old tokens cut at 2.',
    ['IMPALA (truncated importance weights)', '1802.01561'],
    { 'algorithm.ratio_to': 'proximal', 'algorithm.importance_cap': '2' },
  ),
];

/** Thrown for a method that does not exist. */
export class UnknownMethodError extends Error {
  override readonly name = 'UnknownMethodError';
  constructor(name: string) {
    super(
      `no method is called ${JSON.stringify(name)}; there are ${methods.map((m) => m.name).join(', ')}`,
    );
  }
}

/**
 * The method with this name.
 *
 * @throws {UnknownMethodError}
 */
export function findMethod(name: string): Method {
  const found = methods.find((candidate) => candidate.name === name);
  if (found === undefined) throw new UnknownMethodError(name);
  return found;
}

/** The config with the method's settings in place of its own. */
export function withMethod(config: Config, name: string): Config {
  return setConfigValues(config, findMethod(name).set);
}

/** What tells methods apart; bounds and coefficients may be tuned without another name. */
function identity({ algorithm, rollout }: Config): string {
  return [
    algorithm.advantage,
    algorithm.objective,
    algorithm.ratio_to,
    algorithm.ratio_to === 'proximal' && algorithm.importance_cap > 0,
    rollout.resampling_rounds > 0,
  ].join();
}

let byIdentity: ReadonlyMap<string, Method> | undefined;

/** The method that a config amounts to; null for a mixture that has no name. */
export function matchMethod(config: Config): Method | null {
  byIdentity ??= new Map(
    methods.map((candidate) => [identity(setConfigValues({}, candidate.set)), candidate]),
  );
  return byIdentity.get(identity(config)) ?? null;
}
