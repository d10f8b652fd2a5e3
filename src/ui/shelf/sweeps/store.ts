/** The open sweep: read by a worker from its folder's files, which are not copied. */

import { create } from 'zustand';
import type { OpenedRun, OpenedSweep } from '../../../exchange/sweeps/opened-sweep.ts';
import type { SweepFile } from '../../../exchange/sweeps/recognize.ts';
import { configKey, type ShownRun, useOverlaidRuns } from '../../charts/overlaid-runs.ts';
import { useReplacedSettings } from '../../shell/address/replaced.ts';
import { readSweep, readSweepRun } from '../../shell/files/file-reader.ts';
import { startRun } from '../../shell/lab/commands.ts';
import { closePanel } from '../../shell/page/panels.ts';
import { showDrawer } from '../drawers.ts';
import { type Brush, type Brushes, brushed } from './brush.ts';

interface SweepState {
  readonly opened: OpenedSweep | null;
  readonly files: readonly SweepFile[];
  /** Number of files being read; 0 for none. */
  readonly reading: number;
  /** One sentence on a failed action. */
  readonly problem: string | null;
  readonly brushes: Brushes;
  /** The highlighted trial and the selected one, by number. */
  readonly pointed: number | null;
  readonly chosen: number | null;
}

const nothing = { brushes: new Map(), pointed: null, chosen: null } as const;

export const useSweep = create<SweepState>()(() => ({
  ...{ opened: null, files: [], reading: 0, problem: null },
  ...nothing,
}));

/** Opens the files of a sweep's folder, or a zip of it. */
export async function showSweep(files: readonly SweepFile[]): Promise<void> {
  showDrawer('sweep');
  useSweep.setState({ opened: null, files, reading: files.length, problem: null, ...nothing });
  const isLatest = () => useSweep.getState().files === files;
  try {
    const opened = await readSweep(files);
    if (isLatest()) useSweep.setState({ opened, chosen: opened.summary.trials[0]?.number ?? null });
  } catch (error) {
    if (isLatest()) useSweep.setState({ problem: messageOf(error) });
  } finally {
    if (isLatest()) useSweep.setState({ reading: 0 });
  }
}

export function brushAxis(id: string, brush: Brush): void {
  useSweep.setState(({ brushes }) => ({ brushes: brushed(brushes, id, brush) }));
}

export function clearBrushes(): void {
  useSweep.setState({ brushes: new Map() });
}

export function pointAt(trial: number | null): void {
  if (useSweep.getState().pointed !== trial) useSweep.setState({ pointed: trial });
}

/** Expands or collapses a trial. */
export function chooseTrial(trial: number): void {
  useSweep.setState(({ chosen }) => ({ chosen: chosen === trial ? null : trial }));
}

/** Id of a run on the charts; runs of two sweeps may have the same name. */
export const overlayId = ({ run, path }: Pick<OpenedRun, 'run' | 'path'>) =>
  `${OF_SWEEP}${path} ${run}`;

const OF_SWEEP = 'sweep ';

/** Whether an overlaid run belongs to a sweep. */
export const isOfSweep = ({ id }: Pick<ShownRun, 'id'>) => id.startsWith(OF_SWEEP);

/** Overlays runs on the current run's charts. */
export async function layRuns(runs: readonly OpenedRun[]): Promise<void> {
  await attempt(async () => {
    const { opened, files } = useSweep.getState();
    const laid: ShownRun[] = [];
    for (const run of runs) {
      const { config, rows } = await readSweepRun(filesOf(files, run), run.path);
      const name = `${opened?.sweep.name ?? 'Sweep'}, trial ${run.trial}, seed ${run.seed}`;
      const id = overlayId(run);
      laid.push({ id, name, seed: run.seed, configKey: configKey(config), rows, markers: [] });
    }
    const ids = new Set(laid.map(({ id }) => id));
    useOverlaidRuns.setState(({ overlaid }) => ({
      overlaid: [...overlaid.filter(({ id }) => !ids.has(id)), ...laid],
    }));
  });
}

/** Removes all runs of sweeps from the charts; stored runs stay. */
export function takeOffRuns(): void {
  useOverlaidRuns.setState(({ overlaid }) => ({
    overlaid: overlaid.filter((run) => !isOfSweep(run)),
  }));
}

/** Trains a run of the sweep again on this page, with its settings and seed. */
export async function trainAgain(run: OpenedRun): Promise<void> {
  await attempt(async () => {
    const { files } = useSweep.getState();
    const { config, preset, replaced } = await readSweepRun(filesOf(files, run), run.path);
    if (replaced.length > 0) {
      useReplacedSettings.setState({ of: 'this run of a sweep', notes: replaced });
    }
    closePanel('sweep');
    startRun(config, preset);
  });
}

/** The files to read for one run: its record, or the zip that contains it. */
function filesOf(files: readonly SweepFile[], { path }: OpenedRun): readonly SweepFile[] {
  const own = files.filter((file) => file.path === path);
  return own.length > 0 ? own : files;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Does the work and reports an error as one sentence. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    useSweep.setState({ problem: null });
    await work();
  } catch (error) {
    useSweep.setState({ problem: messageOf(error) });
  }
}
