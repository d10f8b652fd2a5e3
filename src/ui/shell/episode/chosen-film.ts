import { type Reenactment, reenact } from '../../../runs/reenact.ts';
import { environmentOf } from './environments.ts';
import type { ChosenEpisode } from './playback.ts';

/** An episode on the stage, and the origin of its states. */
interface ChosenFilm {
  /** States are missing if only the text is known. */
  readonly episode: Reenactment;
  /** Why there is no picture; shown in its place. Null if there is one. */
  readonly why: string | null;
  /** Where the states come from. */
  readonly hint: string;
}

/** Recomputes the states of an episode chosen from the list. */
export function chosenFilm({ record, replay, iteration }: ChosenEpisode): ChosenFilm {
  switch (replay.kind) {
    case 'exact': {
      const environment = environmentOf(record.environment);
      const hint =
        iteration === null
          ? 'From a file. Its texts match this environment’s.'
          : 'An episode of the run, chosen from the list.';
      return { episode: reenact(environment, record), why: null, hint };
    }
    case 'located':
      return {
        episode: { record, states: replay.states },
        why: null,
        hint: 'From a file. Its texts differ from this environment’s; the picture shows the states described in the file.',
      };
    case 'text':
      return { episode: { record, states: [] }, why: replay.why, hint: 'From a file, as text.' };
    default:
      return replay satisfies never;
  }
}
