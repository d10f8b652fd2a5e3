import { fileLimits } from '../files/limits.ts';
import { writeAgentTraj } from '../runs/agent-traj.ts';
import { CheckpointError, decodeCheckpoint, keptAgent } from '../runs/checkpoint.ts';
import { formatReport } from '../runs/evaluation-report.ts';
import { evaluateAgents, evaluatedEnvironments } from '../training/evaluation.ts';
import { restoreAgent } from '../training/restore-agent.ts';
import { type EvaluateCommand, evaluateHelp, parseEvaluateCommand } from './evaluate-options.ts';
import { readGivenFile } from './files.ts';
import type { OpenMachine } from './machine.node.ts';
import type { Streams } from './streams.ts';
import { EXIT_FAILED, EXIT_USAGE, UsageError } from './usage.ts';

/** What the command needs of the machine. */
export interface EvaluateMachine extends Streams {
  /** Opened once the command line and the checkpoint have been found good. */
  readonly open: OpenMachine;
}

/** Logs of progress are at least so far apart. */
const LOG_INTERVAL_MS = 5000;

/** Evaluates as the arguments say. Resolves with the exit code. */
export async function evaluateCommand(
  args: readonly string[],
  machine: EvaluateMachine,
): Promise<number> {
  try {
    const command = parseEvaluateCommand(args);
    if (command.command === 'help') machine.out(evaluateHelp().trimEnd());
    else await evaluate(command, machine);
    return 0;
  } catch (error) {
    if (error instanceof UsageError || error instanceof CheckpointError) {
      machine.log(error.message);
      return EXIT_USAGE;
    }
    machine.log(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    return EXIT_FAILED;
  }
}

async function evaluate(
  command: Extract<EvaluateCommand, { command: 'evaluate' }>,
  { out, log, open }: EvaluateMachine,
): Promise<void> {
  const { tasks, samples, seed } = command;
  const checkpoint = decodeCheckpoint(
    readGivenFile('the checkpoint', command.checkpoint, fileLimits.checkpoint),
  );
  const { adapter, withoutGpu, createPolicy, close } = await open(command.wish);
  try {
    const agent = await restoreAgent(keptAgent(checkpoint), createPolicy);
    log(`computes on ${adapter}`);
    if (withoutGpu !== null) log(withoutGpu);
    for (const note of checkpoint.notes) log(note);
    const environments = evaluatedEnvironments(checkpoint.config, command.environments);
    const { report, greedy } = await evaluateAgents({
      agent,
      trained: checkpoint,
      environments,
      tasks,
      samples,
      seed,
      onProgress: atIntervals((fraction) => log(`${Math.floor(100 * fraction)}% played`)),
    });
    agent.policy.destroy();
    const text = formatReport(report, command.format);
    if (command.out === null) out(text.trimEnd());
    else command.out.write(text);
    command.trajectories?.write(writeAgentTraj(greedy));
  } finally {
    close();
  }
}

/** Passes a number on where the last one was passed on long enough ago. */
function atIntervals(pass: (value: number) => void): (value: number) => void {
  let passed = performance.now();
  return (value) => {
    const now = performance.now();
    if (now - passed < LOG_INTERVAL_MS) return;
    passed = now;
    pass(value);
  };
}
