import './conversations.css';
import { SegmentedControl } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useMemo } from 'react';
import type { Criticizable } from '../../../agents/modes/prompts.ts';
import { type EnvironmentSettings, environmentIds } from '../../../envs/registry.ts';
import { useWorlds } from '../../shell/episode/worlds.ts';
import { Freshness, useFresh } from '../../shell/lab/freshness.tsx';
import { useLab } from '../../shell/lab/store.ts';
import { Conversation } from './conversation.tsx';
import { Critic } from './critic.tsx';
import { DataSet } from './dataset.tsx';
import { type Entry, Filters, List, listed } from './list.tsx';
import { criticizableOf, see } from './reading.ts';
import { showView, updateConversations, useConversations, type View, views } from './store.ts';
import { TestTime } from './test-time.tsx';

const viewNames: Readonly<Record<View, string>> = {
  conversations: 'Conversations',
  critic: 'You are the critic',
  data: 'Data set',
  'test-time': 'Test time',
};

/** Conversations of an actor and its critic, and play mode as the critic. */
export function TwoPlayers() {
  const { ref, inViewport } = useInViewport<HTMLElement>();
  const view = useConversations((state) => state.view);
  const environment = useLab((lab) => lab.config.env);
  const ready = useWorlds(environmentIds(environment));
  const world = ready ? criticizableOf(environment) : null;
  useFresh(inViewport, useAsOf(), updateConversations);
  return (
    <section
      ref={ref}
      className="card wide conversations"
      aria-labelledby="conversations-title"
      data-testid="two-players"
    >
      <header className="wide-head">
        <div>
          <h2 id="conversations-title">Two players</h2>
          <p>
            An actor answers, a critic says which step is wrong and why, and the actor answers
            again.
          </p>
        </div>
        <SegmentedControl
          aria-label="Part of the panel"
          value={view}
          onChange={showView}
          data={views.map((one) => ({ value: one, label: viewNames[one] }))}
        />
      </header>
      {world === null ? null : <Shown view={view} environment={environment} world={world} />}
    </section>
  );
}

interface ShownProps {
  readonly environment: EnvironmentSettings;
  readonly world: Criticizable;
}

function Shown({ view, ...props }: ShownProps & { readonly view: View }) {
  switch (view) {
    case 'conversations':
      return <Conversations {...props} />;
    case 'critic':
      return <Critic levels={props.world.criticism.levels} />;
    case 'data':
      return <DataSet />;
    case 'test-time':
      return <TestTime />;
    default:
      return view satisfies never;
  }
}

function Conversations({ environment, world }: ShownProps) {
  const present = useLab((lab) => lab.runId);
  const asOf = useAsOf();
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
      <div className="row">
        <Filters entries={entries} levels={world.criticism.levels} />
        <Freshness
          className="conv-waiting"
          asOf={asOf}
          words="Refresh"
          update={updateConversations}
        />
      </div>
      <div className="conv-columns">
        <List
          // A new filter starts at the first page.
          key={JSON.stringify(filter)}
          entries={shown}
          chosen={read?.said.number ?? null}
          empty={
            entries.length === 0
              ? 'The first conversations appear with the first iteration, after the supervised training of both players.'
              : 'No conversation matches these filters.'
          }
        />
        {read === undefined ? null : (
          <Conversation {...{ environment, world, group }} said={read.said} />
        )}
      </div>
    </>
  );
}

/** The iteration of the current run's last answer; 0 if there is none. */
function useAsOf(): number {
  const runId = useLab((lab) => lab.runId);
  return useConversations((state) => (state.runId === runId ? state.asOf : 0));
}
