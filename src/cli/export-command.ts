import { existsSync, statSync } from 'node:fs';
import type { Config } from '../config/schema.ts';
import { environmentIds, isRemote } from '../envs/registry.ts';
import type { ReadAgent } from '../exchange/agent.ts';
import { keptAgentOf } from '../exchange/agent.ts';
import {
  type AgentFiles,
  exportAgent,
  exportedNames,
  readAgentFile,
  readAgentFiles,
  readableNames,
  ZipTooLargeError,
  zipAgent,
} from '../exchange/agent-files.ts';
import { AgentFileError } from '../exchange/errors.ts';
import { GgufError } from '../exchange/gguf.ts';
import { keptAdapter } from '../exchange/pretrained/defaults.ts';
import {
  exportModel,
  type ModelFormat,
  modelFileNames,
  modelFormats,
} from '../exchange/pretrained/export-model.ts';
import { adaptedModel } from '../exchange/pretrained/open-model.ts';
import { fileLimits } from '../files/limits.ts';
import { CheckpointError, type KeptAgent } from '../runs/checkpoint.ts';
import type { EvaluationReport } from '../runs/evaluation-report.ts';
import { evaluateAgents, evaluatedEnvironments } from '../training/evaluation.ts';
import { restoreAgent } from '../training/restore-agent.ts';
import { deviceFlags, deviceRequest } from './device-options.ts';
import { Outputs, openFolder, readGivenFile, readNamedFiles } from './files.ts';
import { Command, calledBy, forceFlag, oneOf, optional, required, toggle } from './flags.ts';
import { type DeviceRequest, deviceLine, type OpenMachine } from './machine.node.ts';
import { openModelAt, readAdapted } from './model-options.ts';
import { progressLog } from './progress.ts';
import type { Streams } from './streams.ts';
import { exitCode, UsageError } from './usage.ts';

interface ExportMachine extends Streams {
  /** Called only for an evaluation. */
  readonly open: OpenMachine;
}

/** Episodes per task for the sampling agent and the random agent, in the evaluation for the model card. */
const SAMPLES = 4;

const exporter = new Command({
  name: 'export',
  about: 'Exports an agent in formats that other programs read.',
  flags: {
    checkpoint: required(
      'FILE',
      'the agent: a checkpoint from train --save or the lab, or exported files (a zip, a folder, an .onnx file)',
    ),
    out: required('PLACE', 'a folder, or a file whose name ends in .zip'),
    model: optional(
      'DIR',
      'the pretrained model that the checkpoint’s adapter was trained on; exports a chat model instead of an agent',
    ),
    format: optional(
      'NAME',
      `with --model: ${modelFormats.join(', ')}; adapter is PEFT’s layout; merged is transformers’ layout in float16 (default: adapter)`,
      oneOf(modelFormats),
    ),
    license: optional(
      'ID',
      'SPDX identifier for the model card (default: MIT; with base weights: other)',
      spdx,
    ),
    evaluate: toggle('play all evaluation tasks and report the results in the model card'),
    ...deviceFlags,
    force: forceFlag,
  },
  notes: () => `Files: model.onnx and model_with_cache.onnx (ONNX), model.safetensors, config.json,
generation_config.json, tokenizer.json and tokenizer_config.json (Hugging Face transformers, Llama),
and a model card, README.md.

With --model: adapter_config.json and adapter_model.safetensors; or model.safetensors with the model's
other files; or model.gguf for llama.cpp, Ollama and LM Studio. palestra.json contains the run's settings.`,
});

export const exportHelp = () => exporter.help();

function spdx(text: string): string {
  if (/^[\w.+-]{1,64}$/.test(text)) return text;
  throw new UsageError(
    `--license must be an SPDX identifier, such as MIT, got ${JSON.stringify(text)}`,
  );
}

/** Errors that the user can fix. */
const usageErrors = [AgentFileError, CheckpointError, GgufError, ZipTooLargeError];

