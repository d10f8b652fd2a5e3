import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconLink } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useReplacedSettings } from '../address/replaced.ts';
import { type LabState, useLab } from '../lab/store.ts';

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

/** Maximum number of notes shown; an address can contain thousands of invalid values. */
const SHOWN_NOTES = 6;

/** Lists settings that were replaced; the run continues. */
export function ReplacedNotice({ of: only }: { readonly of?: 'the run file' }) {
  const { of, notes } = useReplacedSettings();
  // Notes on a file are shown where the file was opened.
  if (notes.length === 0 || (of === 'the run file') !== (only === 'the run file')) return null;
  const more = notes.length - SHOWN_NOTES;
  const one = notes.length === 1;
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconLink />}
      title={
        one
          ? `One setting in ${of} had an invalid value`
          : `${notes.length} settings in ${of} had invalid values`
      }
      role="status"
      withCloseButton
      closeButtonLabel="Close this notice"
      onClose={() => useReplacedSettings.setState({ notes: [] })}
      data-testid="address-notes"
    >
      <ul className="notice-list">
        {notes.slice(0, SHOWN_NOTES).map((note) => (
          <li key={note}>{note}</li>
        ))}
        {more > 0 ? <li>And {more.toLocaleString('en-US')} more.</li> : null}
      </ul>
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

/** Updates with a non-finite gradient: count and cause. */
export function skippedUpdates(rows: LabState['rows']): {
  readonly count: number;
  readonly causes: readonly string[];
  /** The last iteration with a skipped update. */
  readonly iteration: number;
} | null {
  let count = 0;
  let iteration = 0;
  const causes = new Set<string>();
  for (const row of rows) {
    for (const { skipped, cause } of row.details.updates) {
      if (!skipped) continue;
      count += 1;
      iteration = row.iteration;
      if (cause !== undefined) causes.add(cause);
    }
  }
  return count === 0 ? null : { count, causes: [...causes], iteration };
}

/** Notice about skipped updates; the run continues. */
export function SkippedNotice() {
  const rows = useLab((lab) => lab.rows);
  const skipped = useMemo(() => skippedUpdates(rows), [rows]);
  if (skipped === null) return null;
  const { count, causes, iteration } = skipped;
  const what = causes.length === 0 ? 'the gradient' : `the ${causes.join(' and the ')}`;
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconAlertTriangle />}
      title={`${count} ${count === 1 ? 'update was' : 'updates were'} skipped`}
      role="status"
      data-testid="skipped"
    >
      <p className="notice-line">
        Not finite: {what}, most recently in iteration {iteration}. These updates did not change the
        weights, and the run continues.
      </p>
      <p className="notice-line">
        <b>If it happens often, lower the learning rate or the gradient-clipping threshold.</b>
      </p>
    </Alert>
  );
}
