import type { Config } from '../../../config/schema.ts';
import type { PageMessage, WorkerMessage } from '../../../lab/protocol.ts';
import { newId } from '../../../runs/new-id.ts';
import { useDeviceChoice } from '../../shell/device/choice.ts';
import { useLab } from '../../shell/lab/store.ts';
import { configKey, useOverlaidRuns } from '../overlaid-runs.ts';
import { type BesideRun, entered, nothingYet } from './run.ts';

/** Control of the second run. */
export interface TrainedBeside {
  /** Ends it and removes its curve. */
  end(): void;
}

/**
 * Trains a second run in its own worker, on the selected device, with its curve in the charts. It pauses
 * and resumes with the current run.
 *
 * @param name shown in the charts
 * @param changed called with every new state
 */
export function trainBeside(
  config: Config,
  name: string,
  changed: (run: BesideRun) => void,
): TrainedBeside {
  const worker = new Worker(new URL('../../../lab/worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-beside',
  });
  const runId = newId();
  const shown = {
    ...{ id: runId, name, color: 'var(--p-run-2)', seed: config.seed },
    ...{ configKey: configKey(config), markers: [] },
  };
  let run = nothingYet;
  let ended = false;
  const become = (next: BesideRun) => {
    if (ended || next === run) return;
    run = next;
    changed(run);
    const rows = run.rows.map(({ metrics }) => metrics);
    useOverlaidRuns.setState({ beside: { ...shown, rows } });
    if (run.status === 'finished' || run.status === 'failed') worker.terminate();
  };
  const send = (message: PageMessage) => worker.postMessage(message);
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => become(entered(run, data));
  worker.onerror = (event) => {
    event.preventDefault();
    const problem = event.message || 'The worker for the second run could not be loaded.';
    become({ ...run, status: 'failed', problem });
  };
  const { choice: device } = useDeviceChoice.getState();
  send({ type: 'start', runId, config, device, paused: false });
  const leave = useLab.subscribe(({ status, pausing }, before) => {
    if (pausing && !before.pausing) send({ type: 'pause', runId });
    // While a step or a pending pause ends, `pausing` is set and the second run stays paused.
    else if (status === 'running' && !pausing && (before.pausing || before.status === 'paused'))
      send({ type: 'resume', runId });
  });
  return {
    end() {
      ended = true;
      leave();
      worker.terminate();
      useOverlaidRuns.setState({ beside: null });
    },
  };
}
