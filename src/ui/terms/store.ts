/** The card of a term that is open, and the glossary of all of them. */

import { create } from 'zustand';
import type { TermName } from './terms.ts';

export interface TermCardState {
  /** The one that is shown, or was last; null where none has been. */
  readonly name: TermName | null;
  /** The word that was pressed; its card stands beside it. */
  readonly word: HTMLElement | null;
}

export const useTermCard = create<TermCardState>()(() => ({ name: null, word: null }));

export function openTerm(name: TermName, word: HTMLElement): void {
  useTermCard.setState({ name, word });
}

export function closeTerm(): void {
  useTermCard.setState({ word: null });
}

/** Whether the glossary is open, or has been. */
export const useGlossary = create<{ readonly open: boolean; readonly wanted: boolean }>()(() => ({
  open: false,
  wanted: false,
}));

export function openGlossary(open: boolean): void {
  useGlossary.setState(open ? { open, wanted: true } : { open });
}
