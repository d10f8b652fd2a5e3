import { allowed, describeConfig, learningDifferences } from '../config/fields.ts';
import { type Assignment, findMethod, type Method, methodSet, methods } from '../config/methods.ts';
import { defaultPreset } from '../config/preset-names.ts';
import { findPreset, presets } from '../config/presets.ts';
import type { Config, ConfigInput } from '../config/schema.ts';
import { setConfigValues } from '../config/text.ts';
import { JsonError, readJson } from '../files/json.ts';
import { fileLimits, jsonLimits } from '../files/limits.ts';
import type { ReadCheckpoint } from '../runs/checkpoint.ts';
import { decodeCheckpoint } from '../runs/checkpoint.ts';
import { deviceFlags, deviceHelp, readDeviceWish } from './device-options.ts';
import { type OutputFile, type OutputFolder, Outputs, readGivenFile } from './files.ts';
import { isLogFile } from './log-output.ts';
import type { DeviceWish } from './machine.node.ts';
import { calledBy, parseFlags, UsageError } from './usage.ts';

/** What the command line asks for. */
export type TrainCommand =
  | { readonly command: 'help' }
  | { readonly command: 'list-presets' }
  | { readonly command: 'list-methods' }
  | {
      readonly command: 'train';
      readonly config: Config;
      readonly wish: DeviceWish;
      readonly json: boolean;
      /** What to go on from; null begins with random weights. */
      readonly resume: ReadCheckpoint | null;
      /** The agent that training goes on from; random weights where null. */
      readonly init: string | null;
      /** Where the agent goes at the end. */
      readonly save: OutputFile | null;
      /** It goes there after every so many iterations as well; 0 for the end alone. */
      readonly saveEvery: number;
      /** Where the newest episodes go at the end. */
      readonly trajectories: OutputFile | null;
      /** The folder that gets a log of every iteration's episodes. */
      readonly rolloutLogs: OutputFolder | null;
      /** The folder that gets the run's numbers while it trains. */
      readonly log: OutputFolder | null;
    };

