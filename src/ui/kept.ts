/** Small choices that the browser keeps from one visit to the next, by name. */

/** Null where nothing was kept under the name, or where the browser keeps nothing. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(`palestra-${name}`);
  } catch {
    return null;
  }
}

/** A browser that keeps nothing forgets the choice with the page. */
export function writeKept(name: string, value: string): void {
  try {
    localStorage.setItem(`palestra-${name}`, value);
  } catch {}
}
