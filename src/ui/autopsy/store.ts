/** The forks that the page has played of the present run, finding by finding. */

import { create } from 'zustand';
import { judge, nothingPlayed, type Played, type Trial, withEvent } from '../../autopsy/judge.ts';
import type { AutopsyPlan } from '../../autopsy/plan.ts';
import type { ModeName } from '../../diagnosis/finding.ts';
import type { ProveAnswer, ProveRequest, RunId } from '../../lab/protocol.ts';
import { useDeviceChoice } from '../device/choice.ts';
import { useLab } from '../lab/store.ts';

export interface Autopsy {
  readonly plan: AutopsyPlan;
  readonly played: Played;
  /** What the forks show, once all are played. */
  readonly trial: Trial | null;
  /** Why they could not be played, in a sentence or two. */
  readonly problem: string | null;
}

export interface AutopsiesState {
  /** Whose findings are tried. */
  readonly runId: RunId | null;
  readonly autopsies: Readonly<Partial<Record<ModeName, Autopsy>>>;
  /** What is being played; one at a time, since each takes all of the device. */
  readonly playing: ModeName | null;
}

const blank: AutopsiesState = { runId: null, autopsies: {}, playing: null };

export const useAutopsies = create<AutopsiesState>()(() => blank);

/** Plays the forks beside the run; ending it ends them at once, wherever they are. */
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

/** Plays the forks of a plan in a worker of their own. */
export function beginAutopsy(plan: AutopsyPlan): void {
  end();
  const { mode } = plan;
  const { runId } = useLab.getState();
  const begun: Autopsy = { plan, played: nothingPlayed(plan), trial: null, problem: null };
  const { autopsies } = useAutopsies.getState();
  useAutopsies.setState({ runId, playing: mode, autopsies: { ...autopsies, [mode]: begun } });
  // The script of the run's own worker, which the browser has already.
  worker = new Worker(new URL('../../lab/worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-autopsy',
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
  worker.postMessage({ type: 'prove', plan, device } satisfies ProveRequest);
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
      // From here on the one diagnosis reckons with it, and whatever it feeds.
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

/** Leaves what is being played of a finding, and what was seen of it. */
export function leaveAutopsy(mode: ModeName): void {
  const { playing, autopsies } = useAutopsies.getState();
  if (playing === mode) end();
  const { [mode]: _, ...others } = autopsies;
  useAutopsies.setState({ autopsies: others });
}
