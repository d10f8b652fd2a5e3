import { useMemo } from 'react';
import { openTerm } from './store.ts';
import { cutAtTerms } from './terms.ts';

/** A text whose terms open their cards. */
export function Words({ text }: { readonly text: string }) {
  const pieces = useMemo(() => cutAtTerms(text), [text]);
  return pieces.map(({ text: piece, name }) =>
    name === undefined ? (
      piece
    ) : (
      <button
        key={name}
        type="button"
        className="term"
        aria-haspopup="dialog"
        onClick={(event) => openTerm(name, event.currentTarget)}
      >
        {piece}
      </button>
    ),
  );
}
