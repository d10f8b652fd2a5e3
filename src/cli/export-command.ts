import { existsSync, statSync } from 'node:fs';
import type { ReadAgent } from '../exchange/agent.ts';
import { keptAgentOf } from '../exchange/agent.ts';
import {
  exportAgent,
  exportedNames,
  isAgentFileError,
  readAgentFile,
  readAgentFiles,
  readableNames,
  zipAgent,
} from '../exchange/agent-files.ts';
import { fileLimits } from '../files/limits.ts';
import type { KeptAgent } from '../runs/checkpoint.ts';
import type { EvaluationReport } from '../runs/evaluation-report.ts';
import { evaluateAgents, evaluatedEnvironments } from '../training/evaluation.ts';
import { restoreAgent } from '../training/restore-agent.ts';
import { deviceFlags, deviceHelp, readDeviceWish } from './device-options.ts';
import { Outputs, readGivenFile, readNamedFiles } from './files.ts';
import type { DeviceWish, OpenMachine } from './machine.node.ts';
import type { Streams } from './streams.ts';
import { calledBy, EXIT_FAILED, EXIT_USAGE, parseFlags, UsageError } from './usage.ts';

export interface ExportMachine extends Streams {
  /** Opened only for an evaluation. */
  readonly open: OpenMachine;
}

const flags = {
  ...deviceFlags,
  checkpoint: { type: 'string' },
  out: { type: 'string' },
  license: { type: 'string' },
  evaluate: { type: 'boolean' },
  force: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Episodes of each task of the sampled and of the random agent in the model card's evaluation. */
const SAMPLES = 4;

export const exportHelp = `Writes an agent in the formats that others read.

  ${calledBy('export')} --checkpoint FILE --out DIR|FILE.zip [--license ID] [--evaluate]
                             [--device NAME] [--threads N] [--force]

  --checkpoint FILE  the agent: a checkpoint of train --save or the lab, or files exported before
                     (a zip, a folder, an .onnx file)
  --out PLACE        a folder, or one file whose name ends in .zip
  --license ID       for the model card, an identifier of SPDX; MIT if not given
  --evaluate         play all evaluation tasks first, for the model card
${deviceHelp(19)}
  --force            replace files that are there already; without it none is
  --help             print this and end

Written are model.onnx and model_with_cache.onnx (ONNX), model.safetensors, config.json,
generation_config.json, tokenizer.json and tokenizer_config.json (Hugging Face transformers, Llama),
and a model card, README.md.
`;

/** Exports as the arguments say. Resolves with the exit code. */
export async function exportCommand(
  args: readonly string[],
  machine: ExportMachine,
): Promise<number> {
  try {
    const values = parseFlags(args, flags);
    if (values.help === true) {
      machine.out(exportHelp.trimEnd());
      return 0;
    }
    const { checkpoint: from, out: to, license = 'MIT' } = values;
    if (from === undefined) throw new UsageError('--checkpoint FILE names the agent to export');
    if (to === undefined)
      throw new UsageError('--out DIR or --out FILE.zip names the place to write to');
    if (!/^[\w.+-]{1,64}$/.test(license)) {
      throw new UsageError(
        `--license takes an identifier of SPDX, such as MIT, got ${JSON.stringify(license)}`,
      );
    }
    const wish = readDeviceWish(values);
    const outputs = new Outputs({ force: values.force === true });
    const zipped = to.endsWith('.zip');
    const takes = (name: string) => exportedNames.includes(name);
    const zip = zipped ? outputs.file('--out', to) : null;
    const folder = zipped ? null : outputs.folder('--out', to, takes);
    const checkpoint = keptAgentOf(readAgent('--checkpoint', from));
    const report = values.evaluate === true ? await evaluation(checkpoint, wish, machine) : null;
    const files = exportAgent(checkpoint, { report, license });
    zip?.write(zipAgent(files));
    for (const [name, bytes] of files) folder?.write(name, bytes);
    machine.out(
      `${[...files.keys()].join(', ')} ${zipped ? 'are in the zip' : 'are in the folder'} ${to}`,
    );
    return 0;
  } catch (error) {
    if (error instanceof UsageError || isAgentFileError(error)) {
      machine.log(error.message);
      return EXIT_USAGE;
    }
    machine.log(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    return EXIT_FAILED;
  }
}

/**
 * An agent from a file of any kind, or from a folder of exported files.
 *
 * @throws {UsageError}
 * @throws {AgentFileError}
 * @throws {CheckpointError}
 */
export function readAgent(flag: string, place: string): ReadAgent {
  if (!existsSync(place)) throw new UsageError(`${flag} ${place}: there is no such file or folder`);
  if (!statSync(place).isDirectory()) {
    return readAgentFile(readGivenFile('the agent', place, fileLimits.agent));
  }
  return readAgentFiles(readNamedFiles('the agent’s file', place, readableNames, fileLimits.agent));
}

async function evaluation(
  checkpoint: KeptAgent,
  wish: DeviceWish,
  { log, open }: ExportMachine,
): Promise<EvaluationReport> {
  const { createPolicy, close } = await open(wish);
  try {
    const agent = await restoreAgent(checkpoint, createPolicy);
    const environments = evaluatedEnvironments(checkpoint.config, 'trained');
    log('playing the evaluation tasks');
    const { report } = await evaluateAgents({
      ...{ agent, trained: checkpoint, environments },
      ...{ tasks: 0, samples: SAMPLES, seed: 1 },
    });
    agent.policy.destroy();
    return report;
  } finally {
    close();
  }
}
