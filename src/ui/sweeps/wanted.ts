/** Whether a sweep has been opened; what reads and shows it is loaded only then. */
import { create } from 'zustand';

export interface SweepPanel {
  readonly open: boolean;
  /** It has been open. */
  readonly wanted: boolean;
}

export const useSweepPanel = create<SweepPanel>()(() => ({ open: false, wanted: false }));

export function openSweepPanel(open: boolean): void {
  useSweepPanel.setState(open ? { open, wanted: true } : { open });
}
