import type { Criticisable } from '../../agents/modes/prompts.ts';
import { critiqueWorld, refinementWorld } from '../../agents/modes/worlds.ts';
import type { MetricRow } from '../../runs/metrics.ts';
import { maximiseLikelihood } from '../learn/likelihood.ts';
import type { Iteration, RecipeRun } from '../recipe.ts';
import type { Student } from '../student.ts';
import { critiqueTasks, refinementTasks } from './critique-data.ts';
import { criticConfig } from './critique-stage.ts';
import { expertEpisodes, imitatedTasks } from './imitation.ts';

/** What is learned before any reward. */
export interface Supervision {
  readonly run: RecipeRun;
  readonly environment: Criticisable;
  readonly actor: Student;
  readonly critic: Student;
}

/**
 * The actor learns the expert's answers, and then refinements that follow critiques together with them:
 *
 *     −E log π_θ(y|x) − E log π_θ(y′|x, y, c)
 *
 * Answers come first, for what a refinement copies is learned long before what an answer computes. Then
 * the critic begins with the actor's weights.
 */
export async function superviseActor(
  { run: { config, streams }, environment, actor, critic }: Supervision,
  { phase, evaluate }: Iteration,
): Promise<MetricRow> {
  const { agent, updater } = actor;
  const { refinement_epochs, refinements } = config.critique;
  const answers = expertEpisodes(
    agent,
    environment,
    imitatedTasks(config, environment, streams.warmStart),
  );
  const refined = expertEpisodes(
    agent,
    refinementWorld(environment),
    refinementTasks(config, environment, streams.criticism),
  );
  const passes = [
    { episodes: answers, epochs: config.imitation.epochs },
    { episodes: [...answers, ...refined], epochs: refinements === 0 ? 0 : refinement_epochs },
  ].filter(({ epochs }) => epochs > 0);
  const metrics: MetricRow = {};
  if (passes.length > 0) {
    metrics['imitation/loss'] = await phase('imitate', async (told) => {
      let last = Number.NaN;
      for (const [p, pass] of passes.entries()) {
        agent.policy.restartOptimizer();
        const { loss } = await maximiseLikelihood({
          ...{ config, agent, updater, ...pass },
          stream: streams.warmStart,
          where: 'the actor’s imitation',
          onProgress: (share) => told((p + share) / passes.length),
        });
        last = loss;
      }
      return last;
    });
  }
  critic.agent.policy.writeWeights(await agent.policy.readWeights());
  if (passes.length === 0 || config.evaluation.interval === 0) return metrics;
  const success = (await evaluate()).metrics['eval/success_rate'];
  return success === undefined ? metrics : { ...metrics, 'imitation/success_rate': success };
}

/** The critic learns the annotator's critiques of the actor's answers: −E log π_φ(c|x, y). */
export async function superviseCritic(
  { run: { config, streams }, environment, actor, critic }: Supervision,
  { phase }: Iteration,
): Promise<MetricRow> {
  const { critique_epochs: epochs, critiques, advice } = config.critique;
  if (epochs === 0 || critiques === 0) return {};
  const { agent, updater } = critic;
  const stream = streams.criticism;
  const loss = await phase('imitate', async (told) => {
    const tasks = await critiqueTasks(config, environment, actor.agent, stream, (share) =>
      told(share / 4),
    );
    const learned = await maximiseLikelihood({
      config: criticConfig(config),
      agent,
      updater,
      episodes: expertEpisodes(agent, critiqueWorld(environment, advice), tasks),
      epochs,
      stream,
      where: 'the critic’s imitation',
      onProgress: (share) => told((1 + 3 * share) / 4),
    });
    return learned.loss;
  });
  return { 'critique/imitation_loss': loss };
}
