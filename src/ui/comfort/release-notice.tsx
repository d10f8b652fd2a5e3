import { Alert, Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { reloadKept, useRelease } from './release.ts';

/** Says that a part of the page is missing, and offers the way on. */
export function ReleaseNotice() {
  const { missing, saving } = useRelease();
  if (missing === null) return null;
  const release = missing === 'release';
  return (
    <Alert
      // Whoever asked for the part may be far down the page.
      ref={(notice) => notice?.scrollIntoView({ block: 'center' })}
      color="ochre"
      variant="light"
      icon={<IconRefresh />}
      title={release ? 'There is a newer version of this page' : 'A part of this page is missing'}
      role="alert"
      data-testid="release"
    >
      <p className="notice-line">
        {release
          ? 'A part that you asked for belongs to the version that is open here and is no longer on the host. Reload; your run is kept and goes on.'
          : 'A part that you asked for could not be fetched, for want of a network. Training goes on. When the network is back, reload; your run is kept and goes on.'}
      </p>
      <Button
        mt="xs"
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={15} />}
        loading={saving}
        onClick={() => void reloadKept()}
      >
        Reload
      </Button>
    </Alert>
  );
}
