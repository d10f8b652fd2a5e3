import type { Language } from '../../shell/language/store.ts';
import type { TermName } from '../../shell/terms/terms.ts';
import { TermDrawing } from './drawings.tsx';
import { relatedTerms, termTexts } from './texts.ts';

interface EntryProps {
  readonly name: TermName;
  readonly language: Language;
  readonly heading: 'h2' | 'h3';
  readonly id?: string;
  /** Shows another term. */
  readonly onSee: (name: TermName) => void;
}

/** A term with definition, drawing and related terms. */
export function TermEntry({ name, language, heading: Heading, id, onSee }: EntryProps) {
  const texts = termTexts[language];
  const { title, short, more, drawn } = texts.of[name];
  return (
    <article className="term-entry" data-term={name}>
      <Heading tabIndex={-1} {...(id === undefined ? {} : { id })}>
        {title}
      </Heading>
      <p>{short}</p>
      <figure>
        <TermDrawing name={name} label={drawn} words={texts.drawn} />
        <figcaption aria-hidden>{drawn}</figcaption>
      </figure>
      <p>{more}</p>
      <p className="term-see">
        {texts.see}{' '}
        {relatedTerms[name].map((other, place) => (
          <span key={other}>
            {place === 0 ? '' : ', '}
            <button type="button" className="term" onClick={() => onSee(other)}>
              {texts.inSentence(texts.of[other].title)}
            </button>
          </span>
        ))}
      </p>
    </article>
  );
}
