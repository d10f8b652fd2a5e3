/** Which part of an iteration that is taken phase by phase is looked at. */

import { create } from 'zustand';
import type { StepPhase } from '../../runs/phase-facts.ts';
import { pauseRun, stepPhase, stepRun } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';

export interface StepThroughState {
  readonly open: boolean;
  /** Null: the newest phase. */
  readonly phase: StepPhase | null;
  /** The episode of the followed group; null, as with the next three: the one that shows most. */
  readonly member: number | null;
  /** Its token. */
  readonly token: number | null;
  /** The turn that its picture shows; null: its end. */
  readonly turn: number | null;
  /** The token of the update. */
  readonly lossToken: number | null;
}

const start = { phase: null, member: null, token: null, turn: null, lossToken: null } as const;

export const useStepThrough = create<StepThroughState>()(() => ({ open: false, ...start }));

/** What had the focus when the walk was opened. */
let opener: HTMLElement | null = null;

/** Opens the walk through an iteration; the run pauses for it. */
export function openStepThrough(): void {
  opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  useStepThrough.setState({ ...start, open: true });
  pauseRun();
}

export function closeStepThrough(): void {
  useStepThrough.setState({ open: false });
  // Once the walk is gone, and with it what keeps the focus inside.
  requestAnimationFrame(() => opener?.focus({ preventScroll: true }));
}

/** Computes the next phase, and shows it. */
export function nextPhase(to: 'next' | 'last-loss' = 'next'): void {
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
