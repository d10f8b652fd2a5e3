import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useLab } from '../lab/store.ts';

/** An error that stopped the run, with advice. */
export function ErrorNotice() {
  const error = useLab((lab) => lab.error);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  if (error === null || cannotTrain) return null;
  return (
    <Alert
      color="terracotta"
      variant="light"
      icon={<IconAlertTriangle />}
      title="Error"
      role="alert"
      data-testid="error"
    >
      <p className="notice-line">{error.message}</p>
      <p className="notice-line">
        <b>{error.advice}</b>
      </p>
      <p className="notice-name">{error.name}</p>
    </Alert>
  );
}

/** A dismissible error message; renders nothing if there is none. */
export function ProblemNotice({
  problem,
  onClose,
  mb,
}: {
  readonly problem: string | null;
  readonly onClose: () => void;
  /** Bottom margin. */
  readonly mb?: 'sm';
}) {
  if (problem === null) return null;
  return (
    <Alert
      color="terracotta"
      variant="light"
      icon={<IconAlertTriangle />}
      role="alert"
      withCloseButton
      closeButtonLabel="Close this message"
      onClose={onClose}
      {...(mb === undefined ? {} : { mb })}
    >
      <p className="notice-line">{problem}</p>
    </Alert>
  );
}
