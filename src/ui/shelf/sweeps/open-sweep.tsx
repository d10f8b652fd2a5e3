import { Button } from '@mantine/core';
import { IconChartDots3 } from '@tabler/icons-react';
import { useRef } from 'react';
import { given } from '../../shell/files/folders.ts';
import { closePanel } from '../../shell/page/panels.ts';
import { showSweep } from './store.ts';

/** Opens the folder of a sweep. */
export function OpenSweep() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        data-testid="sweep-folder"
        // All files are passed on; the reader selects the relevant ones.
        {...{ webkitdirectory: '' }}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])].map(given);
          currentTarget.value = '';
          if (files.length === 0) return;
          closePanel('runs');
          void showSweep(files);
        }}
      />
      <Button
        size="sm"
        leftSection={<IconChartDots3 size={16} />}
        onClick={() => input.current?.click()}
      >
        Open a sweep
      </Button>
    </>
  );
}
