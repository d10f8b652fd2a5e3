import { Button } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Phase } from '../../../lab/protocol.ts';
import { percent } from '../../../runs/numbers.ts';
import { useLab } from '../../shell/lab/store.ts';

interface AskedWorkProps {
  /** The task whose progress the worker reports. */
  readonly phase: Phase;
  /** What the worker does once it has started, as a sentence. */
  readonly doing: string;
  /** Null if nothing is requested. */
  readonly giveUp: (() => void) | null;
  /** Status text if nothing is requested. */
  readonly children?: ReactNode;
}

/**
 * Progress of work requested from the worker, with a button to cancel it. The status stays mounted, so
 * that screen readers announce its first text too.
 */
export function AskedWork({ phase, doing, giveUp, children }: AskedWorkProps) {
  const begun = useLab((lab) => lab.phase === phase) && giveUp !== null;
  const fraction = useLab((lab) => lab.fraction);
  return (
    <div className="row">
      <p className="conv-waiting" role="status">
        {giveUp === null
          ? children
          : begun
            ? doing
            : 'Waiting for the current iteration to finish.'}
      </p>
      {begun ? (
        <>
          <span className="tick" aria-hidden>
            <span style={{ width: `${100 * fraction}%` }} />
          </span>
          <span className="conv-waiting">{percent(fraction)}</span>
        </>
      ) : null}
      {giveUp === null ? null : (
        <Button size="compact-xs" leftSection={<IconPlayerStop size={14} />} onClick={giveUp}>
          Stop
        </Button>
      )}
    </div>
  );
}
