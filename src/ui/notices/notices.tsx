import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconLink } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useReplacedSettings } from '../address/replaced.ts';
import { type LabState, useLab } from '../lab/store.ts';

/** An error that stopped the run: its name, what happened, what to do. */
export function ErrorNotice() {
  const error = useLab((lab) => lab.error);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  if (error === null || cannotTrain) return null;
  return (
    <Alert
      color="terracotta"
      variant="light"
      icon={<IconAlertTriangle />}
      title="What stopped the run"
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

/** As many sentences as one reads; an address can hold thousands of wrong values. */
const SHOWN_NOTES = 6;

/** Names the settings that were not used as they were written; the run goes on. */
export function ReplacedNotice({ of: only }: { readonly of?: 'the run file' }) {
  const { of, notes } = useReplacedSettings();
  // Those of a file stand where it was chosen.
  if (notes.length === 0 || (of === 'the run file') !== (only === 'the run file')) return null;
  const more = notes.length - SHOWN_NOTES;
  const one = notes.length === 1;
  return (
    <Alert
      color="ochre"
      variant="light"
      icon={<IconLink />}
      title={`${one ? 'One setting' : `${notes.length} settings`} of ${of} could not be used as written`}
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

/** What was asked for and could not be had, until it is closed; nothing where there is no problem. */
export function ProblemNotice({
  problem,
  onClose,
  mb,
}: {
  readonly problem: string | null;
  readonly onClose: () => void;
  /** Space below. */
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

/** Updates whose gradient was not finite: how many, and why. */
export function skippedUpdates(rows: LabState['rows']): {
  readonly count: number;
  readonly causes: readonly string[];
  /** The newest iteration with one. */
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

/** Says that updates were skipped; the run goes on. */
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
        Not finite: {what}, last in iteration {iteration}. The weights were left as they were, and
        the run goes on.
      </p>
      <p className="notice-line">
        <b>If it happens often, lower the learning rate or the gradient clipping.</b>
      </p>
    </Alert>
  );
}
