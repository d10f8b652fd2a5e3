import { Button, FileButton } from '@mantine/core';
import { IconFolderOpen } from '@tabler/icons-react';

interface AgentFileButtonProps {
  readonly label: string;
  readonly disabled?: boolean;
  readonly onOpen: (file: File) => void;
}

/** Opens an agent from a file: a zip of an exported agent, ONNX or a checkpoint. */
export function AgentFileButton({ label, disabled = false, onOpen }: AgentFileButtonProps) {
  return (
    <FileButton
      accept=".zip,.onnx,.safetensors"
      onChange={(file) => {
        if (file !== null) onOpen(file);
      }}
    >
      {(props) => (
        <Button {...props} leftSection={<IconFolderOpen size={15} />} disabled={disabled}>
          {label}
        </Button>
      )}
    </FileButton>
  );
}
