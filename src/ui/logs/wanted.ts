/** Whether logs have been asked for; what reads and shows them is loaded only then. */
import { create } from 'zustand';

export interface LogsPanel {
  readonly open: boolean;
  /** It has been open. */
  readonly wanted: boolean;
}

export const useLogsPanel = create<LogsPanel>()(() => ({ open: false, wanted: false }));

export function openLogsPanel(open: boolean): void {
  useLogsPanel.setState(open ? { open, wanted: true } : { open });
}
