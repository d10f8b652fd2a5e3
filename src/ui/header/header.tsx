import { ActionIcon, Button, type ButtonProps, Tooltip } from '@mantine/core';
import {
  IconAdjustments,
  IconAdjustmentsHorizontal,
  IconLayoutGrid,
  IconMoon,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerSkipForwardFilled,
  IconRotate,
  IconSchool,
  IconStack2,
  IconStairs,
  IconSun,
} from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';
import { findPreset, presetConfig } from '../../config/presets.ts';
import { Hint } from '../comfort/hint.tsx';
import { MoreMenu } from '../comfort/menu.tsx';
import { useScheme } from '../comfort/scheme.ts';
import { isOver } from '../comfort/shortcuts.ts';
import { openGallery } from '../gallery/store.ts';
import { openKnobs, useKnobs } from '../knobs/store.ts';
import { pauseRun, resetRun, resumeRun, stepRun } from '../lab/commands.ts';
import { type LabState, useLab } from '../lab/store.ts';
import { ALL_LESSONS, openLesson, useLesson } from '../lessons/store.ts';
import { openRuns } from '../runs/runs-store.ts';
import { openSettings, useSettings } from '../settings/store-settings.ts';
import { openStepThrough } from '../step-through/store.ts';

/** A run that acts elsewhere than its preset does is not to be called by the preset's name. */
function sameEnvironment(preset: string, env: LabState['config']['env']): boolean {
  return JSON.stringify(presetConfig(preset).env) === JSON.stringify(env);
}

/** What the status pill says. */
export function statusText(lab: Pick<LabState, 'status' | 'pausing' | 'cannotTrain'>): string {
  if (lab.cannotTrain) return 'Cannot train';
  switch (lab.status) {
    case 'idle':
    case 'starting':
      return 'Starting';
    case 'asked':
      return 'Not started';
    case 'running':
      return lab.pausing ? 'Finishing iteration' : 'Training';
    case 'paused':
      return 'Paused';
    case 'finished':
      return 'Finished';
    case 'stopped':
      return 'Stopped';
    case 'failed':
      return 'Failed';
    default:
      return lab.status satisfies never;
  }
}

/** What the run is doing, in a word. */
export function Status() {
  const status = useLab((lab) => lab.status);
  const pausing = useLab((lab) => lab.pausing);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  return (
    <span
      className={`status status-${cannotTrain ? 'failed' : pausing ? 'paused' : status}`}
      role="status"
      data-testid="status"
    >
      {statusText({ status, pausing, cannotTrain })}
    </span>
  );
}

/** Pauses the run, or lets it go on. */
export function Go() {
  const status = useLab((lab) => lab.status);
  const pausing = useLab((lab) => lab.pausing);
  const rows = useLab((lab) => lab.rows);
  const active = (status === 'running' || status === 'starting' || status === 'idle') && !pausing;
  const over = isOver({ status, rows });
  return active ? (
    <Button
      size="sm"
      className="go"
      leftSection={<IconPlayerPauseFilled size={15} />}
      onClick={pauseRun}
      aria-keyshortcuts="Space"
    >
      Pause
    </Button>
  ) : (
    <Button
      size="sm"
      className="go"
      leftSection={<IconPlayerPlayFilled size={15} />}
      onClick={resumeRun}
      {...(over ? {} : { 'aria-keyshortcuts': 'Space' })}
    >
      {over ? 'Again' : rows.length > 0 ? 'Continue' : 'Start'}
    </Button>
  );
}

