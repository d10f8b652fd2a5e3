import type { Trajectory } from '../agents/trajectory.ts';
import type { Config } from '../config/schema.ts';
import type { ConversationRecord, KeptConversation } from '../runs/conversation.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type { Inspection, Learned } from '../runs/inspection.ts';
import { KeptConversations } from '../runs/kept-conversations.ts';
import { type EpisodeSummary, KeptEpisodes, summarize } from '../runs/kept-episodes.ts';
import type { KeptEpisodesState, KeptTrainingEpisode } from '../runs/record.ts';
import { episodeRecord } from '../training/look/episode-record.ts';
import { inspectEpisode, learnedFrom, type TracedEpisode } from '../training/look/inspect.ts';
import type { IterationTrace } from '../training/look/trace.ts';

/** A kept episode and its number. */
export interface NumberedRecord {
  readonly number: number;
  readonly record: EpisodeRecord;
}

/** Kept episodes of a run and their learning data, as records for the page. */
export class RunEpisodes {
  readonly #config: Config;
  readonly #textOf: (token: number) => string;
  readonly #kept: KeptEpisodes<TracedEpisode>;
  readonly #conversations = new KeptConversations();
  /** Cache: an episode is analyzed once, not with every snapshot. */
  readonly #learned = new WeakMap<Trajectory, Learned | null>();

  /**
   * @param textOf text of a token
   * @param earlier episodes stored before the run was opened here
   */
  constructor(
    config: Config,
    textOf: (token: number) => string,
    earlier: KeptEpisodesState | null,
  ) {
    this.#config = config;
    this.#textOf = textOf;
    this.#kept = new KeptEpisodes(config.trajectories.keep);
    if (earlier !== null) this.#kept.restore(untraced(earlier));
    if (earlier?.conversations !== undefined) this.#conversations.restore(earlier.conversations);
  }

  addTraining(iteration: number, trajectories: readonly Trajectory[], trace: IterationTrace): void {
    this.#kept.addTraining(
      iteration,
      trajectories.map((trajectory) => ({ trajectory, trace })),
    );
  }

  setEvaluation(iteration: number, trajectories: readonly Trajectory[]): void {
    this.#kept.setEvaluation(
      iteration,
      trajectories.map((trajectory) => ({ trajectory, trace: null })),
    );
  }

  addConversations(iteration: number, conversations: readonly ConversationRecord[]): void {
    this.#conversations.add(iteration, conversations);
  }

  get conversations(): readonly KeptConversation[] {
    return this.#conversations.state.kept;
  }

  /** A kept episode's trajectory, or null. */
  trajectory(number: number): Trajectory | null {
    return this.#find(number)?.episode.trajectory ?? null;
  }

  /** @param tokens whether to include each token and its probability */
  record(trajectory: Trajectory, tokens = true): EpisodeRecord {
    return episodeRecord(this.#config, tokens ? this.#textOf : null, trajectory);
  }

  get state(): KeptEpisodesState {
    const numbers = new Map(
      this.#kept.all.map(({ number, episode }) => [episode.trajectory, number]),
    );
    const numberOf = (trajectory: Trajectory) => numbers.get(trajectory) ?? null;
    const episodes = withoutTraces(this.#kept.state, ({ trajectory, trace, learned }) => {
      if (trace === null) return learned ?? null;
      const cached = this.#learned.get(trajectory);
      if (cached !== undefined) return cached;
      const found = learnedFrom({ config: this.#config, numberOf }, trajectory, trace);
      this.#learned.set(trajectory, found);
      return found;
    });
    const { state: conversations } = this.#conversations;
    return conversations.kept.length === 0 ? episodes : { ...episodes, conversations };
  }

  list(): readonly EpisodeSummary[] {
    return this.#kept.all.map((entry) =>
      summarize({ ...entry, episode: this.record(entry.episode.trajectory, false) }),
    );
  }

  read(numbers: readonly number[], tokens: boolean): readonly NumberedRecord[] {
    const wanted = new Set(numbers);
    return this.#kept.all
      .filter(({ number }) => wanted.has(number))
      .map(({ number, episode }) => ({ number, record: this.record(episode.trajectory, tokens) }));
  }

  inspect(number: number): Inspection | null {
    const found = this.#find(number);
    if (found === undefined) return null;
    const { all } = this.#kept;
    const inspector = {
      config: this.#config,
      textOf: this.#textOf,
      numberOf: (trajectory: Trajectory) =>
        all.find(({ episode }) => episode.trajectory === trajectory)?.number ?? null,
      isKept: (other: number) => all.some((entry) => entry.number === other),
    };
    return inspectEpisode(inspector, found, found.episode);
  }

  #find(number: number) {
    return this.#kept.all.find((entry) => entry.number === number);
  }
}

/**
 * Maximum number of tokens whose learning data a snapshot stores, newest episodes first: 19 numbers
 * per token, at most 4 MB.
 */
const LEARNED_TOKENS = 20_000;

/** Replaces in-memory traces with the data that is stored with the newest episodes. */
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
  // The cast is safe: this data comes only from this page's own storage.
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
