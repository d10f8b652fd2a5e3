import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { allowed, describeConfig, learningDifferences } from '../config/fields.ts';
import { type Assignment, findMethod, type Method, methodSet, methods } from '../config/methods.ts';
import { defaultPreset, isPreset, presetNames } from '../config/preset-names.ts';
import { findPreset, presets, UnknownPresetError } from '../config/presets.ts';
import type { ConfigInput } from '../config/schema.ts';
import { setConfigValues } from '../config/text.ts';
import { modelMethod, modelSettings } from '../exchange/pretrained/defaults.ts';
import {
  findModelPreset,
  type ModelPreset,
  modelPresets,
} from '../exchange/pretrained/model-presets.ts';
import { JsonError, readJson } from '../files/json.ts';
import { fileLimits, jsonLimits } from '../files/limits.ts';
import type { ReadCheckpoint } from '../runs/checkpoint.ts';
import { decodeCheckpoint } from '../runs/checkpoint.ts';
import { deviceFlags, deviceRequest } from './device-options.ts';
import { Outputs, readGivenFile } from './files.ts';
import {
  assignment,
  Command,
  forceFlag,
  optional,
  repeated,
  toggle,
  whole,
  withDefault,
} from './flags.ts';
import { isLogFile, isOwnLogFile } from './log-output.ts';
import { modelFlags, modelRequest } from './model-options.ts';
import { UsageError } from './usage.ts';

const trainer = new Command({
  name: 'train',
  about: 'Trains an agent without a browser.',
  flags: {
    preset: optional('NAME', `start from a preset; default without --config: ${defaultPreset}`),
    config: optional(
      'FILE',
      'start from a JSON file with config fields; missing fields keep their defaults',
    ),
    resume: optional(
      'FILE',
      'continue a checkpoint of this command or of the lab exactly as if the run had never stopped; --updates and --set may change when it stops and what is evaluated',
    ),
    method: optional(
      'NAME',
      'the algorithm; sets every field in which algorithms differ, adapted to small agents; see --list-methods',
    ),
    published: toggle('with --method: use the settings of its paper'),
    seed: optional('N', 'same as --set seed=N'),
    updates: optional('N', 'stop after N iterations; same as --set stopping.iterations=N'),
    set: repeated('KEY=VALUE', 'set a config field; write lists as 6,13,20'),
    json: toggle(
      'print one JSON object per iteration, then one with "final": true and the config of the run',
    ),
    ...modelFlags,
    init: optional(
      'FILE',
      'start from the weights of this agent: a checkpoint, exported files (a zip, a folder, an .onnx file) or a small Llama checkpoint. Its policy must match the config, and so must its vocabulary unless it uses byte pairs. Imitation still runs first; --set imitation.epochs=0 skips it',
    ),
    save: optional(
      'FILE',
      'save the agent as a .safetensors checkpoint at the end and after Ctrl-C',
    ),
    'save-every': withDefault(
      0,
      optional('N', 'also save after every N iterations; 0: only at the end', whole(0, 1e9)),
    ),
    trajectories: optional(
      'FILE',
      'at the end, write the newest training episodes (up to trajectories.keep) and the episodes of the last evaluation as AgentTraj JSON',
    ),
    'rollout-logs': optional(
      'DIR',
      'write the episodes of iteration N to DIR/step{N}/0.json, in the layout of AgentGym-RL',
    ),
    log: optional(
      'DIR',
      'write the numbers of every iteration to TensorBoard event files and to DIR/rows.jsonl; --resume appends',
    ),
    ...deviceFlags,
    force: forceFlag,
    'list-presets': toggle('print the presets and exit'),
    'list-methods': toggle('print the algorithms and exit'),
  },
  notes:
    () => `Logs go to standard error. Ctrl-C finishes the iteration, evaluates and exits with code 130.
During imitation or supervision, it stops within two seconds.

Config fields and their defaults:

${fieldsText()}

Set an option of an environment with env.options.NAME, for instance
--set env.id=maze/generated-v2 --set env.options.size=9.

--model sets ${modelSettings.map((pair) => pair.join('=')).join(', ')}
and selects --method grpo. The fields of --config, --method and --set override these. It raises agent.context_length and algorithm.micro_batch_tokens to what the
environment's texts need. policy.* then has no effect.`,
});

