/** The run that goes on by itself after a reload of this tab. */
import { keyOf } from './kept.ts';

const KEY = 'go-on';

export function goOnAfterReload(runId: string): void {
  try {
    sessionStorage.setItem(keyOf(KEY), runId);
  } catch {
    // Without storage the run is not kept, and does not go on.
  }
}

/** What goes on after this reload, once; null where nothing does. */
export function takeGoingOn(): string | null {
  try {
    const id = sessionStorage.getItem(keyOf(KEY));
    sessionStorage.removeItem(keyOf(KEY));
    return id;
  } catch {
    return null;
  }
}
