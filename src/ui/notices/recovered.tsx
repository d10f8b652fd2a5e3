import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useLab } from '../lab/store.ts';

/** Says that the GPU was lost and the run went on by itself. */
export function RecoveredNotice() {
  const markers = useLab((lab) => lab.markers);
  const recoveries = useLab((lab) => lab.recoveries);
  const last = markers.at(-1);
  if (last === undefined) return null;
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
