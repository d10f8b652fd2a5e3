import type { ReactNode } from 'react';
import { openTerm } from './store.ts';
import type { TermName } from './terms.ts';

interface TermButtonProps {
  readonly name: TermName;
  readonly children?: ReactNode;
}

/** A word that opens the definition of its term. */
export function TermButton({ name, children }: TermButtonProps) {
  return (
    <button
      type="button"
      className="term"
      aria-haspopup="dialog"
      onClick={(event) => openTerm(name, event.currentTarget)}
    >
      {children}
    </button>
  );
}
