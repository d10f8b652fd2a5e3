/** The run that resumes automatically after a reload of this tab. */
import { keyOf } from './kept.ts';

const KEY = 'go-on';

export function goOnAfterReload(runId: string): void {
  try {
    sessionStorage.setItem(keyOf(KEY), runId);
  } catch {
    // Without storage the run cannot resume.
  }
}

/** The run that resumes after this reload, or null; clears it. */
export function takeGoingOn(): string | null {
  try {
    const id = sessionStorage.getItem(keyOf(KEY));
    sessionStorage.removeItem(keyOf(KEY));
    return id;
  } catch {
    return null;
  }
}
