import type { Trajectory } from '../agents/trajectory.ts';
import type { Config } from '../config/schema.ts';
import { writeAgentTraj } from '../runs/agent-traj.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import { KeptEpisodes } from '../runs/kept-episodes.ts';
import { rolloutLogPath, writeRolloutLog } from '../runs/rollout-log.ts';
import type { Evaluation } from '../training/evaluate.ts';
import { episodeRecord } from '../training/look/episode-record.ts';
import type { IterationResult } from '../training/trainer.ts';
import type { OutputFile, OutputFolder } from './files.ts';

/** What a run's episodes are written to; null where they are not asked for. */
export interface EpisodeFiles {
  /** One file in the AgentTraj layout, written at the end. */
  readonly trajectories: OutputFile | null;
  /** A folder that gets a rollout log of every iteration. */
  readonly rolloutLogs: OutputFolder | null;
}

/** Writes the episodes of a run. Of a run of any length it holds `trajectories.keep` at most. */
export class EpisodeOutput {
  readonly #config: Config;
  readonly #files: EpisodeFiles;
  readonly #kept: KeptEpisodes<Trajectory>;

  constructor(config: Config, files: EpisodeFiles) {
    this.#config = config;
    this.#files = files;
    this.#kept = new KeptEpisodes(files.trajectories === null ? 0 : config.trajectories.keep);
  }

  /** Takes note of an iteration. One in which no group came to its end has no log. */
  add({ iteration, trajectories, evaluation }: IterationResult): void {
    this.#kept.addTraining(iteration, trajectories);
    if (evaluation !== undefined) this.tested(iteration, evaluation);
    const { rolloutLogs } = this.#files;
    if (rolloutLogs === null || trajectories.length === 0) return;
    rolloutLogs.write(rolloutLogPath(iteration), writeRolloutLog(this.#records(trajectories)));
  }

  /** Takes note of an evaluation. */
  tested(iteration: number, { trajectories }: Evaluation): void {
    this.#kept.setEvaluation(iteration, trajectories);
  }

  /** Writes what is kept. Returns what was done in a sentence; null where nothing was asked for. */
  end(): string | null {
    const { trajectories: file } = this.#files;
    if (file === null) return null;
    const { all } = this.#kept;
    file.write(writeAgentTraj(this.#records(all.map(({ episode }) => episode))));
    return `${all.length} episodes are in ${file.path}`;
  }

  *#records(trajectories: Iterable<Trajectory>): Generator<EpisodeRecord> {
    for (const trajectory of trajectories) yield episodeRecord(this.#config, null, trajectory);
  }
}
