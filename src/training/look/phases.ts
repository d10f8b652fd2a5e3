import type { Trajectory } from '../../agents/trajectory.ts';
import { episodeReward } from '../../algorithms/returns.ts';
import { sampleMoments } from '../../algorithms/worked-advantages.ts';
import { criticizes } from '../../config/recipes.ts';
import type { Config } from '../../config/schema.ts';
import { splitTask } from '../../envs/mixture.ts';
import { environmentIds } from '../../envs/registry.ts';
import type { RowScores } from '../../policy/types.ts';
import type { InspectedToken } from '../../runs/inspection.ts';
import type {
  ChangedToken,
  FactsOf,
  LossToken,
  PhaseFacts,
  ThrownWhy,
} from '../../runs/phase-facts.ts';
import { unpackRows } from '../learn/batch.ts';
import type { Scored } from '../learn/estimate.ts';
import type { PreparedUpdate } from '../learn/learner.ts';
import { updateDetail } from '../learn/update-metrics.ts';
import type { Played } from '../play/groups.ts';
import type { Explored } from '../recipes/evolution/explore.ts';
import type { LearnedRound } from '../recipes/evolution/learn.ts';
import type { Sifted, Weighed } from '../recipes/evolution/sift.ts';
import { total } from '../sums.ts';
import { ConversationTeller } from './conversation-phases.ts';
import { episodeRecord } from './episode-record.ts';
import { exampleGroup } from './example-group.ts';
import { inspectGroup, inspectTokens } from './inspect.ts';
import type { PhaseResult } from './onlooker.ts';
import { IterationTrace, nothingScored, UpdateRows } from './trace.ts';

/** Maximum number of tokens shown for an update without episodes of the followed group. */
const MOST_SHOWN = 48;

/** Maximum number of kept and of dropped episodes shown per round. */
const MOST_SIFTED = 8;

/** Shows the results of one iteration's phases and follows a group of episodes through them. */
export class PhaseTeller {
  readonly #config: Config;
  readonly #textOf: (token: number) => string;
  readonly #iteration: number;
  readonly #conversation: ConversationTeller;
  /** Number of groups played. */
  #played = 0;
  /** Trace of the scored episodes. */
  #trace: IterationTrace;
  /** The followed group. */
  #members: readonly Trajectory[] = [];
  /** Tokens shown for the loss: index of the episode in the mini-batch, and of the token in the episode. */
  #shown: readonly { readonly episode: number; readonly token: number }[] = [];

  constructor(config: Config, textOf: (token: number) => string, iteration: number) {
    this.#config = config;
    this.#textOf = textOf;
    this.#iteration = iteration;
    this.#conversation = new ConversationTeller(config, iteration);
    this.#trace = new IterationTrace(config, nothingScored, []);
  }

  /** Returns null for a phase that is not shown separately. */
  tell(result: PhaseResult): PhaseFacts | null {
    switch (result.phase) {
      case 'rollout':
        return this.#rollout(result.result);
      case 'score': {
        if (!criticizes(this.#config)) return this.#score(result.result);
        this.#trace = new IterationTrace(this.#config, result.result, []);
        this.#members = this.#conversation.membersOf(result.result);
        return this.#conversation.reward(result.result);
      }
      case 'advantages':
        return this.#advantages();
      case 'before-update':
        return this.#loss(result.update);
      case 'after-update':
        return this.#update(result);
      // Not shown separately; the updates of reinforcement learning are shown one by one.
      case 'imitate':
      case 'prefer':
      case 'evaluate':
      case 'update':
        return null;
      case 'answer':
        return this.#conversation.answer(result.result);
      case 'criticize':
        return this.#conversation.criticize(result.result);
      case 'refine':
        return this.#conversation.refine(result.result);
      case 'explore':
        return this.#explore(result.result);
      case 'sift':
        return this.#sift(result.result);
      case 'learn':
        return this.#learn(result.result);
      default:
        return result satisfies never;
    }
  }

  #explore(explored: Explored): FactsOf<'explore'> {
    const { place, horizon, tasks, trajectories, turns, tokens } = explored;
    return {
      phase: 'explore',
      iteration: this.#iteration,
      round: place.round,
      part: place.part,
      parts: place.of,
      horizon,
      tasks,
      episodes: trajectories.length,
      solved: trajectories.filter(({ success }) => success).length,
      turns,
      tokens,
    };
  }

  #sift({ kept, thrown, shifts }: Sifted): FactsOf<'sift'> {
    const all: readonly (Weighed & { readonly why: ThrownWhy | null })[] = [
      ...kept.map((one) => ({ ...one, why: null })),
      ...thrown,
    ];
    const idOf = ({ trajectory }: Weighed) =>
      splitTask(trajectory.task).environmentId ?? this.#config.env.id;
    return {
      phase: 'sift',
      kept: kept.length,
      thrown: thrown.length,
      shift: Math.max(0, ...shifts.values()),
      environments: environmentIds(this.#config.env).map((id) => {
        const own = all.filter((one) => idOf(one) === id);
        return {
          id,
          explored: own.length,
          solved: own.filter(({ trajectory }) => trajectory.success).length,
          kept: own.filter(({ why }) => why === null).length,
        };
      }),
      shown: [true, false].flatMap((isKept) =>
        all
          .filter(({ why }) => (why === null) === isKept)
          .slice(0, MOST_SIFTED)
          .map(({ trajectory, reward, weight, why }) => ({
            record: episodeRecord(this.#config, this.#textOf, trajectory),
            reward,
            weight: why === null ? weight : 0,
            why,
          })),
      ),
    };
  }

