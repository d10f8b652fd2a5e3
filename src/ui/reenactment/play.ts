/** Begins and ends re-enactments: one run on the page, one beside it, and the run they are of over both. */

import { findPreset } from '../../config/presets.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import type { ShownLog } from '../../exchange/logs/shown-log.ts';
import type { PageMessage, WorkerMessage } from '../../lab/protocol.ts';
import { type ForeignRun, layForeign } from '../charts/foreign.ts';
import { useDeviceChoice } from '../device/choice.ts';
import { startRun } from '../lab/commands.ts';
import { upTo, withEvaluation, withoutSamples } from '../lab/rows.ts';
import { useLab } from '../lab/store.ts';
import { configKey, useOverlaidRuns } from '../runs/runs-store.ts';
import { discardEdits } from '../settings/store-settings.ts';
import { foreignOfLog, foreignOfRows } from './foreign-of.ts';
import { planReenactment, type ReenactmentPlan } from './plan.ts';
import { type BesideRun, useReenactment } from './state.ts';

/** Re-enacts a finding of a log. */
export const reenactLog = (finding: Finding, log: ShownLog): Promise<void> =>
  begin(finding, foreignOfLog(log));

/** Re-enacts a finding of the present run, which another one then takes the place of. */
export function reenactOwn(finding: Finding): Promise<void> {
  const { name, rows } = useLab.getState();
  return begin(finding, foreignOfRows(name, rows, finding.interval));
}

let worker: Worker | null = null;

/** Takes the run beside and what lies over the charts away; the present run goes on. */
export function endReenactment(): void {
  if (useReenactment.getState().playing === null) return;
  worker?.terminate();
  worker = null;
  useReenactment.setState({ playing: null });
  useOverlaidRuns.setState({ beside: null });
  layForeign(null);
}

useLab.subscribe(({ runId }) => {
  const { playing } = useReenactment.getState();
  if (playing !== null && playing.runId !== runId) endReenactment();
});

async function begin({ mode, remedies }: Finding, foreign: ForeignRun): Promise<void> {
  const plan = await planReenactment(mode, remedies);
  if (plan === null) return;
  discardEdits();
  startRun(plan.failing, plan.preset);
  const { runId } = useLab.getState();
  if (runId === null) return;
  const { cause, cure } = plan;
  const { title: preset } = findPreset(plan.preset);
  const beside: BesideRun = { rows: [], status: 'starting', problem: null };
  useReenactment.setState({
    playing: { mode, preset, runId, cause, cure, of: foreign.name, beside },
  });
  layForeign(foreign);
  worker = trainBeside(plan);
}

/** The cured run, on the device of the present one. */
function trainBeside({ cured, cure }: ReenactmentPlan): Worker {
  const opened = new Worker(new URL('../../lab/worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-beside',
  });
  const runId = crypto.randomUUID();
  opened.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
    const { playing } = useReenactment.getState();
    if (playing === null || worker !== opened) return;
    const beside = entered(playing.beside, data);
    if (beside === playing.beside) return;
    useReenactment.setState({ playing: { ...playing, beside } });
    useOverlaidRuns.setState({
      beside: {
        ...{ id: runId, name: `With ${cure}`, colour: 'var(--p-run-2)', seed: cured.seed },
        ...{ configKey: configKey(cured), markers: [] },
        rows: beside.rows.map(({ metrics }) => metrics),
      },
    });
    if (beside.status === 'finished' || beside.status === 'failed') opened.terminate();
  };
  opened.onerror = (event) => {
    event.preventDefault();
    const { playing } = useReenactment.getState();
    if (playing === null || worker !== opened) return;
    const problem = event.message || 'The worker of the run beside could not be loaded.';
    const beside: BesideRun = { ...playing.beside, status: 'failed', problem };
    useReenactment.setState({ playing: { ...playing, beside } });
  };
  const { choice: device } = useDeviceChoice.getState();
  opened.postMessage({
    ...{ type: 'start', runId, config: cured, device, paused: false },
  } satisfies PageMessage);
  return opened;
}

/** What a message of its worker makes of the run beside; the same object where that is nothing. */
export function entered(beside: BesideRun, message: WorkerMessage): BesideRun {
  switch (message.type) {
    case 'iteration': {
      const { iteration, metrics, details, milliseconds } = message;
      const row = withoutSamples({ iteration, metrics, details, milliseconds });
      return { ...beside, status: 'running', rows: [...beside.rows, row] };
    }
    case 'evaluation': {
      const { iteration, metrics } = message;
      return { ...beside, rows: withEvaluation(beside.rows, iteration, { metrics }) };
    }
    case 'restored':
      return { ...beside, rows: upTo(beside.rows, message.iteration) };
    case 'status':
      if (message.status === 'finished') return { ...beside, status: 'finished' };
      return message.status === 'failed' ? { ...beside, status: 'failed' } : beside;
    case 'error':
      return { ...beside, status: 'failed', problem: `${message.message} ${message.advice}` };
    default:
      return beside;
  }
}
