import { useKeys } from '../shell/comfort/keys.ts';
import { useScheme } from '../shell/comfort/scheme.ts';
import { commands } from './commands.tsx';

/** Global keyboard shortcuts. */
export function Shortcuts(): null {
  const { toggle: toggleScheme } = useScheme();
  useKeys(
    Object.fromEntries(
      commands.flatMap(({ key, press, pressKey }) =>
        key === undefined ? [] : [[key, pressKey ?? (() => press({ toggleScheme }))]],
      ),
    ),
  );
  return null;
}