export function Header() {
  const status = useLab((lab) => lab.status);
  const pausing = useLab((lab) => lab.pausing);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const preset = useLab((lab) => lab.preset);
  const env = useLab((lab) => lab.config.env);
  const over = useLab(isOver);
  const edits = useSettings((settings) => Object.keys(settings.edits).length);
  const knobs = useKnobs(({ open }) => open);
  const lessons = useLesson((lesson) => lesson.name !== null);
  const name = sameEnvironment(preset, env) ? findPreset(preset).title : 'Own settings';
  return (
    <header className="top">
      <button
        type="button"
        className="skip"
        // A link to #run would change the address, whose `#` may hold the run.
        onClick={() => document.getElementById('run')?.focus()}
      >
        Skip to the run
      </button>
      <a className="brand" href="./" aria-label="Palestra, start page">
        <svg viewBox="0 0 32 32" aria-hidden>
          <path d="M4 12.2 16 5l12 7.2v1.8H4z" />
          <path d="M6.6 16h3.2v8H6.6zM14.4 16h3.2v8h-3.2zM22.2 16h3.2v8h-3.2z" />
          <path d="M4 26h24v2.6H4z" />
        </svg>
        <span>Palestra</span>
      </a>
      <Status />
      <div className="controls" role="toolbar" aria-label="Run">
        <Button
          size="sm"
          variant="default"
          className="preset"
          justify="space-between"
          rightSection={<IconLayoutGrid size={16} />}
          onClick={() => openGallery(true)}
          aria-haspopup="dialog"
          aria-label={`Gallery, ${name}`}
          aria-keyshortcuts="G"
        >
          {name}
        </Button>
        {cannotTrain ? null : (
          <>
            <Go />
            <Act
              name="Step"
              hint="Compute a single iteration"
              hotkey="S"
              icon={<IconPlayerSkipForwardFilled size={15} />}
              disabled={status !== 'paused' || pausing}
              onClick={stepRun}
              aria-label="Step: compute a single iteration"
            />
            <Act
              name="Walk"
              hint="Walk through an iteration phase by phase"
              hotkey="W"
              icon={<IconStairs size={18} />}
              className="compact compact-always"
              disabled={over}
              onClick={openStepThrough}
              aria-label="Walk through an iteration phase by phase"
            />
            <Act
              name="Knobs"
              hint="Change the run while it trains"
              hotkey="K"
              icon={<IconAdjustments size={18} />}
              className="compact compact-always"
              onClick={() => openKnobs(!knobs)}
              aria-label="Knobs: change the run while it trains"
              aria-expanded={knobs}
            />
            <Act
              name="Reset"
              hint="Back to random weights"
              hotkey="R"
              icon={<IconRotate size={16} />}
              onClick={resetRun}
              aria-label="Reset: back to random weights"
            />
          </>
        )}
        <Act
          name="Lessons"
          hint="Lessons of five minutes, beside the lab"
          hotkey="L"
          icon={<IconSchool size={17} />}
          onClick={() => openLesson(lessons ? null : ALL_LESSONS)}
          aria-label="Lessons"
          aria-expanded={lessons}
        />
        <Button
          size="sm"
          variant="default"
          leftSection={<IconStack2 size={16} />}
          onClick={() => openRuns(true)}
          className="compact"
          aria-label="Runs: all that are kept"
        >
          Runs
        </Button>
        <Button
          size="sm"
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          onClick={() => openSettings(true)}
          className="compact"
          aria-keyshortcuts=","
          aria-label={edits > 0 ? `Settings, ${edits} not applied` : 'Settings'}
        >
          Settings
        </Button>
        <span className="aside">
          <SchemeToggle />
          <MoreMenu />
        </span>
      </div>
    </header>
  );
}

interface ActProps
  extends Pick<ButtonProps, 'disabled' | 'className'>,
    Pick<ComponentProps<'button'>, 'onClick' | 'aria-label' | 'aria-expanded'> {
  readonly name: string;
  /** What it does, beside its key. */
  readonly hint: string;
  readonly hotkey: string;
  readonly icon: ReactNode;
}

/** What the run can be told; where there is little room its icon stands alone. */
function Act({ name, hint, hotkey, icon, className = 'compact', ...button }: ActProps) {
  return (
    <Tooltip label={<Hint text={hint} hotkey={hotkey} />}>
      <Button
        size="sm"
        variant="default"
        leftSection={icon}
        className={className}
        aria-keyshortcuts={hotkey}
        {...button}
      >
        {name}
      </Button>
    </Tooltip>
  );
}

function SchemeToggle() {
  const { dark, toggle } = useScheme();
  const label = dark ? 'Light page' : 'Dark page';
  return (
    <Tooltip label={<Hint text={label} hotkey="D" />}>
      <ActionIcon
        size={36}
        variant="subtle"
        color="gray"
        aria-label={label}
        aria-keyshortcuts="D"
        onClick={toggle}
      >
        {dark ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}
