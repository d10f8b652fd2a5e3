import { runCost } from '../agents/cost.ts';
import type { PretrainedModel } from '../agents/pretrained.ts';
import { pretrainedShape } from '../agents/shape.ts';
import { SpellingError } from '../agents/spelling.ts';
import { InitialAgentError } from '../agents/start.ts';
import { ConfigError } from '../config/error.ts';
import { UnknownMethodError } from '../config/methods.ts';
import { UnknownPresetError } from '../config/presets.ts';
import type { Config } from '../config/schema.ts';
import { isRemote, loadedEnvironment } from '../envs/registry.ts';
import { settingsForModel } from '../exchange/begin.ts';
import { AgentFileError } from '../exchange/errors.ts';
import { estimateLine } from '../exchange/pretrained/model-presets.ts';
import { AGENT, CheckpointError, encodeCheckpoint } from '../runs/checkpoint.ts';
import { withFirstClip } from '../runs/first-clip.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { createRun, resumeRun } from '../training/create-run.ts';
import { drive } from '../training/drive.ts';
import type { OnProgress } from '../training/look/onlooker.ts';
import type { Phase } from '../training/recipe.ts';
import { checkRoom, RunTooLargeError } from '../training/room.ts';
import type { StopReason } from '../training/trainer.ts';
import { EpisodeOutput } from './episode-output.ts';
import { readAgent } from './export-command.ts';
import { LogOutput } from './log-output.ts';
import { deviceLine, type Machine, type OpenMachine } from './machine.node.ts';
import { type ModelRequest, modelLine, requestedModel } from './model-options.ts';
import type { TrainCommand } from './options.ts';
import { helpText, methodsText, parseCommand, presetsText } from './options.ts';
import { progressLog } from './progress.ts';
import { jsonIteration, jsonRow, plural, tableHead, tableRow } from './report.ts';
import type { Streams } from './streams.ts';
import { EXIT_INTERRUPTED, exitCode } from './usage.ts';

/** Machine resources of the command. */
interface TrainMachine extends Streams {
  /** Called once the command line has been checked. */
  readonly open: OpenMachine;
  /** Whether the user pressed Ctrl-C. */
  readonly interrupted: () => boolean;
}

/**
 * Memory of the process besides the tensors of a run on the processor: Node.js, the code and the environments.
 * Measured as the peak of a run of a tiny model, 283 MB with 22 MB of tensors.
 */
const PROCESS_BYTES = 260_000_000;

/** Errors that the user can fix. */
const usageErrors = [
  ConfigError,
  CheckpointError,
  UnknownPresetError,
  UnknownMethodError,
  InitialAgentError,
  RunTooLargeError,
  SpellingError,
  AgentFileError,
];

/** Trains as the arguments specify. Resolves with the exit code. */
export function trainCommand(args: readonly string[], machine: TrainMachine): Promise<number> {
  return exitCode(machine, usageErrors, async () => {
    const command = parseCommand(args);
    switch (command.command) {
      case 'help':
        machine.out(helpText());
        return 0;
      case 'list-presets':
        machine.out(presetsText().trimEnd());
        return 0;
      case 'list-methods':
        machine.out(methodsText().trimEnd());
        return 0;
      case 'train':
        return await train(command, machine);
      default:
        return command satisfies never;
    }
  });
}

/** Aborts an iteration, so that the command stops within seconds of Ctrl-C. */
class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** Phases before the first RL update, which can take minutes and are not worth finishing after Ctrl-C. */
const abortable: ReadonlySet<Phase> = new Set<Phase>(['imitate', 'prefer']);

/** The model with its frozen weights in int4 if it fits the device only in int4; else unchanged. */
async function fittingModel(
  request: ModelRequest,
  model: PretrainedModel,
  config: Config,
  { room, adapter }: Pick<Machine, 'room' | 'adapter'>,
): Promise<PretrainedModel> {
  const check = (one: PretrainedModel) =>
    checkRoom(config, room, adapter, pretrainedShape(one, config));
  try {
    await check(model);
    return model;
  } catch (error) {
    if (!(error instanceof RunTooLargeError)) throw error;
  }
  try {
    const form = { ...request.form, base: 'int4' as const };
    const smaller = await requestedModel({ ...request, form }, null);
    await check(smaller);
    return smaller;
  } catch (error) {
    // int4 does not support every width.
    if (!(error instanceof RunTooLargeError || error instanceof AgentFileError)) throw error;
    return model;
  }
}

