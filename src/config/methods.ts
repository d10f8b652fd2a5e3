import { getConfigValue } from './fields.ts';
import { suggestion } from './nearest.ts';
import { recipeTraits } from './recipes.ts';
import type { Config } from './schema.ts';
import { setConfigValues } from './text.ts';

/** A field of the config and its value in text, as `--set` takes them. */
export type Assignment = readonly [path: string, text: string];

/**
 * The form of a method: as in its paper, or adapted to agents with tens of thousands of weights.
 */
export const methodForms = ['adapted', 'published'] as const;

export type MethodForm = (typeof methodForms)[number];

/** A setting of a method according to its paper or the authors' code. */
interface MethodSetting {
  readonly path: string;
  readonly published: string;
  /** The source. */
  readonly source: string;
  /** The value that suits small agents better; absent if the published one does. */
  readonly adapted?: { readonly text: string; readonly reason: string };
}

/** A published algorithm as a list of settings. */
export interface Method {
  readonly name: string;
  readonly title: string;
  /** Distinguishing feature, in one line. */
  readonly description: string;
  readonly paper: { readonly title: string; readonly url: string };
  /** Summary of the paper, and of the differences here. */
  readonly settings: readonly MethodSetting[];
  /** The part of the method that is not implemented, in one sentence. */
  readonly missing?: string;
  /** Every field that methods set, adapted to small agents. */
  readonly set: readonly Assignment[];
  /** The same fields as published. */
  readonly published: readonly Assignment[];
}

/**
 * Default values of the fields that methods set. Learning rate, entropy bonus, batch size, number of
 * epochs and group size are not part of a method here: they depend on the task, and a preset sets them.
 */
const base = {
  'algorithm.advantage': 'grpo',
  'algorithm.gamma': '1',
  'algorithm.gae_lambda': '1',
  'algorithm.value_coef': '0.5',
  'algorithm.value_clip': '0.5',
  'algorithm.objective': 'ppo_clip',
  'algorithm.clip_low': '0.8',
  'algorithm.clip_high': '1.2',
  'algorithm.dual_clip': '0',
  'algorithm.ratio_to': 'behaviour',
  'algorithm.importance_cap': '0',
  'algorithm.importance_weight': 'token',
  'algorithm.kl_coef': '0',
  'algorithm.kl_estimator': 'k3',
  'algorithm.kl_placement': 'loss',
  'algorithm.loss_aggregation': 'token_mean',
  'algorithm.loss_normalizer': '0',
  'algorithm.loss_length': 'phase',
  'algorithm.overlong_share': '0',
  'covariance.fraction': '0.002',
  'covariance.low': '1',
  'covariance.high': '5',
  'covariance.kl_coef': '1',
  'rollout.resampling_rounds': '0',
} as const;

/** A setting in the table below: published value, source, and any difference with its reason. */
type Written =
  | readonly [published: string, source: string]
  | readonly [published: string, source: string, adapted: string, reason: string];

function method(
  name: string,
  title: string,
  description: string,
  paper: readonly [title: string, arxiv: string],
  written: Readonly<Record<string, Written>>,
  missing?: string,
): Method {
  const settings = Object.entries(written).map(
    ([path, [published, source, adapted, reason]]): MethodSetting => ({
      path,
      published,
      source,
      ...(adapted === undefined ? {} : { adapted: { text: adapted, reason: reason ?? '' } }),
    }),
  );
  const inBase = (path: string) => Object.hasOwn(base, path);
  const own = (form: MethodForm) =>
    Object.fromEntries(
      settings
        // Settings of a single method, such as BAPO's search, keep the preset's values unless set.
        .filter(({ path }) => form === 'published' || inBase(path))
        .map(({ path, published, adapted }) => [
          path,
          form === 'published' ? published : (adapted?.text ?? published),
        ]),
    );
  return {
    name,
    title,
    description,
    paper: { title: paper[0], url: `https://arxiv.org/abs/${paper[1]}` },
    settings,
    ...(missing === undefined ? {} : { missing }),
    set: Object.entries({ ...base, ...own('adapted') }),
    published: Object.entries({ ...base, ...own('published') }),
  };
}

const everyToken = 'Every token has the same weight, as in verl and most trainers.';
const noReference = 'An agent with random weights is not a useful reference.';
const lengthIsFailure = 'Every failed episode ends at the horizon, so this repeats the reward.';
const fewTokens =
  'An episode has about ten tokens, not thousands, so the mean of its log ratios varies far more.';
