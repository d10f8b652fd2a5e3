/** Settings of a log's run, as config fields. */

import type { Config } from '../../config/schema.ts';
import type { Facts } from '../../diagnosis/evidence.ts';
import type { LogTool } from './counterparts.ts';
import type { Setting } from './gathered.ts';
import { numberIn } from './loose-json.ts';

type Advantage = Config['algorithm']['advantage'];

/** Estimators by their names in other tools. */
const advantages: ReadonlyMap<string, Advantage> = new Map<string, Advantage>([
  ['gae', 'gae'],
  ['grpo', 'grpo'],
  ['group_norm', 'grpo'],
  ['dr_grpo', 'dr_grpo'],
  ['rloo', 'rloo'],
  ['reinforce_plus_plus', 'reinforce_plus_plus'],
  ['reinforce', 'reinforce_plus_plus'],
  ['remax', 'remax'],
]);

/** A tool's names for each setting: the last part of the logged path. */
interface Names {
  readonly gamma: readonly string[];
  readonly entropy: readonly string[];
  readonly kl: readonly string[];
  readonly value: readonly string[];
  readonly epochs: readonly string[];
  readonly group: readonly string[];
  readonly advantage: readonly string[];
  readonly gradient: readonly string[];
  /** For a tool with a single estimator. */
  readonly always?: Advantage;
}

const none: Names = {
  ...{ gamma: [], entropy: [], kl: [], value: [], epochs: [], group: [], advantage: [] },
  gradient: [],
};

const verl: Names = {
  ...none,
  gamma: ['gamma'],
  entropy: ['entropy_coeff'],
  kl: ['kl_loss_coef'],
  epochs: ['ppo_epochs'],
  group: ['n'],
  advantage: ['adv_estimator'],
  gradient: ['grad_clip'],
};

const names: Readonly<Partial<Record<LogTool, Names>>> = {
  verl,
  agentgym_rl: verl,
  bapo: verl,
  trl: {
    ...none,
    kl: ['beta'],
    group: ['num_generations'],
    epochs: ['num_iterations'],
    gradient: ['max_grad_norm'],
  },
  openrlhf: {
    ...none,
    gamma: ['gamma'],
    entropy: ['entropy_coef', 'entropy_loss_coef'],
    epochs: ['max_epochs'],
    group: ['n_samples_per_prompt'],
    advantage: ['advantage_estimator'],
    gradient: ['max_norm'],
  },
  sb3: {
    ...none,
    gamma: ['gamma'],
    entropy: ['ent_coef'],
    value: ['vf_coef'],
    epochs: ['n_epochs'],
    always: 'gae',
  },
  cleanrl: {
    ...none,
    gamma: ['gamma'],
    entropy: ['ent_coef'],
    value: ['vf_coef'],
    epochs: ['update_epochs'],
    gradient: ['max_grad_norm'],
    always: 'gae',
  },
  rllib: {
    ...none,
    gamma: ['gamma'],
    entropy: ['entropy_coeff'],
    kl: [],
    value: ['vf_loss_coeff'],
    epochs: ['num_epochs', 'num_sgd_iter'],
    gradient: ['grad_clip'],
    always: 'gae',
  },
};

/** Settings that are in the log; others are unknown. */
export function factsOf(tool: LogTool, settings: ReadonlyMap<string, Setting>): Facts {
  const known = names[tool];
  if (known === undefined || settings.size === 0) return {};
  const byName = new Map<string, Setting>();
  for (const [path, value] of settings) {
    const name = path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf('/')) + 1);
    // The first value is the actor's, or the only one.
    if (!byName.has(name)) byName.set(name, value);
  }
  const setting = (all: readonly string[]) =>
    all.map((name) => byName.get(name)).find((value) => value !== undefined);
  const number = (all: readonly string[]) => {
    const value = numberIn(setting(all));
    return value === undefined || !Number.isFinite(value) ? undefined : value;
  };
  const advantage = advantages.get(String(setting(known.advantage))) ?? known.always;
  const unused = setting(['use_kl_loss']) === false;
  const algorithm = defined({
    gamma: number(known.gamma),
    entropy_coef: number(known.entropy),
    kl_coef: unused ? 0 : number(known.kl),
    value_coef: number(known.value),
    epochs: number(known.epochs),
    advantage,
  });
  const group = number(known.group);
  const gradient = number(known.gradient);
  return {
    algorithm,
    ...(group === undefined ? {} : { rollout: { group_size: group } }),
    ...(gradient === undefined ? {} : { optimizer: { max_grad_norm: gradient } }),
  };
}

/** Removes undefined fields. */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
