/** What a reader has done in the lessons: how far they have read, and what they predicted. */

import { readKept, writeKept } from '../browser/kept.ts';

const PLACE = 'lesson-place';
const PREDICTIONS = 'lesson-predictions';

/** A paragraph or part of a lesson, by its number from 0. */
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

/** The number of the answer that was chosen in a lesson; null where none was. */
export function keptPrediction(name: string): number | null {
  const place = new URLSearchParams(readKept(PREDICTIONS) ?? '').get(name);
  return place !== null && /^\d+$/.test(place) ? Number(place) : null;
}

export function keepPrediction(name: string, place: number): void {
  const all = new URLSearchParams(readKept(PREDICTIONS) ?? '');
  all.set(name, String(place));
  writeKept(PREDICTIONS, all.toString());
}