  #learn({ loss, done, fresh, pairs, earlier, expert }: LearnedRound): FactsOf<'learn'> {
    const { learn, start } = this.#config.evolution;
    return {
      phase: 'learn',
      by: learn,
      start: learn === 'pairs' ? 'previous' : start,
      fresh: learn === 'pairs' ? 2 * pairs : fresh.length,
      earlier,
      expert,
      updates: done.length,
      loss: done.length === 0 ? null : loss,
    };
  }

  #rollout(played: Played): FactsOf<'rollout'> {
    const { groups, horizon } = played;
    this.#played = groups.length;
    const { gamma } = this.#config.algorithm;
    this.#members = exampleGroup(groups, gamma)?.trajectories ?? [];
    const episodes = groups.flatMap(({ trajectories }) => trajectories);
    return {
      phase: 'rollout',
      iteration: this.#iteration,
      horizon,
      groups: groups.length,
      episodes: episodes.length,
      solved: episodes.filter(({ success }) => success).length,
      turns: played.turns,
      tokens: played.tokens,
      paused: played.paused,
      members: this.#members.map((trajectory) => ({
        record: episodeRecord(this.#config, this.#textOf, trajectory),
        tokens: this.#tokens(trajectory),
      })),
    };
  }

  #tokens(trajectory: Trajectory): readonly InspectedToken[] {
    return inspectTokens({ textOf: this.#textOf }, trajectory, null);
  }

  #score(scored: Scored): FactsOf<'score'> {
    this.#trace = new IterationTrace(this.#config, scored, []);
    const { gamma } = this.#config.algorithm;
    const { groups, signals } = scored;
    const learned = groups.flatMap(({ trajectories }) => trajectories);
    return {
      phase: 'score',
      gamma,
      rewards: sampleMoments(signals.map((signal) => episodeReward(signal, gamma))),
      leftOut: this.#played - groups.length,
      members: this.#members.flatMap((member) => {
        const signal = signals[learned.indexOf(member)];
        if (signal === undefined) return [];
        const { rewards, values, bootstrap, greedyReward } = signal;
        return {
          rewards,
          values: values ?? null,
          bootstrap: bootstrap ?? null,
          reward: episodeReward(signal, gamma),
          greedyReward: greedyReward ?? null,
        };
      }),
    };
  }

  #advantages(): FactsOf<'advantages'> {
    const trace = this.#trace;
    const [first] = this.#members;
    const { episodes } = trace.worked;
    const signs = episodes.flatMap(({ tokens }) =>
      tokens.map(({ advantage }) => Math.sign(advantage)),
    );
    const count = (sign: number) => signs.filter((one) => one === sign).length;
    return {
      phase: 'advantages',
      group:
        first === undefined
          ? null
          : inspectGroup({ config: this.#config, numberOf: () => null }, first, trace),
      worked: this.#members.map((member) => {
        const place = trace.placeOf(member);
        return place === null ? [] : (episodes[place]?.tokens ?? []);
      }),
      positive: count(1),
      zero: signs.length - count(1) - count(-1),
      negative: count(-1),
    };
  }

  #loss(update: PreparedUpdate): FactsOf<'loss'> {
    const trace = this.#trace;
    const rows = new UpdateRows(update, update.version + 1, null);
    const byEpisode = update.episodes.map((_, e) => rows.tokens(e));
    const all = byEpisode.flat();
    this.#shown = this.#choose(trace, update);
    return {
      phase: 'loss',
      index: update.index,
      of: update.of,
      surrogate: update.objective.surrogate,
      episodes: update.episodes.length,
      tokens: all.length,
      loss: total(all, ({ weight, policyLoss, otherLoss }) => weight * (policyLoss + otherLoss)),
      clipLow: rows.bounds.clipLow,
      clipHigh: rows.bounds.clipHigh,
      held: all.filter(({ held }) => held !== null).length,
      shown: this.#shown.flatMap(({ episode, token }): LossToken[] => {
        const written = update.episodes[episode];
        const own = byEpisode[episode]?.[token];
        if (written === undefined || own === undefined) return [];
        const trajectory = trace.trajectories[update.places[episode] ?? -1];
        const member = trajectory === undefined ? -1 : this.#members.indexOf(trajectory);
        return [
          {
            member: member === -1 ? null : member,
            token,
            taskId:
              trajectory === undefined ? '' : episodeRecord(this.#config, null, trajectory).taskId,
            turn: written.turns[token] ?? 0,
            understood: trajectory?.turns[written.turns[token] ?? 0]?.understood ?? false,
            text: this.#textOf(written.targets[token] ?? 0),
            advantage: written.advantages[token] ?? Number.NaN,
            update: own,
          },
        ];
      }),
    };
  }

  /**
   * Tokens of the followed group in the mini-batch, successes first; if it has none there, the
   * first tokens of another episode, preferably a success.
   */
  #choose(trace: IterationTrace, { episodes, places }: PreparedUpdate) {
    const { trajectories } = trace;
    const solved = (trajectory: Trajectory | undefined) => Number(trajectory?.success ?? false);
    const successesFirst = episodes
      .map((_, episode) => ({ episode, trajectory: trajectories[places[episode] ?? -1] }))
      .sort((a, b) => solved(b.trajectory) - solved(a.trajectory));
    const followed = successesFirst.filter(
      ({ trajectory }) => trajectory !== undefined && this.#members.includes(trajectory),
    );
    const tokensOf = (chosen: typeof successesFirst) =>
      chosen.flatMap(({ episode }) =>
        (episodes[episode]?.targets ?? []).map((_, token) => ({ episode, token })),
      );
    return followed.length > 0
      ? tokensOf(followed)
      : tokensOf(successesFirst.slice(0, 1)).slice(0, MOST_SHOWN);
  }

  #update({
    update,
    done,
    after,
  }: Extract<PhaseResult, { phase: 'after-update' }>): FactsOf<'update'> {
    const { episodes, packed } = update;
    const probabilities = (scores: readonly RowScores[]) =>
      unpackRows(
        episodes,
        packed,
        scores.map(({ logps }) => logps.map(Math.exp)),
      );
    const before = probabilities(update.scores);
    const now = probabilities(after);
    const change = (episode: number, token: number): ChangedToken => ({
      text: this.#textOf(episodes[episode]?.targets[token] ?? 0),
      advantage: episodes[episode]?.advantages[token] ?? Number.NaN,
      before: before[episode]?.[token] ?? Number.NaN,
      after: now[episode]?.[token] ?? Number.NaN,
    });
    const changes = before.flatMap((tokens, episode) =>
      tokens.map((p, token) => ({
        episode,
        token,
        size: Math.abs((now[episode]?.[token] ?? Number.NaN) - p),
      })),
    );
    const [first] = changes;
    const biggest =
      first === undefined
        ? null
        : changes.reduce((most, one) => (one.size > most.size ? one : most), first);
    return {
      phase: 'update',
      index: update.index,
      of: update.of,
      detail: updateDetail(done),
      learningRate: update.learningRate,
      maxGradNorm: this.#config.optimizer.max_grad_norm,
      shown: this.#shown.map(({ episode, token }) => change(episode, token)),
      biggest: biggest === null ? null : change(biggest.episode, biggest.token),
      meanChange: total(changes, ({ size }) => size) / changes.length,
    };
  }
}
