/** Text shown while there is no episode. */

import type { LabState } from '../lab/store.ts';
import type { Source } from './playback.ts';

type Progress = Pick<LabState, 'status' | 'phase' | 'rows' | 'config'>;

export function waitingFor(source: Source, lab: Progress): string {
  switch (source) {
    case 'success':
      return 'No episode has succeeded yet.';
    case 'failure':
      return 'No episode has failed yet.';
    case 'evaluation':
      return 'The policy has not been evaluated yet.';
    default:
      return waitingForTheFirst(lab);
  }
}

function waitingForTheFirst({ status, phase, rows, config }: Progress): string {
  if (status === 'asked') return 'The run has not been started.';
  if (status === 'failed' || status === 'stopped') {
    return 'The run stopped before its first episode.';
  }
  if (status === 'finished') return 'The run’s episodes are no longer stored.';
  if (status === 'paused') return 'The run is paused before its first episode.';
  const imitationIsNext = phase === null && rows.length === 0 && config.imitation.epochs > 0;
  if (phase === 'imitate' || imitationIsNext)
    return 'The agent copies the expert; its own episodes come after that.';
  if (phase === 'prefer')
    return 'The agent learns from pairs of episodes; it plays again after that.';
  return 'The first episodes are being played.';
}
