import { useLab } from '../../shell/lab/store.ts';

/** Whether the current run has a supervised actor that can answer. */
export function useHasAgent(): boolean {
  return useLab(
    ({ status, rows }) =>
      rows.length > 0 && (status === 'running' || status === 'paused' || status === 'finished'),
  );
}