async function train(
  {
    values: { json, init, 'save-every': saveEvery },
    config: given,
    device,
    resume,
    model: request,
    modelPreset,
    outputs: { save, trajectories, rolloutLogs, log: logs },
  }: Extract<TrainCommand, { command: 'train' }>,
  { out, log, open, interrupted }: TrainMachine,
): Promise<number> {
  const agent = init === undefined ? null : readAgent('--init', init);
  if (agent !== null && agent.added !== null) log(agent.added);
  const initial = agent === null ? {} : { initial: agent };
  const kept = resume?.students.get(AGENT)?.base ?? null;
  let model = request === null ? null : await requestedModel(request, kept);
  const config =
    model === null || resume !== null
      ? given
      : settingsForModel(model, given, await loadedEnvironment(given.env));
  const machine = await open(device);
  const { adapter, room, createPolicy, close } = machine;
  try {
    if (request === null || model === null) {
      await checkRoom(config, room, adapter);
    } else {
      if (modelPreset !== null && request.form.base === undefined) {
        model = await fittingModel(request, model, config, machine);
      }
      const shape = pretrainedShape(model, config);
      await checkRoom(config, room, adapter, shape);
      if (!isRemote(config.env.id)) {
        const cost = runCost(config, shape);
        const process = adapter.startsWith('processor') ? PROCESS_BYTES : 0;
        log(estimateLine({ ...cost, bytes: cost.bytes + process }));
      }
    }
    const parts = { config, ...(model && { model }) };
    const run =
      resume === null
        ? await createRun({ ...parts, createPolicy, ...initial })
        : await resumeRun(resume, { ...parts, createPolicy });
    const { layers, width, heads, vocabulary } = run.agent.policy.shape;
    const policy =
      model === null
        ? `policy of ${plural(layers, 'layer')}, width ${width}, ${plural(heads, 'head')}, vocabulary of ${vocabulary} tokens`
        : modelLine(model);
    log(deviceLine(machine));
    log(`${run.environment.id}, seed ${config.seed}; ${policy}`);
    for (const note of resume?.notes ?? []) log(note);
    if (resume !== null) log(`resumes after iteration ${run.iteration}`);
    if (run.movedFrom !== null) {
      log(
        `the run was computed on ${run.movedFrom} and continues on ${run.agent.policy.device}; rounding differs, so its numbers differ from here on`,
      );
    }
    if (!json) out(tableHead());
    const progress = progressLog(log);
    const onProgress: OnProgress = (phase, fraction) => {
      if (abortable.has(phase) && interrupted()) throw new InterruptedError();
      progress(phase, fraction);
    };
    const iterations = drive(
      {
        get finished() {
          return run.finished;
        },
        iterate: () => run.iterate(onProgress),
      },
      () => !interrupted(),
    );
    const episodes = new EpisodeOutput(config, { trajectories, rolloutLogs });
    const numbers = logs === null ? null : new LogOutput(logs, run.iteration);
    // The config and the model make the log self-contained.
    const trained = model && {
      model: { ...model.identity, adapter: model.shape.adapter },
    };
    const print = (row: object, metrics: MetricRow, text: () => string) => {
      const line = JSON.stringify(row);
      numbers?.add(line, metrics);
      out(json ? line : text());
    };
    try {
      for await (const result of iterations) {
        episodes.add(result);
        print(jsonIteration(result), withFirstClip(result), () => tableRow(result.metrics));
        if (save !== null && saveEvery > 0 && run.iteration % saveEvery === 0) {
          save.write(encodeCheckpoint(await run.checkpoint()));
        }
      }
    } catch (error) {
      // Also write the episodes that led to a failure.
      const written = episodes.end();
      if (written !== null) log(written);
      if (!(error instanceof InterruptedError)) throw error;
      const { iteration } = run;
      const end = { final: true, stopped: 'interrupted', iteration, config, ...trained };
      print(
        end,
        { iteration },
        () => `Stopped (interrupted) after ${plural(iteration, 'iteration')}.`,
      );
      log('the unfinished iteration was not saved');
      run.destroy();
      return EXIT_INTERRUPTED;
    }
    const stopped: StopReason | 'interrupted' = run.stopped ?? 'interrupted';
    if (save !== null) {
      save.write(encodeCheckpoint(await run.checkpoint()));
      log(`saved the agent to ${save.path}`);
    }
    const evaluation = await run.evaluate(0, progress);
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
    const evaluated = evaluation.environments && { evaluated: evaluation.environments };
    const end = { final: true, stopped, ...jsonRow(metrics), ...evaluated, config, ...trained };
    print(end, metrics, () => {
      const success = evaluation.metrics['eval/success_rate']?.toFixed(3);
      return `Stopped (${stopped}) after ${plural(run.iteration, 'iteration')} and ${run.turns} turns. Greedy success on ${evaluation.trajectories.length} evaluation tasks: ${success}`;
    });
    run.destroy();
    return stopped === 'interrupted' ? EXIT_INTERRUPTED : 0;
  } finally {
    close();
  }
}
