import type { ReactNode } from 'react';
import { TermButton } from '../../../shell/terms/term-button.tsx';
import { isTerm } from '../../../shell/terms/terms.ts';

interface TermProps {
  readonly name: string;
  readonly children?: ReactNode;
}

/** A word that opens the definition of its term. */
export function TermWord({ name, children }: TermProps) {
  return isTerm(name) ? <TermButton name={name}>{children}</TermButton> : children;
}

/** A number that a test recomputes from kept runs; only the test reads the claim. */
export function Kept({ children }: { readonly claim: string; readonly children?: ReactNode }) {
  return children;
}

/** An error for the author of a lesson. */
export function Fault({ fault }: { readonly fault: string }) {
  return (
    <p className="lesson-fault" role="alert">
      {fault}
    </p>
  );
}
