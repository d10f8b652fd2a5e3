import type { ModeName } from '../../../runs/mode-names.ts';
import { capital } from '../../../runs/numbers.ts';

/** Name of a failure mode for the start of a sentence. */
export const modeTitle = (mode: ModeName) => capital(mode.replaceAll('_', ' '));
