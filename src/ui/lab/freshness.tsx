import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useLab } from './store.ts';

/** The newest iteration of the present run; 0 before the first. */
function useIteration(): number {
  return useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
}

/**
 * Asks for what the run keeps when it is looked at: until there is something to show, and when the run
 * stops or pauses. While it goes on a list stays as it is, since nobody can read a list that moves.
 *
 * @param asOf the iteration of what is shown; 0 for nothing of the present run
 */
export function useFresh(looked: boolean, asOf: number, update: () => Promise<void>): void {
  const runId = useLab((lab) => lab.runId);
  const status = useLab((lab) => lab.status);
  const iteration = useIteration();
  // A kept run that is being opened is shown before its worker knows what it keeps.
  const opened = runId !== null && status !== 'starting';
  const stale = looked && opened && iteration > asOf && (status !== 'running' || asOf === 0);
  useEffect(() => {
    if (stale) void update();
  }, [stale, update]);
}

/** Says how old a list is, and brings it up to date. */
export function Freshness({
  className,
  asOf,
  words,
  update,
}: {
  readonly className: string;
  readonly asOf: number;
  /** On the button. */
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
