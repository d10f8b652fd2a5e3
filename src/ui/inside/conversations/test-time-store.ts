/** Samples drawn from the current run's players, and display settings. */

import { create } from 'zustand';
import type { DrawName, DrawnTasks } from '../../../runs/test-time.ts';
import { ask, QuestionRefusedError } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';
import { type Reading, wantedDraws } from './test-time-curves.ts';

export interface TestTimeState {
  /** Null before anything was drawn. */
  readonly drawn: DrawnTasks | null;
  /** The run that was sampled, and its newest iteration at that time. */
  readonly runId: string | null;
  readonly asOf: number;
  /** Cancels the current draw; null if there is none. */
  readonly giveUp: (() => void) | null;
  /** One sentence on a request that failed. */
  readonly problem: string | null;
  /** Number of samples per task shown. */
  readonly k: number;
  readonly reading: Reading;
  /** The draw whose samples are shown task by task. */
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

/** Draws samples for a number of evaluation tasks, up to a number of samples per task. */
export async function drawForPage(tasks: number, samples: number): Promise<void> {
  const { runId, rows } = useLab.getState();
  const asOf = rows.at(-1)?.iteration ?? 0;
  useTestTime.setState({ problem: null });
  try {
    const drawn = await ask('draw-samples', { tasks, draws: wantedDraws(samples) }, (giveUp) =>
      useTestTime.setState({ giveUp }),
    );
    // Another run may have started in the meantime.
    if (useLab.getState().runId !== runId) return;
    const k = Math.min(useTestTime.getState().k, samples);
    useTestTime.setState({ drawn, runId, asOf, k });
  } catch (error) {
    if (!(error instanceof QuestionRefusedError)) throw error;
    useTestTime.setState({ problem: error.message });
  } finally {
    useTestTime.setState({ giveUp: null });
  }
}
