import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle, IconCpu } from '@tabler/icons-react';
import { embeddedParts } from '../address/embedded.ts';
import { useLab } from '../lab/store.ts';
import { openPanel } from '../page/panels.ts';

/** Notices about a lost GPU, a change of device, and storage problems. */
export function RunNotices() {
  return (
    <>
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
