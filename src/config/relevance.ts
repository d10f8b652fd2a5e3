/** Decides which fields of the config have an effect, given the others. */

import { estimators } from '../algorithms/advantages.ts';
import { surrogateTraits } from '../algorithms/surrogates.ts';
import { recipesWithCritic } from './recipes.ts';

/** Reads a field as text, including pending edits. */
type ReadField = (path: string) => string;

interface Rule {
  /** A field, or a whole section if it ends with a dot. */
  readonly paths: readonly string[];
  /** Fields of these sections that the rule does not cover. */
  readonly but?: readonly string[];
  readonly when: (read: ReadField) => boolean;
}

const positive = (text: string) => Number(text) > 0;
const evolves: Rule['when'] = (read) => read('recipe') === 'evolution';
const criticizes: Rule['when'] = (read) => recipesWithCritic.includes(read('recipe'));
const improves: Rule['when'] = (read) => read('recipe') === 'self_improvement';
const byPairs: Rule['when'] = (read) => read('evolution.learn') === 'pairs';

/** Fields that only apply under certain values of another setting. */
function ofTraits(
  setting: string,
  traits: Readonly<Record<string, { readonly fields: readonly string[] }>>,
): readonly Rule[] {
  const paths = new Set(Object.values(traits).flatMap(({ fields }) => fields));
  return [...paths].map((path) => ({
    paths: [path],
    when: (read) => traits[read(setting)]?.fields.includes(path) ?? false,
  }));
}

