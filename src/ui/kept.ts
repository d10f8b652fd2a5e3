/** Small choices that the browser keeps from one visit to the next, by name. */

/** Null where nothing was kept under the name, or where the browser keeps nothing. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(`palestra-${name}`);
  } catch {
    return null;
  }
}

const forgetters = new Set<() => void>();

/** What else is to go back to its default when the kept choices are forgotten. */
export function whenForgotten(forget: () => void): void {
  forgetters.add(forget);
}

/** Forgets every choice, so that the page looks as on a first visit. Runs are kept elsewhere, and stay. */
export function forgetKept(): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith('palestra-')) localStorage.removeItem(key);
    }
  } catch {}
  for (const forget of forgetters) forget();
}

/** A browser that keeps nothing forgets the choice with the page. */
export function writeKept(name: string, value: string): void {
  try {
    localStorage.setItem(`palestra-${name}`, value);
  } catch {}
}
