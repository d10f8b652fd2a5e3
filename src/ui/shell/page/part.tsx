/** A part of the page with its own error boundary, so that the rest keeps working if it fails. */
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { forgetKept } from '../browser/kept.ts';
import { backToDefault } from '../lab/back-to-default.ts';
import { useLab } from '../lab/store.ts';
import { Boundary } from './boundary.tsx';

interface PartProps {
  /** Subject of the error message, such as `The charts`. */
  readonly name: string;
  /** Shown while loading. */
  readonly waiting?: ReactNode;
  /** The part is an overlay, and so is its error message. */
  readonly over?: boolean;
  readonly children: ReactNode;
}

export function Part({ name, waiting, over = false, children }: PartProps) {
  const runId = useLab((lab) => lab.runId);
  return (
    <Boundary
      resetKey={`run ${runId}`}
      fallback={(message, retry) => (
        <section
          className={over ? 'card fault fault-over' : 'card fault'}
          role="alert"
          data-testid="fault"
        >
          <h2 className="fault-title">
            <IconAlertTriangle size={18} className="fault-mark" aria-hidden /> {name} could not be
            shown
          </h2>
          <p>{sentence(message)} Training continues, and all stored data is safe.</p>
          <p className="fault-ways">
            <Button onClick={retry}>Try again</Button>
            <Button
              variant="filled"
              onClick={() => {
                forgetKept();
                retry();
              }}
            >
              Back to the default view
            </Button>
          </p>
        </section>
      )}
    >
      <Suspense fallback={waiting}>{children}</Suspense>
    </Boundary>
  );
}

/** Error page. Plain elements only, because components may be the cause. */
export function WholePage({ children }: { readonly children: ReactNode }) {
  return (
    <Boundary
      resetKey="page"
      fallback={(message, retry) => (
        <main className="fault-page" role="alert" data-testid="fault-page">
          <h1>The lab could not be shown.</h1>
          <p>{sentence(message)}</p>
          <p>
            Stored runs remain in this browser, including this one; open them under Runs. The
            default view starts the default preset without your preferences.
          </p>
          <p className="fault-ways">
            <button
              type="button"
              onClick={() => {
                backToDefault();
                retry();
              }}
            >
              Back to the default
            </button>
            <button type="button" onClick={() => location.reload()}>
              Reload the page
            </button>
          </p>
        </main>
      )}
    >
      {children}
    </Boundary>
  );
}

const sentence = (message: string) => (/[.!?…]$/.test(message) ? message : `${message}.`);
