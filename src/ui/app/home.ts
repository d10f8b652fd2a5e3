import { defaultPreset } from '../../config/preset-names.ts';
import { openLesson } from '../learn/lessons/store.ts';
import { startPreset } from '../shell/lab/commands.ts';

/** Closes an open lesson and starts the default preset. */
export function goHome(): void {
  openLesson(null);
  startPreset(defaultPreset);
}
