import type { TermName } from '../../shell/terms/terms.ts';
import { TermDrawing } from './drawings.tsx';
import { termTexts } from './texts.ts';

interface EntryProps {
  readonly name: TermName;
  readonly heading: 'h2' | 'h3';
  readonly id?: string;
  /** Shows another term. */
  readonly onSee: (name: TermName) => void;
}

/** A term with definition, drawing and related terms. */
export function TermEntry({ name, heading: Heading, id, onSee }: EntryProps) {
  const { title, short, more, drawn, see } = termTexts[name];
  return (
    <article className="term-entry" data-term={name}>
      <Heading {...(id === undefined ? {} : { id })}>{title}</Heading>
      <p>{short}</p>
      <figure>
        <TermDrawing name={name} label={drawn} />
        <figcaption aria-hidden>{drawn}</figcaption>
      </figure>
      <p>{more}</p>
      <p className="term-see">
        See also{' '}
        {see.map((other, place) => (
          <span key={other}>
            {place === 0 ? '' : ', '}
            <button type="button" className="term" onClick={() => onSee(other)}>
              {termTexts[other].title.toLowerCase().replace('kl ', 'KL ')}
            </button>
          </span>
        ))}
      </p>
    </article>
  );
}
