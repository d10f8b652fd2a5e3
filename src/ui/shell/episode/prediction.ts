/** How well the agent predicts the expert's episode on the stage. */

import { useEffect } from 'react';
import { create } from 'zustand';
import { mixtureTask } from '../../../envs/mixture.ts';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { DemonstrationReading } from '../../../runs/policy-reading.ts';
import { askOrNull } from '../lab/questions.ts';
import { useLab } from '../lab/store.ts';

/** Minimum pause between a reply and the next request, in milliseconds. */
const REST_MS = 400;
/** Minimum pause as a multiple of the response time, so that requests hardly slow training. */
const REST = 4;

interface Prediction extends DemonstrationReading {
  readonly runId: string;
  readonly task: string;
}

const usePredictions = create<{ readonly newest: Prediction | null }>()(() => ({ newest: null }));

/** The share of the expert's tokens that are the agent's most probable ones. */
export function accuracyOf({ turns }: DemonstrationReading): number {
  const tokens = turns.flat();
  return tokens.filter(({ first }) => first).length / tokens.length;
}

/** The newest prediction of the current run; null if no expert is shown. */
export function usePrediction(): Prediction | null {
  const runId = useLab((lab) => lab.runId);
  const newest = usePredictions((predictions) => predictions.newest);
  return newest?.runId === runId ? newest : null;
}

/**
 * Requests repeatedly how well the agent predicts an expert's episode, while the episode is shown.
 *
 * @param record if null, no request is sent
 */
export function usePredicted(record: EpisodeRecord | null): DemonstrationReading | null {
  const runId = useLab((lab) => lab.runId);
  const status = useLab((lab) => lab.status);
  const mixed = useLab((lab) => lab.config.env.mixture.length > 0);
  const iteration = useLab(({ rows }) => rows.at(-1)?.iteration ?? 0);
  const running = status === 'running';
  const task =
    record === null
      ? null
      : mixed
        ? mixtureTask(record.environment.id, record.taskId)
        : record.taskId;
  // A run that is not training gets one request per iteration.
  const again = running ? null : iteration;
  const asks = status !== 'failed' && status !== 'asked' && status !== 'starting';
  useEffect(() => {
    if (runId === null || task === null || !asks) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let cancel = () => {};
    let shown = true;
    const read = async () => {
      const since = performance.now();
      const reading = await askOrNull('read-demonstration', { task }, (sent) => {
        cancel = sent;
      });
      if (!shown) return;
      if (reading !== null) usePredictions.setState({ newest: { ...reading, runId, task } });
      const took = performance.now() - since;
      if (again === null) timer = setTimeout(read, Math.max(REST_MS, REST * took));
    };
    void read();
    return () => {
      shown = false;
      clearTimeout(timer);
      cancel();
    };
  }, [runId, task, again, asks]);
  // The numbers of one task are kept until those of the next arrive.
  const shows = task !== null && asks;
  useEffect(() => (shows ? () => usePredictions.setState({ newest: null }) : undefined), [shows]);
  const newest = usePrediction();
  return newest?.task === task ? newest : null;
}
