import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle, IconCpu } from '@tabler/icons-react';
import { embeddedParts } from '../address/embedded.ts';
import { useLab } from '../lab/store.ts';
import { openRuns } from '../runs/runs-store.ts';

/** What happened to a run from outside: its GPU was lost, it moved, or it is not kept. */
export function RunNotices() {
  return (
    <>
      <RecoveredNotice />
      <MovedNotice />
      <StorageNotice />
    </>
  );
}

/** Says that the GPU was lost and the run went on by itself. */
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
      title="The GPU was lost, and the run went on"
      role="status"
      withCloseButton
      closeButtonLabel="Close this notice"
      onClose={() => useLab.setState({ recoveries: 0 })}
      data-testid="recovered"
    >
      <p className="notice-line">
        The browser took the GPU away{recoveries === 1 ? '' : ` ${recoveries} times`}. A new one was
        opened, and training{' '}
        {last.iteration === 0
          ? 'began again from the start, since no iteration was kept yet.'
          : `went on after iteration ${last.iteration}, from its newest checkpoint. The numbers are those of a run that was never interrupted.`}
      </p>
    </Alert>
  );
}

/** Says that another device goes on with the run, and what that means. */
function MovedNotice() {
  const moved = useLab((lab) => lab.moved);
  if (moved === null) return null;
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconCpu />}
      title="The run goes on on another device"
      role="status"
      withCloseButton
      closeButtonLabel="Close this notice"
      onClose={() => useLab.setState({ moved: null })}
      data-testid="moved"
    >
      <p className="notice-line">
        So far it was computed on {moved.from}, from here on {moved.to} computes it. Devices round
        differently, so its numbers from here on are not those it would have had there.
      </p>
    </Alert>
  );
}

const storageTitles = {
  off: 'This run is not kept',
  full: 'There is no room left to keep this run',
  failed: 'This run could not be kept',
  newer: 'This page is older than the runs that are kept here',
  blocked: 'Another tab is in the way of keeping this run',
  elsewhere: 'Another tab keeps this run',
} as const;

/** Says that the run is not being kept, and what to do about it; training goes on. */
function StorageNotice() {
  const storage = useLab((lab) => lab.storage);
  if (storage === null || storage.state === 'kept') return null;
  // A frame says it in its last line.
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
        <Button mt="xs" size="xs" variant="default" onClick={() => openRuns(true)}>
          Choose runs to delete
        </Button>
      ) : null}
      {storage.state === 'newer' ? (
        <Button mt="xs" size="xs" variant="default" onClick={() => location.reload()}>
          Reload
        </Button>
      ) : null}
    </Alert>
  );
}
