/** Joins a GPU, a policy and the trainer into a run that the session can drive. */

import type { DeviceChoice, OpenedDevice } from '../device/index.ts';
import { parameterLayout } from '../policy/layout.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../runs/checkpoint.ts';
import type { Learned } from '../runs/inspection.ts';
import { KeptEpisodes, summarise } from '../runs/kept-episodes.ts';
import type { KeptEpisodesState, KeptTrainingEpisode } from '../runs/record.ts';
import { evaluateAgents, evaluatedEnvironments } from '../training/evaluation.ts';
import { episodeRecord } from '../training/look/episode-record.ts';
import {
  alternativesOf,
  type Inspector,
  inspectEpisode,
  learnedFrom,
  type TracedEpisode,
} from '../training/look/inspect.ts';
import { PhaseTeller } from '../training/look/phases.ts';
import { checkRoom } from '../training/room.ts';
import { Trainer } from '../training/trainer.ts';
import type { Machine } from './protocol.ts';
import type { RunRequest, SessionRun } from './session/types.ts';

type Trajectory = Awaited<ReturnType<Trainer['iterate']>>['trajectories'][number];

/** A device that outlives runs, so that the kernels are compiled once. */
export class LabMachine {
  readonly #openDevice: (choice: DeviceChoice) => Promise<OpenedDevice>;
  #opened: (OpenedDevice & { readonly choice: DeviceChoice }) | null = null;

  /** @param openDevice called again after the device before has failed, or another was asked for */
  constructor(openDevice: (choice: DeviceChoice) => Promise<OpenedDevice>) {
    this.#openDevice = openDevice;
  }

