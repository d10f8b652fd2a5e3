import { Button, FileButton } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { given, readLogs } from './store.ts';

/** Opens files; a folder can be dropped. */
export function OpenLogs() {
  return (
    <FileButton
      multiple
      onChange={(files) => {
        if (files.length > 0) readLogs(files.map(given));
      }}
      inputProps={{ 'data-testid': 'logs-file' } as object}
    >
      {(props) => (
        <Button {...props} variant="default" leftSection={<IconFileText size={16} />}>
          Open logs
        </Button>
      )}
    </FileButton>
  );
}
