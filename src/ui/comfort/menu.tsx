import { ActionIcon, Menu } from '@mantine/core';
import {
  IconCheck,
  IconDots,
  IconKeyboard,
  IconLicense,
  IconLink,
  IconPencil,
  IconVocabulary,
} from '@tabler/icons-react';
import { writeAddress } from '../address/address.ts';
import { useCopy } from '../browser/copy.ts';
import { useLab } from '../lab/store.ts';
import { openPrediction } from '../predict/store.ts';
import { withOverlays } from '../runs/overlays.ts';
import { openGlossary } from '../terms/store.ts';
import { openHelp } from './help-store.ts';

/** What is seldom needed: a link to this run, the keys, the terms, the licences. */
export function MoreMenu() {
  const { copy, copied } = useCopy();
  return (
    <Menu position="bottom-end" width={270} withinPortal>
      <Menu.Target>
        <ActionIcon size={36} variant="subtle" color="gray" aria-label="More">
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => openPrediction(true)}>
          Predict the curve first
        </Menu.Item>
        <Menu.Item
          leftSection={copied === 'yes' ? <IconCheck size={16} /> : <IconLink size={16} />}
          closeMenuOnClick={false}
          onClick={() => copy(linkToRun())}
        >
          {copied === 'no'
            ? 'Copying is not allowed here; the address bar has the link'
            : copied === 'yes'
              ? 'Link copied'
              : 'Copy a link to this run'}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKeyboard size={16} />}
          rightSection={<kbd className="key">?</kbd>}
          onClick={() => openHelp(true)}
          aria-keyshortcuts="?"
        >
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item leftSection={<IconVocabulary size={16} />} onClick={() => openGlossary(true)}>
          Terms
        </Menu.Item>
        <Menu.Item
          component="a"
          href="./licences.txt"
          target="_blank"
          leftSection={<IconLicense size={16} />}
        >
          Licences
        </Menu.Item>
      </Menu.Dropdown>
      <span className="visually-hidden" role="status">
        {copied === 'yes' ? 'The link is copied. It holds every setting and the seed.' : ''}
      </span>
    </Menu>
  );
}

/** The address that starts this run anywhere: its preset, every setting that differs from it, and the runs that lie over it. */
function linkToRun(): string {
  const { preset, config } = useLab.getState();
  return `${location.origin}${location.pathname}${withOverlays(writeAddress({ preset, config }))}`;
}
