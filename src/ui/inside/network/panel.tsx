import './network.css';
import { Button, CloseButton, SegmentedControl, Select, Slider } from '@mantine/core';
import { useEffect } from 'react';
import { capital } from '../../../runs/numbers.ts';
import { initialWeights } from '../../shell/episode/initial-weights.ts';
import { AgentFileButton } from '../../shell/files/agent-file-button.tsx';
import { useLab } from '../../shell/lab/store.ts';
import { shown } from '../../shell/language/current.ts';
import { ProblemNotice } from '../../shell/notices/notices.tsx';
import { closePanel } from '../../shell/page/panels.ts';
import { Attention } from './attention.tsx';
import { Embeddings, Lens, Update } from './other-views.tsx';
import { change, choose, examineRun, follow, openFile, useNetwork, views } from './store.ts';

const titles = {
  attention: 'Attention',
  lens: 'By layer',
  embeddings: 'Embeddings',
  update: 'This update',
} as const;

/** Looks inside the network: attention, logit lens, embeddings, updates and interventions. */
export function Network() {
  useEffect(follow, []);
  const view = useNetwork((network) => network.view);
  const reading = useNetwork((network) => network.reading);
  const problem = useNetwork((network) => network.problem);
  return (
    <section className="card band net" aria-labelledby="net-title" data-testid="network">
      <div className="row band-head net-top">
        <h2 id="net-title">Inside the network</h2>
        <p>
          How the agent processes a text, layer by layer, recomputed from its weights in float64.
        </p>
        <CloseButton aria-label="Close the network view" onClick={() => closePanel('network')} />
      </div>
      <Controls />
      <ProblemNotice
        problem={reading === null ? null : problem}
        onClose={() => useNetwork.setState({ problem: null })}
      />
      <SegmentedControl
        aria-label="View of the network"
        className="net-views"
        data={views.map((value) => ({ value, label: titles[value] }))}
        value={view}
        onChange={(next) => change({ view: next })}
      />
      <div className="net-body" data-iteration={reading?.iteration}>
        {reading === null ? (
          <p className="net-note" role="status">
            {problem ?? 'Waiting for the current iteration to finish.'}
          </p>
        ) : view === 'attention' ? (
          <Attention reading={reading} />
        ) : view === 'lens' ? (
          <Lens reading={reading} />
        ) : view === 'update' ? (
          <Update reading={reading} />
        ) : (
          <Plane />
        )}
      </div>
    </section>
  );
}

function Plane() {
  const embeddings = useNetwork((network) => network.embeddings);
  const reading = useNetwork((network) => network.reading);
  if (embeddings === null) return <p className="net-note">Computing the axes.</p>;
  return <Embeddings embeddings={embeddings} reading={reading} />;
}

/** Selects the network, the text it reads and the iteration of its weights. */
function Controls() {
  const opened = useNetwork((network) => network.opened);
  const situations = useNetwork((network) => network.situations);
  const chosen = useNetwork((network) => network.chosen);
  const iteration = useNetwork((network) => network.iteration);
  const reading = useNetwork((network) => network.reading);
  const hasRun = useLab((lab) => lab.runId !== null);
  const initial = useLab(initialWeights);
  const kept = reading?.kept ?? [];
  const last = kept.length - 1;
  const found = kept.findLastIndex((one) => one <= (iteration ?? Number.POSITIVE_INFINITY));
  const place = Math.max(0, found);
  const when =
    reading === null
      ? 'Iteration'
      : reading.iteration === 0
        ? capital(opened === null ? initial : 'initial weights')
        : `After iteration ${reading.iteration}${iteration === null && opened === null ? ', the newest' : ''}`;
  return (
    <div className="net-controls">
      <Select
        label="The agent reads"
        searchable
        data={situations.map(({ title }, i) => ({ value: String(i), label: shown(title) }))}
        value={situations.length === 0 ? null : String(chosen)}
        onChange={(value) => choose(Number(value))}
      />
      <div className="net-when">
        <span>{when}</span>
        <Slider
          min={0}
          max={Math.max(1, last)}
          value={place}
          disabled={kept.length < 2}
          label={null}
          thumbLabel="Iteration of the weights"
          thumbValueText={when}
          onChange={(value) => change({ iteration: value >= last ? null : (kept[value] ?? null) })}
        />
      </div>
      <div className="row net-source">
        <AgentFileButton label="Open an agent" onOpen={(file) => void openFile(file)} />
        {opened !== null && hasRun ? <Button onClick={examineRun}>This run’s agent</Button> : null}
        <span data-testid="net-origin">{opened === null ? 'This run’s agent' : opened.name}</span>
      </div>
    </div>
  );
}
