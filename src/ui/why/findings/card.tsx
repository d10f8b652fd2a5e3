import './card.css';
import { Modal } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { modes } from '../../../diagnosis/modes/all.ts';
import { loadSignatures, type Signatures } from '../../../diagnosis/signatures.ts';
import { isMetricKey } from '../../../runs/metrics.ts';
import type { ModeName } from '../../../runs/mode-names.ts';
import { closeModeCard, useModeCard } from '../../charts/findings/card-store.ts';
import { modeTitle } from '../../charts/findings/mode-title.ts';
import { Rivals } from '../../charts/findings/rivals.tsx';
import { cardTexts } from './card-texts.ts';
import { SignatureChart } from './signature.tsx';

/** Description, signs, causes and remedies of a failure mode. */
export function ModeCard() {
  const { mode, open } = useModeCard();
  // Mantine returns the focus on closing only if `opened` has changed after the mount.
  const mounted = useMounted();
  return (
    <Modal
      opened={mounted && open && mode !== null}
      onClose={closeModeCard}
      size={860}
      title={mode === null ? '' : modeTitle(mode)}
      closeButtonProps={{ 'aria-label': 'Close the card' }}
    >
      {mode === null ? null : <Card key={mode} mode={mode} />}
    </Modal>
  );
}

function Card({ mode }: { readonly mode: ModeName }) {
  const text = cardTexts[mode];
  const rivals = modes.find(({ name }) => name === mode)?.rivals ?? [];
  return (
    <article className="mode-card" data-testid="mode-card" data-mode={mode}>
      {text === undefined ? null : <p>{text.what}</p>}
      <Looks mode={mode} />
      <div className="mode-card-lists">
        <Lines title="Signs, in order of appearance" lines={text?.signs ?? []} ordered />
        <Lines title="Causes" lines={text?.causes ?? []} />
        <Lines title="Remedies, best first" lines={text?.remedies ?? []} ordered />
        {rivals.length === 0 ? null : (
          <section>
            <h3>Similar failure modes</h3>
            <Rivals rivals={rivals} />
          </section>
        )}
      </div>
      {text === undefined ? null : (
        <p className="mode-card-sources">
          Sources:{' '}
          {text.sources.map(({ title, url }, place) => (
            <span key={url}>
              {place === 0 ? '' : '; '}
              <a href={url} target="_blank" rel="noreferrer">
                {title}
              </a>
            </span>
          ))}
        </p>
      )}
    </article>
  );
}

interface LinesProps {
  readonly title: string;
  readonly lines: readonly string[];
  readonly ordered?: boolean;
}

function Lines({ title, lines, ordered = false }: LinesProps) {
  if (lines.length === 0) return null;
  const items = lines.map((line) => <li key={line}>{line}</li>);
  return (
    <section>
      <h3>{title}</h3>
      {ordered ? <ol>{items}</ol> : <ul>{items}</ul>}
    </section>
  );
}

/** A recorded run that was made to fail in this way, if there is one. */
function Looks({ mode }: { readonly mode: ModeName }) {
  const [signatures, setSignatures] = useState<Signatures | null>(null);
  useEffect(() => {
    let shown = true;
    loadSignatures().then(
      (loaded) => {
        if (shown) setSignatures(loaded);
      },
      (error: unknown) => console.error(error),
    );
    return () => {
      shown = false;
    };
  }, []);
  // Reserves space, so that the card does not shift when they load.
  if (signatures === null) return <div className="signatures signatures-coming" />;
  const signature = signatures.modes[mode];
  if (signature === undefined) {
    return <p className="mode-card-none">No recorded run shows only this failure.</p>;
  }
  return (
    <section className="mode-card-looks" aria-label="Example">
      <div className="signatures">
        {signature.proofs.map(({ metric, values }) =>
          isMetricKey(metric) ? (
            <SignatureChart
              key={metric}
              signature={signature}
              metric={metric}
              values={values}
              sound={signatures.sound[metric] ?? []}
            />
          ) : null,
        )}
      </div>
      <p className="mode-card-run">
        A recorded run by iteration; the dashed curve is a healthy run of the same preset. The
        failure began in the shaded iterations and was detectable after iteration {signature.known}:{' '}
        {signature.text} <code>{signature.command}</code>
      </p>
    </section>
  );
}