type TrainValues = NonNullable<ReturnType<typeof trainer.parse>>['values'];

/** What the command line asks for. */
export type TrainCommand = ReturnType<typeof parseCommand>;

/**
 * Reads the arguments. A preset or a file gives the config; `--method`, `--seed`, `--updates` and then
 * every `--set`, in order, change it. With `--resume` the checkpoint gives the config.
 *
 * @throws {UsageError} for unknown flags or unreadable files.
 * @throws {UnknownMethodError} for an unknown method.
 * @throws {ConfigError} for unknown config fields or values out of bounds.
 * @throws {CheckpointError} if `--resume` names a file that is not a checkpoint.
 */
export function parseCommand(args: readonly string[]) {
  const parsed = trainer.parse(args);
  if (parsed === null) return { command: 'help' } as const;
  const { values } = parsed;
  if (values['list-presets']) return { command: 'list-presets' } as const;
  if (values['list-methods']) return { command: 'list-methods' } as const;
  if (values.preset !== undefined && values.config !== undefined) {
    throw new UsageError('--preset and --config both give a whole config; choose one');
  }
  const resume = values.resume === undefined ? null : readResumed(values.resume, values);
  const base =
    resume?.config ??
    (values.config === undefined
      ? presetNamed(values.preset ?? defaultPreset).config
      : readConfigFile(values.config));
  if (values.published && values.method === undefined) {
    throw new UsageError(
      '--published selects the settings of a method’s paper; name the method with --method',
    );
  }
  const model = modelRequest(values, resume !== null);
  const modelPreset = findModelPreset(values.preset ?? null);
  if (modelPreset !== undefined && model === null) {
    throw new UsageError(
      `--preset ${modelPreset.name} trains a pretrained model; name its folder with --model DIR`,
    );
  }
  if (model !== null && values.init !== undefined) {
    throw new UsageError('--model and --init both give the initial weights; choose one');
  }
  const modelDefaults =
    model === null || resume !== null
      ? []
      : [...modelSettings, ...(values.method === undefined ? modelMethod() : [])];
  const config = setConfigValues(base, [
    ...modelDefaults.filter(([path]) => values.config === undefined || !isGiven(base, path)),
    ...(modelPreset?.set ?? []),
    ...assignmentsOf(values),
  ]);
  const [changed] = resume === null ? [] : learningDifferences(resume.config, config);
  if (changed !== undefined) {
    throw new UsageError(
      `--resume cannot change ${changed}, which affects training; only stopping, evaluation, diagnostics and trajectories may change`,
    );
  }
  if (values['save-every'] > 0 && values.save === undefined) {
    throw new UsageError('--save-every needs --save FILE');
  }
  if (values.trajectories !== undefined && config.trajectories.keep === 0) {
    throw new UsageError('--trajectories needs stored episodes; set trajectories.keep above 0');
  }
  return {
    command: 'train',
    values,
    config,
    device: deviceRequest(values),
    /** The checkpoint to resume; null starts a new run. */
    resume,
    /** The pretrained model that is trained with an adapter; null trains the config's network. */
    model,
    /** The preset for pretrained models. */
    modelPreset: modelPreset ?? null,
    outputs: readOutputs(values, resume?.iteration ?? 0),
  } as const;
}

/**
 * The preset with this name, or the one that a preset for pretrained models starts from.
 *
 * @throws {UnknownPresetError} naming presets of both kinds
 */
function presetNamed(name: string) {
  const base = findModelPreset(name)?.preset ?? name;
  if (isPreset(base)) return findPreset(base);
  throw new UnknownPresetError(name, [...presetNames, ...modelPresets.map((one) => one.name)]);
}

/** Config changes by flags, in order. */
function assignmentsOf({ method, published, seed, updates, set }: TrainValues): Assignment[] {
  const form = published ? 'published' : 'adapted';
  return [
    ...(method === undefined ? [] : methodSet(findMethod(method), form)),
    ...(seed === undefined ? [] : [['seed', seed] as const]),
    ...(updates === undefined ? [] : [['stopping.iterations', updates] as const]),
    ...set.map(assignment),
  ];
}

/** Whether a config file gives a field. */
function isGiven(file: unknown, path: string): boolean {
  const value = path
    .split('.')
    .reduce<unknown>((node, key) => (Object(node) as Record<string, unknown>)[key], file);
  return value !== undefined;
}

