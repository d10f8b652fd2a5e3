/** What a module declares besides its functions. */

import type { Language } from './card.ts';
import { CodeError } from './interpreter.ts';

export interface About {
  readonly name: string | null;
  /** The instruction. */
  readonly about: string;
  readonly turns: number;
  readonly tasks: number;
  readonly words: readonly string[];
  readonly hasExpert: boolean;
  readonly draws: boolean;
}

const MOST_TURNS = 200;
const MOST_TASKS = 4096;
const DEFAULT_TASKS = 512;
const MOST_WORDS = 2000;
const MOST_LETTERS = 60;
const MOST_NAME = 40;

const nameIn = (language: Language, name: string): string =>
  language === 'python' ? (pythonNames[name] ?? name) : name;

const needed = ['reset', 'step', 'actions'] as const;

const definitions: Readonly<Record<Language, (name: string) => RegExp>> = {
  javascript: (name) =>
    new RegExp(`\\bexport\\b[^\\n]*\\b(?:function|const|let|var)\\s+${name}\\b`),
  python: (name) => new RegExp(`^\\s*(?:def ${name}\\b|(?:self\\.)?${name}\\b\\s*[:=](?!=))`),
};

/** Names that differ in Python, where they follow Gymnasium. */
const pythonNames: Readonly<Record<string, string>> = {
  turns: 'max_episode_steps',
  draw: 'render',
};

/** The line, from 1, that defines an export, or an attribute or method of the class; null if none does. */
export function lineOf(
  code: string,
  exported: string,
  language: Language = 'javascript',
): number | null {
  const pattern = definitions[language](nameIn(language, exported));
  const line = code.split('\n').findIndex((text) => pattern.test(text));
  return line === -1 ? null : line + 1;
}

/**
 * @param declared the result of the prelude's function `about`
 * @throws {CodeError} naming the first missing or invalid export
 */
export function aboutOf(declared: unknown, code: string, language: Language): About {
  const fields: Readonly<Record<string, unknown>> =
    typeof declared === 'object' && declared !== null ? { ...declared } : {};
  const { functions } = fields;
  const isThere = (name: string) => Array.isArray(functions) && functions.includes(name);
  const refuse = (name: string, problem: string): never => {
    throw new CodeError(problem, lineOf(code, name, language));
  };
  const must = language === 'python' ? 'the class must have' : 'the module must export';
  const called = (name: string) => nameIn(language, name);
  for (const name of needed) {
    if (!isThere(name)) refuse(name, `${must} a function ${called(name)}`);
  }
  const count = (name: string, most: number, otherwise?: number): number => {
    const value = fields[name] ?? otherwise;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) {
      return value;
    }
    const what = value === undefined ? `${must} ${called(name)},` : `${called(name)} must be`;
    return refuse(name, `${what} a whole number from 1 to ${most}`);
  };
  const text = (name: string, otherwise: string, most: number): string => {
    const value = fields[name] ?? otherwise;
    if (typeof value !== 'string') return refuse(name, `${name} must be a string`);
    const line = value.replaceAll(/\s+/g, ' ').trim();
    return line.slice(0, most);
  };
  const name = text('name', '', MOST_NAME);
  return {
    name: name === '' ? null : name,
    about: text('about', '', 2000) || 'Act in the environment.',
    turns: count('turns', MOST_TURNS),
    tasks: count('tasks', MOST_TASKS, DEFAULT_TASKS),
    words: wordsOf(fields.words, must, (problem) => refuse('words', problem)),
    hasExpert: isThere('expert'),
    draws: isThere('draw'),
  };
}

function wordsOf(
  words: unknown,
  must: string,
  refuse: (problem: string) => never,
): readonly string[] {
  if (!Array.isArray(words) || words.length === 0) {
    return refuse(`${must} words: a list of all words and phrases of its texts`);
  }
  if (words.length > MOST_WORDS)
    return refuse(`words has ${words.length} items; the maximum is ${MOST_WORDS}`);
  return words.map((word: unknown) => {
    if (typeof word !== 'string' || word.length > MOST_LETTERS) {
      return refuse(`words must be texts of at most ${MOST_LETTERS} characters`);
    }
    // The word tokenizer splits at single spaces.
    const isPhrase = word.split(' ').every((part) => part !== '') && !/[^\S ]/.test(word);
    if (!isPhrase)
      return refuse(`${JSON.stringify(word)} must be words with single spaces between them`);
    if (/^<(pad|unk|obs|act|end)>$/.test(word)) return refuse(`${word} is reserved`);
    return word;
  });
}
