/** Which panels, drawers and dialogs are open, by id; `app/panels.tsx` declares them. */

import { useEffect, useState } from 'react';
import { create } from 'zustand';

interface PanelState {
  readonly open: boolean;
  /**
   * Whether it was opened at least once; its code then stays loaded, so that closing can be
   * animated.
   */
  readonly wanted: boolean;
  /** Why it was opened, if that changes what it shows. */
  readonly purpose?: 'search';
}

const neverOpened: PanelState = { open: false, wanted: false };

const usePanels = create<Readonly<Record<string, PanelState>>>()(() => ({}));

export const usePanel = (id: string): PanelState =>
  usePanels((panels) => panels[id] ?? neverOpened);

/** Properties of the drawer or dialog that shows a panel. */
export function useOverlay(id: string, closeLabel: string) {
  const { open } = usePanel(id);
  // Mantine returns the focus on closing only if `opened` has changed after the mount.
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return {
    opened: mounted && open,
    onClose: () => closePanel(id),
    closeButtonProps: { 'aria-label': closeLabel },
  };
}

export function openPanel(id: string, purpose?: PanelState['purpose']): void {
  usePanels.setState({ [id]: { open: true, wanted: true, ...(purpose && { purpose }) } });
}

export function closePanel(id: string): void {
  const { wanted } = usePanels.getState()[id] ?? neverOpened;
  usePanels.setState({ [id]: { open: false, wanted } });
}

export function togglePanel(id: string): void {
  if (usePanels.getState()[id]?.open === true) closePanel(id);
  else openPanel(id);
}