const trustRegion = 'With several updates per rollout, only a clip bound keeps the policy close.';
const noRoundsLimit = 'Two rounds find most tasks with a learning signal.';
const wholeCompletion = {
  'algorithm.loss_aggregation': [
    'seq_mean_token_sum_norm',
    'the log-probabilities of a completion are summed, regardless of its length',
    'token_mean',
    everyToken,
  ],
  'algorithm.loss_length': [
    'schedule',
    'with a constant in place of the length',
    'phase',
    'Has no effect with the mean over tokens.',
  ],
} satisfies Record<string, Written>;

/** REINFORCE on fresh data: the widest possible bounds. */
const unclipped = {
  'algorithm.clip_low': ['0', 'REINFORCE clips nothing', '0.8', trustRegion],
  'algorithm.clip_high': [
    '10',
    'REINFORCE does not clip; this is the widest bound that the setting allows',
    '1.2',
    trustRegion,
  ],
} satisfies Record<string, Written>;

/** A KL penalty subtracted from the reward of every token. */
const klInReward = (coef: string, source: string) =>
  ({
    'algorithm.kl_coef': [coef, source, '0', noReference],
    'algorithm.kl_estimator': ['k1', 'log π − log π_ref', 'k3', 'Has no effect without a penalty.'],
    'algorithm.kl_placement': [
      'reward',
      'subtracted from the reward',
      'loss',
      'Has no effect without a penalty.',
    ],
  }) satisfies Record<string, Written>;

