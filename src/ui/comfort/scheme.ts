import {
  localStorageColorSchemeManager,
  type MantineColorSchemeManager,
  useMantineColorScheme,
} from '@mantine/core';
import { useColorScheme } from '@mantine/hooks';
import { keyOf } from '../browser/kept.ts';

/** Where Mantine keeps the choice by itself, for all pages of a host. */
const SHARED_KEY = 'mantine-color-scheme-value';

/** Keeps the visitor's choice for this place; one from before places were told apart comes along. */
export function keptScheme(): MantineColorSchemeManager {
  const key = keyOf('colour-scheme');
  try {
    const shared = localStorage.getItem(SHARED_KEY);
    if (shared !== null && localStorage.getItem(key) === null) localStorage.setItem(key, shared);
  } catch {
    // A browser that keeps nothing has kept nothing.
  }
  return localStorageColorSchemeManager({ key });
}

/** Whether the page is dark, and how to turn it over; the system decides until the visitor does. */
export function useScheme(): { readonly dark: boolean; readonly toggle: () => void } {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const system = useColorScheme();
  const dark = (colorScheme === 'auto' ? system : colorScheme) === 'dark';
  return { dark, toggle: () => setColorScheme(dark ? 'light' : 'dark') };
}
