import type { ModeName } from '../../runs/mode-names.ts';

/** A way to fail, as a name that a sentence can begin with. */
export function modeTitle(mode: ModeName): string {
  const words = mode.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
