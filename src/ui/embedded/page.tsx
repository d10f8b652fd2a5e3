import './embedded.css';
import type { ReactNode } from 'react';
import { writeAddress } from '../address/address.ts';
import { embeddedParts } from '../address/embedded.ts';
import {
  Charts,
  Evaluation,
  Knobs,
  Notices,
  Overs,
  SuccessChart,
  Trajectories,
  TwoPlayers,
} from '../app.tsx';
import { NamedChart } from '../charts/charts.tsx';
import { Announcer } from '../comfort/announcer.tsx';
import { Stage } from '../episode/stage.tsx';
import { Go, Status } from '../header/header.tsx';
import { useLab } from '../lab/store.ts';
import { CannotTrain } from '../notices/cannot-train.tsx';
import { Figures, Story } from '../overview/overview.tsx';
import { Part } from '../page/part.tsx';

interface EmbeddedPart {
  /** As a sentence begins with it. */
  readonly name: string;
  readonly show: () => ReactNode;
}

/** Charts that stand alone, by the names that an address has for them. */
const charts = ['entropy', 'horizon', 'clip', 'kl', 'gradient', 'throughput'] as const;

/** What can be shown alone, by the names that an address has for it. */
const parts: ReadonlyMap<string, EmbeddedPart> = new Map<string, EmbeddedPart>([
  ['headline', { name: 'The headline', show: () => <Headline /> }],
  ['figures', { name: 'The figures', show: () => <Numbers /> }],
  ['stage', { name: 'The stage', show: () => <Stage /> }],
  ['success', { name: 'The success chart', show: () => <SuccessChart /> }],
  ...charts.map((name): [string, EmbeddedPart] => [
    name,
    { name: `The chart “${name}”`, show: () => <NamedChart name={name} /> },
  ]),
  ['charts', { name: 'The charts', show: () => <Charts /> }],
  ['knobs', { name: 'The knobs', show: () => <Knobs always /> }],
  ['players', { name: 'The two players', show: () => <TwoPlayers /> }],
  ['evaluation', { name: 'The evaluation', show: () => <Evaluation /> }],
  ['trajectories', { name: 'The list of trajectories', show: () => <Trajectories /> }],
]);

/** Parts of the lab in a frame of another page, and below them a way to the lab itself. */
export function EmbeddedPage() {
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const asked = embeddedParts() ?? [];
  const unknown = asked.filter((id) => !parts.has(id));
  return (
    <>
      <Part name="The announcements">
        <Announcer />
      </Part>
      <main className="embedded" data-testid="embedded">
        <Notices />
        {cannotTrain ? <CannotTrain /> : null}
        {unknown.length === 0 ? null : (
          <p className="embedded-line" role="alert">
            {unknown.join() === ''
              ? 'The address names no part.'
              : `No part is called ${unknown.join(', ')}.`}{' '}
            There are {[...parts.keys()].join(', ')}.
          </p>
        )}
        {asked.map((id) => {
          const part = parts.get(id);
          return part === undefined ? null : (
            <Part key={id} name={part.name} waiting={<div className="card chart" />}>
              {part.show()}
            </Part>
          );
        })}
      </main>
      <Bar />
      <Overs />
    </>
  );
}

const Headline = () => (
  <section className="overview" aria-label="What is happening">
    <Story />
  </section>
);

const Numbers = () => (
  <section className="overview" aria-label="The run in numbers">
    <Figures />
  </section>
);

/** What the run is doing, what this frame cannot give it, and the same run in the lab. */
function Bar() {
  const config = useLab((lab) => lab.config);
  const preset = useLab((lab) => lab.preset);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const threads = useLab((lab) => lab.machine?.threads ?? null);
  const kept = useLab((lab) => lab.storage?.state !== 'off');
  const iteration = useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
  const limits = [
    ...(threads === 1 && !crossOriginIsolated
      ? ['One thread, since the page around is not isolated.']
      : []),
    ...(kept ? [] : ['Not kept, since the browser keeps nothing for frames.']),
  ];
  return (
    <footer className="embedded-bar">
      <Status />
      {cannotTrain ? null : <Go />}
      <span data-testid="embedded-iteration">iteration {iteration}</span>
      <span>{limits.join(' ')}</span>
      <a href={`./${writeAddress({ preset, config })}`} target="_blank" rel="noopener">
        Open in Palestra
      </a>
    </footer>
  );
}
