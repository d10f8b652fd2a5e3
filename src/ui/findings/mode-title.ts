import type { ModeName } from '../../runs/mode-names.ts';
import { capital } from '../../runs/numbers.ts';

/** A way to fail, as a name that a sentence can begin with. */
export const modeTitle = (mode: ModeName) => capital(mode.replaceAll('_', ' '));
