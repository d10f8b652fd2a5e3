import type { Agent } from '../../../agents/agent.ts';
import type { Criticizable } from '../../../agents/modes/prompts.ts';
import { debateWorld, refinementWorld } from '../../../agents/modes/worlds.ts';
import type { Config } from '../../../config/schema.ts';
import type { MetricRow } from '../../../runs/metrics.ts';
import { maximiseLikelihood } from '../../learn/likelihood.ts';
import { type RandomStreams, splitSeed } from '../../random.ts';
import type { Iteration, RecipeRun } from '../../recipe.ts';
import { expertEpisodes, imitatedTasks } from '../imitation/imitation.ts';
import {
  balancedDiscrimination,
  critiqueEpisodes,
  debateTasks,
  probedAnswers,
  refinementTasks,
} from './data.ts';
import type { CritiquePair } from './pair.ts';
import { criticConfig } from './stage.ts';

/** The students to supervise. */
export interface Supervision extends Omit<CritiquePair, 'hearing'> {
  readonly run: RecipeRun;
}

/** Supervises both students, then evaluates if the run has evaluations. */
export async function supervise(
  supervision: Supervision,
  iteration: Iteration,
): Promise<MetricRow> {
  const { run } = supervision;
  const superviseBoth = async (): Promise<MetricRow> => ({
    ...(await taught(supervision, 'actor', actorTaughtBy(run.config), () =>
      superviseActor(supervision, iteration),
    )),
    ...(await superviseCritic(supervision, iteration)),
  });
  const metrics = await taught(supervision, 'both', bothTaughtBy(run.config), superviseBoth);
  if (run.config.evaluation.interval === 0) return metrics;
  // The success rate before reinforcement learning is reported as `imitation/success_rate`: this
  // iteration's own evaluation may set `eval/success_rate`.
  const {
    'eval/success_rate': success,
    'eval/score': _,
    ...evaluated
  } = (await iteration.evaluate()).metrics;
  return {
    ...metrics,
    ...evaluated,
    ...(success === undefined ? {} : { 'imitation/success_rate': success }),
  };
}

/** Trains, or reuses the supervision of an earlier run with the same settings. */
function taught(
  { run: { starts, streams }, students }: Supervision,
  what: string,
  settings: Partial<Config>,
  teach: () => Promise<MetricRow>,
): Promise<MetricRow> {
  return starts === null ? teach() : starts.taught(what, settings, students, streams, teach);
}

/** The config without settings that only apply after actor and critic are supervised. */
function bothTaughtBy(config: Config): Partial<Config> & Pick<Config, 'critique'> {
  const { stopping: _, self_improvement: _rounds, critique, ...rest } = config;
  return {
    ...rest,
    critique: {
      ...critique,
      ...{ first_stage: 0, second_stage: 0, first_kl: 0, second_kl: 0, anchor: 'stage' },
      ...{ reward: 'none', discrimination: 0, reward_form: 'sum' },
    },
  };
}

/** The config without settings that only apply after the actor is supervised. */
function actorTaughtBy(config: Config): Partial<Config> {
  const { critique, ...rest } = bothTaughtBy(config);
  return {
    ...rest,
    critique: {
      ...critique,
      critiques: 0,
      critique_epochs: 0,
      enough_discrimination: 0,
      worlds: 'all',
      most_level: 0,
    },
  };
}

/**
 * The actor first learns the expert's answers, then these together with refinements that follow
 * critiques:
 *
 *     −E log π_θ(y|x) − E log π_θ(y′|x, y, c)
 *
 * Optionally it learns to answer given others' answers, as in a debate. Answers come first because
 * copying in a refinement is learned long before computing an answer. Then the critic starts from
 * the actor's weights.
 */
async function superviseActor(
  { run: { config, streams }, environment, actor, critic }: Supervision,
  { phase }: Iteration,
): Promise<MetricRow> {
  const { agent, updater } = actor;
  const { answers, more } = actorDialogues(config, environment, agent, streams);
  const { refinement_epochs } = config.critique;
  const passes = [
    { episodes: answers, epochs: config.imitation.epochs },
    { episodes: [...answers, ...more], epochs: more.length === 0 ? 0 : refinement_epochs },
  ].filter(({ epochs }) => epochs > 0);
  const metrics: MetricRow = {};
  if (passes.length > 0) {
    metrics['imitation/loss'] = await phase('imitate', async (onProgress) => {
      let last = Number.NaN;
      for (const [p, pass] of passes.entries()) {
        agent.policy.restartOptimizer();
        const { loss } = await maximiseLikelihood({
          ...{ config, agent, updater, ...pass },
          stream: streams.warmStart,
          where: 'the actor’s imitation',
          onProgress: (share, loss) => onProgress((p + share) / passes.length, loss),
        });
        last = loss;
      }
      return last;
    });
  }
  if (critic.agent.policy !== agent.policy) {
    critic.agent.policy.writeWeights(await agent.policy.readWeights());
  }
  return metrics;
}

/**
 * The actor's training dialogues: the expert's answers, and refinements and debates that are added
 * later. The random streams determine them.
 */
function actorDialogues(
  config: Config,
  environment: Criticizable,
  agent: Agent,
  streams: Pick<RandomStreams, 'warmStart' | 'criticism'>,
) {
  const answers = imitatedTasks(config, environment, streams.warmStart);
  const refinements = refinementTasks(config, environment, streams.criticism);
  const debates = debateTasks(config, environment, streams.criticism);
  return {
    answers: expertEpisodes(agent, environment, answers),
    more: [
      ...expertEpisodes(agent, refinementWorld(environment), refinements),
      ...expertEpisodes(agent, debateWorld(environment), debates),
    ],
  };
}

/**
 * Number of updates between checks of whether the critic discriminates enough; a few updates can take
 * discrimination from chance to nearly perfect.
 */
const ASKED_EVERY = 5;

/**
 * The critic learns the annotator's critiques of the actor's answers: −E log π_φ(c|x, y). An actor
 * that is its own critic also trains on its actor dialogues again, to prevent forgetting.
 */
async function superviseCritic(
  { run: { config, streams }, environment, actor, critic }: Supervision,
  { phase }: Iteration,
): Promise<MetricRow> {
  const { critique_epochs: epochs, critiques, enough_discrimination } = config.critique;
  if (epochs === 0 || critiques === 0) return {};
  const { agent, updater } = critic;
  const stream = streams.criticism;
  const alone = agent.policy === actor.agent.policy;
  if (alone) agent.policy.restartOptimizer();
  const loss = await phase('imitate', async (onProgress) => {
    const episodes = await critiqueEpisodes(
      config,
      environment,
      actor.agent,
      agent,
      stream,
      (share) => onProgress(share / 4),
    );
    // Draws the same actor dialogues again.
    const own = alone
      ? actorDialogues(config, environment, agent, splitSeed(config.seed))
      : { answers: [], more: [] };
    const beside = [...own.answers, ...own.more];
    const probed =
      enough_discrimination === 0
        ? []
        : await probedAnswers(config, environment, actor.agent, stream);
    const enough = async () =>
      (await balancedDiscrimination(config, environment, agent, probed)) >= enough_discrimination;
    const learned = await maximiseLikelihood({
      config: criticConfig(config),
      agent,
      updater,
      episodes: [...episodes, ...beside],
      epochs,
      stream,
      where: 'the critic’s imitation',
      onProgress: (share, loss) => onProgress((1 + 3 * share) / 4, loss),
      ...(enough_discrimination === 0 ? {} : { stop: { every: ASKED_EVERY, enough } }),
    });
    return learned.loss;
  });
  return { 'critique/imitation_loss': loss };
}
