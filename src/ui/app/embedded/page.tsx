import './embedded.css';
import type { ReactNode } from 'react';
import { NamedChart } from '../../charts/charts.tsx';
import { withModel, writeAddress } from '../../shell/address/address.ts';
import { embeddedParts } from '../../shell/address/embedded.ts';
import { useLab } from '../../shell/lab/store.ts';
import { CannotTrain } from '../../shell/notices/cannot-train.tsx';
import { Part } from '../../shell/page/part.tsx';
import { Stage } from '../../stage/episode/stage.tsx';
import { Figures, Story } from '../../why/overview/overview.tsx';
import { Announcer } from '../announcer.tsx';
import { Charts, Evaluation, Notices, SuccessChart, Trajectories, TwoPlayers } from '../app.tsx';
import { Go, Status } from '../header.tsx';
import { Panels } from '../panel-places.tsx';
import { Knobs } from '../panels.tsx';

interface EmbeddedPart {
  /** Name of the part for the start of a sentence. */
  readonly name: string;
  readonly show: () => ReactNode;
}

/** Charts that can be embedded, by their name in an address. */
const charts = ['entropy', 'horizon', 'clip', 'kl', 'gradient', 'throughput'] as const;

/** Parts that can be embedded, by their name in an address. */
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

/** Parts of the lab in a frame of another page, with a link to the lab. */
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
              ? 'The address names no part to embed.'
              : `Unknown parts: ${unknown.join(', ')}.`}{' '}
            Available parts: {[...parts.keys()].join(', ')}.
          </p>
        )}
        <Panels at="above" />
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
      <Panels at="over" />
    </>
  );
}

const Headline = () => (
  <section className="overview" aria-label="Headline">
    <Story />
  </section>
);

const Numbers = () => (
  <section className="overview" aria-label="Run statistics">
    <Figures />
  </section>
);

/** Status of the run, limitations within a frame, and a link to the run in the lab. */
function Bar() {
  const config = useLab((lab) => lab.config);
  const preset = useLab((lab) => lab.preset);
  const base = useLab((lab) => lab.base);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const threads = useLab((lab) => lab.machine?.threads ?? null);
  const kept = useLab((lab) => lab.storage?.state !== 'off');
  const iteration = useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
  const limits = [
    ...(threads === 1 && !crossOriginIsolated
      ? ['One thread, because the surrounding page is not cross-origin isolated.']
      : []),
    ...(kept ? [] : ['Not saved, because the browser blocks storage in frames.']),
  ];
  return (
    <footer className="row embedded-bar">
      <Status />
      {cannotTrain ? null : <Go />}
      <span data-testid="embedded-iteration">iteration {iteration}</span>
      <span>{limits.join(' ')}</span>
      <a
        href={`./${withModel(writeAddress({ preset, config }), base)}`}
        target="_blank"
        rel="noopener"
      >
        Open in Palestra
      </a>
    </footer>
  );
}
