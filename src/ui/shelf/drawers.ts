/** The drawers of runs, logs and sweeps. */
import { replacePanels } from '../shell/page/panels.ts';

const drawers = ['runs', 'log', 'sweep'] as const;

/** Opens a drawer in place of the others, because Escape closes every open drawer. */
export function showDrawer(id: (typeof drawers)[number]): void {
  replacePanels(
    drawers.filter((other) => other !== id),
    id,
  );
}
