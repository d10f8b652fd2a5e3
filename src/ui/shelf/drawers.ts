/** The drawers of runs, logs and sweeps. */
import { closePanel, openPanel } from '../shell/page/panels.ts';

const drawers = ['runs', 'log', 'sweep'] as const;

/** Opens a drawer in place of the others, because Escape closes every open drawer. */
export function showDrawer(id: (typeof drawers)[number]): void {
  for (const other of drawers) if (other !== id) closePanel(other);
  openPanel(id);
}
