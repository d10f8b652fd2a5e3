/** Small choices that the browser keeps from one visit to the next, by name, for this place alone. */
import { placeName } from '../../runs/place.ts';

/** The key in the browser's storage. `index.html` reads that of the colour scheme by itself. */
export const keyOf = (name: string) => `${placeName(location.href)} ${name}`;

/** Null where nothing was kept under the name, or where the browser keeps nothing. */
export function readKept(name: string): string | null {
  try {
    // Before each place had choices of its own, all on one host shared them.
    return localStorage.getItem(keyOf(name)) ?? localStorage.getItem(`palestra-${name}`);
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
      // Those that places shared would be found again.
      if (key.startsWith(keyOf('')) || key.startsWith('palestra-')) localStorage.removeItem(key);
    }
  } catch {}
  for (const forget of forgetters) forget();
}

/** A browser that keeps nothing forgets the choice with the page. */
export function writeKept(name: string, value: string): void {
  try {
    localStorage.setItem(keyOf(name), value);
  } catch {}
}
