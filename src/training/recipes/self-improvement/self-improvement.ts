import type { Conversation } from '../../../agents/modes/conversation.ts';
import { refinementWorld } from '../../../agents/modes/worlds.ts';
import type { MetricRow } from '../../../runs/metrics.ts';
import { deckByLevel } from '../../critique-data/tasks.ts';
import { maximiseLikelihood } from '../../learn/likelihood.ts';
import { IterationTrace, nothingScored } from '../../look/trace.ts';
import { splitSeed } from '../../random.ts';
import type { MakeRecipe, Outcome } from '../../recipe.ts';
import { baselineMetrics } from '../critique/baselines.ts';
import { refinementTasks } from '../critique/data.ts';
import { heardMetrics } from '../critique/metrics.ts';
import { enrolPair } from '../critique/pair.ts';
import { answersOf, hear } from '../critique/play.ts';
import { supervise } from '../critique/supervise.ts';
import { expertEpisodes, imitatedTasks } from '../imitation/imitation.ts';
import { nothingLearned } from '../nothing-learned.ts';
import { expertMonologues, monologueEpisodes, monologues } from '../self-talk.ts';
import { answerEpisode, correctAnswers, weighted } from './data.ts';
import { roundMetrics, successByLevel } from './metrics.ts';
import { hearRound } from './play.ts';
import { type SelfImprovementState, unpackSelfImprovement } from './state.ts';

/**
 * Critique in the loop (arXiv:2411.16579, Algorithm 1): an actor and a critic are supervised. In
 * each round the actor answers every question N times; each wrong answer is critiqued L times and
 * refined. The actor then learns from the correct answers, starting from its supervised weights:
 *
 *     D_correct = { (x, y) : r(x, y) = 1 } ∪ { (x, y′) : r(x, y) = 0, r(x, y′) = 1 }
 *     θ = argmax E_{D_reason ∪ D_correct} [ log π_θ(y|x) ] + β·E_{D_refine} [ log π_θ(y′|x, y, c) ]
 *
 * Without the critic it is plain self-training. A round is one iteration.
 */
export const selfImprovement: MakeRecipe = async (run) => {
  const { config, streams } = run;
  const { environment, actor, critic, students, hearing } = await enrolPair(run);
  const settings = config.self_improvement;
  // The supervision data depends only on the seed, so a resumed run draws the same data.
  const once = splitSeed(config.seed);
  const questions = deckByLevel(environment, environment.trainTasks, once.exploration).deal(
    settings.questions,
  );
  const reason = imitatedTasks(config, environment, once.warmStart);
  const refinements = refinementTasks(config, environment, once.criticism);
  let state: SelfImprovementState = { earlier: [] };

  /** D_correct of a round and D_reason, as answers or as monologues. */
  const learnedAs = (conversations: readonly Conversation[]) => {
    const { agent } = actor;
    if (settings.learn_as === 'monologues') {
      const correct = monologues(environment, conversations);
      return {
        correct,
        fresh: monologueEpisodes(agent, environment, correct),
        base: monologueEpisodes(agent, environment, expertMonologues(environment, reason)),
      };
    }
    const correct = correctAnswers(conversations);
    const fresh = correct.map((answer) =>
      answerEpisode(agent, answer, environment.reset(answer.task).observation),
    );
    return { correct, fresh, base: expertEpisodes(agent, environment, reason) };
  };

  return {
    students,
    hearing,

    async iterate(iteration): Promise<Outcome> {
      const { number, phase } = iteration;
      const before: MetricRow = {};
      if (number === 1) {
        Object.assign(
          before,
          await supervise({ run, environment, actor, critic, students }, iteration),
        );
        actor.keepStart();
      }
      if (questions.length === 0) return nothingLearned(config, before);

      // y ~ π_θ(·|x), and for wrong ones c ~ π_φ(·|x, y), y′ ~ π_θ(·|x, y, c).
      const played = await hearRound(hearing(number), questions, iteration);
      const { correct, fresh, base } = learnedAs(played.conversations);

      // The actor starts from its supervised weights or continues from the current ones, and trains on
      // D_reason, D_correct and its supervised refinements.
      const { agent, updater } = actor;
      const seeds = expertEpisodes(agent, refinementWorld(environment), refinements);
      const { epochs, refinement_weight, start, learn_from } = settings;
      const episodes = [
        ...base,
        ...state.earlier,
        ...fresh,
        ...(refinement_weight === 0 ? [] : seeds.map((seed) => weighted(seed, refinement_weight))),
      ];
      const learned = await phase('update', async (onProgress) => {
        if (start === 'base') await actor.restoreStart();
        else agent.policy.restartOptimizer();
        const { loss } = await maximiseLikelihood({
          ...{ config, agent, updater, episodes, epochs },
          stream: streams.shuffle,
          where: `round ${number}`,
          onProgress,
        });
        const metrics: MetricRow = Number.isFinite(loss) ? { 'self_improvement/loss': loss } : {};
        return { metrics, details: { updates: [], staleness: [] }, traces: [] };
      });
      if (learn_from === 'all') state = { earlier: [...state.earlier, ...fresh] };

      return {
        metrics: { ...before, ...roundMetrics(environment, played, correct), ...learned.metrics },
        details: learned.details,
        trajectories: answersOf(played.answers),
        turns: played.turns,
        tokens: played.tokens,
        trace: new IterationTrace(config, nothingScored, []),
        // The critic is not trained in a round.
        conversations: played.conversations.map((said) => ({ ...said, learned: null })),
      };
    },

    async examine(played, onProgress) {
      const all = hearing(0);
      const conversations = await hear(all, played, (share) => onProgress(share / 2));
      const baselines = await baselineMetrics(all, conversations, (share) =>
        onProgress((1 + share) / 2),
      );
      return {
        ...heardMetrics(conversations),
        ...baselines,
        ...successByLevel(environment, conversations),
      };
    },

    state: () => state,

    restore(kept) {
      state = unpackSelfImprovement(kept, config, actor.agent);
    },
  };
};
