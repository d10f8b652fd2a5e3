/**
 * The evaluation suite, after AgentEval, and the experts' dialogues, after AgentTraj (AgentGym,
 * arXiv:2406.04151): fixed tasks of fifteen environments, each with its default options.
 */

import { createEnvironment } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import { expertEpisode } from '../runs/reenact.ts';

export const evaluationSuite = {
  /** Increases whenever a task changes; `suite.test.ts` checks it. */
  version: 1,
  /** Evaluation tasks of each environment, from the first; an environment may have fewer. */
  tasks: 128,
  environments: [
    'maze/double-t-v1',
    'wordle/wordle-v1',
    'babyai/goto-red-ball-v1',
    'textcraft/textcraft-v1',
    'searchqa/searchqa-v1',
    'household/alfworld-v1',
    'household/sciworld-v1',
    'pages/webshop-v1',
    'pages/webarena-v1',
    'tools/weather-v1',
    'tools/movie-v1',
    'tools/academia-v1',
    'tools/sheet-v1',
    'tools/todo-v1',
    'bird/bird-v1',
  ],
} as const;

/** The suite's environments; load their code first. */
export const suiteEnvironments = () =>
  evaluationSuite.environments.map((id) => ({ environment: createEnvironment(id), options: {} }));

export const suiteTasks = ({ evalTasks }: Environment): readonly string[] =>
  evalTasks.slice(0, evaluationSuite.tasks);

/** A task without a dialogue, as in AgentEval. */
export const taskRecord = ({ id }: Environment, task: string): EpisodeRecord => ({
  ...{ environment: { id, options: {} }, taskId: task, turns: [], finalObservation: '' },
  ...{ success: false, truncated: false, score: 0 },
});

/** The expert's episode of a task, with its thoughts. */
export const expertRecord = (environment: Environment, task: string): EpisodeRecord =>
  expertEpisode(environment, { id: environment.id, options: {} }, task).record;
