import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useLab } from './store.ts';

/** The current run's newest iteration; 0 before the first. */
function useIteration(): number {
  return useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
}

/**
 * Updates a visible list as long as it is empty, and when the run pauses or ends. Once it has content, it
 * does not change while the run trains, so that it stays readable.
 *
 * @param asOf iteration of the list; 0 if it has no content of the current run
 */
export function useFresh(looked: boolean, asOf: number, update: () => Promise<void>): void {
  const runId = useLab((lab) => lab.runId);
  const status = useLab((lab) => lab.status);
  const iteration = useIteration();
  // A stored run is shown before its worker has loaded the episodes.
  const opened = runId !== null && status !== 'starting';
  const stale = looked && opened && iteration > asOf && (status !== 'running' || asOf === 0);
  useEffect(() => {
    if (stale) void update();
  }, [stale, update]);
}

/** The iteration of a list, and a button that updates it. */
export function Freshness({
  className,
  asOf,
  words,
  update,
}: {
  readonly className: string;
  readonly asOf: number;
  /** Button text. */
  readonly words: string;
  readonly update: () => Promise<void>;
}) {
  const runId = useLab((lab) => lab.runId);
  const iteration = useIteration();
  if (runId === null || asOf === 0) return <div className={className} />;
  return (
    <div className={className}>
      <span>As of iteration {asOf}</span>
      {iteration > asOf ? (
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconRefresh size={14} />}
          onClick={() => void update()}
        >
          {words}
        </Button>
      ) : null}
    </div>
  );
}
