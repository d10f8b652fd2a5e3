import { useLab } from '../lab/store.ts';

/** Whether the present run has an actor that has been taught, and can be asked. */
export function useHasAgent(): boolean {
  return useLab(
    ({ status, rows }) =>
      rows.length > 0 && (status === 'running' || status === 'paused' || status === 'finished'),
  );
}
