import './findings.css';
import { Button } from '@mantine/core';
import { IconBook2, IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Finding } from '../../diagnosis/finding.ts';
import { capital, percent } from '../../runs/numbers.ts';
import { canReenact } from '../reenactment/plan.ts';
import { openModeCard } from './card-store.ts';
import { EvidenceList, type EvidencePiece } from './evidence.tsx';
import { Rivals } from './rivals.tsx';

interface FindingViewProps {
  readonly finding: Finding;
  /** Among the findings of the run, from 0. */
  readonly place: number;
  /** Its text is told elsewhere already. */
  readonly told?: boolean;
  /** What a row of the run is called, such as `iteration`. */
  readonly count: string;
  readonly pieces: readonly EvidencePiece[];
  /** What to try. */
  readonly cures: ReactNode;
  /** Plays the same failure in small; left out where the run is such a play itself. */
  readonly onReenact?: () => void;
  /** What else can be done about it. */
  readonly children?: ReactNode;
}

/** A finding: since when, what shows it, what to try, what it could be mistaken for. */
export function FindingView(props: FindingViewProps) {
  const { finding, place, told = false, count, pieces, cures, onReenact, children } = props;
  const { mode, title, text, rivals } = finding;
  return (
    <li data-mode={mode}>
      <div className="finding-head">
        <h3>
          <b className="finding-number" aria-hidden>
            {place + 1}
          </b>
          {title}
        </h3>
        <div className="finding-ways">
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconBook2 size={15} />}
            onClick={() => openModeCard(mode)}
          >
            What is this?
          </Button>
          {onReenact === undefined || !canReenact(mode) ? null : (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlayerPlay size={15} />}
              title="Starts a small run that fails in the same way, and beside it one with the remedy"
              onClick={onReenact}
            >
              Re-enact it
            </Button>
          )}
        </div>
      </div>
      <p className="finding-when">{when(finding, count)}</p>
      {told ? null : <p>{text}</p>}
      <div className="finding-parts">
        <div>
          <h4>What shows it</h4>
          <EvidenceList pieces={pieces} count={capital(count)} />
        </div>
        <div>
          <h4>What to try</h4>
          <div className="finding-cures">{cures}</div>
        </div>
        {rivals.length === 0 ? null : (
          <div>
            <h4>What it could be mistaken for</h4>
            <Rivals rivals={rivals} />
          </div>
        )}
      </div>
      {children}
    </li>
  );
}

function when({ onset, interval: [from, to], known, confidence }: Finding, count: string): string {
  const span = from === to ? '' : `, between ${from} and ${to}`;
  return `Began in ${count} ${onset}${span}; could be known after ${known}. Confidence ${percent(confidence)}.`;
}
