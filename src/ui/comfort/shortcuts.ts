import { choose } from '../episode/playback.ts';
import { openGallery } from '../gallery/store.ts';
import { openKnobs, useKnobs } from '../knobs/store.ts';
import { pauseRun, resetRun, resumeRun, stepRun } from '../lab/commands.ts';
import { type LabState, useLab } from '../lab/store.ts';
import { ALL_LESSONS, openLesson, useLesson } from '../lessons/store.ts';
import { openRuns } from '../runs/runs-store.ts';
import { openSettings } from '../settings/store-settings.ts';
import { openStepThrough } from '../step-through/store.ts';
import { openHelp } from './help-store.ts';
import { useKeys } from './keys.ts';
import { useScheme } from './scheme.ts';

/** The keys of the whole page; `help.tsx` lists them. */
export function Shortcuts(): null {
  const { toggle } = useScheme();
  useKeys({
    ' ': pauseOrResume,
    s: stepRun,
    w: () => {
      if (canStepThrough(useLab.getState())) openStepThrough();
    },
    p: playOnStage,
    k: () => openKnobs(!useKnobs.getState().open),
    r: resetUnlessLost,
    g: () => openGallery(true),
    l: () => openLesson(useLesson.getState().name === null ? ALL_LESSONS : null),
    ',': () => openSettings(true),
    '/': () => openRuns(true, true),
    d: toggle,
    '?': () => openHelp(true),
  });
  return null;
}

type Run = Pick<LabState, 'status' | 'pausing' | 'rows'>;

/** The run has come to an end, and another one would begin. */
export function isOver({ status, rows }: Omit<Run, 'pausing'>): boolean {
  return rows.length > 0 && (status === 'finished' || status === 'failed' || status === 'stopped');
}

function canStepThrough(lab: LabState): boolean {
  return !lab.cannotTrain && !isOver(lab);
}

function pauseOrResume(): void {
  const lab = useLab.getState();
  // A key pressed in passing does not begin a run.
  if (lab.cannotTrain || isOver(lab)) return;
  const active = lab.status === 'running' || lab.status === 'starting';
  if (active && !lab.pausing) pauseRun();
  else resumeRun();
}

/** The visitor plays; the stage comes into sight. */
function playOnStage(): void {
  choose('play');
  document.querySelector('.stage')?.scrollIntoView({ block: 'nearest' });
}

function resetUnlessLost(): void {
  const { cannotTrain, rows, storage } = useLab.getState();
  if (cannotTrain) return;
  const lost = rows.length > 0 && storage?.state !== 'kept';
  // A button is aimed at; a key is pressed by mistake.
  if (!lost || window.confirm('This run is not kept. Begin again and lose its curve?')) resetRun();
}
