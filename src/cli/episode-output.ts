import type { Trajectory } from '../agents/trajectory.ts';
import type { Config } from '../config/schema.ts';
import { writeAgentTraj } from '../exchange/trajectories/agent-traj.ts';
import { rolloutLogPath, writeRolloutLog } from '../exchange/trajectories/rollout-log.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import { KeptEpisodes } from '../runs/kept-episodes.ts';
import type { Evaluation } from '../training/evaluate.ts';
import { episodeRecord } from '../training/look/episode-record.ts';
import type { IterationResult } from '../training/trainer.ts';
import type { OutputFile, OutputFolder } from './files.ts';

/** Outputs for the episodes of a run; null for those not requested. */
interface EpisodeFiles {
  /** A file in the AgentTraj layout, written at the end. */
  readonly trajectories: OutputFile | null;
  /** A folder that receives a rollout log of every iteration. */
  readonly rolloutLogs: OutputFolder | null;
}

/** Writes the episodes of a run; holds at most `trajectories.keep` in memory. */
export class EpisodeOutput {
  readonly #config: Config;
  readonly #files: EpisodeFiles;
  readonly #kept: KeptEpisodes<Trajectory>;

  constructor(config: Config, files: EpisodeFiles) {
    this.#config = config;
    this.#files = files;
    this.#kept = new KeptEpisodes(files.trajectories === null ? 0 : config.trajectories.keep);
  }

  /** Records an iteration. An iteration without a finished group gets no log. */
  add({ iteration, trajectories, evaluation }: IterationResult): void {
    this.#kept.addTraining(iteration, trajectories);
    if (evaluation !== undefined) this.tested(iteration, evaluation);
    const { rolloutLogs } = this.#files;
    if (rolloutLogs === null || trajectories.length === 0) return;
    rolloutLogs.write(rolloutLogPath(iteration), writeRolloutLog(this.#records(trajectories)));
  }

  /** Records an evaluation. */
  tested(iteration: number, { trajectories }: Evaluation): void {
    this.#kept.setEvaluation(iteration, trajectories);
  }

  /** Writes the kept episodes. Returns a log line; null if nothing was requested. */
  end(): string | null {
    const { trajectories: file } = this.#files;
    if (file === null) return null;
    const { all } = this.#kept;
    file.write(writeAgentTraj(this.#records(all.map(({ episode }) => episode))));
    return `wrote ${all.length} episodes to ${file.path}`;
  }

  *#records(trajectories: Iterable<Trajectory>): Generator<EpisodeRecord> {
    for (const trajectory of trajectories) yield episodeRecord(this.#config, null, trajectory);
  }
}
