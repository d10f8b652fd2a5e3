import { ActionIcon, Button, Tooltip } from '@mantine/core';
import {
  IconAdjustments,
  IconAdjustmentsHorizontal,
  IconLayoutGrid,
  IconMoon,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerSkipForwardFilled,
  IconRotate,
  IconStack2,
  IconStairs,
  IconSun,
} from '@tabler/icons-react';
import { findPreset, presetConfig } from '../../config/presets.ts';
import { Hint } from '../comfort/hint.tsx';
import { MoreMenu } from '../comfort/menu.tsx';
import { useScheme } from '../comfort/scheme.ts';
import { openGallery } from '../gallery/store.ts';
import { openKnobs, useKnobs } from '../knobs/store.ts';
import { pauseRun, resetRun, resumeRun, stepRun } from '../lab/commands.ts';
import { type LabState, useLab } from '../lab/store.ts';
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

export function Header() {
  const status = useLab((lab) => lab.status);
  const pausing = useLab((lab) => lab.pausing);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const preset = useLab((lab) => lab.preset);
  const env = useLab((lab) => lab.config.env);
  const rows = useLab((lab) => lab.rows.length);
  const edits = useSettings((settings) => Object.keys(settings.edits).length);
  const knobs = useKnobs(({ open }) => open);
  const active = (status === 'running' || status === 'starting' || status === 'idle') && !pausing;
  const name = sameEnvironment(preset, env) ? findPreset(preset).title : 'Own settings';
  const text = statusText({ status, pausing, cannotTrain });
  const over = rows > 0 && (status === 'finished' || status === 'failed' || status === 'stopped');
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
      <span
        className={`status status-${cannotTrain ? 'failed' : pausing ? 'paused' : status}`}
        role="status"
        data-testid="status"
      >
        {text}
      </span>
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
            {active ? (
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
                {over ? 'Again' : rows > 0 ? 'Continue' : 'Start'}
              </Button>
            )}
            <Tooltip label={<Hint text="Compute a single iteration" hotkey="S" />}>
              <Button
                size="sm"
                variant="default"
                leftSection={<IconPlayerSkipForwardFilled size={15} />}
                disabled={status !== 'paused' || pausing}
                onClick={stepRun}
                className="compact"
                aria-label="Step: compute a single iteration"
                aria-keyshortcuts="S"
              >
                Step
              </Button>
            </Tooltip>
            <Tooltip label={<Hint text="Walk through an iteration phase by phase" hotkey="W" />}>
              <Button
                size="sm"
                variant="default"
                leftSection={<IconStairs size={18} />}
                className="compact compact-always"
                aria-label="Walk through an iteration phase by phase"
                aria-keyshortcuts="W"
                disabled={over}
                onClick={openStepThrough}
              >
                Walk
              </Button>
            </Tooltip>
            <Tooltip label={<Hint text="Change the run while it trains" hotkey="K" />}>
              <Button
                size="sm"
                variant="default"
                leftSection={<IconAdjustments size={18} />}
                className="compact compact-always"
                aria-label="Knobs: change the run while it trains"
                aria-keyshortcuts="K"
                aria-expanded={knobs}
                onClick={() => openKnobs(!knobs)}
              >
                Knobs
              </Button>
            </Tooltip>
            <Tooltip label={<Hint text="Back to random weights" hotkey="R" />}>
              <Button
                size="sm"
                variant="default"
                leftSection={<IconRotate size={16} />}
                onClick={resetRun}
                className="compact"
                aria-label="Reset: back to random weights"
                aria-keyshortcuts="R"
              >
                Reset
              </Button>
            </Tooltip>
          </>
        )}
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
