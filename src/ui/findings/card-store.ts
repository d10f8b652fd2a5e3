/** The card of a way to fail that is open. */

import { create } from 'zustand';
import type { ModeName } from '../../runs/mode-names.ts';

export interface ModeCardState {
  /** The one that is shown, or was last; null where none has been. */
  readonly mode: ModeName | null;
  readonly open: boolean;
}

export const useModeCard = create<ModeCardState>()(() => ({ mode: null, open: false }));

export function openModeCard(mode: ModeName): void {
  useModeCard.setState({ mode, open: true });
}

export function closeModeCard(): void {
  useModeCard.setState({ open: false });
}
