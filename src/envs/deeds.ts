/** What a turn shows of the policy that took it. */

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
