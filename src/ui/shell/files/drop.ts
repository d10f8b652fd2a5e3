import { type DragEvent, useState } from 'react';

/**
 * A drop target for files.
 *
 * @param onFiles also gets the dropped entries, which may be folders
 * @returns whether files are dragged over it, and its event handlers
 */
export function useDrop(
  onFiles: (files: readonly File[], entries: readonly FileSystemEntry[]) => void,
) {
  const [over, setOver] = useState(0);
  const holdsFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return [
    over > 0,
    {
      // The enter event of a child fires before the leave event of its parent.
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
        // The dropped items are only available synchronously.
        const entries = [...event.dataTransfer.items].flatMap(
          (item) => item.webkitGetAsEntry() ?? [],
        );
        onFiles([...event.dataTransfer.files], entries);
      },
    },
  ] as const;
}
