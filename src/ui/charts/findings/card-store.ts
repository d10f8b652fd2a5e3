/** The failure mode whose card is open. */

import { create } from 'zustand';
import type { ModeName } from '../../../runs/mode-names.ts';

interface ModeCardState {
  /** The mode whose card is open or was open last; null before the first. */
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
