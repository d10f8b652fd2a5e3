/** What an agent can do: actions of fixed words with places for names. */

import type { Change, House, HouseState } from './house.ts';

/** A task at a moment. */
export interface Now<Task, Own> {
  readonly task: Task;
  readonly state: HouseState<Own>;
}

/** What an action comes to. */
export interface Effect<Own> extends Change<Own> {
  readonly reply: string;
}

export interface Verb<Task, Own> {
  /** `take {} from {}`: a place for each thing's name. */
  readonly pattern: string;
  /** For the instruction: what it is for, in a few words. */
  readonly meaning: string;
  /** For each place, the things that are offered there now, as far as `refusal` lets them pass. */
  readonly candidates: readonly ((now: Now<Task, Own>) => readonly number[])[];
  /** What is said where it cannot be done; null where it can. */
  refusal(now: Now<Task, Own>, ...things: readonly number[]): string | null;
  /** Only asked where nothing is refused. */
  act(now: Now<Task, Own>, ...things: readonly number[]): Effect<Own>;
}

/** A verb with the things that it is about. */
export interface Action<Task, Own> {
  readonly verb: Verb<Task, Own>;
  readonly things: readonly number[];
}

/** Longer than any action with the longest names. */
export const MAX_ACTION_LENGTH = 120;
const PLACE = '{}';

/** The verbs of a world, ready to read and to write. */
export class Grammar<Task extends { readonly house: House }, Own> {
  readonly #verbs: readonly {
    readonly verb: Verb<Task, Own>;
    readonly words: readonly string[];
  }[];

  constructor(verbs: readonly Verb<Task, Own>[]) {
    this.#verbs = verbs.map((verb) => ({ verb, words: verb.pattern.split(PLACE) }));
  }

  /** The fixed words of all verbs, each run of them a lexeme. */
  get lexicon(): readonly string[] {
    const words = this.#verbs.flatMap((verb) => verb.words.map((part) => part.trim()));
    return [...new Set(words.filter((part) => part !== ''))];
  }

  /** The action that a text means in a house; undefined where it means none. */
  read({ numberOf }: House, text: string): Action<Task, Own> | undefined {
    if (text.length > MAX_ACTION_LENGTH) return undefined;
    for (const { verb, words } of this.#verbs) {
      const names = namesIn(text, words);
      const things = names?.map((name) => numberOf.get(name));
      if (things?.every((thing) => thing !== undefined)) return { verb, things };
    }
    return undefined;
  }

  /** All that can be done now, verb by verb. */
  possible(now: Now<Task, Own>): readonly string[] {
    const { names } = now.task.house;
    return this.#verbs.flatMap(({ verb, words }) =>
      choices(verb, now)
        .filter((things) => verb.refusal(now, ...things) === null)
        .map((things) => written(words, names, things)),
    );
  }
}

/** A pattern with names in its places. */
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

/** What stands in a text's places; null where it has other words. No name holds a verb's words. */
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

/** Every choice of a candidate for each place. */
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
