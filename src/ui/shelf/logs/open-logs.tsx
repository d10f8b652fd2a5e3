import { Button, FileButton, Group, Popover, TextInput } from '@mantine/core';
import { IconFileText, IconLink, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { given } from '../../shell/files/folders.ts';
import { canFollow, followAddress, followFile, openGiven } from './store.ts';

/** Opens log files and files of episodes. Folders can be dropped on the page. */
export function OpenLogs() {
  return (
    <Group gap={8}>
      <FileButton
        multiple
        onChange={(files) => {
          if (files.length > 0) void openGiven(files.map(given));
        }}
        inputProps={{ 'data-testid': 'logs-file' } as object}
      >
        {(props) => (
          <Button size="sm" {...props} leftSection={<IconFileText size={16} />}>
            Open logs
          </Button>
        )}
      </FileButton>
      {canFollow() ? (
        <Button
          size="sm"
          leftSection={<IconPlayerPlay size={16} />}
          title="Open a log and reread it whenever it grows"
          onClick={() => void followFile()}
        >
          Follow a log
        </Button>
      ) : null}
      <FollowAddress />
    </Group>
  );
}

/** Follows a log by address. The page's content security policy may allow its own server only. */
function FollowAddress() {
  const [open, setOpen] = useState(false);
  const [address, setAddress] = useState('');
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus withArrow>
      <Popover.Target>
        <Button
          size="sm"
          leftSection={<IconLink size={16} />}
          title="Read a log from an address and reread it whenever it grows"
          onClick={() => setOpen(!open)}
        >
          Follow an address
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className="log-address"
          onSubmit={(event) => {
            event.preventDefault();
            setOpen(false);
            void followAddress(address.trim());
          }}
        >
          <TextInput
            label="Address of the log"
            description="If this page is deployed on a server, it can read logs from that server only."
            placeholder="http://localhost:8000/train.log"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            required
          />
          <Button size="sm" variant="filled" type="submit">
            Follow
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
