import { Button } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import type { Phase } from '../../lab/protocol.ts';
import { percent } from '../../runs/numbers.ts';
import { useLab } from '../lab/store.ts';

interface AskedWorkProps {
  /** What the worker tells the progress of. */
  readonly phase: Phase;
  /** What goes on then, a sentence. */
  readonly doing: string;
  readonly giveUp: () => void;
}

/** Work that the page has asked the worker for: how far it is, and the way to give it up. */
export function AskedWork({ phase, doing, giveUp }: AskedWorkProps) {
  const begun = useLab((lab) => lab.phase === phase);
  const fraction = useLab((lab) => lab.fraction);
  return (
    <div className="conv-actions">
      <p className="conv-waiting" role="status">
        {begun ? doing : 'Waiting for the present iteration to end.'}
      </p>
      {begun ? (
        <>
          <span className="tick" aria-hidden>
            <span style={{ width: `${100 * fraction}%` }} />
          </span>
          <span className="conv-waiting">{percent(fraction)}</span>
        </>
      ) : null}
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconPlayerStop size={14} />}
        onClick={giveUp}
      >
        Stop
      </Button>
    </div>
  );
}