/** Exports as the arguments specify. Resolves with the exit code. */
export function exportCommand(args: readonly string[], machine: ExportMachine): Promise<number> {
  return exitCode(machine, usageErrors, async () => {
    const parsed = exporter.parse(args);
    if (parsed === null) {
      machine.out(exportHelp());
      return 0;
    }
    const { checkpoint: from, out: to, model, format, license, ...rest } = parsed.values;
    const { evaluate, force, ...device } = rest;
    const request = deviceRequest(device);
    const outputs = new Outputs({ force });
    const zipped = to.endsWith('.zip');
    const takes = (name: string) =>
      (model === undefined ? exportedNames : modelFileNames).includes(name);
    const zip = zipped ? outputs.file('--out', to) : null;
    const folder = zipped ? null : outputs.folder('--out', to, takes);
    if (model === undefined && format !== undefined) {
      throw new UsageError('--format needs --model DIR');
    }
    if (model !== undefined && evaluate) {
      throw new UsageError(
        `--evaluate applies to agents only; for an adapter, use ${calledBy('evaluate')} --model DIR`,
      );
    }
    const files =
      model === undefined
        ? await agentFiles(from, license ?? 'MIT', evaluate ? { request, machine } : null)
        : await modelFiles(from, model, format ?? 'adapter', license ?? null);
    zip?.write(zipAgent(files));
    for (const [name, bytes] of files) folder?.write(name, bytes);
    machine.out(`wrote ${[...files.keys()].join(', ')} to ${to}`);
    return 0;
  });
}

async function agentFiles(
  from: string,
  license: string,
  evaluated: { readonly request: DeviceRequest; readonly machine: ExportMachine } | null,
): Promise<AgentFiles> {
  const checkpoint = keptAgentOf(readAgent('--checkpoint', from));
  const report =
    evaluated === null ? null : await evaluation(checkpoint, evaluated.request, evaluated.machine);
  return exportAgent(checkpoint, { report, license });
}

async function modelFiles(
  from: string,
  model: string,
  format: ModelFormat,
  license: string | null,
): Promise<AgentFiles> {
  const { checkpoint, base } = readAdapted(from);
  const opened = await openModelAt(model);
  return exportModel({
    ...{ checkpoint, opened, format, license },
    folder: openFolder('--model', 'the model file', model),
    model: adaptedModel(opened, base.name, keptAdapter(base)),
  });
}

/**
 * An agent from a file in any supported format, or from a folder of exported files.
 *
 * @throws {UsageError}
 * @throws {AgentFileError}
 * @throws {CheckpointError}
 */
export function readAgent(flag: string, place: string): ReadAgent {
  if (!existsSync(place)) throw new UsageError(`${flag} ${place}: no such file or folder`);
  if (!statSync(place).isDirectory()) {
    return readAgentFile(readGivenFile('the agent', place, fileLimits.agent));
  }
  return readAgentFiles(readNamedFiles('the agent file', place, readableNames, fileLimits.agent));
}

/** @throws {UsageError} for an agent trained on a server */
export function checkEvaluable({ env }: Config): void {
  if (environmentIds(env).some(isRemote)) {
    throw new UsageError(
      'an agent that was trained in a remote environment cannot be evaluated on demand',
    );
  }
}

async function evaluation(
  checkpoint: KeptAgent,
  request: DeviceRequest,
  { log, open }: ExportMachine,
): Promise<EvaluationReport> {
  checkEvaluable(checkpoint.config);
  const machine = await open(request);
  try {
    const agent = await restoreAgent(checkpoint, machine.createPolicy);
    log(deviceLine(machine));
    const progress = progressLog(log);
    const { report } = await evaluateAgents({
      ...{ agent, trained: checkpoint, tasks: 0, samples: SAMPLES, seed: 1 },
      environments: evaluatedEnvironments(checkpoint.config, 'trained'),
      onProgress: (fraction) => progress('evaluate', fraction),
    });
    agent.policy.destroy();
    return report;
  } finally {
    machine.close();
  }
}
