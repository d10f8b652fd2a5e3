/** The forks played for the current run, finding by finding. */

import { create } from 'zustand';
import {
  judge,
  nothingPlayed,
  type Played,
  type Trial,
  withEvent,
} from '../../../autopsy/judge.ts';
import type { AutopsyPlan } from '../../../autopsy/plan.ts';
import type { ModeName } from '../../../diagnosis/finding.ts';
import type { ProveAnswer, ProveRequest, RunId } from '../../../lab/protocol.ts';
import { placeName } from '../../../runs/place.ts';
import { useDeviceChoice } from '../../shell/device/choice.ts';
import { useLab } from '../../shell/lab/store.ts';

export interface Autopsy {
  readonly plan: AutopsyPlan;
  readonly played: Played;
  /** The result, once all forks are played. */
  readonly trial: Trial | null;
  /** Why they could not be played, in a sentence or two. */
  readonly problem: string | null;
}

interface AutopsiesState {
  /** The run whose findings are tested. */
  readonly runId: RunId | null;
  readonly autopsies: Readonly<Partial<Record<ModeName, Autopsy>>>;
  /** What is being played; one at a time, because each uses the whole device. */
  readonly playing: ModeName | null;
}

const blank: AutopsiesState = { runId: null, autopsies: {}, playing: null };

export const useAutopsies = create<AutopsiesState>()(() => blank);

/** Plays the forks while the run continues; terminating the worker stops them immediately. */
let worker: Worker | null = null;

function end(): void {
  worker?.terminate();
  worker = null;
  useAutopsies.setState({ playing: null });
}

useLab.subscribe(({ runId }) => {
  if (runId === useAutopsies.getState().runId) return;
  end();
  useAutopsies.setState({ ...blank, runId });
});

function enter(mode: ModeName, change: Partial<Autopsy>): void {
  const { autopsies } = useAutopsies.getState();
  const present = autopsies[mode];
  if (present === undefined) return;
  useAutopsies.setState({ autopsies: { ...autopsies, [mode]: { ...present, ...change } } });
}

/** Plays the forks of a plan in a separate worker. */
export function beginAutopsy(plan: AutopsyPlan): void {
  end();
  const { mode } = plan;
  const { runId, base } = useLab.getState();
  const begun: Autopsy = { plan, played: nothingPlayed(plan), trial: null, problem: null };
  const { autopsies } = useAutopsies.getState();
  useAutopsies.setState({ runId, playing: mode, autopsies: { ...autopsies, [mode]: begun } });
  // The run's own worker script, which the browser has cached.
  worker = new Worker(new URL('../../../lab/worker.ts', import.meta.url), {
    type: 'module',
    // Prefix of the page's storage keys, under which pretrained models are stored.
    name: placeName(location.href),
  });
  worker.onmessage = ({ data }: MessageEvent<ProveAnswer>) => take(mode, data);
  worker.onerror = (event) => {
    event.preventDefault();
    take(mode, {
      type: 'failed',
      message: event.message || 'The worker that plays the forks could not be loaded.',
      advice: 'Reload the page and try again.',
    });
  };
  const { choice: device } = useDeviceChoice.getState();
  worker.postMessage({ type: 'prove', plan, device, base } satisfies ProveRequest);
}

function take(mode: ModeName, answer: ProveAnswer): void {
  const autopsy = useAutopsies.getState().autopsies[mode];
  if (autopsy === undefined) return;
  switch (answer.type) {
    case 'played':
      enter(mode, { played: withEvent(autopsy.played, answer.event) });
      break;
    case 'done': {
      const trial = judge(autopsy.plan, autopsy.played);
      enter(mode, { trial });
      end();
      // The diagnosis and everything derived from it now include this result.
      if (trial !== null) {
        useLab.setState(({ trials }) => ({ trials: { ...trials, [mode]: trial.outcome } }));
      }
      break;
    }
    case 'failed':
      enter(mode, { problem: `${answer.message} ${answer.advice}` });
      end();
      break;
    default:
      answer satisfies never;
  }
}

/** Cancels a finding's forks and drops their results. */
export function leaveAutopsy(mode: ModeName): void {
  const { playing, autopsies } = useAutopsies.getState();
  if (playing === mode) end();
  const { [mode]: _, ...others } = autopsies;
  useAutopsies.setState({ autopsies: others });
}
