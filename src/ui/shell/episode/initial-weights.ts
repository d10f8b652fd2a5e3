import type { LabState } from '../lab/store.ts';

/** What the run's weights are before its first iteration. */
export const initialWeights = ({
  given,
  base,
  config: { imitation, preference },
}: Pick<LabState, 'given' | 'base' | 'config'>): string =>
  given || base !== null || imitation.epochs > 0 || preference.epochs > 0
    ? 'initial weights'
    : 'random weights';
