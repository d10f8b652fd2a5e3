import { Button } from '@mantine/core';
import { IconFolderOpen } from '@tabler/icons-react';
import { useRef } from 'react';
import { FileInput } from './file-input.tsx';

interface AgentFileButtonProps {
  readonly label: string;
  readonly disabled?: boolean;
  readonly onOpen: (file: File) => void;
}

/** Opens an agent from a file: a zip of an exported agent, ONNX or a checkpoint. */
export function AgentFileButton({ label, disabled = false, onOpen }: AgentFileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <FileInput
        ref={input}
        data-testid="agent-file"
        accept=".zip,.onnx,.safetensors"
        onFiles={([file]) => onOpen(file)}
      />
      <Button
        leftSection={<IconFolderOpen size={15} />}
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
    </>
  );
}
