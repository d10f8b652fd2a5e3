import type { Config } from '../../config/schema.ts';
import { answerSources } from '../../envs/criticism.ts';
import type { CollectionSettings } from './collect.ts';

/** `CollectionSettings.effort` for data sets without duplicates. */
export const ENOUGH_EFFORT = 20;

/** The collection settings of a config. */
export function collectionSettings(
  critique: Config['critique'],
): Omit<CollectionSettings, 'distinct' | 'effort'> {
  const { sources, filter_refinements: refinements, filter_right: right } = critique;
  return {
    count: critique.critiques,
    rightShare: critique.right_answers,
    sources: sources === 'all' ? answerSources : [sources],
    temperature: critique.answer_temperature,
    hotTemperature: critique.hot_temperature,
    advice: critique.advice,
    errorRate: critique.annotator_error,
    filter: refinements === 0 ? null : { refinements, right },
  };
}
