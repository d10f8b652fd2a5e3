import { useState } from 'react';

interface AnnouncedProps {
  readonly text: string;
  /** Whether the run has ended, so that the text is final. */
  readonly over: boolean;
}

const numbers = /iterations? \d+|\d+ points?|\d+%/g;

/** Announces a text about a run to screen readers, but not each change of its numbers. */
export function Announced({ text, over }: AnnouncedProps) {
  const kind = `${over} ${text.replaceAll(numbers, '')}`;
  const [said, setSaid] = useState({ kind, text });
  if (said.kind !== kind) setSaid({ kind, text });
  return (
    <p className="visually-hidden" role="status">
      {said.text}
    </p>
  );
}
