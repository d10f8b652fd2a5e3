import { useMemo } from 'react';
import { shown } from '../language/current.ts';
import { useLanguage } from '../language/store.ts';
import { TermButton } from './term-button.tsx';
import { cutAtTerms } from './terms.ts';

/** Punctuation that must stay on the line of the preceding button. */
const CLOSING = /^[.,;:!?)’”…]+/;

/** A text with links to the definitions of its terms. */
export function Words({ text }: { readonly text: string }) {
  const language = useLanguage((state) => state.language);
  const pieces = useMemo(() => cutAtTerms(shown(text), language), [text, language]);
  return pieces.map(({ text: piece, name }, i) => {
    if (name === undefined) return i === 0 ? piece : piece.replace(CLOSING, '');
    const [closing = ''] = CLOSING.exec(pieces[i + 1]?.text ?? '') ?? [];
    return (
      <span key={name} className="term-end">
        <TermButton name={name}>{piece}</TermButton>
        {closing}
      </span>
    );
  });
}
