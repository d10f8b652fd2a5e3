import { withActionVocabulary } from '../agents/action-vocabulary.ts';
import type { Config } from '../config/schema.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import type { Checkpoint } from '../runs/checkpoint.ts';
import { checkpointFor, measured, withSampler } from './sampler/open.ts';
import { Trainer } from './trainer.ts';

type CreateOptions = Parameters<typeof Trainer.create>[0];
type ResumeOptions = Parameters<typeof Trainer.resume>[1];

/**
 * Like `Trainer.create`, with the sampler and the action vocabulary that the config asks for.
 *
 * @throws errors of `Trainer.create`
 * @throws {ConfigError} for a separate sampler of a pretrained model
 */
export async function createRun(options: CreateOptions): Promise<Trainer> {
  const { config } = options;
  const createPolicy = withSampler(config, options);
  const parts = { ...options, ...(await playedIn(config, options)), createPolicy };
  return measured(await Trainer.create(parts));
}

/**
 * Like `Trainer.resume`, with the sampler and the action vocabulary that the config asks for.
 *
 * @throws errors of `Trainer.resume`
 */
export async function resumeRun(checkpoint: Checkpoint, options: ResumeOptions): Promise<Trainer> {
  const { config = checkpoint.config } = options;
  const createPolicy = withSampler(config, options);
  const parts = { ...options, ...(await playedIn(config, options)), createPolicy };
  return measured(await Trainer.resume(checkpointFor(config, checkpoint), parts));
}

/** Replaces the environment if actions are whole phrases; the trainer loads every other one. */
async function playedIn(
  { agent, env }: Config,
  { environment }: Pick<CreateOptions, 'environment'>,
): Promise<Pick<CreateOptions, 'environment'>> {
  if (agent.action_vocabulary === 'words') return {};
  return {
    environment: withActionVocabulary(agent, environment ?? (await loadedEnvironment(env))),
  };
}
