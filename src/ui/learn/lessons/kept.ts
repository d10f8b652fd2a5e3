/** The reader’s progress: position, predictions, and the run that a lesson has started. */

import { readKept, writeKept } from '../../shell/browser/kept.ts';

const PLACE = 'lesson-place';
const PREDICTIONS = 'lesson-predictions';
const RUN = 'lesson-run';

/** A lesson and the index of a block in it. */
export interface Place {
  readonly name: string;
  readonly block: number;
}

export function keepPlace({ name, block }: Place): void {
  writeKept(PLACE, `${name} ${block}`);
}

export function keptPlace(): Place | null {
  const [name, block] = (readKept(PLACE) ?? '').split(' ');
  return name && block && /^\d+$/.test(block) ? { name, block: Number(block) } : null;
}

/** Index of the choice made in a lesson, or null. */
export function keptPrediction(name: string): number | null {
  const place = new URLSearchParams(readKept(PREDICTIONS) ?? '').get(name);
  return place !== null && /^\d+$/.test(place) ? Number(place) : null;
}

export function keepPrediction(name: string, place: number): void {
  const all = new URLSearchParams(readKept(PREDICTIONS) ?? '');
  all.set(name, String(place));
  writeKept(PREDICTIONS, all.toString());
}

/** A run that a lesson has started. */
export interface LessonRun {
  readonly lesson: string;
  readonly runId: string;
}

export function keepLessonRun({ lesson, runId }: LessonRun): void {
  writeKept(RUN, `${lesson} ${runId}`);
}

export function keptLessonRun(): LessonRun | null {
  const [lesson, runId] = (readKept(RUN) ?? '').split(' ');
  return lesson && runId ? { lesson, runId } : null;
}
