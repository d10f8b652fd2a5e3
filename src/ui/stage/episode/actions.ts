/** Maps the user's keys and texts to actions. */

/** More actions than this become a searchable list; fewer are buttons. */
export const MOST_BUTTONS = 8;

export interface ActionChoice {
  /** Actions bound to keys, admissible or not, so that the pad does not change. */
  readonly pad: readonly { readonly key: string; readonly action: string }[];
  /** The other admissible actions. */
  readonly others: readonly string[];
  /** The keys cover all actions. */
  readonly padAlone: boolean;
}

/** Groups the actions that the user can choose from. */
export function choiceOf(
  keys: Readonly<Record<string, string>>,
  admissible: readonly string[],
): ActionChoice {
  const keyOf = new Map<string, string>();
  for (const [key, action] of Object.entries(keys)) {
    // Several keys may have the same action; the first is displayed.
    if (!keyOf.has(action)) keyOf.set(action, key);
  }
  const others = admissible.filter((action) => !keyOf.has(action));
  return {
    pad: [...keyOf].map(([action, key]) => ({ key, action })),
    others,
    padAlone: keyOf.size > 0 && others.length === 0,
  };
}

/** Normalizes differences that are common in typed text. */
const bare = (text: string) => text.replaceAll(/\s/g, '').toLowerCase();

/**
 * The intended action: the admissible one that differs only in spaces and case, or else the text as
 * typed, which the environment may reject.
 */
export function meantAction(typed: string, admissible: readonly string[]): string {
  const text = typed.trim();
  if (admissible.includes(text)) return text;
  return admissible.find((action) => bare(action) === bare(text)) ?? text;
}

/** The actions that contain the typed text; those that start with it come first. */
export function matching(typed: string, actions: readonly string[]): readonly string[] {
  const sought = bare(typed);
  const found = actions.filter((action) => bare(action).includes(sought));
  const begins = (action: string) => bare(action).startsWith(sought);
  return [...found.filter(begins), ...found.filter((action) => !begins(action))];
}

/** Label of a key on a button. */
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
