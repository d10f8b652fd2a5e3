import type { Criticizable } from '../../agents/modes/prompts.ts';
import type { Config } from '../../config/schema.ts';
import { environmentOf } from '../environments.ts';

/** Whether the critic is trained on answers to a task, given the task's environment and level. */
export function isTrainedTask(
  { env: { mixture }, critique: { worlds, most_level } }: Pick<Config, 'env' | 'critique'>,
  environment: Criticizable,
  task: string,
): boolean {
  const [first] = mixture;
  const home = worlds === 'all' || first === undefined;
  return (
    (home || environmentOf(environment, task) === first.id) &&
    (most_level === 0 || environment.criticism.level(task) <= most_level)
  );
}

/** The environment restricted to training tasks whose answers the critic is trained on. */
export function withTrainedTasks(
  config: Pick<Config, 'env' | 'critique'>,
  environment: Criticizable,
): Criticizable {
  const trainTasks = environment.trainTasks.filter((task) =>
    isTrainedTask(config, environment, task),
  );
  return { ...environment, trainTasks };
}
