/** Samples that were drawn of the present run's players, and how they are looked at. */

import { create } from 'zustand';
import type { DrawName, DrawnTasks } from '../../runs/test-time.ts';
import { AgentGoneError, drawSamples } from '../lab/questions.ts';
import { useLab } from '../lab/store.ts';
import { type Reading, wantedDraws } from './test-time-curves.ts';

export interface TestTimeState {
  /** Null before anything was drawn. */
  readonly drawn: DrawnTasks | null;
  /** The run that was asked, and its newest iteration then. */
  readonly runId: string | null;
  readonly asOf: number;
  /** Gives up what is being drawn; null where nothing is. */
  readonly giveUp: (() => void) | null;
  /** One sentence on what could not be had. */
  readonly problem: string | null;
  /** Samples of a task that are looked at. */
  readonly k: number;
  readonly reading: Reading;
  /** Whose samples are shown task by task. */
  readonly shown: DrawName;
}

export const useTestTime = create<TestTimeState>()(() => ({
  drawn: null,
  runId: null,
  asOf: 0,
  giveUp: null,
  problem: null,
  k: 1,
  reading: 'chosen',
  shown: 'answers',
}));

/** Has samples drawn of so many evaluation tasks, chains and rounds up to so many answers. */
export async function drawForPage(tasks: number, samples: number): Promise<void> {
  const { runId, rows } = useLab.getState();
  const asOf = rows.at(-1)?.iteration ?? 0;
  useTestTime.setState({ problem: null });
  try {
    const drawn = await drawSamples({ tasks, draws: wantedDraws(samples) }, (giveUp) =>
      useTestTime.setState({ giveUp }),
    );
    // Another run may have begun in the meantime.
    if (useLab.getState().runId !== runId) return;
    const k = Math.min(useTestTime.getState().k, samples);
    useTestTime.setState({ drawn, runId, asOf, k });
  } catch (error) {
    if (!(error instanceof AgentGoneError)) throw error;
    useTestTime.setState({ problem: error.message });
  } finally {
    useTestTime.setState({ giveUp: null });
  }
}
