import { type Criticizable, isCriticizable } from '../../../agents/modes/prompts.ts';
import { ConfigError } from '../../../config/error.ts';
import { AGENT, CRITIC } from '../../../runs/checkpoint.ts';
import type { RecipeRun } from '../../recipe.ts';
import type { Student } from '../../student.ts';
import type { Hearing } from './play.ts';
import { checkRoom } from './room.ts';
import { criticConfig } from './stage.ts';

/** An actor and its critic, and the environment whose answers they discuss. */
export interface CritiquePair {
  readonly environment: Criticizable;
  readonly actor: Student;
  readonly critic: Student;
  /** By role; the actor plays the evaluations. An actor that is its own critic appears once. */
  readonly students: ReadonlyMap<string, Student>;
  /** Both students, for one iteration. */
  hearing(iteration: number): Hearing;
}

/**
 * @throws {ConfigError} for an environment without a critique oracle, or for limits that are too small
 * for its answers
 */
export async function enrolPair(run: RecipeRun): Promise<CritiquePair> {
  const { config, environment } = run;
  if (!isCriticizable(environment)) {
    throw new ConfigError(
      'env.id',
      `must be an environment whose answers can be critiqued, such as reasoning/chain-v1, got ${environment.id}`,
    );
  }
  checkRoom(config, environment);
  const actor = await run.enrol();
  const alone = config.critique.agents === 'one';
  const critic = alone
    ? actor.inRole(criticConfig(config), run.streams.sampling.seed())
    : await run.enrol(criticConfig(config));
  return {
    environment,
    actor,
    critic,
    students: new Map([[AGENT, actor], ...(alone ? [] : [[CRITIC, critic] as const])]),
    hearing: (iteration) => ({
      ...{ config, environment, iteration },
      ...{ actor: actor.agent, critic: critic.agent },
    }),
  };
}
