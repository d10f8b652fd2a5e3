import {
  localStorageColorSchemeManager,
  type MantineColorSchemeManager,
  useMantineColorScheme,
} from '@mantine/core';
import { useColorScheme } from '@mantine/hooks';
import { keyOf } from '../browser/kept.ts';

/** Mantine's own key, shared by all pages of an origin. */
const SHARED_KEY = 'mantine-color-scheme-value';

/** Stores the choice per deployment path; migrates the choice of earlier versions. */
export function keptScheme(): MantineColorSchemeManager {
  const key = keyOf('colour-scheme');
  try {
    const shared = localStorage.getItem(SHARED_KEY);
    if (shared !== null && localStorage.getItem(key) === null) localStorage.setItem(key, shared);
  } catch {
    // Storage is unavailable.
  }
  return localStorageColorSchemeManager({ key });
}

/** The color scheme and its toggle; follows the system until the user chooses. */
export function useScheme(): { readonly dark: boolean; readonly toggle: () => void } {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const system = useColorScheme();
  const dark = (colorScheme === 'auto' ? system : colorScheme) === 'dark';
  return { dark, toggle: () => setColorScheme(dark ? 'light' : 'dark') };
}
