import { ConfigError } from '../../config/error.ts';
import type { Config } from '../../config/schema.ts';
import type { CreatePolicy } from '../../policy/types.ts';
import { Trainer } from '../trainer.ts';
import { SampledPolicy } from './policy.ts';
import { isSeparate, samplerSettings } from './settings.ts';

type CreateOptions = Parameters<typeof Trainer.create>[0];

/**
 * Like `Trainer.create`, with the sampler that the config asks for.
 *
 * @throws errors of `Trainer.create`
 * @throws {ConfigError} for a separate sampler of a pretrained model
 */
export async function createRun(options: CreateOptions): Promise<Trainer> {
  const createPolicy = withSampler(options.config, options);
  return measured(await Trainer.create({ ...options, createPolicy }));
}

/**
 * Like `Trainer.resume`, with the sampler that the config asks for.
 *
 * @throws errors of `Trainer.resume`
 */
export async function resumeRun(
  checkpoint: Parameters<typeof Trainer.resume>[0],
  options: Parameters<typeof Trainer.resume>[1],
): Promise<Trainer> {
  const createPolicy = withSampler(options.config ?? checkpoint.config, options);
  return measured(await Trainer.resume(checkpoint, { ...options, createPolicy }));
}

/** Creates two policies in place of one: a trainer and a sampler. */
function withSampler(
  config: Config,
  { createPolicy, model }: Pick<CreateOptions, 'createPolicy' | 'model'>,
): CreatePolicy {
  const settings = samplerSettings(config);
  if (!isSeparate(settings)) return createPolicy;
  if (model) {
    const { precision, lag } = settings;
    const [path, only, got] =
      precision !== 'float32'
        ? ['sampler.precision', 'float32', precision]
        : lag > 0
          ? ['sampler.lag', '0', lag]
          : ['algorithm.importance_weight', 'token', settings.importance];
    throw new ConfigError(path, `must be ${only} for a pretrained model, got ${got}`);
  }
  return async (...shape) => {
    const trainer = await createPolicy(...shape);
    return new SampledPolicy(trainer, await createPolicy(...shape), settings);
  };
}

/** Adds the mismatch of sampler and trainer to the metrics of every iteration. */
function measured(run: Trainer): Trainer {
  const iterate = run.iterate.bind(run);
  run.iterate = async (...observers) => {
    const result = await iterate(...observers);
    const { policy } = run.agent;
    const mismatch = policy instanceof SampledPolicy ? policy.takeMismatch() : null;
    return mismatch === null ? result : { ...result, metrics: { ...result.metrics, ...mismatch } };
  };
  return run;
}
