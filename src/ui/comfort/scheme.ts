import { useMantineColorScheme } from '@mantine/core';
import { useColorScheme } from '@mantine/hooks';

/** Whether the page is dark, and how to turn it over; the system decides until the visitor does. */
export function useScheme(): { readonly dark: boolean; readonly toggle: () => void } {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const system = useColorScheme();
  const dark = (colorScheme === 'auto' ? system : colorScheme) === 'dark';
  return { dark, toggle: () => setColorScheme(dark ? 'light' : 'dark') };
}
