import type { Agent } from '../agents/agent.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import { keptAgentOf } from '../exchange/agent.ts';
import { AgentFileError } from '../exchange/errors.ts';
import { keptAdapter } from '../exchange/pretrained/defaults.ts';
import { adaptedModel } from '../exchange/pretrained/open-model.ts';
import { writeAgentTraj } from '../exchange/trajectories/agent-traj.ts';
import type { CreatePolicy } from '../policy/types.ts';
import { CheckpointError } from '../runs/checkpoint.ts';
import { formatReport } from '../runs/evaluation-report.ts';
import {
  type EvaluationRequest,
  evaluateAgents,
  evaluatedEnvironments,
} from '../training/evaluation.ts';
import { restoreAdapted, restoreAgent } from '../training/restore-agent.ts';
import { evaluationSuite, suiteEnvironments } from '../training/suite.ts';
import { type EvaluateCommand, evaluateHelp, parseEvaluateCommand } from './evaluate-options.ts';
import { checkEvaluable, readAgent } from './export-command.ts';
import { deviceLine, type OpenMachine } from './machine.node.ts';
import { openModelAt, readAdapted } from './model-options.ts';
import { progressLog } from './progress.ts';
import type { Streams } from './streams.ts';
import { exitCode } from './usage.ts';

/** Machine resources of the command. */
interface EvaluateMachine extends Streams {
  /** Called once the command line and the checkpoint have been checked. */
  readonly open: OpenMachine;
}

/** Evaluates as the arguments specify. Resolves with the exit code. */
export function evaluateCommand(
  args: readonly string[],
  machine: EvaluateMachine,
): Promise<number> {
  return exitCode(machine, [AgentFileError, CheckpointError], async () => {
    const command = parseEvaluateCommand(args);
    if (command.command === 'help') machine.out(evaluateHelp());
    else await evaluate(command, machine);
    return 0;
  });
}

async function evaluate(
  command: Extract<EvaluateCommand, { command: 'evaluate' }>,
  { out, log, open }: EvaluateMachine,
): Promise<void> {
  const { tasks, samples, seed } = command;
  const { trained: kept, restore, tokenizerFor } = await opened(command);
  checkEvaluable(kept.config);
  const machine = await open(command.device);
  try {
    const agent = await restore(machine.createPolicy);
    log(deviceLine(machine));
    if (command.environments === 'suite')
      log(`evaluation suite, version ${evaluationSuite.version}`);
    const progress = progressLog(log);
    const { report, greedy } = await evaluateAgents({
      agent,
      trained: kept,
      ...(tokenizerFor && { tokenizerFor }),
      environments:
        command.environments === 'suite'
          ? suiteEnvironments()
          : evaluatedEnvironments(kept.config, command.environments),
      tasks,
      samples,
      seed,
      onProgress: (fraction) => progress('evaluate', fraction),
    });
    agent.policy.destroy();
    const text = formatReport(report, command.format);
    if (command.out === null) out(text.trimEnd());
    else command.out.write(text);
    command.trajectories?.write(writeAgentTraj(greedy));
  } finally {
    machine.close();
  }
}

/** What is evaluated. */
interface Opened {
  readonly trained: EvaluationRequest['trained'];
  readonly restore: (createPolicy: CreatePolicy) => Promise<Agent>;
  readonly tokenizerFor?: NonNullable<EvaluationRequest['tokenizerFor']>;
}

async function opened({
  checkpoint: file,
  model: folder,
}: Extract<EvaluateCommand, { command: 'evaluate' }>): Promise<Opened> {
  if (folder === null) {
    const trained = keptAgentOf(readAgent('--checkpoint', file));
    return { trained, restore: (createPolicy) => restoreAgent(trained, createPolicy) };
  }
  const { checkpoint, base } = readAdapted(file);
  const model = adaptedModel(await openModelAt(folder), base.name, keptAdapter(base));
  const { agent, env } = checkpoint.config;
  // In training, the instructions of all environments of a mixture precede every dialogue.
  const joint =
    env.mixture.length === 0
      ? null
      : model.tokenizerFor(await loadedEnvironment(env), agent.format);
  const mixed = new Set(env.mixture.map(({ id }) => id));
  return {
    trained: checkpoint,
    restore: (createPolicy) => restoreAdapted(checkpoint, model, createPolicy),
    tokenizerFor: (environment) =>
      joint !== null && mixed.has(environment.id)
        ? joint
        : model.tokenizerFor(environment, agent.format),
  };
}
