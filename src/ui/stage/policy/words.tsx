import './words.css';
import type { Alternative } from '../../../runs/inspection.ts';
import { fineShare } from '../../../runs/numbers.ts';

interface WordsProps {
  readonly title: string;
  readonly words: readonly Alternative[];
  /** Whether the environment understands a text; other texts are gray. By default all count as understood. */
  readonly isAction?: (text: string) => boolean;
}

/** The most likely texts in a situation, each with its probability as a bar and a number. */
export function LikelyTexts({ title, words, isAction = () => true }: WordsProps) {
  return (
    <div className="likely">
      <h3>{title}</h3>
      <ol data-testid="likely">
        {words.map(({ text, probability }, rank) => (
          <li key={rank} className={isAction(text) ? '' : 'likely-other'}>
            <span className="likely-text" translate={text === '' ? 'yes' : 'no'} title={text}>
              {text === '' ? '(nothing)' : text}
            </span>
            <span className="bar likely-bar" aria-hidden>
              <span style={{ width: `${100 * probability}%` }} />
            </span>
            <span className="likely-p">{fineShare(probability)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
