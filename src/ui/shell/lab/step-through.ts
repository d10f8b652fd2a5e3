/** The selection within a stepped iteration. */

import { create } from 'zustand';
import type { PhaseStop, StepPhase } from '../../../runs/phase-facts.ts';
import { pauseRun, stepPhase, stepRun } from './commands.ts';
import { useLab } from './store.ts';

interface StepThroughState {
  readonly open: boolean;
  /** Null for the newest phase. */
  readonly phase: StepPhase | null;
  /**
   * The selected episode of the followed group. Here and in the next three fields, null selects the
   * most informative choice.
   */
  readonly member: number | null;
  /** Its token. */
  readonly token: number | null;
  /** The turn shown; null for the end of the episode. */
  readonly turn: number | null;
  /** The selected token of an update if no group is followed. */
  readonly lossToken: number | null;
}

const start = { phase: null, member: null, token: null, turn: null, lossToken: null } as const;

export const useStepThrough = create<StepThroughState>()(() => ({ open: false, ...start }));

/** The focused element before the step-through was opened. */
let opener: HTMLElement | null = null;

/** Opens the step-through; the run pauses for it. */
export function openStepThrough(): void {
  opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  useStepThrough.setState({ ...start, open: true });
  pauseRun();
}

export function closeStepThrough(): void {
  useStepThrough.setState({ open: false });
  // After the dialog and its focus trap are removed, unless something else has taken the focus.
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) opener?.focus({ preventScroll: true });
  });
}

/** Computes the phases up to the given one and shows the last one. */
export function nextPhase(to: PhaseStop = 'next'): void {
  const { step } = useLab.getState();
  useStepThrough.setState(
    step === null || step.over ? { ...start, open: true } : { phase: null, lossToken: null },
  );
  stepPhase(to);
}

/** Computes the rest of the iteration. */
export function finishIteration(): void {
  useStepThrough.setState({ phase: null });
  stepRun();
}

export function showPhase(phase: StepPhase): void {
  useStepThrough.setState({ phase });
}
