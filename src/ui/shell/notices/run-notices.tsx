import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle, IconCpu, IconLink } from '@tabler/icons-react';
import { useMemo } from 'react';
import { embeddedParts } from '../address/embedded.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { type LabState, useLab } from '../lab/store.ts';
import { openPanel } from '../page/panels.ts';

/** Notices about replaced settings, skipped updates, a lost GPU, a change of device, and storage problems. */
export function RunNotices() {
  return (
    <>
      <ReplacedNotice />
      <SkippedNotice />
      <RecoveredNotice />
      <MovedNotice />
      <StorageNotice />
    </>
  );
}

/** Notice after a lost GPU. */
function RecoveredNotice() {
  const markers = useLab((lab) => lab.markers);
  const recoveries = useLab((lab) => lab.recoveries);
  const last = markers.at(-1);
  if (last === undefined || recoveries === 0) return null;
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconAlertTriangle />}
      title="The GPU was lost and the run has resumed"
      role="status"
      withCloseButton
      closeButtonLabel="Close this notice"
      onClose={() => useLab.setState({ recoveries: 0 })}
      data-testid="recovered"
    >
      <p className="notice-line">
        The browser lost the GPU{recoveries === 1 ? '' : ` ${recoveries} times`} and reacquired it.
        Training{' '}
        {last.iteration === 0
          ? 'restarted, because no iteration was saved yet.'
          : `resumed after iteration ${last.iteration}, from the newest checkpoint. The results are the same as without interruption.`}
      </p>
    </Alert>
  );
}

/** Notice after a change of device. */
function MovedNotice() {
  const moved = useLab((lab) => lab.moved);
  if (moved === null) return null;
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconCpu />}
      title="The run moved to another device"
      role="status"
      withCloseButton
      closeButtonLabel="Close this notice"
      onClose={() => useLab.setState({ moved: null })}
      data-testid="moved"
    >
      <p className="notice-line">
        It moved from {moved.from} to {moved.to}. Devices round differently, so later numbers differ
        slightly from those on the first device.
      </p>
    </Alert>
  );
}

const storageTitles = {
  off: 'This run is not saved',
  full: 'Storage is full: this run is not saved',
  failed: 'This run could not be saved',
  newer: 'The stored runs belong to a newer version of this page',
  blocked: 'Another tab blocks the storage of this run',
  elsewhere: 'Another tab is saving this run',
} as const;

/** Notice that the run is not saved; training continues. */
function StorageNotice() {
  const storage = useLab((lab) => lab.storage);
  if (storage === null || storage.state === 'kept') return null;
  // An embedded frame shows this in its footer instead.
  if (storage.state === 'off' && embeddedParts() !== null) return null;
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconAlertTriangle />}
      title={storageTitles[storage.state]}
      role="status"
      data-testid="storage"
    >
      <p className="notice-line">{storage.message}</p>
      {storage.state === 'full' ? (
        <Button mt="xs" onClick={() => openPanel('runs')}>
          Choose runs to delete
        </Button>
      ) : null}
      {storage.state === 'newer' ? (
        <Button mt="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      ) : null}
    </Alert>
  );
}

/** Maximum number of notes shown; an address can contain thousands of invalid values. */
const SHOWN_NOTES = 6;

/** Lists settings that were replaced; the run continues. */
export function ReplacedNotice({ of: only }: { readonly of?: 'the run file' }) {
  const { of, notes } = useReplacedSettings();
  // Notes on a file are shown where the file was opened.
  if (notes.length === 0 || (of === 'the run file') !== (only === 'the run file')) return null;
  const more = notes.length - SHOWN_NOTES;
  const one = notes.length === 1;
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconLink />}
      title={
        one
          ? `One setting in ${of} had an invalid value`
          : `${notes.length} settings in ${of} had invalid values`
      }
      role="status"
      withCloseButton
      closeButtonLabel="Close this notice"
      onClose={() => useReplacedSettings.setState({ notes: [] })}
      data-testid="address-notes"
    >
      <ul className="notice-list">
        {notes.slice(0, SHOWN_NOTES).map((note) => (
          <li key={note}>{note}</li>
        ))}
        {more > 0 ? <li>And {more.toLocaleString('en-US')} more.</li> : null}
      </ul>
    </Alert>
  );
}

/** Updates with a non-finite gradient: count and cause. */
export function skippedUpdates(rows: LabState['rows']): {
  readonly count: number;
  readonly causes: readonly string[];
  /** The last iteration with a skipped update. */
  readonly iteration: number;
} | null {
  let count = 0;
  let iteration = 0;
  const causes = new Set<string>();
  for (const row of rows) {
    for (const { skipped, cause } of row.details.updates) {
      if (!skipped) continue;
      count += 1;
      iteration = row.iteration;
      if (cause !== undefined) causes.add(cause);
    }
  }
  return count === 0 ? null : { count, causes: [...causes], iteration };
}

/** Notice about skipped updates; the run continues. */
export function SkippedNotice() {
  const rows = useLab((lab) => lab.rows);
  const skipped = useMemo(() => skippedUpdates(rows), [rows]);
  if (skipped === null) return null;
  const { count, causes, iteration } = skipped;
  const first = causes.filter((cause) => cause !== 'gradient').join(', ');
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconAlertTriangle />}
      title={`${count} ${count === 1 ? 'update was' : 'updates were'} skipped`}
      role="status"
      data-testid="skipped"
    >
      <p className="notice-line">
        The gradient was not finite, most recently in iteration {iteration}
        {first === '' ? '' : ` (first non-finite: ${first})`}. These updates did not change the
        weights, and the run continues.
      </p>
      <p className="notice-line">
        <b>If it happens often, lower the learning rate or the gradient-clipping threshold.</b>
      </p>
    </Alert>
  );
}
