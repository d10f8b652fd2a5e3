import { ActionIcon, Button, Tooltip } from '@mantine/core';
import {
  IconLayoutGrid,
  IconMoon,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconSun,
} from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { findPreset, presetConfig } from '../../config/presets.ts';
import { Hint } from '../shell/comfort/hint.tsx';
import { useScheme } from '../shell/comfort/scheme.ts';
import { pauseRun, resumeRun } from '../shell/lab/commands.ts';
import { isOver, type LabState, useLab } from '../shell/lab/store.ts';
import { openPanel } from '../shell/page/panels.ts';
import { type Command, type HeaderButton, keyName } from './command.ts';
import { commands } from './commands.tsx';
import { goHome } from './home.ts';
import { MoreMenu } from './menu.tsx';

/** Whether a run uses its preset's environment; only then does the header show the preset's title. */
function sameEnvironment(preset: string, env: LabState['config']['env']): boolean {
  return JSON.stringify(presetConfig(preset).env) === JSON.stringify(env);
}

/** Text of the status indicator. */
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

/** Pauses or continues the run. */
export function Go() {
  const status = useLab((lab) => lab.status);
  const pausing = useLab((lab) => lab.pausing);
  const rows = useLab((lab) => lab.rows);
  const active = (status === 'running' || status === 'starting' || status === 'idle') && !pausing;
  const over = isOver({ status, rows });
  const Icon = active ? IconPlayerPauseFilled : IconPlayerPlayFilled;
  return (
    <Button
      variant="filled"
      size="sm"
      className="go"
      leftSection={<Icon size={15} />}
      onClick={active ? pauseRun : resumeRun}
      {...(over && !active ? {} : { 'aria-keyshortcuts': 'Space' })}
    >
      {active ? 'Pause' : over ? 'Again' : rows.length > 0 ? 'Continue' : 'Start'}
    </Button>
  );
}

/** A plain click stays in the page, so that Back returns to the current run. */
function home(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  goHome();
}

export function Header() {
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const preset = useLab((lab) => lab.preset);
  const env = useLab((lab) => lab.config.env);
  const name = sameEnvironment(preset, env) ? findPreset(preset).title : 'Own settings';
  return (
    <header className="top">
      <button
        type="button"
        className="skip"
        // A link to #run would replace a run stored behind the # of the address.
        onClick={() => document.getElementById('run')?.focus()}
      >
        Skip to the run
      </button>
      <a className="brand" href="./" aria-label="Palestra, start page" onClick={home}>
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
          className="preset"
          justify="space-between"
          rightSection={<IconLayoutGrid size={16} />}
          onClick={() => openPanel('gallery')}
          aria-haspopup="dialog"
          aria-label={`Gallery, ${name}`}
          aria-keyshortcuts="G"
        >
          {name}
        </Button>
        {cannotTrain ? null : <Go />}
        {commands.map(({ header, ...command }) =>
          header === undefined || (header.trains && cannotTrain) ? null : (
            <Act key={header.name} header={header} command={command} />
          ),
        )}
        <span className="aside">
          <SchemeToggle />
          <MoreMenu />
        </span>
      </div>
    </header>
  );
}

interface ActProps {
  readonly header: HeaderButton;
  readonly command: Omit<Command, 'header'>;
}

/** A command's button; only its icon on narrow screens. */
function Act({ header, command }: ActProps) {
  const { name, label, hint, icon, iconOnly = false, useState } = header;
  const { key, press } = command;
  const { toggle: toggleScheme } = useScheme();
  // An instance always renders the same row, so it calls the optional hook on every render or on none.
  const { disabled = false, expanded, label: now = label } = useState?.() ?? {};
  const hotkey = key === undefined ? undefined : keyName(key);
  const button = (
    <Button
      size="sm"
      leftSection={icon}
      className={iconOnly ? 'compact compact-always' : 'compact'}
      disabled={disabled}
      onClick={() => press({ toggleScheme })}
      aria-label={now}
      {...(hotkey === undefined ? {} : { 'aria-keyshortcuts': hotkey })}
      {...(expanded === undefined ? {} : { 'aria-expanded': expanded })}
    >
      {name}
    </Button>
  );
  return hint === undefined || hotkey === undefined ? (
    button
  ) : (
    <Tooltip label={<Hint text={hint} hotkey={hotkey} />}>{button}</Tooltip>
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
