/** Where an agent is on the web: tabs with their histories, what was typed, and the sites' records. */

import type { Records } from './world.ts';

/** An address, and the words of a search where it shows one. */
export interface Address {
  /** Such as `shop/product/3`. */
  readonly path: string;
  readonly query?: string;
}

export interface Tab {
  /** Oldest first; going back keeps what lies ahead. */
  readonly history: readonly Address[];
  /** The place in the history that is open. */
  readonly at: number;
  /** What stands in the boxes of the open page, by their names. */
  readonly typed: Readonly<Record<string, string>>;
  /** Parts of the page above the view. */
  readonly scroll: number;
}

export interface WebPlace {
  readonly tabs: readonly Tab[];
  /** The tab that is in front. */
  readonly tab: number;
  readonly records: Records;
  /** Paths of the pages that were opened, and of those that were seen to their end. */
  readonly opened: readonly string[];
  readonly read: readonly string[];
  /** What the last action was, as it is told; null before the first one. */
  readonly previous: string | null;
  /** The answer that ended the task; null while it goes on. */
  readonly stopped: string | null;
}

export const START_TAB: Omit<Tab, 'history'> = { at: 0, typed: {}, scroll: 0 };

/** The tab in front. Throws a RangeError where there is none. */
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

/** The place with another tab in front's stead. */
export function withFront(place: WebPlace, tab: Tab): WebPlace {
  return { ...place, tabs: place.tabs.map((one, i) => (i === place.tab ? tab : one)) };
}

/** Opens an address in the tab in front; what lay ahead is forgotten. */
export function openAddress(place: WebPlace, address: Address): WebPlace {
  const { history, at } = frontTab(place);
  const kept = [...history.slice(0, at + 1), address];
  return withFront(place, { ...START_TAB, history: kept, at: kept.length - 1 });
}