/** Every method, the usual ones first. */
export const methods: readonly Method[] = [
  method(
    'grpo',
    'GRPO',
    'Compares the episodes of one task with each other; no value head.',
    ['DeepSeekMath', '2402.03300'],
    {
      'algorithm.advantage': ['grpo', '§4.1.2'],
      'algorithm.clip_low': ['0.8', 'ε is not stated; 0.2 as in PPO and verl'],
      'algorithm.clip_high': ['1.2', 'ε is not stated; 0.2 as in PPO and verl'],
      'algorithm.loss_aggregation': [
        'seq_mean_token_mean',
        'Eq. 3: a mean over the tokens of each output, then over outputs',
        'token_mean',
        everyToken,
      ],
      'algorithm.kl_coef': ['0.04', '§4.2', '0', noReference],
      'algorithm.kl_estimator': ['k3', 'Eq. 4'],
      'algorithm.kl_placement': ['loss', 'Eq. 3'],
    },
  ),
  method(
    'ppo',
    'PPO',
    'A value head predicts returns; actions that do better than predicted are reinforced.',
    ['Proximal Policy Optimization Algorithms', '1707.06347'],
    {
      'algorithm.advantage': ['gae', 'Eq. 11'],
      'algorithm.gamma': [
        '0.99',
        'Table 3',
        '0.95',
        'A truncated episode is bootstrapped: with little discounting, the values of all states would approach the value of the goal.',
      ],
      'algorithm.gae_lambda': ['0.95', 'Table 3'],
      'algorithm.clip_low': ['0.8', '§6.1, the best of Table 1'],
      'algorithm.clip_high': ['1.2', '§6.1, the best of Table 1'],
      'algorithm.value_coef': [
        '2',
        'Table 5: c₁ = 1 on the squared error; the loss here is half of it',
        '0.5',
        'Both heads share all other layers, and the policy loss should dominate.',
      ],
      'algorithm.value_clip': [
        '0',
        'the paper does not clip value estimates',
        '0.5',
        'As in AgentGym-RL’s trainer.',
      ],
    },
  ),
  method(
    'bapo',
    'BAPO',
    'Moves the clip bounds in every update until tokens with positive advantage contribute enough.',
    ['BAPO: Stabilizing Off-Policy Reinforcement Learning for LLMs', '2510.18927'],
    {
      'algorithm.objective': ['bapo', 'Algorithm 1'],
      'algorithm.dual_clip': ['3', 'the authors’ code'],
      'bapo.reading': ['value_share', 'the paper’s text and figures; the code has pn_ratio'],
      'bapo.order': ['high_first', 'Algorithm 1; the code has low_first'],
      'bapo.target': ['0.4', 'main experiments'],
      'bapo.low_min': ['0.6', 'main experiments'],
      'bapo.low_max': ['0.9', 'main experiments'],
      'bapo.low_step': ['0.02', 'main experiments'],
      'bapo.high_min': ['1.2', 'main experiments'],
      'bapo.high_max': ['3', 'main experiments'],
      'bapo.high_step': ['0.05', 'main experiments'],
    },
  ),
  method(
    'dapo',
    'DAPO',
    'A higher upper bound preserves rare tokens; tasks without signal are replaced.',
    ['DAPO: An Open-Source LLM Reinforcement Learning System at Scale', '2503.14476'],
    {
      'algorithm.clip_low': ['0.8', '§4.1'],
      'algorithm.clip_high': ['1.28', '§4.1'],
      'algorithm.loss_aggregation': ['token_mean', '§3.3'],
      'algorithm.kl_coef': ['0', '§2.3: the KL term is removed'],
      'rollout.resampling_rounds': [
        '16',
        '§3.2: until the batch is full; at most 16 rounds here',
        '2',
        noRoundsLimit,
      ],
      'algorithm.overlong_share': [
        '0.2',
        '§4.1: the last 4,096 of 20,480 tokens',
        '0',
        lengthIsFailure,
      ],
    },
    'Length is counted in turns and compared with the horizon; the paper counts tokens.',
  ),
  method(
    'dr_grpo',
    'Dr. GRPO',
    'GRPO without division by the standard deviation of rewards or by episode length.',
    ['Understanding R1-Zero-Like Training', '2503.20783'],
    {
      'algorithm.advantage': ['dr_grpo', '§3.2'],
      'algorithm.clip_low': ['0.8', 'the authors’ code'],
      'algorithm.clip_high': ['1.2', 'the authors’ code'],
      'algorithm.kl_coef': ['0', 'the authors’ scripts'],
      'algorithm.loss_aggregation': ['seq_mean_token_sum_norm', '§3.2 and Listing 1'],
      'algorithm.loss_length': [
        'schedule',
        'Listing 1: a constant, the maximum number of generated tokens',
        'phase',
        'Otherwise gradients in the short first phase are small compared with the entropy bonus.',
      ],
    },
  ),
  method(
    'rloo',
    'RLOO',
    'Compares each episode with the mean of the other episodes of its task.',
    ['Back to Basics: Revisiting REINFORCE-Style Optimization', '2402.14740'],
    {
      'algorithm.advantage': ['rloo', '§2.3'],
      ...unclipped,
      ...klInReward('0.03', 'Appendix C'),
      ...wholeCompletion,
    },
    'The paper makes one update per rollout; here the preset sets the number of updates.',
  ),
  method(
    'reinforce_plus_plus',
    'REINFORCE++',
    'One baseline for all tasks: returns are whitened over the whole iteration.',
    ['REINFORCE++', '2501.03262'],
    {
      'algorithm.advantage': ['reinforce_plus_plus', '§3'],
      'algorithm.clip_low': ['0.8', 'ε = 0.2, OpenRLHF’s default'],
      'algorithm.clip_high': ['1.2', 'ε = 0.2, OpenRLHF’s default'],
      ...klInReward('0.01', 'the authors’ script in OpenRLHF'),
    },
  ),
  method(
    'remax',
    'ReMax',
    'Compares each episode with a greedy episode of the same task.',
    ['ReMax', '2310.10505'],
    {
      'algorithm.advantage': ['remax', '§4.1'],
      ...unclipped,
      ...klInReward('0.05', 'the authors’ script for Llama 2'),
    },
    'The authors’ code discounts rewards by 0.99 per token; here γ applies per turn.',
  ),
  method(
    'gspo',
    'GSPO',
    'Clips whole episodes by the geometric mean of their token ratios.',
    ['Group Sequence Policy Optimization', '2507.18071'],
    {
      'algorithm.objective': ['gspo', '§4.1; §4.3 if tokens have individual advantages'],
      'algorithm.clip_low': ['0.9997', '§5.1: 3e-4', '0.9', fewTokens],
      'algorithm.clip_high': ['1.0004', '§5.1: 4e-4', '1.15', fewTokens],
      'algorithm.loss_aggregation': ['seq_mean_token_mean', 'Eq. 5'],
      'algorithm.kl_coef': ['0', 'left out of Eq. 5'],
    },
  ),
  method(
    'cispo',
    'CISPO',
    'Clips the weight of a token instead of removing its gradient.',
    ['MiniMax-M1', '2506.13585'],
    {
      'algorithm.objective': ['cispo', 'Eq. 4'],
      // A lower bound would keep reducing the probability of tokens that hardly occur any more.
      'algorithm.clip_low': ['0', '§3.1: no lower bound'],
      'algorithm.clip_high': [
        '5',
        'the paper states none; 5 as in ScaleRL (arXiv:2510.13786)',
        '1.2',
        'No bound removes a gradient, so a small agent needs small weights.',
      ],
      'algorithm.loss_aggregation': ['token_mean', 'Eq. 4'],
      'algorithm.kl_coef': ['0', '§3.1'],
      'rollout.resampling_rounds': [
        '16',
        '§3.1: dynamic sampling as in DAPO; at most 16 rounds here',
        '0',
        'Each round costs a rollout.',
      ],
      'algorithm.overlong_share': ['0.2', '§3.1: the length penalty of DAPO', '0', lengthIsFailure],
    },
  ),
  method(
    'clip_cov',
    'Clip-Cov',
    'Removes the gradient of a few of the tokens whose updates would cost the most entropy.',
    ['The Entropy Mechanism of Reinforcement Learning', '2505.22617'],
    {
      'algorithm.objective': ['clip_cov', '§4'],
      'covariance.fraction': [
        '0.0002',
        'r = 2e-4',
        '0.002',
        'An update has about a thousand tokens; 2e-4 of them is less than one token.',
      ],
      'covariance.low': ['1', 'the authors’ code'],
      'covariance.high': ['5', 'the authors’ code'],
    },
  ),
  method(
    'kl_cov',
    'KL-Cov',
    'Applies a KL penalty to the tokens whose updates would cost the most entropy.',
    ['The Entropy Mechanism of Reinforcement Learning', '2505.22617'],
    {
      'algorithm.objective': ['kl_cov', '§4'],
      'covariance.fraction': ['0.002', 'k = 2e-3 for 7B; 2e-4 for 32B'],
      'covariance.kl_coef': ['1', 'β = 1'],
    },
  ),
  method(
    'decoupled_ppo',
    'Decoupled PPO',
    'Clips relative to a proximal policy, and weights tokens of older policies by an importance ratio.',
    ['Batch size-invariance for policy optimization', '2110.00641'],
    {
      'algorithm.ratio_to': ['proximal', 'the decoupled objective'],
      'algorithm.advantage': [
        'gae',
        'PPO’s',
        'grpo',
        'The decoupling is then the only difference from GRPO.',
      ],
      'algorithm.gamma': [
        '0.999',
        'as in PPG on Procgen',
        '1',
        'Group-relative rewards need no discount.',
      ],
      'algorithm.gae_lambda': [
        '0.95',
        'as in PPG on Procgen',
        '1',
        'Has no effect without a value head.',
      ],
    },
    'The paper uses a moving average of the weights; here, the policy at the start of the iteration.',
  ),
  method(
    'tis',
    'GRPO with truncated importance sampling',
    'The decoupled objective, with importance weights truncated at 2.',
    ['IMPALA (truncated importance weights)', '1802.01561'],
    {
      'algorithm.ratio_to': ['proximal', 'the weight multiplies the clipped ratio'],
      'algorithm.importance_cap': [
        '2',
        'Yao et al. 2025 (fengyao.notion.site/off-policy-rl), verl and TRL; IMPALA’s own is 1',
      ],
    },
  ),
];

