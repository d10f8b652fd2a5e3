import type { Agent } from '../../agents/agent.ts';
import { greedy } from '../../agents/agent.ts';
import { play } from '../../agents/play.ts';
import type { EpisodeRequest, PausedEpisode } from '../../agents/rollout.ts';
import { rollout, triesOf, unlimited } from '../../agents/rollout.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import { agentTokens } from '../../agents/trajectory.ts';
import { estimators } from '../../algorithms/advantages.ts';
import { equalRewards } from '../../algorithms/grpo.ts';
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../envs/types.ts';
import { discountedReward } from '../learn/signals.ts';
import { total } from '../sums.ts';
import type { MixedDeck, MixedDeckState } from './deck.ts';
import { expectFiniteLogps } from './finite.ts';

/** Finished episodes of the same task that started together. */
export interface Group {
  /** The iteration in which its episodes started. */
  readonly iteration: number;
  /** Number of the group within that iteration. */
  readonly group: number;
  readonly task: string;
  /** Maximum turns of its episodes. */
  readonly horizon: number;
  /** In order of episode number. */
  readonly trajectories: readonly Trajectory[];
  /** Reward of a greedy episode on the same task; for `remax`. */
  readonly greedyReward?: number;
}

/** Result of an iteration's rollout. */
export interface Played {
  /** Maximum turns of an episode started in it. */
  readonly horizon: number;
  /** Complete groups, in the order in which they started. */
  readonly groups: readonly Group[];
  /** Turns and tokens of this iteration, including paused and greedy episodes. */
  readonly turns: number;
  readonly tokens: number;
  /** Number of groups played to replace groups without signal. */
  readonly resampled: number;
  /** Number of episodes that continue in the next iteration. */
  readonly paused: number;
}

/** Rollout state between iterations. */
export interface Unfinished {
  /** Episodes to continue. */
  readonly paused: readonly PausedEpisode[];
  /** Finished episodes of incomplete groups. */
  readonly finished: readonly Trajectory[];
  readonly deck: MixedDeckState;
}

/** Whether rewards differ within a group. */
export function hasSignal({ trajectories }: Group, gamma: number): boolean {
  return !equalRewards(trajectories.map((trajectory) => discountedReward(trajectory, gamma)));
}

/** The groups to train on: dynamic sampling drops those without signal. */
export function learnable(
  { rollout, algorithm }: Config,
  groups: readonly Group[],
): readonly Group[] {
  return rollout.resampling_rounds > 0
    ? groups.filter((group) => hasSignal(group, algorithm.gamma))
    : groups;
}

/**
 * Plays the training episodes in groups of the same task.
 *
 * A group is returned only when all its episodes are finished: short episodes finish first, and
 * comparing only short episodes would be biased.
 */
export class GroupPlayer {
  readonly #config: Config;
  readonly #agent: Agent;
  readonly #environment: Environment;
  readonly #deck: MixedDeck;
  /** Episodes to continue. */
  #paused: readonly PausedEpisode[] = [];
  /** Finished episodes of incomplete groups. */
  #finished: readonly Trajectory[] = [];

  constructor(config: Config, agent: Agent, environment: Environment, deck: MixedDeck) {
    this.#config = config;
    this.#agent = agent;
    this.#environment = environment;
    this.#deck = deck;
  }

