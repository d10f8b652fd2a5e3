import { ActionIcon, Popover, Select } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { familyOf, titleOf } from '../../envs/registry.ts';
import type { Environment } from '../../envs/types.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';

interface WhereProps {
  /** The environment that is shown. */
  readonly id: string;
  readonly environment: Environment | null;
  /** Chooses among several; left out where there is nothing to choose. */
  readonly choice?: {
    readonly environments: readonly EnvironmentRef[];
    readonly task: string;
    readonly onEnvironment: (id: string) => void;
    readonly onTask: (task: string) => void;
  };
}

/** The line above the picture: which environment this is, what it is about, and which task. */
export function Where({ id, environment, choice }: WhereProps) {
  const several = choice !== undefined && choice.environments.length > 1;
  return (
    <div className="where">
      {several ? (
        <Select
          className="where-environment"
          size="xs"
          aria-label="Environment to show"
          value={id}
          data={choice.environments.map((one) => ({ value: one.id, label: titleOf(one.id) }))}
          allowDeselect={false}
          onChange={(chosen) => {
            if (chosen !== null) choice.onEnvironment(chosen);
          }}
        />
      ) : (
        <span className="where-title" data-testid="where">
          {titleOf(id)}
        </span>
      )}
      <About id={id} environment={environment} />
      {choice === undefined || environment === null ? null : (
        <Select
          className="where-task"
          size="xs"
          searchable
          aria-label="Task"
          value={choice.task}
          data={tasksOf(environment)}
          limit={200}
          allowDeselect={false}
          nothingFoundMessage="No task has this name"
          onChange={(task) => {
            if (task !== null) choice.onTask(task);
          }}
        />
      )}
    </div>
  );
}

/** Tasks in the groups that the environment keeps apart. */
function tasksOf({ trainTasks, evalTasks, holdout }: Environment) {
  if (holdout.sameTasks) return [...new Set([...evalTasks, ...trainTasks])];
  return [
    { group: 'For evaluation', items: [...evalTasks] },
    { group: 'For training', items: [...trainTasks] },
  ];
}

/** What the environment is about, on demand. */
function About({ id, environment }: Pick<WhereProps, 'id' | 'environment'>) {
  const family = familyOf(id);
  if (family === undefined) return null;
  return (
    <Popover width="min(440px, 92vw)" position="bottom-start" shadow="md" withArrow>
      <Popover.Target>
        <ActionIcon
          variant="transparent"
          color="gray"
          size="sm"
          aria-label={`About ${family.title}`}
        >
          <IconInfoCircle size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <div className="about" data-testid="about">
          <h3>{family.title}</h3>
          <p>{family.explanation}</p>
          {environment === null ? null : (
            <>
              <h4>The task in words</h4>
              <p>{environment.instruction}</p>
              <h4>What evaluation asks</h4>
              <p>{environment.holdout.sentence}</p>
            </>
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
