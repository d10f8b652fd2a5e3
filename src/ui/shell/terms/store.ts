/** The open definition. */

import { create } from 'zustand';
import type { TermName } from './terms.ts';

interface TermCardState {
  /** The current or last term, or null. */
  readonly name: TermName | null;
  /** The clicked word, which anchors the card. */
  readonly word: HTMLElement | null;
}

export const useTermCard = create<TermCardState>()(() => ({ name: null, word: null }));

export function openTerm(name: TermName, word: HTMLElement): void {
  useTermCard.setState({ name, word });
}

export function closeTerm(): void {
  useTermCard.setState({ word: null });
}