  /** State for the next iteration. */
  get unfinished(): Unfinished {
    return { paused: this.#paused, finished: this.#finished, deck: this.#deck.state() };
  }

  /** Restores the state of another player of the same tasks. */
  restore({ paused, finished, deck }: Unfinished): void {
    this.#paused = paused;
    this.#finished = finished;
    this.#deck.restore(deck);
  }

  /**
   * One iteration's rollout. Groups without signal are replaced with groups on other tasks, up to the
   * configured number of rounds.
   *
   * @throws {EnvironmentFault} if the environment fails
   * @throws {NonFiniteError} if a token's log-probability is not finite
   */
  async play(
    iteration: number,
    horizon: number,
    onProgress: (fraction: number) => void,
  ): Promise<Played> {
    onProgress(0);
    const { rollout: settings, algorithm } = this.#config;
    const rounds = settings.resampling_rounds + 1;
    const parts = estimators[algorithm.advantage].against === 'greedy' ? rounds + 1 : rounds;
    const groups: Group[] = [];
    let wanted = settings.tasks_per_iteration;
    let begun = 0;
    let turns = 0;
    let tokens = 0;
    for (let round = 0; round < rounds && wanted > 0; round++) {
      const episodes = this.#deal(iteration, horizon, begun, wanted);
      begun += wanted;
      const played = await this.#round(iteration, episodes, (fraction) =>
        onProgress((round + fraction) / parts),
      );
      groups.push(...played.groups);
      turns += played.turns;
      tokens += played.tokens;
      wanted = played.groups.filter((group) => !hasSignal(group, algorithm.gamma)).length;
    }
    const greedy =
      estimators[algorithm.advantage].against === 'greedy' ? await this.#greedy(groups) : null;
    onProgress(1);
    return {
      horizon,
      groups: greedy?.groups ?? groups,
      turns: turns + (greedy?.turns ?? 0),
      tokens: tokens + (greedy?.tokens ?? 0),
      resampled: begun - settings.tasks_per_iteration,
      paused: this.#paused.length,
    };
  }

  #deal(iteration: number, horizon: number, begun: number, count: number): EpisodeRequest[] {
    const { group_size } = this.#config.rollout;
    const first = { iteration, horizon, group: begun, episode: begun * group_size };
    return triesOf(this.#deck.deal(count), group_size, first);
  }

  /** Plays each group's task greedily, each task once. */
  async #greedy(
    groups: readonly Group[],
  ): Promise<{ groups: Group[]; turns: number; tokens: number }> {
    const key = ({ task, horizon }: Group) => `${horizon} ${task}`;
    const distinct = new Map(groups.map((group) => [key(group), group]));
    const trajectories = await play(greedy(this.#agent), this.#environment, [...distinct.values()]);
    const { gamma } = this.#config.algorithm;
    const rewards = new Map(
      [...distinct.keys()].map((of, i) => {
        const trajectory = trajectories[i];
        return [of, trajectory === undefined ? Number.NaN : discountedReward(trajectory, gamma)];
      }),
    );
    return {
      groups: groups.map((group) => ({
        ...group,
        greedyReward: rewards.get(key(group)) ?? Number.NaN,
      })),
      turns: total(trajectories, ({ turns }) => turns.length),
      tokens: total(trajectories, agentTokens),
    };
  }

  async #round(
    iteration: number,
    episodes: readonly EpisodeRequest[],
    onProgress: (fraction: number) => void,
  ): Promise<{ groups: Group[]; turns: number; tokens: number }> {
    const { partial_turns, partial_tokens, group_size } = this.#config.rollout;
    const before = this.#paused;
    const { trajectories, paused } = await rollout({
      agent: this.#agent,
      environment: this.#environment,
      paused: before,
      episodes,
      budget: {
        turns: partial_turns || unlimited.turns,
        tokens: partial_tokens || unlimited.tokens,
      },
      onProgress,
    });
    const after = [...trajectories, ...paused];
    expectFiniteLogps(after, `a rollout of iteration ${iteration}`);

    const finished = [...this.#finished, ...trajectories];
    const byGroup = new Map<string, Trajectory[]>();
    for (const trajectory of finished) {
      const key = `${trajectory.iteration}/${trajectory.group}`;
      byGroup.set(key, [...(byGroup.get(key) ?? []), trajectory]);
    }
    const groups: Group[] = [];
    const incomplete: Trajectory[] = [];
    for (const members of byGroup.values()) {
      const [first] = members;
      if (first === undefined || members.length < group_size) incomplete.push(...members);
      else {
        groups.push({
          iteration: first.iteration,
          group: first.group,
          task: first.task,
          horizon: first.horizon,
          trajectories: members.sort((a, b) => a.episode - b.episode),
        });
      }
    }
    this.#paused = paused;
    this.#finished = incomplete;
    return {
      groups: groups.sort((a, b) => a.iteration - b.iteration || a.group - b.group),
      turns: total(after, ({ turns }) => turns.length) - total(before, (e) => e.turns.length),
      tokens: total(after, agentTokens) - total(before, agentTokens),
    };
  }
}
