import type { Config } from '../../../config/schema.ts';

/** The critic's reward in an iteration of Critique-RL. */
export interface Stage {
  /** 1: its verdicts. 2: also the actor's refinements after its critiques. */
  readonly number: 1 | 2;
  /** Whether this is its first iteration. */
  readonly begins: boolean;
}

/** The stage of an iteration; the two stages alternate. Null if there is none. */
export function stageOf(
  { first_stage, second_stage }: Config['critique'],
  iteration: number,
): Stage | null {
  const length = first_stage + second_stage;
  if (length === 0) return null;
  const at = (iteration - 1) % length;
  return { number: at < first_stage ? 1 : 2, begins: at === 0 || at === first_stage };
}

/** The run's config as the critic uses it: its actions are critiques. */
export function criticConfig(config: Config): Config {
  return { ...config, agent: { ...config.agent, max_action_tokens: config.critique.tokens } };
}

/** The critic's config with the penalty of a stage. */
export function stageConfig(config: Config, { number }: Stage): Config {
  const { first_kl, second_kl } = config.critique;
  const kl_coef = number === 1 ? first_kl : second_kl;
  return criticConfig({ ...config, algorithm: { ...config.algorithm, kl_coef } });
}
