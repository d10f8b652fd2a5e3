import './view.css';
import './together.css';
import type { CSSProperties } from 'react';
import { type PlaceFacts, percent } from '../deeds.ts';
import type { TogetherProps, TogetherView } from '../views.ts';
import { LETTERS } from './feedback.ts';
import { deedsOf, type Guess, guesses, placeOf, type Skill, skills, YES } from './letters.ts';

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz'];
const PLACES = Array.from({ length: LETTERS }, (_, place) => place);

type Facts = ReadonlyMap<string, PlaceFacts>;

/** What is counted of guesses, in words, and the mark that it is about. */
const skillTexts: Readonly<Record<Skill, { readonly text: string; readonly mark: string }>> = {
  word: { text: 'are words of the list', mark: 'none' },
  green: { text: 'keep what is in place', mark: 'green' },
  yellow: { text: 'move what stands elsewhere', mark: 'yellow' },
  grey: { text: 'leave out what is not in the word', mark: 'grey' },
};

const guessTexts: Readonly<Record<Guess, string>> = {
  first: 'First guess',
  later: 'Later guesses',
};

/** What the policy’s guesses make of the marks, and how often each letter stands at each of their places. */
function Together({ map }: TogetherProps) {
  const facts: Facts = map ?? new Map();
  return (
    <div className="wordle-together" data-testid="wordle-letters">
      <Skills facts={facts} />
      <Sheet facts={facts} />
    </div>
  );
}

function Skills({ facts }: { readonly facts: Facts }) {
  return (
    <div className="wordle-skills">
      <p className="wordle-skills-head">Of its guesses</p>
      <ul>
        {skills.map((skill) => (
          <SkillLine key={skill} skill={skill} facts={facts.get(skill)} />
        ))}
      </ul>
    </div>
  );
}

interface SkillProps {
  readonly skill: Skill;
  readonly facts: PlaceFacts | undefined;
}

/** A bar for the share of guesses that have a skill, of those that could. */
function SkillLine({ skill, facts }: SkillProps) {
  const { text, mark } = skillTexts[skill];
  const visits = facts?.visits ?? 0;
  const yes = facts?.actions.find(({ action }) => action === YES)?.times ?? 0;
  const share = visits === 0 ? 0 : yes / visits;
  return (
    <li data-skill={skill}>
      <i className={`wordle-${mark}`} aria-hidden />
      <strong>{visits === 0 ? '–' : percent(share)}</strong>
      <span className="wordle-skill-text">
        {text}
        <small> of {visits}</small>
      </span>
      <span className="wordle-gauge" aria-hidden>
        <span style={{ width: percent(share) }} />
      </span>
    </li>
  );
}

/** A strip for each letter: the places of the first guess, the letter, the places of the later ones. */
function Sheet({ facts }: { readonly facts: Facts }) {
  return (
    <div className="wordle-sheet-frame" role="img" aria-label={inWords(facts)}>
      <Half guess="first" facts={facts} />
      <div className="wordle-alphabet">
        {ALPHABET.map((letter) => (
          <span key={letter}>{letter}</span>
        ))}
      </div>
      <Half guess="later" facts={facts} />
    </div>
  );
}

interface HalfProps {
  readonly guess: Guess;
  readonly facts: Facts;
}

function Half({ guess, facts }: HalfProps) {
  const places = PLACES.map((place) => facts.get(placeOf(guess, place)));
  const most = Math.max(
    ...places.map((place) => (place?.actions[0]?.times ?? 0) / (place?.visits ?? 1)),
  );
  return (
    <div className={`wordle-half wordle-half-${guess}`}>
      <p className="wordle-half-head">
        {guessTexts[guess]} <small>{places[0]?.visits ?? 0}</small>
      </p>
      <div className="wordle-sheet">
        {PLACES.map((place) => (
          <span key={place} className="wordle-place">
            {place + 1}
          </span>
        ))}
        {ALPHABET.flatMap((letter) =>
          places.map((place, i) => (
            <LetterCell key={`${letter} ${i}`} letter={letter} at={i} facts={place} most={most} />
          )),
        )}
      </div>
    </div>
  );
}

interface CellProps {
  readonly letter: string;
  /** Place in the guess, from 0. */
  readonly at: number;
  readonly facts: PlaceFacts | undefined;
  /** The largest share of any letter at any place of these guesses. */
  readonly most: number;
}

/** A square whose area is how often the letter stands there, the greener the more of those games are won. */
function LetterCell({ letter, at, facts, most }: CellProps) {
  const found = facts?.actions.find(({ action }) => action === letter);
  if (facts === undefined || found === undefined) return <span className="wordle-cell" />;
  const share = found.times / facts.visits;
  const title = `${letter.toUpperCase()} in place ${at + 1}: ${found.times} of ${facts.visits} guesses (${percent(share)}), ${percent(found.success)} of these games are won`;
  const style = {
    '--size': percent(Math.sqrt(share / most)),
    '--won': percent(found.success),
  } as CSSProperties;
  return (
    <span className="wordle-cell" title={title}>
      <span style={style} />
    </span>
  );
}

/** Letters of a place that are told one by one. */
const TOLD = 6;

/** The places of both kinds of guesses in words, each with its most frequent letters. */
const tell = (facts: Facts): readonly string[] =>
  guesses.flatMap((guess) =>
    PLACES.map((place) => {
      const { visits, actions } = facts.get(placeOf(guess, place)) ?? { visits: 0, actions: [] };
      const letters = actions
        .slice(0, TOLD)
        .map(
          ({ action, times, success }) =>
            `${action.toUpperCase()} ${percent(times / visits)} (${percent(success)} won)`,
        );
      return `${guessTexts[guess]}, place ${place + 1}: ${letters.join(', ') || 'none'}`;
    }),
  );

/** The sheet for those who do not see it. */
function inWords(facts: Facts): string {
  const told = guesses.map((guess) => {
    const letters = PLACES.map(
      (place) => facts.get(placeOf(guess, place))?.actions[0]?.action ?? '–',
    );
    return `${guessTexts[guess]}: the letters that stand most often at the five places are ${letters.join(', ')}.`;
  });
  return told.join(' ');
}

export const together: TogetherView = {
  Component: Together,
  mapKey:
    'Squares: the larger, the more often it guesses the letter at this place; the fuller of green, the more of those games it wins.',
  tell,
  deedsOf,
};
