/** Every command. Header, menu, help and keyboard shortcuts are derived from these rows. */

import { IconLanguage, IconPlayerSkipForwardFilled, IconRotate } from '@tabler/icons-react';
import { choose } from '../shell/episode/playback.ts';
import { pauseRun, resetRun, resumeRun, stepRun } from '../shell/lab/commands.ts';
import { isOver, useLab } from '../shell/lab/store.ts';
import { shown } from '../shell/language/current.ts';
import { chooseLanguage, useLanguage } from '../shell/language/store.ts';
import type { Command } from './command.ts';
import { panels } from './panels.tsx';

export const commands: readonly Command[] = [
  {
    key: ' ',
    does: 'Pause after the current iteration, or continue',
    group: 'run',
    press: pauseOrResume,
  },
  {
    key: 's',
    does: 'Compute one iteration of a paused run',
    group: 'run',
    press: stepRun,
    header: {
      name: 'Step',
      label: 'Step: compute one iteration',
      hint: 'Compute one iteration',
      icon: <IconPlayerSkipForwardFilled size={15} />,
      trains: true,
      useState: () => ({
        disabled: useLab(({ status, pausing }) => status !== 'paused' || pausing),
      }),
    },
  },
  {
    key: 'r',
    does: 'Reset: restart from the initial weights',
    group: 'run',
    press: resetRun,
    pressKey: resetUnlessLost,
    header: {
      name: 'Reset',
      label: 'Reset: restart from the initial weights',
      hint: 'Restart from the initial weights',
      icon: <IconRotate size={16} />,
      trains: true,
    },
  },
  ...panels.flatMap(({ command }) => command ?? []),
  {
    key: 'p',
    does: 'Play against the agent',
    group: 'page',
    press: playOnStage,
  },
  {
    key: 'd',
    does: 'Dark or light theme',
    group: 'page',
    press: ({ toggleScheme }) => toggleScheme(),
  },
  {
    does: 'German or English',
    group: 'page',
    press: () => void chooseLanguage(useLanguage.getState().language === 'en' ? 'de' : 'en'),
    // Its German translation is “In English”.
    menu: { label: 'Auf Deutsch', icon: <IconLanguage size={16} /> },
  },
];

function pauseOrResume(): void {
  const lab = useLab.getState();
  // An accidental key press must not start a run.
  if (lab.cannotTrain || isOver(lab)) return;
  const active = lab.status === 'running' || lab.status === 'starting';
  if (active && !lab.pausing) pauseRun();
  else resumeRun();
}

/** Starts play against the agent and scrolls to the stage. */
function playOnStage(): void {
  choose('play');
  document.querySelector('.stage')?.scrollIntoView({ block: 'nearest' });
}

function resetUnlessLost(): void {
  const { cannotTrain, rows, storage } = useLab.getState();
  if (cannotTrain) return;
  const lost = rows.length > 0 && storage?.state !== 'kept';
  // Unlike a button, a key can be pressed by accident.
  if (!lost || window.confirm(shown('This run is not saved. Restart and lose its curves?')))
    resetRun();
}
