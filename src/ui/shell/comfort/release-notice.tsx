import { Alert, Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useLab } from '../lab/store.ts';
import { reloadKept, useRelease } from './release.ts';

/** Notice that a part of the page could not be loaded. */
export function ReleaseNotice() {
  const { missing, saving } = useRelease();
  const hasRows = useLab(({ rows }) => rows.length > 0);
  const isKept = useLab(({ storage }) => storage?.state === 'kept');
  if (missing === null) return null;
  const release = missing === 'release';
  return (
    <Alert
      // The user may have scrolled far down.
      ref={(notice) => notice?.scrollIntoView({ block: 'center' })}
      color="ochre"
      variant="light"
      icon={<IconRefresh />}
      title={
        release
          ? 'A newer version of this page is available'
          : 'A part of this page could not be loaded'
      }
      role="alert"
      data-testid="release"
    >
      <p className="notice-line">
        {release
          ? 'The open version is no longer on the server. Reload to update.'
          : 'The network is unavailable. Training continues. Reload when the network is back.'}
        {hasRows && (isKept ? ' Your run is saved and resumes.' : ' Unsaved iterations are lost.')}
      </p>
      <Button
        mt="xs"
        leftSection={<IconRefresh size={15} />}
        loading={saving}
        onClick={() => void reloadKept()}
      >
        Reload
      </Button>
    </Alert>
  );
}