/** Thrown for a method that does not exist. */
export class UnknownMethodError extends Error {
  override readonly name = 'UnknownMethodError';
  constructor(name: string) {
    const known = methods.map((method) => method.name);
    super(`no method is called ${JSON.stringify(name)}${suggestion(name, known)}`);
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

/** Every field that methods set, for one form of a method. */
export function methodSet(method: Method, form: MethodForm): readonly Assignment[] {
  return form === 'published' ? method.published : method.set;
}

/** The config with the method's settings. */
export function withMethod(config: Config, name: string, form: MethodForm = 'adapted'): Config {
  return setConfigValues(config, methodSet(findMethod(name), form));
}

/** Whether the config has every setting of a method in this form. */
export function isInForm(config: Config, method: Method, form: MethodForm): boolean {
  const wanted = setConfigValues({}, methodSet(method, form));
  return methodSet(method, form).every(
    ([path]) => getConfigValue(config, path) === getConfigValue(wanted, path),
  );
}

/**
 * The fields that identify a method; bounds and coefficients may be tuned without changing its
 * name.
 */
function identity({ algorithm, rollout }: Config): string {
  return [
    algorithm.advantage,
    algorithm.objective,
    algorithm.ratio_to,
    algorithm.ratio_to === 'proximal' && algorithm.importance_cap > 0,
    algorithm.ratio_to === 'proximal' ? algorithm.importance_weight : 'token',
    rollout.resampling_rounds > 0,
  ].join();
}

let byIdentity: ReadonlyMap<string, Method> | undefined;

/**
 * How a run learns, in one or two words: its recipe or its method; null if its settings have no
 * name.
 */
export function learnsBy(config: Config): string | null {
  return recipeTraits[config.recipe].title ?? matchMethod(config)?.title ?? null;
}

/** The method that matches a config, in either form; null if none does. */
export function matchMethod(config: Config): Method | null {
  byIdentity ??= new Map(
    methodForms.flatMap((form) =>
      methods.map(
        (candidate) =>
          [identity(setConfigValues({}, methodSet(candidate, form))), candidate] as const,
      ),
    ),
  );
  return byIdentity.get(identity(config)) ?? null;
}
