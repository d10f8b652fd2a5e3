/** Statistics of what a policy does at each position of the policy map. */

import type { EnvironmentOptions } from './types.ts';

/** A turn of an episode, with the states before and after it. */
export interface TakenTurn {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  readonly before: unknown;
  readonly action: string;
  readonly after: unknown;
}

/** An action counted at a position of the map. A turn may count at several positions. */
export interface PlacedAction {
  readonly place: string;
  readonly action: string;
}

/** Statistics of one position over many episodes of one policy. */
export interface PlaceStats {
  /** Number of actions counted here. */
  readonly visits: number;
  /** Share of these actions whose episode solves its task. */
  readonly success: number;
  /** The actions taken here, most frequent first. */
  readonly actions: readonly ActionStats[];
}

/** Statistics of one action at one position. */
interface ActionStats {
  readonly action: string;
  readonly times: number;
  /** Share of these actions whose episode solves its task. */
  readonly success: number;
}

/** The most frequent action at a position, and its share of all actions there. */
export function mostFrequentAction({ visits, actions: [most] }: PlaceStats): {
  action: string;
  share: number;
} {
  return { action: most?.action ?? '', share: (most?.times ?? 0) / visits };
}

/** A share as a percentage without decimals. */
export const percent = (share: number): string => `${Math.round(100 * share)}%`;
