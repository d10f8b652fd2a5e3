/** Waits of workers. */
import type { SweepFolder } from './sweep-folder.node.ts';

/** Milliseconds between checks on a run that another process computes. */
const LOOK = 2000;
/** Milliseconds without progress after which that process counts as dead. It saves every 20 s by default. */
export const PATIENCE = 600_000;

/** Resolves after a time, or when `stopped` is aborted. */
export function pause(milliseconds: number, stopped?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      stopped?.removeEventListener('abort', done);
      resolve();
    }
    if (stopped?.aborted === true) done();
    else stopped?.addEventListener('abort', done, { once: true });
  });
}

/**
 * Waits while another process computes a run. Two processes that took a run back at once would take
 * it from each other forever. Resolves when the run has a record or no owner, or when its owner has
 * saved nothing for `PATIENCE` and three save intervals.
 *
 * @param saveEvery seconds between saves
 */
export async function waitForOwner(
  folder: Pick<SweepFolder, 'trace'>,
  run: string,
  stopped: AbortSignal,
  saveEvery: number,
): Promise<void> {
  const patience = Math.max(PATIENCE, 3000 * saveEvery);
  let trace = folder.trace(run);
  for (let quiet = 0; trace !== null && quiet < patience && !stopped.aborted; quiet += LOOK) {
    await pause(LOOK, stopped);
    const now = folder.trace(run);
    if (now !== trace) quiet = 0;
    trace = now;
  }
}
