import { useDebouncedValue } from '@mantine/hooks';
import { useChartSettings, useCrosshair } from '../charts/chart-settings.ts';
import { iterationAt } from '../charts/x-axis.ts';
import { useLab } from '../lab/store.ts';

/** The crosshair has to rest this long before the stage goes where it stands. */
const REST_MS = 150;

/** The iteration under the crosshair of the charts; null where it stands nowhere. */
export function useThen(): number | null {
  const at = useCrosshair((crosshair) => crosshair.at);
  const axis = useChartSettings((settings) => settings.axis);
  const then = useLab(({ rows }) => (at === null ? null : iterationAt(rows, axis, at)));
  return useDebouncedValue(then, REST_MS)[0];
}
