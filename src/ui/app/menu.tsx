import { ActionIcon, Menu } from '@mantine/core';
import { IconCheck, IconDots, IconGauge, IconLicense, IconLink } from '@tabler/icons-react';
import { useCopy } from '../shell/browser/copy.ts';
import { useScheme } from '../shell/comfort/scheme.ts';
import { keyName } from './command.ts';
import { commands } from './commands.tsx';
import { linkToRun } from './link-to-run.ts';

/** Menu with less frequent commands. */
export function MoreMenu() {
  const { toggle: toggleScheme } = useScheme();
  const { copy, copied } = useCopy();
  return (
    <Menu position="bottom-end" width={270} withinPortal>
      <Menu.Target>
        <ActionIcon size={36} variant="subtle" color="gray" aria-label="More">
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {commands.map(({ key, press, menu }) =>
          menu === undefined ? null : (
            <Menu.Item
              key={menu.label}
              leftSection={menu.icon}
              onClick={() => press({ toggleScheme })}
              {...(key === undefined
                ? {}
                : {
                    rightSection: <kbd className="key">{keyName(key)}</kbd>,
                    'aria-keyshortcuts': keyName(key),
                  })}
            >
              {menu.label}
            </Menu.Item>
          ),
        )}
        <Menu.Item
          leftSection={copied === 'yes' ? <IconCheck size={16} /> : <IconLink size={16} />}
          closeMenuOnClick={false}
          onClick={() => copy(linkToRun())}
        >
          {copied === 'no'
            ? 'Copying is blocked here; use the address bar'
            : copied === 'yes'
              ? 'Link copied'
              : 'Copy a link to this run'}
        </Menu.Item>
        <Menu.Item component="a" href="./bench.html" leftSection={<IconGauge size={16} />}>
          Benchmark
        </Menu.Item>
        <Menu.Item
          component="a"
          href="./licenses.txt"
          target="_blank"
          leftSection={<IconLicense size={16} />}
        >
          Licenses
        </Menu.Item>
      </Menu.Dropdown>
      <span className="visually-hidden" role="status">
        {copied === 'yes' ? 'Link copied. It contains all settings and the seed.' : ''}
      </span>
    </Menu>
  );
}
