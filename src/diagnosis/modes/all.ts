/** Every mode that is looked for. */

import type { Mode } from './mode.ts';
import { horizonTooShort, setback } from './outcomes.ts';
import { rewardHacking, rewardScale, rewardsLost } from './payment.ts';
import { environmentFaults, groupsMixed, samplerMismatch } from './played.ts';
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
  samplerMismatch,
  environmentFaults,
  rewardsLost,
  rewardScale,
  rewardHacking,
  groupsMixed,
  setback,
];
