/** What the page and a worker of its own say to each other about the forks of a run. */

import type { AutopsyEvent } from '../autopsy/perform.ts';
import type { AutopsyPlan } from '../autopsy/plan.ts';
import type { DeviceChoice } from '../device/choice.ts';

/** Plays the forks of a plan, in a worker that does nothing else; ending the worker gives it up. */
export interface ProveRequest {
  readonly type: 'prove';
  readonly plan: AutopsyPlan;
  readonly device: DeviceChoice;
}

export type ProveAnswer =
  | { readonly type: 'played'; readonly event: AutopsyEvent }
  | { readonly type: 'done' }
  /** It could not be played. */
  | { readonly type: 'failed'; readonly message: string; readonly advice: string };
