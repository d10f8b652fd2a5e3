/**
 * Choices of environment and task for episodes that the page plays; episodes of the run have none.
 */
import { Select } from '@mantine/core';
import { titleOf } from '../../../envs/registry.ts';
import type { Environment } from '../../../envs/types.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';

export interface Choice {
  readonly environments: readonly EnvironmentRef[];
  readonly task: string;
  readonly onEnvironment: (id: string) => void;
  readonly onTask: (task: string) => void;
}

export function EnvironmentChoice({
  id,
  choice,
}: {
  readonly id: string;
  readonly choice: Choice;
}) {
  return (
    <Select
      className="where-environment"
      aria-label="Environment to show"
      value={id}
      data={choice.environments.map((one) => ({ value: one.id, label: titleOf(one.id) }))}
      onChange={(chosen) => {
        if (chosen !== null) choice.onEnvironment(chosen);
      }}
    />
  );
}

interface TaskProps {
  readonly environment: Environment;
  readonly choice: Choice;
}

export function TaskChoice({ environment, choice }: TaskProps) {
  return (
    <Select
      className="where-task"
      searchable
      aria-label="Task"
      value={choice.task}
      data={tasksOf(environment)}
      limit={200}
      nothingFoundMessage="No task with this name"
      onChange={(task) => {
        if (task !== null) choice.onTask(task);
      }}
    />
  );
}

/** Tasks in the groups that the environment defines. */
function tasksOf({ trainTasks, evalTasks, holdout }: Environment) {
  if (holdout.sameTasks) return [...new Set([...evalTasks, ...trainTasks])];
  return [
    { group: 'For evaluation', items: [...evalTasks] },
    { group: 'For training', items: [...trainTasks] },
  ];
}
