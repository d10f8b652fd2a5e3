import { suggestion } from '../config/nearest.ts';
import { environmentFamilies, offeredFamilies } from '../envs/registry.ts';
import { type ReportFormat, reportFormats } from '../runs/evaluation-report.ts';
import { evaluationSuite } from '../training/suite.ts';
import { deviceFlags, deviceRequest } from './device-options.ts';
import { type OutputFile, Outputs } from './files.ts';
import {
  Command,
  forceFlag,
  oneOf,
  optional,
  repeated,
  required,
  toggle,
  whole,
  withDefault,
} from './flags.ts';
import type { DeviceRequest } from './machine.node.ts';
import { UsageError } from './usage.ts';

const evaluation = new Command({
  name: 'evaluate',
  about: 'Evaluates an agent without a browser, alongside the expert and a random agent.',
  flags: {
    checkpoint: required(
      'FILE',
      'the agent: a checkpoint from train --save or the lab, or exported files (a zip, a folder, an .onnx file)',
    ),
    model: optional('DIR', 'the pretrained model that the checkpoint’s adapter was trained on'),
    env: repeated(
      'ID',
      'an environment, or all; default: the environments that the agent was trained in',
    ),
    suite: toggle(
      `play the evaluation suite: ${evaluationSuite.environments.length} environments, at most ${evaluationSuite.tasks} tasks each`,
    ),
    tasks: optional(
      'N',
      'only the first N evaluation tasks of each environment; 0: all (default: 0)',
      whole(0, 1_000_000),
    ),
    k: withDefault(
      4,
      optional(
        'K',
        'episodes per task for the sampling agent and the random agent, to measure pass@1 to pass@K',
        whole(1, 1024),
      ),
    ),
    seed: withDefault(1, optional('N', 'random seed', whole(0, 0xffffffff))),
    format: withDefault<ReportFormat>(
      'table',
      optional('NAME', `${reportFormats.join(', ')}`, oneOf(reportFormats)),
    ),
    out: optional('FILE', 'write the report to a file instead of standard output'),
    trajectories: optional('FILE', 'write the episodes of the greedy agent as AgentTraj JSON'),
    ...deviceFlags,
    force: forceFlag,
  },
  notes: () => `The greedy agent and the expert play each task once. Logs go to standard error.

Environments:
${offeredFamilies.map(({ id, title }) => `  ${id.padEnd(26)}  ${title}`).join('\n')}`,
});

/** What the command line asks for. */
export type EvaluateCommand =
  | { readonly command: 'help' }
  | {
      readonly command: 'evaluate';
      readonly checkpoint: string;
      /** Folder of the pretrained model that the checkpoint's adapter was trained on. */
      readonly model: string | null;
      readonly device: DeviceRequest;
      readonly environments: 'trained' | 'all' | 'suite' | readonly string[];
      /** Number of tasks of each environment, starting from the first; 0 for all. */
      readonly tasks: number;
      /** Episodes per task for players that sample. */
      readonly samples: number;
      readonly seed: number;
      readonly format: ReportFormat;
      /** Where the report goes; null for standard output. */
      readonly out: OutputFile | null;
      /** Where the episodes of the greedy agent go. */
      readonly trajectories: OutputFile | null;
    };

/** @throws {UsageError} */
export function parseEvaluateCommand(args: readonly string[]): EvaluateCommand {
  const parsed = evaluation.parse(args);
  if (parsed === null) return { command: 'help' };
  const { checkpoint, model, env, suite, tasks, k, seed, format, out, trajectories, ...rest } =
    parsed.values;
  const { force, ...device } = rest;
  if (suite && (env.length > 0 || tasks !== undefined)) {
    throw new UsageError('--suite cannot be combined with --env or --tasks');
  }
  const outputs = new Outputs({ force });
  return {
    command: 'evaluate',
    checkpoint,
    model: model ?? null,
    device: deviceRequest(device),
    environments: suite ? 'suite' : readEnvironments(env),
    tasks: suite ? evaluationSuite.tasks : (tasks ?? 0),
    samples: k,
    seed,
    format,
    out: out === undefined ? null : outputs.file('--out', out),
    trajectories: trajectories === undefined ? null : outputs.file('--trajectories', trajectories),
  };
}

function readEnvironments(given: readonly string[]): 'trained' | 'all' | readonly string[] {
  if (given.length === 0) return 'trained';
  if (given.includes('all')) return 'all';
  const known = environmentFamilies.map(({ id }) => id);
  const unknown = given.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new UsageError(
      `no environment is called ${JSON.stringify(unknown)}${suggestion(unknown, ['all', ...known])}`,
    );
  }
  return [...new Set(given)];
}

/** The text of `--help`. */
export const evaluateHelp = () => evaluation.help();
