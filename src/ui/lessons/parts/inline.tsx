import type { ReactNode } from 'react';
import { TermButton } from '../../terms/term-button.tsx';
import { isTerm } from '../../terms/terms.ts';

interface TermProps {
  readonly name: string;
  readonly children?: ReactNode;
}

/** A word that opens the card of its term. */
export function TermWord({ name, children }: TermProps) {
  return isTerm(name) ? <TermButton name={name}>{children}</TermButton> : children;
}

/** A number that a test recomputes from kept files; the claim is for the test alone. */
export function Kept({ children }: { readonly claim: string; readonly children?: ReactNode }) {
  return children;
}

/** What whoever writes a lesson has to mend. */
export function Fault({ fault }: { readonly fault: string }) {
  return (
    <p className="lesson-fault" role="alert">
      {fault}
    </p>
  );
}
