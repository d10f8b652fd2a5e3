/** Entries of the browser history: Back and Forward move between runs and lessons of a visit. */

/** What a history entry stores: the run it shows. */
interface VisitState {
  readonly runId: string | null;
}

/** Number of actions in progress that open or restore a history entry; they must not add another entry. */
let restoring = 0;

/** Runs an action; `visit` replaces the current history entry until it has finished. */
export async function withoutVisit(action: () => Promise<void>): Promise<void> {
  restoring++;
  try {
    await action();
  } finally {
    restoring--;
  }
}

/** The run of the current history entry, or null. */
export function visitedRun(): string | null {
  const state: Partial<VisitState> | null = history.state;
  return typeof state?.runId === 'string' ? state.runId : null;
}

interface VisitOptions {
  readonly entry: 'push' | 'replace';
  /** The run shown; unchanged if omitted. */
  readonly runId?: string | null;
}

/** Shows an address in the address bar, as a new history entry or in place of the current one. */
export function visit(address: string | URL, { entry, runId = visitedRun() }: VisitOptions): void {
  const state: VisitState = { runId };
  const same = new URL(address, location.href).href === location.href;
  if (entry === 'push' && restoring === 0 && !same) history.pushState(state, '', address);
  else history.replaceState(state, '', address);
}
