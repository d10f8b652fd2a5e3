import type { ComponentProps } from 'react';

interface FileInputProps extends ComponentProps<'input'> {
  readonly 'data-testid': string;
  readonly onFiles: (files: readonly [File, ...File[]]) => void;
}

/** A hidden file input, which a button clicks. The same files can be chosen again. */
export function FileInput({ onFiles, ...props }: FileInputProps) {
  return (
    <input
      {...props}
      type="file"
      hidden
      onChange={({ currentTarget }) => {
        const [first, ...others] = currentTarget.files ?? [];
        currentTarget.value = '';
        if (first !== undefined) onFiles([first, ...others]);
      }}
    />
  );
}
