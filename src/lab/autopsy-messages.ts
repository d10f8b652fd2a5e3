/** Messages between the page and the worker that plays the forks of a run. */

import type { AutopsyEvent } from '../autopsy/perform.ts';
import type { AutopsyPlan } from '../autopsy/plan.ts';
import type { DeviceChoice } from '../device/choice.ts';
import type { KeptBase } from '../runs/checkpoint.ts';

/** Plays the forks of a plan. Terminating the worker cancels it. */
export interface ProveRequest {
  readonly type: 'prove';
  readonly plan: AutopsyPlan;
  readonly device: DeviceChoice;
  /** The run's pretrained model; null if it trains a whole network. */
  readonly base: KeptBase | null;
}

export type ProveAnswer =
  | { readonly type: 'played'; readonly event: AutopsyEvent }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string; readonly advice: string };
