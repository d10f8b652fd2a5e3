import { create } from 'zustand';

/** Whether the knobs are on the page. */
export const useKnobs = create<{ readonly open: boolean }>()(() => ({ open: false }));

export function openKnobs(open: boolean): void {
  useKnobs.setState({ open });
}
