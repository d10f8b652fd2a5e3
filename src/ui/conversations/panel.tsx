import './conversations.css';
import { Button, SegmentedControl } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect, useMemo } from 'react';
import type { Criticisable } from '../../agents/modes/prompts.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { useWorlds } from '../episode/worlds.ts';
import { useLab } from '../lab/store.ts';
import { Conversation } from './conversation.tsx';
import { Critic } from './critic.tsx';
import { DataSet } from './dataset.tsx';
import { type Entry, Filters, List, listed } from './list.tsx';
import { criticisableOf, see } from './reading.ts';
import { showView, updateConversations, useConversations, type View, views } from './store.ts';

const viewNames: Readonly<Record<View, string>> = {
  conversations: 'Conversations',
  critic: 'You are the critic',
  data: 'Data set',
};

/** What an actor and its critic say to each other, and the critic's place for the visitor. */
export function TwoPlayers() {
  const { ref, inViewport } = useInViewport<HTMLElement>();
  const view = useConversations((state) => state.view);
  const id = useLab((lab) => lab.config.env.id);
  const options = useLab((lab) => lab.config.env.options);
  const environment = useMemo(() => ({ id, options }), [id, options]);
  const ready = useWorlds([id]);
  const world = ready ? criticisableOf(environment) : null;
  useFresh(inViewport);
  return (
    <section
      ref={ref}
      className="card conversations"
      aria-labelledby="conversations-title"
      data-testid="two-players"
    >
      <header className="conv-top">
        <div>
          <h2 id="conversations-title">Two players</h2>
          <p>
            An actor answers, a critic says which step is wrong and why, and the actor answers anew.
          </p>
        </div>
        <SegmentedControl
          size="xs"
          aria-label="Part of the panel"
          value={view}
          onChange={(value) => showView(views.find((one) => one === value) ?? 'conversations')}
          data={views.map((one) => ({ value: one, label: viewNames[one] }))}
        />
      </header>
      {world === null ? null : <Shown view={view} environment={environment} world={world} />}
    </section>
  );
}

interface ShownProps {
  readonly environment: EnvironmentRef;
  readonly world: Criticisable;
}

function Shown({ view, ...props }: ShownProps & { readonly view: View }) {
  switch (view) {
    case 'conversations':
      return <Conversations {...props} />;
    case 'critic':
      return <Critic levels={props.world.criticism.levels} />;
    case 'data':
      return <DataSet />;
    default:
      return view satisfies never;
  }
}

function Conversations({ environment, world }: ShownProps) {
  const present = useLab((lab) => lab.runId);
  const { kept, runId, filter, chosen } = useConversations();
  const entries = useMemo(
    () => (runId === present ? kept : []).map((said): Entry => ({ said, seen: see(world, said) })),
    [kept, runId, present, world],
  );
  const shown = useMemo(() => listed(entries, filter), [entries, filter]);
  const read = entries.find(({ said }) => said.number === chosen) ?? shown[0];
  const group = entries
    .map(({ said }) => said)
    .filter(
      ({ iteration, group: own }) => iteration === read?.said.iteration && own === read.said.group,
    );
  return (
    <>
      <div className="conv-actions">
        <Filters entries={entries} levels={world.criticism.levels} />
        <Freshness />
      </div>
      <div className="conv-columns">
        <List
          // Another choice begins at its first page.
          key={JSON.stringify(filter)}
          entries={shown}
          chosen={read?.said.number ?? null}
          empty={
            entries.length === 0
              ? 'The first conversations come with the first iteration: before it, both players are taught.'
              : 'No conversation is of this kind.'
          }
        />
        {read === undefined ? null : (
          <Conversation {...{ environment, world, group }} said={read.said} />
        )}
      </div>
    </>
  );
}

/**
 * Asks for the conversations when they are looked at: until there are some, and when a run stops or
 * pauses. While it goes on the list stays as it is, since nobody can read a list that moves.
 */
function useFresh(looked: boolean): void {
  const runId = useLab((lab) => lab.runId);
  const status = useLab((lab) => lab.status);
  const iteration = useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
  const shown = useConversations((state) => (state.runId === runId ? state.asOf : 0));
  // A kept run that is being opened is shown before its worker knows what it keeps.
  const opened = runId !== null && status !== 'starting';
  const stale = looked && opened && iteration > shown && (status !== 'running' || shown === 0);
  useEffect(() => {
    if (stale) void updateConversations();
  }, [stale]);
}

/** Says how old the list is, and brings it up to date. */
function Freshness() {
  const runId = useLab((lab) => lab.runId);
  const iteration = useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
  const asOf = useConversations((state) => (state.runId === runId ? state.asOf : 0));
  if (runId === null || asOf === 0) return null;
  return (
    <span className="conv-waiting">
      As of iteration {asOf}
      {iteration > asOf ? (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconRefresh size={14} />}
          onClick={() => void updateConversations()}
        >
          Update
        </Button>
      ) : null}
    </span>
  );
}
