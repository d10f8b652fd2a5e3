import './editor-files.css';
import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconDownload, IconFolderOpen, IconLink } from '@tabler/icons-react';
import { type ReactNode, useRef, useState } from 'react';
import { type AddressedRun, writeAddress } from '../../shell/address/address.ts';
import { useCopy } from '../../shell/browser/copy.ts';
import { download } from '../../shell/files/download.ts';
import { FileInput } from '../../shell/files/file-input.tsx';
import { EditorFileError } from './error.ts';

/** The menu of an editor's templates; children are its items. */
export function TemplatesMenu({ children }: { readonly children: ReactNode }) {
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={14} aria-hidden />}>Templates</Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

interface EditorFilesProps {
  /** Class of the row of buttons. */
  readonly className: string;
  /** Name of the file input. */
  readonly label: string;
  readonly testId: string;
  /** Further buttons, before the standard ones. */
  readonly children?: ReactNode;
  /** @throws {EditorFileError} */
  readonly onOpen: (file: File) => Promise<void>;
  /** Null if there is nothing to save. */
  readonly file: { readonly name: string; readonly text: string } | null;
  /** The run that a link starts; null if it cannot start. */
  readonly run: (() => AddressedRun) | null;
}

/** Opens, saves and links the content of an editor, and reports failures. */
export function EditorFiles({
  className,
  label,
  testId,
  children,
  onOpen,
  file,
  run,
}: EditorFilesProps) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { copied, copy } = useCopy();

  const open = async (chosen: File) => {
    try {
      await onOpen(chosen);
      setProblem(null);
    } catch (error) {
      if (!(error instanceof EditorFileError)) throw error;
      setProblem(`${chosen.name} cannot be opened. ${error.message}`);
    }
  };
  const save = () => {
    if (file === null) return;
    download({ name: file.name, parts: [file.text], type: 'text/plain' });
  };
  const link = () => {
    if (run === null) return;
    copy(new URL(writeAddress(run()), location.href.replace(/[?#].*$/, '')).href);
  };
  return (
    <>
      <div className={className}>
        {children}
        <Button
          leftSection={<IconFolderOpen size={15} aria-hidden />}
          onClick={() => input.current?.click()}
        >
          Open
        </Button>
        <Button
          leftSection={<IconDownload size={15} aria-hidden />}
          disabled={file === null}
          onClick={save}
        >
          Save
        </Button>
        <Button
          leftSection={<IconLink size={15} aria-hidden />}
          disabled={run === null}
          onClick={link}
        >
          {copied === 'yes' ? 'Link copied' : 'Copy link'}
        </Button>
        <FileInput
          ref={input}
          aria-label={label}
          data-testid={testId}
          onFiles={([chosen]) => void open(chosen)}
        />
      </div>
      {problem === null ? null : (
        <p className="editor-problem" role="alert">
          {problem}
        </p>
      )}
      {copied === 'no' ? (
        <p className="editor-problem" role="alert">
          The link could not be copied. Train, then copy the page’s address.
        </p>
      ) : null}
    </>
  );
}
