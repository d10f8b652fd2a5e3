/** The agent's state on the web: tabs with their histories, typed texts, and the sites' records. */

import type { Records } from './world.ts';

/** An address, with the words of a search if it shows one. */
export interface Address {
  /** For example `shop/product/3`. */
  readonly path: string;
  readonly query?: string;
}

export interface Tab {
  /** Oldest first; going back keeps the later entries. */
  readonly history: readonly Address[];
  /** The index of the open entry. */
  readonly at: number;
  /** The texts in the boxes of the open page, by name. */
  readonly typed: Readonly<Record<string, string>>;
  /** Number of parts above the view. */
  readonly scroll: number;
}

export interface WebPlace {
  readonly tabs: readonly Tab[];
  /** The index of the front tab. */
  readonly tab: number;
  readonly records: Records;
  /** Paths of the pages that were opened, and of those read to the end. */
  readonly opened: readonly string[];
  readonly read: readonly string[];
  /** The description of the last action; null before the first. */
  readonly previous: string | null;
  /** The answer that ended the task; null while it continues. */
  readonly stopped: string | null;
}

export const START_TAB: Omit<Tab, 'history'> = { at: 0, typed: {}, scroll: 0 };

/** The front tab. Throws a RangeError if there is none. */
export function frontTab({ tabs, tab }: WebPlace): Tab {
  const front = tabs[tab];
  if (front === undefined) throw new RangeError('no tab is open');
  return front;
}

export function addressOf({ history, at }: Tab): Address {
  const address = history[at];
  if (address === undefined) throw new RangeError('a tab without an address');
  return address;
}

export const hereOf = (place: WebPlace): Address => addressOf(frontTab(place));

/** Replaces the front tab. */
export function withFront(place: WebPlace, tab: Tab): WebPlace {
  return { ...place, tabs: place.tabs.map((one, i) => (i === place.tab ? tab : one)) };
}

/** Opens an address in the front tab and drops the later entries of its history. */
export function openAddress(place: WebPlace, address: Address): WebPlace {
  const { history, at } = frontTab(place);
  const kept = [...history.slice(0, at + 1), address];
  return withFront(place, { ...START_TAB, history: kept, at: kept.length - 1 });
}
