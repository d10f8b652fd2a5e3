import { Button } from '@mantine/core';
import { IconChartDots3 } from '@tabler/icons-react';
import { useRef } from 'react';
import { given } from '../logs/store.ts';
import { openRuns } from '../runs/runs-store.ts';
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
        // Which of its files count is seen when they are read.
        {...{ webkitdirectory: '' }}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])].map(given);
          currentTarget.value = '';
          if (files.length === 0) return;
          openRuns(false);
          void showSweep(files);
        }}
      />
      <Button
        variant="default"
        leftSection={<IconChartDots3 size={16} />}
        onClick={() => input.current?.click()}
      >
        Open a sweep
      </Button>
    </>
  );
}