/** The outputs, each checked for existing files; logs of iterations up to `done` are not rewritten. */
function readOutputs(values: TrainValues, done: number) {
  const outputs = new Outputs({ force: values.force });
  const { save, trajectories, 'rollout-logs': logs, log } = values;
  const takes = (name: string) => Number(/^step(\d+)$/.exec(name)?.[1] ?? 0) > done;
  // A resumed run appends to its log.
  const takesLog = (name: string) => done === 0 && isLogFile(name);
  const isEarlierLog = (_: string, entry: Dirent) =>
    done === 0 && entry.isFile() && isOwnLogFile(entry.name);
  // Other programs keep checkpoints in folders of this name.
  const isEarlierStep = (folder: string, entry: Dirent) =>
    entry.isDirectory() &&
    takes(entry.name) &&
    readdirSync(join(folder, entry.name)).every((name) => /^\d+\.json$/.test(name));
  return {
    log: log === undefined ? null : outputs.folder('--log', log, takesLog, isEarlierLog),
    rolloutLogs:
      logs === undefined ? null : outputs.folder('--rollout-logs', logs, takes, isEarlierStep),
    save: save === undefined ? null : outputs.file('--save', save),
    trajectories: trajectories === undefined ? null : outputs.file('--trajectories', trajectories),
  };
}

/** The checkpoint to resume, which includes its own config. */
function readResumed(file: string, values: TrainValues): ReadCheckpoint {
  const other = (['preset', 'config', 'method', 'seed', 'init'] as const).find(
    (flag) => values[flag] !== undefined,
  );
  if (other !== undefined) {
    throw new UsageError(`--resume includes its own config; omit --${other}`);
  }
  return decodeCheckpoint(readGivenFile('the checkpoint', file, fileLimits.checkpoint));
}

/**
 * The config fields in a file, unchecked.
 *
 * @throws {UsageError}
 */
export function readConfigFile(file: string): ConfigInput {
  const bytes = readGivenFile('the config file', file, jsonLimits.config.bytes);
  let value: unknown;
  try {
    value = readJson(bytes, jsonLimits.config);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new UsageError(`the config file ${file} ${error.message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`the config file ${file} must contain a JSON object`);
  }
  return value;
}

/** The text of `--help`. */
export const helpText = () => trainer.help();

/** Every config field with its default, description and accepted values. */
function fieldsText(): string {
  const fields = describeConfig().map((field) => {
    const value =
      typeof field.default === 'object' ? JSON.stringify(field.default) : String(field.default);
    const unit = field.unit === undefined ? '' : ` (${field.unit})`;
    return [
      `  ${field.path} = ${value}`,
      `      ${field.title}${unit}: ${field.description}`,
      `      Must be ${allowed(field)}.`,
    ].join('\n');
  });
  return fields.join('\n\n');
}

/** The text of `--list-presets`. */
export function presetsText(): string {
  const all = [...presets, ...modelPresets];
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = (some: readonly Pick<ModelPreset, 'name' | 'title' | 'description'>[]) =>
    some
      .map(({ name, title, description }) => `${name.padEnd(width)}  ${title}. ${description}\n`)
      .join('');
  return `${lines(presets)}\nWith --model DIR, also:\n\n${lines(modelPresets)}`;
}

/** The text of `--list-methods`: every method's settings and those of its paper. */
export function methodsText(): string {
  const width = Math.max(...methods.map(({ name }) => name.length));
  const settings = ({ settings: all, missing }: Method) => [
    ...all.map(({ path, published, source, adapted }) =>
      adapted === undefined
        ? `${path}=${published}  published (${source})`
        : `${path}=${adapted.text}  adapted; published: ${published} (${source}). ${adapted.reason}`,
    ),
    ...(missing === undefined ? [] : [missing]),
  ];
  const listed = methods.map((method) => {
    const { name, title, description, paper } = method;
    const head = `${name.padEnd(width)}  ${title}. ${description} ${paper.url}`;
    return [head, ...settings(method).map((line) => `    ${line}`)].join('\n');
  });
  return `${listed.join('\n\n')}

--method NAME uses the adapted settings; add --published to use those of the paper. Learning rate,
entropy bonus, batch, epochs and group size belong to presets, not to methods.
`;
}
