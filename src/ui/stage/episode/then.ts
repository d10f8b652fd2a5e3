import { useDebouncedValue } from '@mantine/hooks';
import { useChartSettings, useCrosshair } from '../../charts/chart-settings.ts';
import { iterationAt } from '../../charts/x-axis.ts';
import { useLab } from '../../shell/lab/store.ts';

/** The crosshair must rest this long before the stage follows it. */
const REST_MS = 150;

/** The iteration at the crosshair; null if the crosshair is hidden. */
export function useThen(): number | null {
  const at = useCrosshair((crosshair) => crosshair.at);
  const axis = useChartSettings((settings) => settings.axis);
  const then = useLab(({ rows }) => (at === null ? null : iterationAt(rows, axis, at)));
  return useDebouncedValue(then, REST_MS)[0];
}
