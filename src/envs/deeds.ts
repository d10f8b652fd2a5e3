/** What turns show of the policy that took them. */

import type { EnvironmentOptions } from './types.ts';

/** A turn that was taken. */
export interface TakenTurn {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  readonly before: unknown;
  readonly action: string;
  readonly after: unknown;
}

/** What a turn shows of the policy: that something was done at a place. */
export interface Deed {
  readonly place: string;
  readonly action: string;
}

/** What many episodes of one policy show of a place. */
export interface PlaceFacts {
  /** Deeds there. */
  readonly visits: number;
  /** Share of them whose episode solves its task. */
  readonly success: number;
  /** What was done there, most often first. */
  readonly actions: readonly ActionFacts[];
}

/** What many episodes show of an action at one place. */
export interface ActionFacts {
  readonly action: string;
  readonly times: number;
  /** Share of these times whose episode solves its task. */
  readonly success: number;
}

/** What is done at a place most often, and the share of the deeds there that it is. */
export function usual({ visits, actions: [most] }: PlaceFacts): { action: string; share: number } {
  return { action: most?.action ?? '', share: (most?.times ?? 0) / visits };
}

/** A share in whole per cent, as maps have it. */
export const percent = (share: number): string => `${Math.round(100 * share)}%`;
