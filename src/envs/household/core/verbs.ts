/** Actions: fixed words with placeholders for names. */

import type { Change, House, HouseState } from './house.ts';

/** A task and its current state. */
export interface Now<Task, Own> {
  readonly task: Task;
  readonly state: HouseState<Own>;
}

/** The result of an action. */
export interface Effect<Own> extends Change<Own> {
  readonly reply: string;
}

export interface Verb<Task, Own> {
  /** Such as `take {} from {}`, with a placeholder for each thing's name. */
  readonly pattern: string;
  /** For the instruction: its purpose in a few words. */
  readonly meaning: string;
  /** Candidates for each placeholder, subject to `refusal`. */
  readonly candidates: readonly ((now: Now<Task, Own>) => readonly number[])[];
  /** Why it is impossible, as the reply; null if it is possible. */
  refusal(now: Now<Task, Own>, ...things: readonly number[]): string | null;
  /** Called only if `refusal` returns null. */
  act(now: Now<Task, Own>, ...things: readonly number[]): Effect<Own>;
}

/** A verb with its arguments. */
export interface Action<Task, Own> {
  readonly verb: Verb<Task, Own>;
  readonly things: readonly number[];
}

/** Exceeds the length of every action, even with the longest names. */
export const MAX_ACTION_LENGTH = 120;
const PLACE = '{}';

/** The verbs of an environment, for parsing and writing actions. */
export class Grammar<Task extends { readonly house: House }, Own> {
  readonly #verbs: readonly {
    readonly verb: Verb<Task, Own>;
    readonly words: readonly string[];
  }[];

  constructor(verbs: readonly Verb<Task, Own>[]) {
    this.#verbs = verbs.map((verb) => ({ verb, words: verb.pattern.split(PLACE) }));
  }

  /** The fixed words of all verbs; each contiguous run is one lexeme. */
  get lexicon(): readonly string[] {
    const words = this.#verbs.flatMap((verb) => verb.words.map((part) => part.trim()));
    return [...new Set(words.filter((part) => part !== ''))];
  }

  /** Parses an action; undefined if the text is not one. */
  read({ numberOf }: House, text: string): Action<Task, Own> | undefined {
    if (text.length > MAX_ACTION_LENGTH) return undefined;
    for (const { verb, words } of this.#verbs) {
      const names = namesIn(text, words);
      const things = names?.map((name) => numberOf.get(name));
      if (things?.every((thing) => thing !== undefined)) return { verb, things };
    }
    return undefined;
  }

  /** All possible actions, verb by verb. */
  possible(now: Now<Task, Own>): readonly string[] {
    const { names } = now.task.house;
    return this.#verbs.flatMap(({ verb, words }) =>
      choices(verb, now)
        .filter((things) => verb.refusal(now, ...things) === null)
        .map((things) => written(words, names, things)),
    );
  }
}

/** A pattern with its placeholders replaced by names. */
export function fill(pattern: string, ...names: readonly string[]): string {
  return written(pattern.split(PLACE), names, [...names.keys()]);
}

function written(
  [first = '', ...others]: readonly string[],
  names: readonly string[],
  things: readonly number[],
): string {
  let text = first;
  for (const [i, words] of others.entries()) text += names[things[i] ?? -1] + words;
  return text;
}

/** The names in a text that matches a pattern; null if it does not. No name contains a verb's words. */
function namesIn(text: string, [first = '', ...others]: readonly string[]): string[] | null {
  if (!text.startsWith(first)) return null;
  const names: string[] = [];
  let from = first.length;
  for (const [i, words] of others.entries()) {
    const to = i === others.length - 1 ? text.length - words.length : text.indexOf(words, from);
    if (to < from || !text.startsWith(words, to)) return null;
    names.push(text.slice(from, to));
    from = to + words.length;
  }
  return from === text.length ? names : null;
}

/** Every combination of candidates. */
function choices<Task, Own>(
  { candidates }: Verb<Task, Own>,
  now: Now<Task, Own>,
): readonly (readonly number[])[] {
  let begun: readonly (readonly number[])[] = [[]];
  for (const list of candidates) {
    if (begun.length === 0) return begun;
    const things = list(now);
    begun = begun.flatMap((chosen) => things.map((thing) => [...chosen, thing]));
  }
  return begun;
}