const flags = {
  ...deviceFlags,
  preset: { type: 'string' },
  method: { type: 'string' },
  published: { type: 'boolean' },
  config: { type: 'string' },
  seed: { type: 'string' },
  updates: { type: 'string' },
  set: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  resume: { type: 'string' },
  init: { type: 'string' },
  save: { type: 'string' },
  'save-every': { type: 'string' },
  trajectories: { type: 'string' },
  'rollout-logs': { type: 'string' },
  log: { type: 'string' },
  force: { type: 'boolean' },
  'list-presets': { type: 'boolean' },
  'list-methods': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/**
 * Reads the arguments. A preset or a file gives the config; `--method`, `--seed`, `--updates` and
 * then every `--set`, in order, change it. With `--resume` the checkpoint gives the config.
 *
 * @throws {UsageError} for flags that do not exist or files that cannot be read.
 * @throws {UnknownMethodError} for a method that does not exist.
 * @throws {ConfigError} for config fields that do not exist or values out of bounds.
 * @throws {CheckpointError} for a file to resume from that is no checkpoint.
 */
export function parseCommand(args: readonly string[]): TrainCommand {
  const values = parseFlags(args, flags);
  if (values.help === true) return { command: 'help' };
  if (values['list-presets'] === true) return { command: 'list-presets' };
  if (values['list-methods'] === true) return { command: 'list-methods' };
  if (values.preset !== undefined && values.config !== undefined) {
    throw new UsageError('--preset and --config both give a whole config; choose one');
  }
  const resume = values.resume === undefined ? null : readResumed(values.resume, values);
  const base =
    resume?.config ??
    (values.config === undefined
      ? findPreset(values.preset ?? defaultPreset).config
      : readConfigFile(values.config));
  if (values.published === true && values.method === undefined) {
    throw new UsageError('--published says how a method is meant; name it with --method');
  }
  const form = values.published === true ? 'published' : 'adapted';
  const assignments: Assignment[] =
    values.method === undefined ? [] : [...methodSet(findMethod(values.method), form)];
  if (values.seed !== undefined) assignments.push(['seed', values.seed]);
  if (values.updates !== undefined) assignments.push(['stopping.iterations', values.updates]);
  for (const text of values.set ?? []) {
    const equals = text.indexOf('=');
    if (equals < 1) throw new UsageError(`--set takes KEY=VALUE, got ${JSON.stringify(text)}`);
    assignments.push([text.slice(0, equals).trim(), text.slice(equals + 1).trim()]);
  }
  const config = setConfigValues(base, assignments);
  const [changed] = resume === null ? [] : learningDifferences(resume.config, config);
  if (changed !== undefined) {
    throw new UsageError(
      `--resume goes on with what the run learned by, and ${changed} is part of it; only stopping, evaluation, diagnostics and trajectories may change`,
    );
  }
  const saveEvery = values['save-every'] === undefined ? 0 : Number(values['save-every']);
  if (!Number.isSafeInteger(saveEvery) || saveEvery < 0) {
    throw new UsageError(
      `--save-every takes a whole number of iterations, got ${values['save-every']}`,
    );
  }
  if (saveEvery > 0 && values.save === undefined) {
    throw new UsageError('--save-every needs --save FILE to know where the agent goes');
  }
  if (values.trajectories !== undefined && config.trajectories.keep === 0) {
    throw new UsageError('--trajectories needs episodes that are kept; raise trajectories.keep');
  }
  return {
    command: 'train',
    config,
    wish: readDeviceWish(values),
    json: values.json === true,
    resume,
    init: values.init ?? null,
    saveEvery,
    ...readOutputs(values, resume?.iteration ?? 0),
  };
}

/** What the command writes, each place looked at; logs of iterations up to `done` are not written again. */
function readOutputs(
  values: {
    readonly save?: string | undefined;
    readonly trajectories?: string | undefined;
    readonly 'rollout-logs'?: string | undefined;
    readonly log?: string | undefined;
    readonly force?: boolean | undefined;
  },
  done: number,
): Pick<
  Extract<TrainCommand, { command: 'train' }>,
  'save' | 'trajectories' | 'rolloutLogs' | 'log'
> {
  const outputs = new Outputs({ force: values.force === true });
  const { save, trajectories, 'rollout-logs': logs, log } = values;
  const takes = (name: string) => Number(/^step(\d+)$/.exec(name)?.[1] ?? 0) > done;
  // A run that goes on writes on in the log that it has.
  const takesLog = (name: string) => done === 0 && isLogFile(name);
  return {
    log: log === undefined ? null : outputs.folder('--log', log, takesLog),
    rolloutLogs: logs === undefined ? null : outputs.folder('--rollout-logs', logs, takes),
    save: save === undefined ? null : outputs.file('--save', save),
    trajectories: trajectories === undefined ? null : outputs.file('--trajectories', trajectories),
  };
}

/** The checkpoint to go on from, which brings its own config. */
function readResumed(file: string, others: Readonly<Record<string, unknown>>): ReadCheckpoint {
  const other = ['preset', 'config', 'method', 'seed', 'init'].find(
    (flag) => others[flag] !== undefined,
  );
  if (other !== undefined) {
    throw new UsageError(`--resume brings its own config; leave out --${other}`);
  }
  return decodeCheckpoint(readGivenFile('the checkpoint', file, fileLimits.checkpoint));
}

/** A config file as it stands; its fields are checked with the rest. */
/**
 * The config fields in a file.
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
    throw new UsageError(`the config file ${file} must hold a JSON object`);
  }
  return value;
}

/** The text of `--help`, with every config field from the schema. */
export function helpText(): string {
  const fields = describeConfig().map((field) => {
    const value =
      typeof field.default === 'object' ? JSON.stringify(field.default) : String(field.default);
    const unit = field.unit === undefined ? '' : ` (${field.unit})`;
    return [
      `  ${field.path} = ${value}`,
      `      ${field.title}${unit}: ${field.description}`,
      `      Takes ${allowed(field)}.`,
    ].join('\n');
  });
  return `Trains an agent without a browser.

  ${calledBy('train')} [--preset NAME | --config FILE | --resume FILE] [--seed N]
                            [--updates N] [--method NAME [--published]] [--set KEY=VALUE]…
                            [--json]
                            [--init FILE] [--save FILE [--save-every N]] [--trajectories FILE]
                            [--rollout-logs DIR] [--log DIR] [--device NAME] [--threads N] [--force]

  --preset NAME     start from a preset; ${defaultPreset} if neither this nor --config is given
  --config FILE     start from a JSON file with config fields; what it leaves out keeps its default
  --method NAME     the algorithm: sets every field in which algorithms differ, to what suits small
                    agents; --list-methods says what is published and what is adapted
  --published       with --method: the settings of its paper
  --seed N          the same as --set seed=N
  --updates N       end after N iterations; the same as --set stopping.iterations=N
  --set KEY=VALUE   change one config field; may be given many times; lists are written 6,13,20
  --json            one JSON object per iteration on standard output, then one with "final": true and
                    the run's config
  --init FILE       begin with this agent's weights: a checkpoint, or exported files (a zip, a folder,
                    an .onnx file), or a small Llama checkpoint from elsewhere; its policy must be the
                    run's, and its vocabulary too unless it is of byte pairs. Imitation comes first
                    where the config has any; --set imitation.epochs=0 leaves it out
  --save FILE       at the end, also after Ctrl-C, keep the agent as a .safetensors checkpoint
  --save-every N    keep it after every N iterations as well
  --resume FILE     go on from a checkpoint, of this command or of the lab, as if the run had not
                    stopped; --updates and --set may change when it ends and what is looked at
  --trajectories FILE
                    at the end, write the newest episodes (trajectories.keep of them) and those of
                    the last evaluation as AgentTraj JSON
  --rollout-logs DIR
                    write the episodes of iteration N to DIR/step{N}/0.json, as AgentGym-RL does
  --log DIR         write every iteration's numbers as it ends, as event files for TensorBoard and to
                    DIR/rows.jsonl as --json prints them; with --resume the log in DIR goes on
${deviceHelp(18)}
  --force           replace files that are there already; without it none is
  --list-presets    print the presets and end
  --list-methods    print the algorithms and end
  --help            print this and end

Logs go to standard error. Ctrl-C finishes the iteration, evaluates and ends with exit code 130.

Config fields and their defaults:

${fields.join('\n\n')}

An option of an environment is set with env.options.NAME, for instance
--set env.id=maze/generated-v2 --set env.options.size=9.
`;
}

/** The text of `--list-presets`. */
export function presetsText(): string {
  const width = Math.max(...presets.map(({ name }) => name.length));
  return presets
    .map(({ name, title, description }) => `${name.padEnd(width)}  ${title}. ${description}\n`)
    .join('');
}

/** The text of `--list-methods`: every method with what its paper says and what is done otherwise. */
export function methodsText(): string {
  const width = Math.max(...methods.map(({ name }) => name.length));
  const settings = ({ settings: all, missing }: Method) => [
    ...all.map(({ path, published, source, adapted }) =>
      adapted === undefined
        ? `${path}=${published}  as published (${source})`
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

What is adapted is set by --method NAME, what is published by --method NAME --published. Learning rate,
entropy bonus, batch, epochs and group size are no part of a method: a preset sets them.
`;
}
