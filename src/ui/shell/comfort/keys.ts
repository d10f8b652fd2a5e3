/** Single-key shortcuts of the page, unless the focused element uses the key. */

import { useEffect, useEffectEvent } from 'react';
import { create } from 'zustand';
import { readKept, writeKept } from '../browser/kept.ts';

/** Actions by `KeyboardEvent.key`, letters in lower case. */
export type Bindings = Readonly<Record<string, () => void>>;

const KEPT = 'shortcuts';

/**
 * Whether single-key shortcuts are on. Users can turn them off, because speech input and accidental
 * presses may trigger them (WCAG 2.2, criterion 2.1.4).
 */
export const useKeysOn = create<{ readonly on: boolean }>()(() => ({
  on: readKept(KEPT) !== 'off',
}));

export function switchKeys(on: boolean): void {
  useKeysOn.setState({ on });
  writeKept(KEPT, on ? 'on' : 'off');
}

/** Enables shortcuts while the component is mounted. */
export function useKeys(bindings: Bindings): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const { on } = useKeysOn.getState();
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = Object.hasOwn(bindings, key) ? bindings[key] : undefined;
    // Help stays available: it contains the switch.
    if (act === undefined || (!on && key !== '?') || isTaken(event, key)) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => pressed(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}

const WRITTEN_IN = 'textarea, select, [contenteditable="true"], [role="combobox"]';
const PRESSED_BY_SPACE =
  'button, a[href], summary, input, [role="button"], [role="slider"], [role="application"]';
const STEERED_BY_ARROWS =
  'input, [role="slider"], [role="application"], [role="radiogroup"], [role="tablist"], [tabindex="0"]';
const CHOSEN_FROM = '[role="menu"], [role="listbox"]';
const OPEN_OVER_THE_PAGE = '[role="dialog"][aria-modal="true"]';

/** Whether the key belongs to the browser, such as its zoom. */
export const isBrowserShortcut = ({
  ctrlKey,
  metaKey,
  altKey,
}: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey'>): boolean => ctrlKey || metaKey || altKey;

/** Whether the key belongs to a field, a control, an open dialog or the browser. */
function isTaken(event: KeyboardEvent, key: string): boolean {
  const { target } = event;
  if (event.defaultPrevented || event.isComposing) return true;
  if (event.repeat && !key.startsWith('Arrow')) return true;
  if (isBrowserShortcut(event)) return true;
  if (document.querySelector(OPEN_OVER_THE_PAGE) !== null) return true;
  if (!(target instanceof Element)) return false;
  if (target.matches(WRITTEN_IN) || target.closest(CHOSEN_FROM) !== null) return true;
  if (target instanceof HTMLInputElement && !/^(radio|checkbox)$/.test(target.type)) return true;
  if (key === ' ') return target.closest(PRESSED_BY_SPACE) !== null;
  if (key.startsWith('Arrow')) return target.closest(STEERED_BY_ARROWS) !== null;
  return false;
}
