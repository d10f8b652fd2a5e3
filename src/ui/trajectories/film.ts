import { createEnvironment } from '../../envs/registry.ts';
import type { ChosenEpisode } from '../episode/playback.ts';
import { type Reenactment, reenact } from '../episode/reenact.ts';

/** An episode as the stage plays it, and how its states came about. */
export interface ChosenFilm {
  /** States are missing where only the text is known. */
  readonly episode: Reenactment;
  /** In place of the picture; null where there is one. */
  readonly why: string | null;
  /** What the pictures rest on. */
  readonly hint: string;
}

/** Brings back the states of an episode that was chosen from the list. */
export function chosenFilm({ record, replay, iteration }: ChosenEpisode): ChosenFilm {
  switch (replay.kind) {
    case 'exact': {
      const environment = createEnvironment(record.environment.id, record.environment.options);
      const hint =
        iteration === null
          ? 'From a file; the environment says the same again.'
          : 'An episode of the run, chosen from the list.';
      return { episode: reenact(environment, record), why: null, hint };
    }
    case 'located':
      return {
        episode: { record, states: replay.states },
        why: null,
        hint: 'From a file in other words; the pictures show the places that they tell of.',
      };
    case 'text':
      return { episode: { record, states: [] }, why: replay.why, hint: 'From a file, as text.' };
    default:
      return replay satisfies never;
  }
}
