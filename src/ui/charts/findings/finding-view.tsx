import './findings.css';
import { Button } from '@mantine/core';
import { IconBook2, IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Finding } from '../../../diagnosis/finding.ts';
import { capital, percent } from '../../../runs/numbers.ts';
import { canReenact } from '../reenactment/plan.ts';
import { openModeCard } from './card-store.ts';
import { EvidenceList, type EvidencePiece, type SeriesPiece } from './evidence.tsx';
import { Rivals } from './rivals.tsx';

interface FindingViewProps {
  readonly finding: Finding;
  /** Index among the findings of the run. */
  readonly place: number;
  /** Hides the text, which is shown elsewhere. */
  readonly hidesText?: boolean;
  /** Name of a row, such as `iteration`. */
  readonly count: string;
  readonly pieces: readonly EvidencePiece[];
  /** Evidence from series that keep their logged names. */
  readonly series?: readonly SeriesPiece[];
  readonly cures: ReactNode;
  /** Starts a small run that fails in the same way; absent if the finding belongs to such a run. */
  readonly onReenact?: () => void;
  readonly children?: ReactNode;
}

/** A finding: onset, evidence, remedies and similar problems. */
export function FindingView(props: FindingViewProps) {
  const {
    finding,
    place,
    hidesText = false,
    count,
    pieces,
    series = [],
    cures,
    onReenact,
    children,
  } = props;
  const { mode, title, text, rivals } = finding;
  return (
    <li data-mode={mode}>
      <div className="row finding-head">
        <h3>
          <b className="finding-number" aria-hidden>
            {place + 1}
          </b>
          {title}
        </h3>
        <div className="row finding-ways">
          <WhatIsThis mode={mode} />
          {onReenact === undefined || !canReenact(mode) ? null : (
            <Button
              size="compact-sm"
              leftSection={<IconPlayerPlay size={15} />}
              title="Start a small run that fails in the same way, next to one with the remedy"
              onClick={onReenact}
            >
              Reproduce it
            </Button>
          )}
        </div>
      </div>
      <p className="finding-when">{when(finding, count)}</p>
      {hidesText ? null : <p>{text}</p>}
      <div className="finding-parts">
        <div>
          <h4>Evidence</h4>
          <EvidenceList pieces={pieces} series={series} count={capital(count)} />
        </div>
        <div>
          <h4>Remedies</h4>
          <div className="row finding-cures">{cures}</div>
        </div>
        {rivals.length === 0 ? null : (
          <div>
            <h4>Similar problems, and how to rule them out</h4>
            <Rivals rivals={rivals} />
          </div>
        )}
      </div>
      {children}
    </li>
  );
}

/** Opens the card of a failure mode. */
export function WhatIsThis({ mode }: Pick<Finding, 'mode'>) {
  return (
    <Button
      size="compact-sm"
      leftSection={<IconBook2 size={15} />}
      onClick={() => openModeCard(mode)}
    >
      What is this?
    </Button>
  );
}

function when({ onset, interval: [from, to], known, confidence }: Finding, count: string): string {
  const span = from === to ? '' : `, between ${from} and ${to}`;
  return `Began in ${count} ${onset}${span}. Detectable after ${known}. Confidence ${percent(confidence)}.`;
}
