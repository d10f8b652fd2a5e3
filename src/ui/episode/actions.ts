/** How a visitor's keys and words become actions. */

/** More actions than this are a list to search; fewer are buttons. */
export const MOST_BUTTONS = 8;

export interface ActionChoice {
  /** On keys, whether or not they make sense now, so that the pad stays as it is. */
  readonly pad: readonly { readonly key: string; readonly action: string }[];
  /** The other actions that make sense now. */
  readonly others: readonly string[];
  /** The keys are all that there is to do. */
  readonly padAlone: boolean;
}

/** What a visitor can choose from. */
export function choiceOf(
  keys: Readonly<Record<string, string>>,
  admissible: readonly string[],
): ActionChoice {
  const keyOf = new Map<string, string>();
  for (const [key, action] of Object.entries(keys)) {
    // Several keys may do the same; the first is the one to tell of.
    if (!keyOf.has(action)) keyOf.set(action, key);
  }
  const others = admissible.filter((action) => !keyOf.has(action));
  return {
    pad: [...keyOf].map(([action, key]) => ({ key, action })),
    others,
    padAlone: keyOf.size > 0 && others.length === 0,
  };
}

/** A text without what people leave out or add when they type. */
const bare = (text: string) => text.replaceAll(/\s/g, '').toLowerCase();

/**
 * The action that a visitor means: the admissible one that differs only in spaces and capitals, or
 * else the text as it was typed, which the environment may understand or not.
 */
export function meantAction(typed: string, admissible: readonly string[]): string {
  const text = typed.trim();
  if (admissible.includes(text)) return text;
  return admissible.find((action) => bare(action) === bare(text)) ?? text;
}

/** The actions that hold what was typed so far, those that begin with it first. */
export function matching(typed: string, actions: readonly string[]): readonly string[] {
  const sought = bare(typed);
  const found = actions.filter((action) => bare(action).includes(sought));
  const begins = (action: string) => bare(action).startsWith(sought);
  return [...found.filter(begins), ...found.filter((action) => !begins(action))];
}

/** A key's name on a button. */
export function keyName(key: string): string {
  const arrows: Readonly<Record<string, string>> = {
    ArrowUp: '↑',
    ArrowDown: '↓',
    ArrowLeft: '←',
    ArrowRight: '→',
    ' ': 'Space',
  };
  return arrows[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}
