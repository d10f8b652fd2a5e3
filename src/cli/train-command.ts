import { SpellingError } from '../agents/spelling.ts';
import { InitialAgentError } from '../agents/start.ts';
import { ConfigError } from '../config/error.ts';
import { UnknownMethodError } from '../config/methods.ts';
import { UnknownPresetError } from '../config/presets.ts';
import { isAgentFileError } from '../exchange/agent-files.ts';
import { CheckpointError, encodeCheckpoint } from '../runs/checkpoint.ts';
import { withFirstClip } from '../runs/first-clip.ts';
import { drive } from '../training/drive.ts';
import { checkRoom, RunTooLargeError } from '../training/room.ts';
import type { StopReason } from '../training/trainer.ts';
import { Trainer } from '../training/trainer.ts';
import { EpisodeOutput } from './episode-output.ts';
import { readAgent } from './export-command.ts';
import { LogOutput } from './log-output.ts';
import type { OpenMachine } from './machine.node.ts';
import type { TrainCommand } from './options.ts';
import { helpText, methodsText, parseCommand, presetsText } from './options.ts';
import { jsonIteration, jsonRow, tableHead, tableRow } from './report.ts';
import type { Streams } from './streams.ts';
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, UsageError } from './usage.ts';

/** What the command needs of the machine. */
export interface TrainMachine extends Streams {
  /** Opened once the command line has been found good. */
  readonly open: OpenMachine;
  /** Whether the user has asked to end. */
  readonly interrupted: () => boolean;
}

/** Trains as the arguments say. Resolves with the exit code. */
export async function trainCommand(
  args: readonly string[],
  machine: TrainMachine,
): Promise<number> {
  let command: TrainCommand;
  try {
    command = parseCommand(args);
  } catch (error) {
    if (
      error instanceof UsageError ||
      error instanceof ConfigError ||
      error instanceof CheckpointError ||
      error instanceof UnknownPresetError ||
      error instanceof UnknownMethodError
    ) {
      machine.log(error.message);
      return EXIT_USAGE;
    }
    throw error;
  }
  switch (command.command) {
    case 'help':
      machine.out(helpText().trimEnd());
      return 0;
    case 'list-presets':
      machine.out(presetsText().trimEnd());
      return 0;
    case 'list-methods':
      machine.out(methodsText().trimEnd());
      return 0;
    case 'train':
      try {
        return await train(command, machine);
      } catch (error) {
        if (
          error instanceof UsageError ||
          error instanceof InitialAgentError ||
          error instanceof RunTooLargeError ||
          error instanceof SpellingError ||
          isAgentFileError(error)
        ) {
          machine.log(error.message);
          return EXIT_USAGE;
        }
        machine.log(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
        return EXIT_FAILED;
      }
    default:
      return command satisfies never;
  }
}

/** What is said of a run that goes on elsewhere. */
function movedNote(from: string, to: string): string {
  return `it was computed on ${from} so far and goes on on ${to}: these round otherwise, so from here on its numbers are not those it would have had there`;
}

async function train(
  {
    config,
    wish,
    json,
    resume,
    init,
    save,
    saveEvery,
    trajectories,
    rolloutLogs,
    log: logs,
  }: Extract<TrainCommand, { command: 'train' }>,
  { out, log, open, interrupted }: TrainMachine,
): Promise<number> {
  const agent = init === null ? null : readAgent('--init', init);
  if (agent !== null && agent.added !== null) log(agent.added);
  const initial = agent === null ? {} : { initial: agent };
  const { adapter, withoutGpu, room, createPolicy, close } = await open(wish);
  try {
    await checkRoom(config, room, adapter);
    const run =
      resume === null
        ? await Trainer.create({ config, createPolicy, ...initial })
        : await Trainer.resume(resume, { config, createPolicy });
    const { layers, width, heads, vocabulary } = run.agent.policy.shape;
    log(`computes on ${adapter}`);
    if (withoutGpu !== null) log(withoutGpu);
    log(
      `${run.environment.id}, seed ${config.seed}; policy of ${layers} layers, width ${width}, ${heads} heads, ${vocabulary} tokens`,
    );
    for (const note of resume?.notes ?? []) log(note);
    if (resume !== null) log(`goes on after iteration ${run.iteration}`);
    if (run.movedFrom !== null) log(movedNote(run.movedFrom, run.agent.policy.device));
    if (!json) out(tableHead());
    const episodes = new EpisodeOutput(config, { trajectories, rolloutLogs });
    const numbers = logs === null ? null : new LogOutput(logs, run.iteration);
    try {
      for await (const result of drive(run, () => !interrupted())) {
        episodes.add(result);
        const line = JSON.stringify(jsonIteration(result));
        numbers?.add(line, withFirstClip(result));
        out(json ? line : tableRow(result.metrics));
        if (save !== null && saveEvery > 0 && run.iteration % saveEvery === 0) {
          save.write(encodeCheckpoint(await run.checkpoint()));
        }
      }
    } catch (error) {
      // The episodes that led to a failure are those that one wants to see.
      const written = episodes.end();
      if (written !== null) log(written);
      throw error;
    }
    const stopped: StopReason | 'interrupted' = run.stopped ?? 'interrupted';
    if (save !== null) {
      save.write(encodeCheckpoint(await run.checkpoint()));
      log(`the agent is in ${save.path}`);
    }
    const evaluation = await run.evaluate();
    episodes.tested(run.iteration, evaluation);
    const written = episodes.end();
    if (written !== null) log(written);
    const metrics = {
      iteration: run.iteration,
      ...evaluation.metrics,
      'progress/turns': run.turns,
      'progress/tokens': run.tokens,
      'time/seconds': run.seconds,
    };
    // With its settings a log explains itself to whoever reads it later.
    const end = JSON.stringify({ final: true, stopped, ...jsonRow(metrics), config });
    numbers?.add(end, metrics);
    if (json) out(end);
    else {
      const success = evaluation.metrics['eval/success_rate']?.toFixed(3);
      out(
        `Stopped (${stopped}) after ${run.iteration} iterations and ${run.turns} turns. Greedy success on ${evaluation.trajectories.length} evaluation tasks: ${success}`,
      );
    }
    run.destroy();
    return stopped === 'interrupted' ? EXIT_INTERRUPTED : 0;
  } finally {
    close();
  }
}
