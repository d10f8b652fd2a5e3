import { parseConfig } from '../config/check.ts';
import { ConfigError } from '../config/error.ts';
import { learningDifferences } from '../config/fields.ts';
import type { Config, ConfigInput } from '../config/schema.ts';
import { loadEnvironments, namedEnvironments } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import { decodeCheckpoint, encodeCheckpoint, type ReadCheckpoint } from '../runs/checkpoint.ts';
import { createRun, resumeRun } from '../training/create-run.ts';
import { drive } from '../training/drive.ts';
import type { Evaluation } from '../training/evaluate.ts';
import { checkRoom } from '../training/room.ts';
import type { IterationResult, StopReason, Trainer } from '../training/trainer.ts';
import { type DeviceOptions, type OpenedMachine, openMachine } from './machine.ts';

export interface TrainOptions extends DeviceOptions {
  /**
   * Fields of the config; omitted ones take their defaults or, on resume, the checkpoint's values.
   */
  readonly config?: ConfigInput;
  /** Called with the result of each iteration, and awaited before the next one. */
  readonly onIteration?: (iteration: IterationResult) => void | Promise<void>;
  /** Ends the run after the current iteration. */
  readonly signal?: AbortSignal;
  /**
   * A custom environment, used instead of the one in `config.env`. Its memory requirement is not
   * checked in advance.
   */
  readonly environment?: Environment;
  /**
   * A checkpoint to resume, as if its run had not stopped. `config` may then change `stopping`,
   * `evaluation`, `diagnostics` and `trajectories`.
   */
  readonly resume?: Uint8Array;
}

/** The result of a run. */
export interface Trained {
  /** The complete config of the run. */
  readonly config: Config;
  /** The stop condition that was met, or `aborted` by the signal. */
  readonly stopped: StopReason | 'aborted';
  /** Number of finished iterations, including those before a resume. */
  readonly iterations: number;
  /** The evaluation with greedy decoding on the evaluation tasks. */
  readonly evaluation: Evaluation;
  /** A safetensors file to resume from, to open in the lab, or to play with `openAgent`. */
  readonly checkpoint: Uint8Array<ArrayBuffer>;
}

/**
 * Trains an agent until a stop condition of its config is met, and evaluates it. The same config
 * gives the same run on the same device.
 *
 * @throws {ConfigError} naming the first invalid field
 * @throws {CheckpointError} if the file to resume is not a checkpoint
 * @throws {RunTooLargeError} if the run does not fit the device; the message suggests what would
 * fit
 * @throws {EnvironmentFault} if the environment fails
 * @throws {NonFiniteError} after too many consecutive non-finite updates
 * @throws WebGpuUnavailableError if `webgpu` is requested but unavailable
 */
export async function train(options: TrainOptions = {}): Promise<Trained> {
  const kept = options.resume === undefined ? null : decodeCheckpoint(options.resume);
  const config = await configOf(options.config, kept);
  const machine = await openMachine(options);
  try {
    if (options.environment === undefined) await checkRoom(config, machine.room, machine.name);
    const run = await begin(config, kept, machine, options.environment);
    try {
      return await lead(run, options);
    } finally {
      run.destroy();
    }
  } finally {
    machine.close();
  }
}

async function configOf(
  input: ConfigInput | undefined,
  kept: ReadCheckpoint | null,
): Promise<Config> {
  const wanted = kept === null ? (input ?? {}) : withFields(kept.config, input ?? {});
  await loadEnvironments(namedEnvironments(wanted));
  const config = parseConfig(wanted);
  const [changed] = kept === null ? [] : learningDifferences(kept.config, config);
  if (changed === undefined) return config;
  throw new ConfigError(
    changed,
    'affects training and must have the checkpoint’s value; only stopping, evaluation, diagnostics and trajectories may change',
  );
}

/** The config with the given fields; a section keeps the fields that the input omits. */
function withFields(config: Config, input: ConfigInput): object {
  const isSection = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const kept: Readonly<Record<string, unknown>> = config;
  const given = Object.entries(input).map(([name, value]) => {
    const section = kept[name];
    return [name, isSection(section) && isSection(value) ? { ...section, ...value } : value];
  });
  return { ...config, ...Object.fromEntries(given) };
}

function begin(
  config: Config,
  kept: ReadCheckpoint | null,
  { createPolicy }: OpenedMachine,
  environment: Environment | undefined,
): Promise<Trainer> {
  const own = environment === undefined ? {} : { environment };
  return kept === null
    ? createRun({ config, createPolicy, ...own })
    : resumeRun(kept, { config, createPolicy, ...own });
}

async function lead(run: Trainer, { onIteration, signal }: TrainOptions): Promise<Trained> {
  for await (const result of drive(run, () => signal?.aborted !== true))
    await onIteration?.(result);
  return {
    config: run.config,
    stopped: run.stopped ?? 'aborted',
    iterations: run.iteration,
    checkpoint: encodeCheckpoint(await run.checkpoint()),
    evaluation: await run.evaluate(),
  };
}
