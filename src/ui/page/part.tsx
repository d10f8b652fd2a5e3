/** A part of the page that fails alone: what went wrong, and the way back, in its place. */
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactNode, Suspense } from 'react';
import { forgetKept } from '../browser/kept.ts';
import { backToDefault } from '../lab/opening.ts';
import { useLab } from '../lab/store.ts';
import { Boundary } from './boundary.tsx';

interface PartProps {
  /** As a sentence begins with it: `The charts`. */
  readonly name: string;
  /** In its place until it has been loaded. */
  readonly waiting?: ReactNode;
  /** It lies over the page, and so does what is said in its place. */
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
          <p>{sentence(message)} Training goes on, and nothing that is kept is lost.</p>
          <p className="fault-ways">
            <Button size="xs" variant="default" onClick={retry}>
              Try again
            </Button>
            <Button
              size="xs"
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

/** The page as a whole, when not even its parts stand. Of plain elements: what else there is may be broken. */
export function WholePage({ children }: { readonly children: ReactNode }) {
  return (
    <Boundary
      resetKey="page"
      fallback={(message, retry) => (
        <main className="fault-page" role="alert" data-testid="fault-page">
          <h1>The lab could not be shown.</h1>
          <p>{sentence(message)}</p>
          <p>
            Kept runs stay in this browser, this one included, and are found under Runs. The default
            begins with the first preset and no choices of yours.
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
