import { ActionIcon, Button, Popover } from '@mantine/core';
import { IconInfoCircle, IconPencil } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { familyOf, isRemote, titleOf } from '../../../envs/registry.ts';
import type { Environment } from '../../../envs/types.ts';
import { canMap } from '../../../envs/views.ts';
import { languageOf } from '../../../envs/written/card.ts';
import { loadedLater } from '../../shell/comfort/release.ts';
import { useLab } from '../../shell/lab/store.ts';
import { openPanel } from '../../shell/page/panels.ts';
import type { Choice } from './where-choice.tsx';

const EnvironmentChoice = loadedLater(
  async () => (await import('./where-choice.tsx')).EnvironmentChoice,
);
const TaskChoice = loadedLater(async () => (await import('./where-choice.tsx')).TaskChoice);

interface WhereProps {
  /** The environment that is shown. */
  readonly id: string;
  readonly environment: Environment | null;
  /** Selects among several environments or tasks; absent if there is nothing to select. */
  readonly choice?: Choice;
  /** Further controls at the end of the line. */
  readonly children?: ReactNode;
}

/** The line above the picture: environment, description and task. */
export function Where({ id, environment, choice, children }: WhereProps) {
  const several = choice !== undefined && choice.environments.length > 1;
  return (
    <div className="row where">
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
      {id.startsWith('maze/') ? <Edit panel="maze-editor" does="draw your own maze" /> : null}
      {languageOf(id) !== undefined ? <Edit panel="code-editor" does="change the code" /> : null}
      {isRemote(id) ? <Edit panel="connect" does="connect to another server" /> : null}
      {choice === undefined || environment === null ? null : (
        <Suspense>
          <TaskChoice environment={environment} choice={choice} />
        </Suspense>
      )}
      {children}
    </div>
  );
}

function Edit({ panel, does }: { readonly panel: string; readonly does: string }) {
  return (
    <Button
      className="where-edit"
      variant="subtle"
      size="compact-xs"
      leftSection={<IconPencil size={14} aria-hidden />}
      aria-label={`Edit: ${does}`}
      onClick={() => openPanel(panel)}
    >
      Edit
    </Button>
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
              <h4>Instruction</h4>
              <p>{environment.instruction}</p>
              <h4>Evaluation tasks</h4>
              <p>{environment.holdout.sentence}</p>
              {canMap(id) && !mixed ? null : (
                <>
                  <h4>Why there is no policy map</h4>
                  <p>
                    {mixed
                      ? 'This run plays in several environments.'
                      : 'Each task has its own layout, so positions cannot be compared.'}
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
