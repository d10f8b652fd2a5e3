import { Button } from '@mantine/core';
import { useId } from 'react';
import type { Config } from '../../config/schema.ts';
import { diagnose } from '../../diagnosis/diagnose.ts';
import type { Finding, ModeName, Proof, Remedy } from '../../diagnosis/finding.ts';
import { metric } from '../../runs/metrics.ts';
import { percent, significant } from '../../runs/numbers.ts';
import { loadedLater } from '../comfort/release.ts';
import { evidenceOf, useLab } from '../lab/store.ts';
import { Part } from '../page/part.tsx';
import { edit, openSettings } from '../settings/store-settings.ts';
import './findings.css';

const Prove = loadedLater(async () => (await import('../autopsy/prove.tsx')).Prove);

/** What went wrong with the run, since when, and what to try; nothing where nothing did. */
export function WhatHappened() {
  const lab = useLab();
  const { findings } = diagnose(evidenceOf(lab));
  const last = lab.rows.at(-1)?.iteration ?? 0;
  const id = useId();
  if (findings.length === 0) return null;
  return (
    <section className="card findings" aria-labelledby={id} data-testid="findings">
      <h2 id={id}>What happened</h2>
      <ol>
        {findings.map((finding, place) => (
          <li key={finding.mode} data-mode={finding.mode}>
            <Timeline finding={finding} last={last} />
            <h3>{finding.title}</h3>
            <p className="finding-when">{when(finding)}</p>
            {/* The first one is told in the story above. */}
            {place === 0 ? null : <p>{finding.text}</p>}
            <Details finding={finding} config={lab.config} />
            <Part name="The proof">
              <Prove finding={finding} />
            </Part>
          </li>
        ))}
      </ol>
    </section>
  );
}

function when({ onset, interval: [from, to], known, confidence }: Finding): string {
  const span = from === to ? '' : `, between ${from} and ${to}`;
  return `Began in iteration ${onset}${span}; could be known after ${known}. Confidence ${percent(confidence)}.`;
}

interface TimelineProps {
  readonly finding: Finding;
  /** The newest iteration. */
  readonly last: number;
}

/** The run from left to right: where it may have begun, and that it lasts. */
function Timeline({ finding: { onset, interval }, last }: TimelineProps) {
  const place = (iteration: number) => `${(100 * (iteration - 1)) / Math.max(1, last)}%`;
  const [from, to] = interval;
  return (
    <div className="finding-line" aria-hidden>
      <span className="finding-lasts" style={{ left: place(onset) }} />
      <span
        className="finding-began"
        style={{ left: place(from), width: `${(100 * (to - from + 1)) / Math.max(1, last)}%` }}
      />
    </div>
  );
}

const named = (mode: ModeName) => mode.replaceAll('_', ' ');

function Details({ finding, config }: { readonly finding: Finding; readonly config: Config }) {
  const { evidence, rivals, remedies } = finding;
  return (
    <>
      <div className="finding-cures">
        {remedies.map((remedy) => (
          <Cure key={remedy.text} remedy={remedy} config={config} />
        ))}
      </div>
      <details>
        <summary>Evidence and rivals</summary>
        <dl>
          {evidence.map((proof) => (
            <div key={proof.metric}>
              <dt>{metric(proof.metric).title}</dt>
              <dd>{proofText(proof)}</dd>
            </div>
          ))}
          {rivals.map(({ mode, separatedBy }) => (
            <div key={mode}>
              <dt>Or {named(mode)}?</dt>
              <dd>{separatedBy}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

function proofText({ iterations: [from, to], values }: Proof): string {
  const span = from === to ? `Iteration ${from}` : `Iterations ${from} to ${to}`;
  return `${span}: ${values.map(significant).join(', ')}`;
}

/** What to try: at a press where the value is known, else as advice. */
function Cure({ remedy, config }: { readonly remedy: Remedy; readonly config: Config }) {
  const { setting, value, also = [], text } = remedy;
  if (value === undefined) return <p>{text}</p>;
  const settings = [{ setting, value }, ...also];
  const told = settings.map((one) => `${one.setting} to ${one.value}`).join(' and ');
  return (
    <Button
      variant="default"
      size="compact-sm"
      title={`Sets ${told} for the next run`}
      onClick={() => {
        for (const one of settings) edit(config, one.setting, String(one.value));
        openSettings(true);
      }}
    >
      {text}
    </Button>
  );
}
