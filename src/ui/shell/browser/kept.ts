/** Small preferences in localStorage, by name, separate for each deployment path. */
import { placeName } from '../../../runs/place.ts';

/** The storage key. `index.html` reads the key of the color scheme without this module. */
export const keyOf = (name: string) => `${placeName(location.href)} ${name}`;

/** The stored preference; null if nothing is stored, or storage is unavailable. */
export function readKept(name: string): string | null {
  try {
    // Earlier versions shared one key per origin.
    return localStorage.getItem(keyOf(name)) ?? localStorage.getItem(`palestra-${name}`);
  } catch {
    return null;
  }
}

const forgetters = new Set<() => void>();

/** Registers a reset that runs when stored preferences are cleared. */
export function whenForgotten(forget: () => void): void {
  forgetters.add(forget);
}

/** Clears all preferences. Stored runs and drafts remain. */
export function forgetKept(): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.endsWith('draft')) continue;
      // Includes keys of earlier versions.
      if (key.startsWith(keyOf('')) || key.startsWith('palestra-')) localStorage.removeItem(key);
    }
  } catch {}
  for (const forget of forgetters) forget();
}

/** Stores a preference. Without storage it lasts until the page closes. */
export function writeKept(name: string, value: string): void {
  try {
    localStorage.setItem(keyOf(name), value);
  } catch {}
}
