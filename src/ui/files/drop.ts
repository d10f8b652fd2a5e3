import { type DragEvent, useState } from 'react';

/**
 * A place that files can be dropped on.
 *
 * @returns whether files are over it, and what the place listens to
 */
export function useDrop(onFiles: (files: readonly File[]) => void) {
  const [over, setOver] = useState(0);
  const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return [
    over > 0,
    {
      // Entering a child counts as entering once more, before the parent is left.
      onDragEnter: (event: DragEvent) => {
        if (holdsFiles(event)) setOver((depth) => depth + 1);
      },
      onDragLeave: (event: DragEvent) => {
        if (holdsFiles(event)) setOver((depth) => Math.max(0, depth - 1));
      },
      onDragOver: (event: DragEvent) => {
        if (holdsFiles(event)) event.preventDefault();
      },
      onDrop: (event: DragEvent) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        setOver(0);
        onFiles([...event.dataTransfer.files]);
      },
    },
  ] as const;
}
