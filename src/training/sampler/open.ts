import { ConfigError } from '../../config/error.ts';
import { isExact, isSeparate, samplerSettings } from '../../config/sampler.ts';
import type { Config } from '../../config/schema.ts';
import type { CreatePolicy } from '../../policy/types.ts';
import type { Checkpoint } from '../../runs/checkpoint.ts';
import type { Trainer } from '../trainer.ts';
import { SampledPolicy, unpackVersions } from './policy.ts';

/** The checkpoint as a run of this config resumes it: a fork without a sampler needs no older weights. */
export function checkpointFor(config: Config, checkpoint: Checkpoint): Checkpoint {
  if (isSeparate(samplerSettings(config))) return checkpoint;
  const students = [...checkpoint.students].map(([role, student]) => {
    const { training } = student;
    if (training === null) return [role, student] as const;
    const firstMoments = unpackVersions(training.firstMoments).moments;
    return [role, { ...student, training: { ...training, firstMoments } }] as const;
  });
  return { ...checkpoint, students: new Map(students) };
}

/**
 * Creates two policies in place of one, a trainer and a sampler, if the config asks for it.
 *
 * @throws {ConfigError} for a pretrained model
 */
export function withSampler(
  config: Config,
  { createPolicy, model }: Pick<Parameters<typeof Trainer.create>[0], 'createPolicy' | 'model'>,
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
  const exact = isExact(settings);
  return async (...shape) => {
    const trainer = await createPolicy(...shape);
    return new SampledPolicy(trainer, exact ? trainer : await createPolicy(...shape), settings);
  };
}

/** Adds the mismatch of sampler and trainer to the metrics of every iteration. */
export function measured(run: Trainer): Trainer {
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
