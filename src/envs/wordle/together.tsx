import './view.css';
import './together.css';
import type { CSSProperties } from 'react';
import { type PlaceStats, percent } from '../deeds.ts';
import type { TogetherProps, TogetherView } from '../views.ts';
import { LETTERS } from './feedback.ts';
import { type Guess, guesses, placedActions, placeOf, type Skill, skills, YES } from './letters.ts';

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz'];
const PLACES = Array.from({ length: LETTERS }, (_, place) => place);

type Facts = ReadonlyMap<string, PlaceStats>;

/** The skills in words, and the mark that each uses. */
const skillTexts: Readonly<Record<Skill, { readonly text: string; readonly mark: string }>> = {
  word: { text: 'are in the word list', mark: 'none' },
  green: { text: 'keep letters that are in place', mark: 'green' },
  yellow: { text: 'move letters that are elsewhere', mark: 'yellow' },
  grey: { text: 'leave out letters that are not in the word', mark: 'grey' },
};

const guessTexts: Readonly<Record<Guess, string>> = {
  first: 'First guess',
  later: 'Later guesses',
};

/** How the policy’s guesses use the marks, and the frequency of each letter at each position. */
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
  readonly facts: PlaceStats | undefined;
}

/** A bar for the share of applicable guesses that have a skill. */
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
        <small> (n = {visits})</small>
      </span>
      <span className="wordle-gauge" aria-hidden>
        <span style={{ width: percent(share) }} />
      </span>
    </li>
  );
}

/** One row per letter: its positions in first guesses, the letter, its positions in later guesses. */
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
  /** Position in the guess, from 0. */
  readonly at: number;
  readonly facts: PlaceStats | undefined;
  /** The largest share of any letter at any position in these guesses. */
  readonly most: number;
}

/** A square whose area is the letter's frequency there; the greener, the more of these games were won. */
function LetterCell({ letter, at, facts, most }: CellProps) {
  const found = facts?.actions.find(({ action }) => action === letter);
  if (facts === undefined || found === undefined) return <span className="wordle-cell" />;
  const share = found.times / facts.visits;
  const title = `${letter.toUpperCase()} in position ${at + 1}: ${found.times} of ${facts.visits} guesses (${percent(share)}), ${percent(found.success)} of these games won`;
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

/** Maximum number of letters listed per position. */
const LISTED = 6;

/** Describes each position of the first and of later guesses by its most frequent letters. */
const tell = (facts: Facts): readonly string[] =>
  guesses.flatMap((guess) =>
    PLACES.map((place) => {
      const { visits, actions } = facts.get(placeOf(guess, place)) ?? { visits: 0, actions: [] };
      const letters = actions
        .slice(0, LISTED)
        .map(
          ({ action, times, success }) =>
            `${action.toUpperCase()} ${percent(times / visits)} (${percent(success)} of the games won)`,
        );
      return `${guessTexts[guess]}, position ${place + 1}: ${letters.join(', ') || '–'}`;
    }),
  );

/** The table of letters in words, for screen readers. */
function inWords(facts: Facts): string {
  const parts = guesses.map((guess) => {
    const letters = PLACES.map(
      (place) => facts.get(placeOf(guess, place))?.actions[0]?.action ?? '–',
    );
    return `${guessTexts[guess]}: the most frequent letters in the five positions are ${letters.join(', ')}.`;
  });
  return parts.join(' ');
}

export const together: TogetherView = {
  Component: Together,
  mapKey:
    'The larger a square, the more often the letter is guessed in this position; the greener, the more of these games are won.',
  tell,
  placedActions: placedActions,
};
