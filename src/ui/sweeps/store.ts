/** The sweep that is open: read in a worker from its folder's files, which stay where they are. */
import { create } from 'zustand';
import type { OpenedRun, OpenedSweep } from '../../exchange/sweeps/opened-sweep.ts';
import type { SweepFile } from '../../exchange/sweeps/recognise.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { readSweep, readSweepRun } from '../files/file-reader.ts';
import { startRun } from '../lab/commands.ts';
import { configKey, type ShownRun, useOverlaidRuns } from '../runs/runs-store.ts';
import { type Brush, type Brushes, brushed } from './brush.ts';
import { openSweepPanel } from './wanted.ts';

export interface SweepState {
  readonly opened: OpenedSweep | null;
  readonly files: readonly SweepFile[];
  /** Files that are being read; 0 where none are. */
  readonly reading: number;
  /** One sentence about what could not be done. */
  readonly problem: string | null;
  readonly brushes: Brushes;
  /** The trial that is pointed at, or that was chosen, by its number. */
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
  openSweepPanel(true);
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

/** Unfolds a trial; one that is unfolded is folded again. */
export function chooseTrial(trial: number): void {
  useSweep.setState(({ chosen }) => ({ chosen: chosen === trial ? null : trial }));
}

/** The name of a run on the charts; two sweeps may have runs of the same name. */
export const overlayId = ({ run, path }: Pick<OpenedRun, 'run' | 'path'>) =>
  `${OF_SWEEP}${path} ${run}`;

const OF_SWEEP = 'sweep ';

/** Whether a run that lies over the charts is one of a sweep. */
export const isOfSweep = ({ id }: Pick<ShownRun, 'id'>) => id.startsWith(OF_SWEEP);

/** Lays runs over the charts of the present one. */
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

/** Takes all runs of sweeps off the charts; kept runs stay. */
export function takeOffRuns(): void {
  useOverlaidRuns.setState(({ overlaid }) => ({
    overlaid: overlaid.filter((run) => !isOfSweep(run)),
  }));
}

/** Trains a run of the sweep again, here, with the settings and the seed that it had. */
export async function trainAgain(run: OpenedRun): Promise<void> {
  await attempt(async () => {
    const { files } = useSweep.getState();
    const { config, preset, replaced } = await readSweepRun(filesOf(files, run), run.path);
    if (replaced.length > 0) {
      useReplacedSettings.setState({ of: 'this run of a sweep', notes: replaced });
    }
    openSweepPanel(false);
    startRun(config, preset);
  });
}

/** What has to be read for one run: its record, or the zip that it is in. */
function filesOf(files: readonly SweepFile[], { path }: OpenedRun): readonly SweepFile[] {
  const own = files.filter((file) => file.path === path);
  return own.length > 0 ? own : files;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Says in one sentence what could not be done. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    useSweep.setState({ problem: null });
    await work();
  } catch (error) {
    useSweep.setState({ problem: messageOf(error) });
  }
}