const rules: readonly Rule[] = [
  { paths: ['changes'], when: (read) => read('changes') !== '' },
  { paths: ['env.id', 'env.options.'], when: (read) => read('env.mixture') === '[]' },
  { paths: ['horizon.turns'], when: (read) => read('horizon.schedule') === 'fixed' },
  {
    paths: ['horizon.rounds', 'horizon.interval'],
    when: (read) => read('horizon.schedule') !== 'fixed',
  },
  {
    paths: ['replay.capacity', 'replay.max_age'],
    when: (read) => positive(read('replay.share')),
  },
  ...ofTraits('algorithm.advantage', estimators),
  ...ofTraits('algorithm.objective', surrogateTraits),
  {
    paths: ['algorithm.importance_weight'],
    when: (read) => read('algorithm.ratio_to') === 'proximal',
  },
  {
    paths: ['algorithm.importance_cap'],
    when: (read) =>
      read('algorithm.ratio_to') === 'proximal' && read('algorithm.importance_weight') !== 'none',
  },
  {
    paths: ['algorithm.kl_estimator', 'algorithm.kl_placement'],
    when: (read) =>
      criticizes(read)
        ? positive(read('critique.first_kl')) || positive(read('critique.second_kl'))
        : positive(read('algorithm.kl_coef')),
  },
  {
    paths: ['algorithm.loss_normalizer', 'algorithm.loss_length'],
    when: (read) => read('algorithm.loss_aggregation') === 'seq_mean_token_sum_norm',
  },
  {
    paths: ['algorithm.loss_length'],
    when: (read) => !positive(read('algorithm.loss_normalizer')),
  },
  {
    paths: [
      'imitation.task_share',
      'imitation.most_tasks',
      'imitation.learning_rate',
      'imitation.final_share',
      'imitation.weight_decay',
      'imitation.restart_optimizer',
      'imitation.batch_episodes',
    ],
    // Evolution continues to train on the imitated dialogues, with imitation's settings; so does a
    // critic.
    when: (read) => positive(read('imitation.epochs')) || evolves(read) || criticizes(read),
  },
  {
    paths: ['preference.tries', 'preference.beta', 'preference.batch_pairs'],
    when: (read) => (evolves(read) ? byPairs(read) : positive(read('preference.epochs'))),
  },
  {
    paths: [
      'rollout.',
      'replay.',
      'algorithm.',
      'bapo.',
      'covariance.',
      'imitation.restart_optimizer',
      'preference.epochs',
      'preference.tries',
      'optimizer.schedule',
      'optimizer.decay_updates',
      'optimizer.final_share',
      'diagnostics.',
    ],
    but: ['algorithm.micro_batch_tokens'],
    when: (read) => !evolves(read) && !improves(read),
  },
  { paths: ['evolution.'], when: evolves },
  { paths: ['critique.'], when: criticizes },
  { paths: ['self_improvement.'], when: improves },
  {
    paths: [
      'critique.answers',
      'critique.first_stage',
      'critique.second_stage',
      'critique.reward',
      'critique.discrimination',
      'critique.reward_form',
      'critique.first_kl',
      'critique.second_kl',
      'critique.anchor',
    ],
    when: (read) => !improves(read),
  },
  {
    paths: ['self_improvement.critiques'],
    when: (read) => read('self_improvement.critic') === 'on',
  },
  {
    // A critique is a single turn, training always starts with fresh optimizer moments, and each stage
    // has its own penalty.
    paths: [
      'horizon.',
      'replay.',
      'rollout.resampling_rounds',
      'rollout.partial_turns',
      'rollout.partial_tokens',
      'algorithm.kl_coef',
      'algorithm.overlong_share',
      'imitation.restart_optimizer',
      'preference.',
      'evaluation.horizon',
    ],
    when: (read) => !criticizes(read),
  },
  { paths: ['critique.first_kl'], when: (read) => positive(read('critique.first_stage')) },
  {
    paths: ['critique.refinement_temperature'],
    when: (read) => improves(read) || positive(read('critique.second_stage')),
  },
  {
    paths: [
      'critique.reward',
      'critique.discrimination',
      'critique.reward_form',
      'critique.second_kl',
    ],
    when: (read) => positive(read('critique.second_stage')),
  },
  {
    paths: ['critique.hot_temperature'],
    when: (read) => ['hot', 'all'].includes(read('critique.sources')),
  },
  { paths: ['critique.worlds'], when: (read) => read('env.mixture') !== '[]' },
  {
    paths: ['critique.filter_right'],
    when: (read) => positive(read('critique.filter_refinements')),
  },
  {
    paths: ['critique.right_originals', 'critique.arbitrary_advice'],
    when: (read) => positive(read('critique.refinements')),
  },
  {
    paths: ['critique.refinement_epochs'],
    when: (read) => positive(read('critique.refinements')) || positive(read('critique.debates')),
  },
  // Only reinforcement learning injects faults.
  { paths: ['faults.'], when: (read) => read('recipe') === 'reinforcement' },
  {
    paths: ['self_improvement.'],
    but: ['self_improvement.questions'],
    when: (read) => positive(read('self_improvement.questions')),
  },
  {
    paths: [
      'evolution.start',
      'evolution.merge',
      'evolution.weights',
      'evolution.threshold',
      'evolution.negative',
      'evolution.successes',
    ],
    when: (read) => !byPairs(read),
  },
  {
    paths: ['evolution.threshold'],
    when: (read) => read('evolution.weights') === 'threshold',
  },
  {
    paths: ['evolution.negative'],
    when: (read) => read('evolution.weights') !== 'threshold',
  },
  {
    paths: ['optimizer.decay_updates', 'optimizer.final_share'],
    when: (read) => read('optimizer.schedule') !== 'constant',
  },
  {
    paths: ['evaluation.tasks', 'evaluation.horizon'],
    when: (read) => positive(read('evaluation.interval')),
  },
  { paths: ['diagnostics.samples'], when: (read) => positive(read('diagnostics.interval')) },
];

/** Whether a field has an effect under the current values of the others. */
export function inForce(path: string, read: ReadField): boolean {
  return rules.every(
    ({ paths, but = [], when }) =>
      but.includes(path) ||
      !paths.some((own) => path === own || (own.endsWith('.') && path.startsWith(own))) ||
      when(read),
  );
}
