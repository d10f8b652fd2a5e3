import { Button, Group, Popover, TextInput } from '@mantine/core';
import { IconFileText, IconLink, IconPlayerPlay } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { FileInput } from '../../shell/files/file-input.tsx';
import { given } from '../../shell/files/folders.ts';
import { canFollow, followAddress, followFile, openGiven } from './store.ts';

/** Opens log files and files of episodes. Folders can be dropped on the page. */
export function OpenLogs() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Group gap={8}>
      <FileInput
        ref={input}
        data-testid="logs-file"
        multiple
        onFiles={(files) => void openGiven(files.map(given))}
      />
      <Button
        size="sm"
        leftSection={<IconFileText size={16} />}
        onClick={() => input.current?.click()}
      >
        Open logs
      </Button>
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

/** For elements of a popover: Escape closes it and not the drawer below. */
const keepsEscape = { 'data-mantine-stop-propagation': true };

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
      <Popover.Dropdown {...keepsEscape}>
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
            {...keepsEscape}
          />
          <Button size="sm" variant="filled" type="submit" {...keepsEscape}>
            Follow
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
