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

/** The element that had the focus when a panel was opened, by the panel's id. */
const openers = new Map<string, HTMLElement>();

export function openPanel(id: string, purpose?: PanelState['purpose']): void {
  if (!isOpen(id)) keepOpener(id);
  usePanels.setState({ [id]: { open: true, wanted: true, ...(purpose && { purpose }) } });
}

export function closePanel(id: string): void {
  const { wanted } = usePanels.getState()[id] ?? neverOpened;
  usePanels.setState({ [id]: { open: false, wanted } });
}

export function togglePanel(id: string): void {
  if (isOpen(id)) closePanel(id);
  else openPanel(id);
}

/** Opens a panel in place of others; when it closes, the focus returns to the element that opened them. */
export function replacePanels(others: readonly string[], id: string): void {
  for (const other of others) {
    // Mantine returns the focus to the element that has it now.
    if (isOpen(other)) openers.get(other)?.focus({ preventScroll: true });
    closePanel(other);
  }
  openPanel(id);
}

function isOpen(id: string): boolean {
  return usePanels.getState()[id]?.open === true;
}

function keepOpener(id: string): void {
  // Panels may be opened before the page is rendered, and in tests without a document.
  const focused = typeof document === 'undefined' ? null : document.activeElement;
  if (focused !== null && focused instanceof HTMLElement) openers.set(id, focused);
  else openers.delete(id);
}
