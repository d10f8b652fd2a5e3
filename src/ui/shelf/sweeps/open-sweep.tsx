import { Button } from '@mantine/core';
import { IconChartDots3 } from '@tabler/icons-react';
import { useRef } from 'react';
import { FileInput } from '../../shell/files/file-input.tsx';
import { given } from '../../shell/files/folders.ts';
import { showSweep } from './store.ts';

/** Opens the folder of a sweep. */
export function OpenSweep() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <FileInput
        ref={input}
        data-testid="sweep-folder"
        // All files are passed on; the reader selects the relevant ones.
        {...{ webkitdirectory: '' }}
        onFiles={(files) => void showSweep(files.map(given))}
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
