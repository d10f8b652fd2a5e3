import { create } from 'zustand';

/** The sheet of keyboard shortcuts: whether it is open, or has been. */
export const useHelp = create<{ readonly open: boolean; readonly wanted: boolean }>()(() => ({
  open: false,
  wanted: false,
}));

export function openHelp(open: boolean): void {
  useHelp.setState(open ? { open, wanted: true } : { open });
}