  /**
   * A run of random weights or those of an agent, or one that goes on from a checkpoint.
   *
   * @param onFatal told when the device fails, at most once
   * @throws {CheckpointError} for a checkpoint that cannot be used.
   * @throws WebGpuUnavailableError, ProcessorUnavailableError where there is no such device to be had.
   */
  async open(
    { config, device: choice, from, initial }: RunRequest,
    onFatal: (error: Error) => void,
  ): Promise<SessionRun> {
    const { device, withoutGpu } = await this.#device(choice);
    const forget = device.onFailure(onFatal);
    try {
      const create: CreatePolicy = (shape, capacity, seed) =>
        createPolicy(device, shape, capacity, seed);
      await checkRoom(config, device.description.room, device.description.name);
      const options = { config, createPolicy: create };
      const start = initial === undefined ? {} : { initial };
      const trainer =
        from === null
          ? await Trainer.create({ ...options, ...start })
          : await Trainer.resume(decodeCheckpoint(from.bytes), options);
      const described = describeMachine({ device, withoutGpu }, trainer);
      return sessionRun(trainer, described, forget, from?.episodes ?? null);
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** The present device, where it is of this choice and whole, else another. */
  async #device(choice: DeviceChoice): Promise<OpenedDevice> {
    const before = this.#opened;
    if (before?.choice === choice && before.device.failure === undefined) return before;
    this.#opened = null;
    if (before?.device.failure === undefined) before?.device.close();
    const opened = { ...(await this.#openDevice(choice)), choice };
    this.#opened = opened;
    return opened;
  }

  /** For tests: loses the device as a driver's reset does. */
  loseDevice(): void {
    this.#opened?.device.lose();
  }
}

/**
 * What was learned is kept for as many tokens, the newest episodes first. It is 19 numbers a token, and
 * so at most 4 MB with every snapshot.
 */
const LEARNED_TOKENS = 20_000;

/** A trace lies in memory only; what it tells of the newest episodes is kept with them. */
function withoutTraces(
  state: KeptEpisodes<TracedEpisode>['state'],
  learn: (episode: TracedEpisode) => Learned | null,
): KeptEpisodesState<Trajectory> {
  let room = LEARNED_TOKENS;
  const training = state.training.toReversed().map(({ episode, ...entry }) => {
    const { trajectory } = episode;
    room -= trajectory.turns.reduce((sum, { actionTokens }) => sum + actionTokens.length, 0);
    const learned = room < 0 ? null : learn(episode);
    return { ...entry, episode: trajectory, ...(learned === null ? {} : { learned }) };
  });
  const evaluation = state.evaluation.map((entry) => ({
    ...entry,
    episode: entry.episode.trajectory,
  }));
  return { ...state, training: training.reverse(), evaluation };
}

function untraced(state: KeptEpisodesState): KeptEpisodes<TracedEpisode>['state'] {
  // Only this page's own storage brings them, as this page put them there.
  const traced = ({ learned, ...entry }: KeptTrainingEpisode<unknown>) => ({
    ...entry,
    episode: {
      trajectory: entry.episode as Trajectory,
      trace: null,
      ...(learned === undefined ? {} : { learned }),
    },
  });
  return {
    ...state,
    training: state.training.map(traced),
    evaluation: state.evaluation.map(traced),
  };
}

/** Most tokens that are shown in place of a written one. */
const SHOWN_ALTERNATIVES = 6;

/** A trainer as the session drives it. */
export function sessionRun(
  trainer: Trainer,
  machine: Machine,
  onDestroy: () => void,
  earlier: KeptEpisodesState | null = null,
): SessionRun {
  const { config, agent } = trainer;
  const textOf = (token: number) => agent.tokenizer.label(token);
  const record = (trajectory: Trajectory, tokens = true) =>
    episodeRecord(config, tokens ? textOf : null, trajectory);
  const kept = new KeptEpisodes<TracedEpisode>(config.trajectories.keep);
  if (earlier !== null) kept.restore(untraced(earlier));
  const inspector: Inspector = {
    config,
    textOf,
    numberOf: (trajectory) =>
      kept.all.find(({ episode }) => episode.trajectory === trajectory)?.number ?? null,
    isKept: (number) => kept.all.some((entry) => entry.number === number),
  };
  // An episode that stays is worked out once, not with every snapshot.
  const worked = new WeakMap<Trajectory, Learned | null>();
  const keptState = () => {
    const numbers = new Map(kept.all.map(({ number, episode }) => [episode.trajectory, number]));
    const numberOf = (trajectory: Trajectory) => numbers.get(trajectory) ?? null;
    return withoutTraces(kept.state, ({ trajectory, trace, learned }) => {
      if (trace === null) return learned ?? null;
      const before = worked.get(trajectory);
      if (before !== undefined) return before;
      const found = learnedFrom({ config, numberOf }, trajectory, trace);
      worked.set(trajectory, found);
      return found;
    });
  };
  return {
    machine,
    get iteration() {
      return trainer.iteration;
    },
    get finished() {
      return trainer.finished;
    },
    episodes: {
      get state() {
        return keptState();
      },
      list: () =>
        kept.all.map((entry) =>
          summarise({ ...entry, episode: record(entry.episode.trajectory, false) }),
        ),
      read(numbers, tokens) {
        const wanted = new Set(numbers);
        return kept.all
          .filter(({ number }) => wanted.has(number))
          .map(({ number, episode }) => ({ number, record: record(episode.trajectory, tokens) }));
      },
      inspect(number) {
        const found = kept.all.find((entry) => entry.number === number);
        if (found === undefined) return null;
        return inspectEpisode(inspector, found, found.episode);
      },
    },
    async iterate(onProgress, onPhase) {
      const teller = new PhaseTeller(config, textOf, trainer.iteration + 1);
      const { iteration, metrics, details, trajectories, trace, evaluation } =
        await trainer.iterate(
          onProgress,
          onPhase === null
            ? null
            : async (result) => {
                const facts = teller.tell(result);
                if (facts !== null) await onPhase(facts);
              },
        );
      kept.addTraining(
        iteration,
        trajectories.map((trajectory) => ({ trajectory, trace })),
      );
      if (evaluation !== undefined) {
        kept.setEvaluation(
          iteration,
          evaluation.trajectories.map((trajectory) => ({ trajectory, trace: null })),
        );
      }
      const result = {
        iteration,
        metrics,
        details,
        episodes: pick(trajectories, 7 * (iteration - 1)).map((trajectory) => record(trajectory)),
      };
      if (evaluation === undefined) return result;
      // Each evaluation shows another task, so that all get their turn.
      const { length } = evaluation.trajectories;
      const shown = evaluation.trajectories[(iteration * 7) % length];
      return {
        ...result,
        evaluation: {
          metrics: evaluation.metrics,
          ...(evaluation.environments === undefined
            ? {}
            : { environments: evaluation.environments }),
          episodes: shown === undefined ? [] : [record(shown)],
        },
      };
    },
    async evaluate(settings, onProgress, breathe) {
      const environments = evaluatedEnvironments(config, 'trained');
      const { report } = await evaluateAgents({
        ...settings,
        agent,
        trained: trainer,
        environments,
        onProgress,
        breathe,
      });
      return report;
    },
    async alternatives(number) {
      const found = kept.all.find((entry) => entry.number === number);
      if (found === undefined) return null;
      return await alternativesOf(agent, found.episode.trajectory, SHOWN_ALTERNATIVES);
    },
    async checkpoint() {
      return encodeCheckpoint(await trainer.checkpoint());
    },
    destroy() {
      onDestroy();
      trainer.destroy();
    },
  };
}

/**
 * One episode, and the next one that ended the other way, if any did.
 *
 * @param from where to begin, counted round and round, so that another iteration shows another task
 */
export function pick<Episode extends { readonly success: boolean }>(
  episodes: readonly Episode[],
  from = 0,
): readonly Episode[] {
  const start = from % Math.max(1, episodes.length);
  const turned = [...episodes.slice(start), ...episodes.slice(0, start)];
  const first = turned[0];
  if (first === undefined) return [];
  const other = turned.find(({ success }) => success !== first.success);
  return other === undefined ? [first] : [first, other];
}

function describeMachine(
  { device: { kind, description }, withoutGpu }: OpenedDevice,
  { agent, movedFrom }: Trainer,
): Machine {
  const { shape } = agent.policy;
  return {
    adapter: description.name,
    processor: kind === 'processor',
    software: description.software,
    threads: description.threads,
    withoutGpu,
    movedFrom,
    parameters: parameterLayout(shape).parameterCount,
    vocabulary: shape.vocabulary,
  };
}
