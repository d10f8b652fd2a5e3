/** Actions for testing environments: admissible, corrupted and hostile ones. */
import fc from 'fast-check';

export const MEGABYTE = 'x'.repeat(1_000_000);
const CONTROL_CHARACTERS = '\u0000\u0007\u001b[31m\r\n\u007f';
const OTHER_SCRIPTS = '上へ移動 نحو الأعلى вверх';
const LONE_SURROGATE = '\ud800';

/** Short texts that are not actions in any environment. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  CONTROL_CHARACTERS,
  OTHER_SCRIPTS,
  LONE_SURROGATE,
  '__proto__',
  'constructor',
  'toString',
];

const megabyteOf = (action: string) =>
  action.repeat(Math.ceil(1_000_000 / Math.max(1, action.length)));

/** Texts that no environment accepts as an action, each with a name for the report. */
export function strangeActions(admissible: string): [string, string][] {
  return [
    ['an empty string', ''],
    ['a space', ' '],
    ['a megabyte', MEGABYTE],
    ['an action repeated to a megabyte', megabyteOf(admissible)],
    ['control characters', CONTROL_CHARACTERS],
    ['another script', OTHER_SCRIPTS],
    ['a lone surrogate', LONE_SURROGATE],
    ['the property name __proto__', '__proto__'],
    ['the property name constructor', 'constructor'],
    ['an action after a space', ` ${admissible}`],
    ['an action before a space', `${admissible} `],
    ['an action before a line break', `${admissible}\n`],
    ['an action with double spaces', `${admissible.replaceAll(' ', '  ')}  `],
  ];
}

/** Ways to corrupt an action at a position; the first puts `letter` there. */
const MUTATIONS: readonly ((action: string, at: number, letter: string) => string)[] = [
  (action, at, letter) => action.slice(0, at) + letter + action.slice(at + 1),
  (action, at) => action.slice(0, at) + action.slice(at + 1),
  (action, at) => `${action.slice(0, at)} ${action.slice(at)}`,
  (action, at) => action.slice(0, at) + action.charAt(at).toUpperCase() + action.slice(at + 1),
  (action) => action.toUpperCase(),
  (action) => action.replace(' ', ''),
  (action, at) => action.replace(/\d+/, String(at * 1_000_003)),
  (action, at) => {
    const words = action.split(' ');
    const word = words[at % words.length] ?? '';
    return [...words, word].join(' ');
  },
];

/** Picks an action given the admissible ones. */
export type Choice = (admissible: readonly string[]) => string;

/** The action at index n modulo the list's length; empty for an empty list. */
export const pick = (admissible: readonly string[], n: number) =>
  admissible[n % admissible.length] ?? '';

/** Any admissible action. */
export const admissibleChoice = fc.nat().map(
  (n): Choice =>
    (actions) =>
      pick(actions, n),
);
/** Arbitrary text, regardless of what is admissible. */
export const textChoice = (arbitrary: fc.Arbitrary<string>) =>
  arbitrary.map(
    (text): Choice =>
      () =>
        text,
  );

/** Admissible and corrupted actions, random lexemes, arbitrary text, hostile texts and megabytes. */
export function hostileChoices(lexicon: readonly string[]): fc.Arbitrary<Choice> {
  const lexemes = fc.array(fc.constantFrom(...lexicon), { minLength: 1, maxLength: 6 });
  const mutated = fc
    .tuple(fc.nat(), fc.nat(), fc.constantFrom(...MUTATIONS), fc.string({ maxLength: 1 }))
    .map(
      ([n, at, mutate, letter]): Choice =>
        (actions) => {
          const action = pick(actions, n);
          return mutate(action, at % Math.max(1, action.length), letter);
        },
    );
  return fc.oneof(
    { weight: 300, arbitrary: admissibleChoice },
    { weight: 300, arbitrary: mutated },
    { weight: 200, arbitrary: textChoice(lexemes.map((words) => words.join(' '))) },
    { weight: 150, arbitrary: textChoice(fc.string({ unit: 'binary', maxLength: 40 })) },
    { weight: 50, arbitrary: textChoice(fc.constantFrom(...HOSTILE_TEXTS)) },
    // One of these costs as much as ten thousand other choices.
    { weight: 1, arbitrary: textChoice(fc.constant(MEGABYTE)) },
    {
      weight: 1,
      arbitrary: fc.nat().map(
        (n): Choice =>
          (actions) =>
            megabyteOf(pick(actions, n)),
      ),
    },
  );
}
