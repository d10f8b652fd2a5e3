import { ActionIcon, Popover } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { Suspense } from 'react';
import { familyOf, titleOf } from '../../envs/registry.ts';
import type { Environment } from '../../envs/types.ts';
import { canMap } from '../../envs/views.ts';
import { loadedLater } from '../comfort/release.ts';
import { useLab } from '../lab/store.ts';
import type { Choice } from './where-choice.tsx';

const EnvironmentChoice = loadedLater(
  async () => (await import('./where-choice.tsx')).EnvironmentChoice,
);
const TaskChoice = loadedLater(async () => (await import('./where-choice.tsx')).TaskChoice);

interface WhereProps {
  /** The environment that is shown. */
  readonly id: string;
  readonly environment: Environment | null;
  /** Chooses among several; left out where there is nothing to choose. */
  readonly choice?: Choice;
}

/** The line above the picture: which environment this is, what it is about, and which task. */
export function Where({ id, environment, choice }: WhereProps) {
  const several = choice !== undefined && choice.environments.length > 1;
  return (
    <div className="where">
      {several ? (
        <Suspense>
          <EnvironmentChoice id={id} choice={choice} />
        </Suspense>
      ) : (
        <span className="where-title" data-testid="where">
          {titleOf(id)}
        </span>
      )}
      <About id={id} environment={environment} />
      {choice === undefined || environment === null ? null : (
        <Suspense>
          <TaskChoice environment={environment} choice={choice} />
        </Suspense>
      )}
    </div>
  );
}

/** What the environment is about, on demand. */
function About({ id, environment }: Pick<WhereProps, 'id' | 'environment'>) {
  const family = familyOf(id);
  const mixed = useLab(({ config }) => config.env.mixture.length > 0);
  if (family === undefined) return null;
  return (
    <Popover width="min(440px, 92vw)" position="bottom-start" shadow="md" withArrow>
      <Popover.Target>
        <ActionIcon
          variant="transparent"
          color="gray"
          size={24}
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
              {canMap(id) && !mixed ? null : (
                <>
                  <h4>No map of what the agent does where</h4>
                  <p>
                    {mixed
                      ? 'This run plays in several environments.'
                      : 'Each task is a world of its own, whose places are in no other.'}
                  </p>
                </>
              )}
            </>
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
