import { ConfigError } from '../../config/error.ts';
import type { Config } from '../../config/schema.ts';
import type { CreatePolicy } from '../../policy/types.ts';
import type { Checkpoint } from '../../runs/checkpoint.ts';
import { Trainer } from '../trainer.ts';
import { SampledPolicy, unpackVersions } from './policy.ts';
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
  checkpoint: Checkpoint,
  options: Parameters<typeof Trainer.resume>[1],
): Promise<Trainer> {
  const config = options.config ?? checkpoint.config;
  const createPolicy = withSampler(config, options);
  const kept = isSeparate(samplerSettings(config)) ? checkpoint : withoutVersions(checkpoint);
  return measured(await Trainer.resume(kept, { ...options, createPolicy }));
}

/** The checkpoint for a fork without a sampler. */
function withoutVersions(checkpoint: Checkpoint): Checkpoint {
  const students = [...checkpoint.students].map(([role, student]) => {
    const { training } = student;
    if (training === null) return [role, student] as const;
    const firstMoments = unpackVersions(training.firstMoments).moments;
    return [role, { ...student, training: { ...training, firstMoments } }] as const;
  });
  return { ...checkpoint, students: new Map(students) };
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
    // In recipes with an actor and a critic, the one that reinforcement learning trains.
    const mismatches = [...run.agents.values()].flatMap(({ policy }) =>
      policy instanceof SampledPolicy ? (policy.takeMismatch() ?? []) : [],
    );
    return { ...result, metrics: Object.assign({}, result.metrics, ...mismatches) };
  };
  return run;
}
