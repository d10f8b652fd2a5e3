import { estimators } from '../../../algorithms/advantages.ts';
import type { MetricRow } from '../../../runs/metrics.ts';
import { deckByLevel } from '../../critique-data/tasks.ts';
import { withTrainedTasks } from '../../critique-data/trained-tasks.ts';
import { estimateAdvantages, scoreGroups } from '../../learn/estimate.ts';
import { IterationTrace } from '../../look/trace.ts';
import type { MakeRecipe, Outcome } from '../../recipe.ts';
import { nothingLearned } from '../nothing-learned.ts';
import { baselineMetrics } from './baselines.ts';
import { heardMetrics, learnedMetrics } from './metrics.ts';
import { enrolPair } from './pair.ts';
import {
  ASKED,
  answerBoth,
  answersOf,
  criticize,
  hear,
  learnedFrom,
  refine,
  rewardedCritiques,
} from './play.ts';
import { stageConfig, stageOf } from './stage.ts';
import { unpackCritique } from './state.ts';
import { supervise } from './supervise.ts';

/**
 * Critique-RL (arXiv:2510.24320): an oracle supervises an actor and a critic, then the actor is
 * frozen and the critic learns from rewards, in two stages (Eq. 8 and 9):
 *
 *     I   r_dis(x, y, c)                             − β·KL(supervised ‖ π_φ)
 *     II  r_refine(x, y′) + β₁·r_dis(x, y, c)        − β₂·KL(stage I ‖ π_φ)
 *
 * with y ~ π_θ(·|x), c ~ π_φ(·|x, y) and y′ ~ π_θ(·|x, y, c). The critiques of one answer form a
 * group. The penalty is a loss term; `algorithm.kl_estimator` determines its direction: k3 the
 * forward KL above, k2 the reverse (`klEstimate`).
 */
export const critique: MakeRecipe = async (run) => {
  const { config, streams } = run;
  const { environment, actor, critic, students, hearing } = await enrolPair(run);
  // The critic receives answers to these tasks only; the actor is trained on all tasks.
  const { trainTasks: criticized } = withTrainedTasks(config, environment);
  const deck = deckByLevel(environment, criticized, streams.tasks);
  const { anchor } = config.critique;

  return {
    students,
    hearing,

    async iterate(iteration): Promise<Outcome> {
      const { number, phase, watch } = iteration;
      let before: MetricRow = {};
      if (number === 1) {
        before = await supervise({ run, environment, actor, critic, students }, iteration);
        critic.agent.policy.keepReference();
      }
      const stage = stageOf(config.critique, number);
      if (stage === null) return nothingLearned(config, before);
      // Each stage resets the optimizer moments and may use the critic at its start as reference policy.
      if (stage.begins) critic.restart();
      if (stage.begins && anchor === 'stage') critic.agent.policy.keepReference();
      const settings = stageConfig(config, stage);
      const all = hearing(number);

      // y ~ π_θ(·|x): the frozen actor answers more tasks than needed, to find correct and wrong
      // answers.
      const tasks = deck.deal(ASKED * config.rollout.tasks_per_iteration);
      const answers = await phase('answer', (onProgress) => answerBoth(all, tasks, onProgress));

      // c ~ π_φ(·|x, y): each answer gets several critiques.
      const critiques = await phase('criticize', (onProgress) =>
        criticize(all, answers, onProgress),
      );

      // y′ ~ π_θ(·|x, y, c): the first stage needs no refinements.
      const refined =
        stage.number === 1
          ? null
          : await phase('refine', (onProgress) => refine(all, critiques, onProgress));

      // The advantage of each critique relative to the other critiques of its answer.
      const compared =
        estimators[config.algorithm.advantage].against === 'greedy'
          ? await hear(all, answersOf(answers.conversations), () => {})
          : null;
      const groups = rewardedCritiques(all, stage, refined ?? critiques, compared);
      const scored = await phase('score', () => scoreGroups(settings, critic.agent, groups));
      const fresh = await phase('advantages', () => estimateAdvantages(settings, scored));

      // Only the critic learns, and only from its own tokens.
      const episodes = fresh.groups.flat();
      const learned = await phase('update', (onProgress) =>
        critic.learner.learn(settings, number, 1, episodes, onProgress, watch),
      );

      const spoken = [answers, critiques, ...(refined === null ? [] : [refined])];
      return {
        metrics: {
          ...before,
          ...learnedMetrics(stage, groups),
          ...fresh.metrics,
          ...learned.metrics,
        },
        details: learned.details,
        // Critiques are not episodes of the environment; the actor's answers are.
        trajectories: answersOf(answers.conversations),
        turns: spoken.reduce((sum, { turns }) => sum + turns, 0),
        tokens: spoken.reduce((sum, { tokens }) => sum + tokens, 0),
        trace: new IterationTrace(settings, scored, learned.traces),
        conversations: learnedFrom(stage, refined ?? critiques, groups, episodes),
      };
    },

    async examine(played, onProgress) {
      const all = hearing(0);
      const conversations = await hear(all, played, (share) => onProgress(share / 2));
      const baselines = await baselineMetrics(all, conversations, (share) =>
        onProgress((1 + share) / 2),
      );
      return { ...heardMetrics(conversations), ...baselines };
    },

    state: () => ({ deck: deck.state() }),

    restore(kept) {
      deck.restore(unpackCritique(kept, environment, criticized).deck);
    },
  };
};
