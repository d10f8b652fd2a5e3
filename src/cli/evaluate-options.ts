import { environmentFamilies, offeredFamilies } from '../envs/registry.ts';
import { type ReportFormat, reportFormats } from '../runs/evaluation-report.ts';
import { deviceFlags, deviceHelp, readDeviceWish } from './device-options.ts';
import { type OutputFile, Outputs } from './files.ts';
import type { DeviceWish } from './machine.node.ts';
import { calledBy, parseFlags, readWhole, UsageError } from './usage.ts';

/** What the command line asks for. */
export type EvaluateCommand =
  | { readonly command: 'help' }
  | {
      readonly command: 'evaluate';
      readonly checkpoint: string;
      readonly wish: DeviceWish;
      readonly environments: 'trained' | 'all' | readonly string[];
      /** Of each environment, from the first on; 0 for all. */
      readonly tasks: number;
      /** Episodes of each task of the players that draw. */
      readonly samples: number;
      readonly seed: number;
      readonly format: ReportFormat;
      /** Where the report goes; standard output where absent. */
      readonly out: OutputFile | null;
      /** Where the greedy agent's episodes go. */
      readonly trajectories: OutputFile | null;
    };

const flags = {
  ...deviceFlags,
  checkpoint: { type: 'string' },
  env: { type: 'string', multiple: true },
  tasks: { type: 'string' },
  k: { type: 'string' },
  seed: { type: 'string' },
  format: { type: 'string' },
  out: { type: 'string' },
  trajectories: { type: 'string' },
  force: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const defaults = { tasks: 0, samples: 4, seed: 1, format: 'table' } as const;

/** @throws {UsageError} */
export function parseEvaluateCommand(args: readonly string[]): EvaluateCommand {
  const values = parseFlags(args, flags);
  if (values.help === true) return { command: 'help' };
  const { checkpoint, out, trajectories } = values;
  if (checkpoint === undefined) {
    throw new UsageError(
      '--checkpoint FILE names the agent to evaluate; --help lists what there is',
    );
  }
  const outputs = new Outputs({ force: values.force === true });
  return {
    command: 'evaluate',
    checkpoint,
    wish: readDeviceWish(values),
    environments: readEnvironments(values.env ?? []),
    tasks: readWhole('--tasks', values.tasks, 0, 1_000_000) ?? defaults.tasks,
    samples: readWhole('--k', values.k, 1, 1024) ?? defaults.samples,
    seed: readWhole('--seed', values.seed, 0, 0xffffffff) ?? defaults.seed,
    format: readFormat(values.format ?? defaults.format),
    out: out === undefined ? null : outputs.file('--out', out),
    trajectories: trajectories === undefined ? null : outputs.file('--trajectories', trajectories),
  };
}

function readEnvironments(given: readonly string[]): 'trained' | 'all' | readonly string[] {
  if (given.length === 0) return 'trained';
  if (given.includes('all')) return 'all';
  const known = environmentFamilies.map(({ id }) => id);
  for (const id of given) {
    if (!known.includes(id)) {
      throw new UsageError(
        `no environment is called ${JSON.stringify(id)}; there are all, ${known.join(', ')}`,
      );
    }
  }
  return [...new Set(given)];
}

function readFormat(text: string): ReportFormat {
  const format = reportFormats.find((name) => name === text);
  if (format !== undefined) return format;
  throw new UsageError(
    `--format is one of ${reportFormats.join(', ')}, got ${JSON.stringify(text)}`,
  );
}

/** The text of `--help`. */
export function evaluateHelp(): string {
  return `Evaluates the agent of a checkpoint without a browser, beside the expert and a random agent.

  ${calledBy('evaluate')} --checkpoint FILE [--env ID]… [--tasks N] [--k K] [--seed N]
                               [--format ${reportFormats.join('|')}] [--out FILE] [--trajectories FILE]
                               [--device NAME] [--threads N] [--force]

  --checkpoint FILE    the agent, as train --save or the lab kept it
  --env ID             an environment; may be given many times; all takes every one there is;
                       if not given, those that the agent was trained on
  --tasks N            only the first N evaluation tasks of each environment; 0, the default, plays all
  --k K                episodes of each task of the sampled and of the random agent, for pass@1 to
                       pass@K; ${defaults.samples} if not given
  --seed N             of all draws; ${defaults.seed} if not given
  --format NAME        ${reportFormats.join(', ')}; ${defaults.format} if not given
  --out FILE           write the report there and not to standard output
  --trajectories FILE  write the greedy agent's episodes there, in the AgentTraj layout
${deviceHelp(21)}
  --force              replace files that are there already; without it none is
  --help               print this and end

The greedy agent and the expert play each task once. Logs go to standard error.

Environments:
${offeredFamilies.map(({ id, title }) => `  ${id.padEnd(26)}  ${title}`).join('\n')}
`;
}
