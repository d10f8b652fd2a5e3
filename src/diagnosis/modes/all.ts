/** Every mode that is diagnosed; a mode with different symptoms has a rule for each. */

import type { Mode } from './mode.ts';
import { horizonTooShort, setback } from './outcomes.ts';
import { rewardHacking, rewardScale, rewardsLost } from './payment.ts';
import {
  environmentFaults,
  groupsMixed,
  samplerGap,
  samplerKl,
  samplerMismatch,
  serverFaults,
} from './played.ts';
import {
  entropyBonusTooStrong,
  entropyCollapse,
  groupsAgree,
  referenceTooTight,
} from './signals.ts';
import {
  boundsTooTight,
  learningRateTooHigh,
  noStepBound,
  notFinite,
  nothingMoves,
  tooManyEpochs,
} from './steps.ts';
import { bootstrappingAtHorizon, valueHeadUntrained } from './values.ts';

export const modes: readonly Mode[] = [
  notFinite,
  noStepBound,
  boundsTooTight,
  learningRateTooHigh,
  tooManyEpochs,
  nothingMoves,
  horizonTooShort,
  bootstrappingAtHorizon,
  valueHeadUntrained,
  entropyBonusTooStrong,
  referenceTooTight,
  groupsAgree,
  entropyCollapse,
  samplerGap,
  samplerKl,
  samplerMismatch,
  environmentFaults,
  serverFaults,
  rewardsLost,
  rewardScale,
  rewardHacking,
  groupsMixed,
  setback,
];
