/**
 * Relations between entities in three forms that share their words: a sentence in a passage, a question, and a
 * description that replaces the value inside a longer question. An agent can thus match question and passage
 * word by word.
 */

/** Kinds of entities that have a passage. */
export const KINDS = ['person', 'book', 'company', 'town', 'team', 'river'] as const;
export type Kind = (typeof KINDS)[number];

/** Kinds of answers and other values: entities with a passage, and words without one. */
export type ValueKind = Kind | 'profession' | 'product' | 'region' | 'colour' | 'sea';

interface RelationForms {
  readonly of: Kind;
  readonly gives: ValueKind;
  /** The sentence of a passage: `{s}` is the entity, `{o}` the value. */
  readonly sentence: string;
  /** `{s}` is a name or a description. Absent if there is no such question. */
  readonly question?: string;
  /** Stands for the value in a longer question. Absent if the value leads to no further question. */
  readonly description?: string;
  /** A short label for the view. */
  readonly label: string;
}

const RELATIONS = {
  born: {
    of: 'person',
    gives: 'town',
    sentence: '{s} was born in {o}.',
    question: 'Which town was {s} born in?',
    description: 'the town that {s} was born in',
    label: 'born in',
  },
  profession: {
    of: 'person',
    gives: 'profession',
    sentence: '{s} is a {o} by profession.',
    question: 'What is {s} by profession?',
    label: 'by profession',
  },
  member: {
    of: 'person',
    gives: 'team',
    sentence: '{s} is a member of the {o}.',
    question: 'Which team is {s} a member of?',
    description: 'the team that {s} is a member of',
    label: 'member of',
  },
  author: {
    of: 'book',
    gives: 'person',
    sentence: '{o} is the author of {s}.',
    question: 'Who is the author of {s}?',
    description: 'the author of {s}',
    label: 'author',
  },
  set: {
    of: 'book',
    gives: 'town',
    sentence: '{s} is set in {o}.',
    question: 'Which town is {s} set in?',
    description: 'the town that {s} is set in',
    label: 'set in',
  },
  founder: {
    of: 'company',
    gives: 'person',
    sentence: '{o} is the founder of {s}.',
    question: 'Who is the founder of {s}?',
    description: 'the founder of {s}',
    label: 'founder',
  },
  based: {
    of: 'company',
    gives: 'town',
    sentence: '{s} is based in {o}.',
    question: 'Which town is {s} based in?',
    description: 'the town that {s} is based in',
    label: 'based in',
  },
  known: {
    of: 'company',
    gives: 'product',
    sentence: '{s} is known for {o}.',
    question: 'What is {s} known for?',
    label: 'known for',
  },
  river: {
    of: 'town',
    gives: 'river',
    sentence: 'The {o} flows through {s}.',
    question: 'Which river flows through {s}?',
    label: 'river',
  },
  region: {
    of: 'town',
    gives: 'region',
    sentence: '{o} is the region of {s}.',
    question: 'What is the region of {s}?',
    label: 'region',
  },
  mayor: {
    of: 'town',
    gives: 'person',
    sentence: '{o} is the mayor of {s}.',
    question: 'Who is the mayor of {s}?',
    label: 'mayor',
  },
  home: {
    of: 'team',
    gives: 'town',
    sentence: '{o} is the home of the {s}.',
    question: 'Which town is the home of {s}?',
    label: 'home',
  },
  colour: {
    of: 'team',
    gives: 'colour',
    sentence: 'The {s} wear {o}.',
    question: 'Which colour does {s} wear?',
    label: 'wear',
  },
  mouth: {
    of: 'river',
    gives: 'sea',
    sentence: 'The {s} flows into the {o}.',
    label: 'flows into',
  },
} as const satisfies Readonly<Record<string, RelationForms>>;

export type Relation = keyof typeof RELATIONS;

export const RELATION_NAMES = Object.keys(RELATIONS) as readonly Relation[];

/** The forms of a relation, including the optional ones. */
export const formsOf = (relation: Relation): RelationForms => RELATIONS[relation];

/** Inserts a name or description and a value into a form. */
export function fill(form: string, s: string, o = ''): string {
  return form.replace('{s}', () => s).replace('{o}', () => o);
}

/**
 * Irrelevant sentences, one per long passage. They name a value of the requested kind in another relation, so
 * that the kind alone no longer identifies the answer. `{o}` is that value.
 */
export const ASIDES: Readonly<
  Record<Kind, readonly { readonly gives: ValueKind; readonly sentence: string }[]>
> = {
  person: [
    { gives: 'town', sentence: '{s} has friends in {o}.' },
    { gives: 'team', sentence: '{s} once played against the {o}.' },
  ],
  book: [
    { gives: 'town', sentence: '{s} was read aloud in {o}.' },
    { gives: 'person', sentence: '{o} is a reader of {s}.' },
  ],
  company: [
    { gives: 'town', sentence: '{s} has a shop in {o}.' },
    { gives: 'person', sentence: '{o} is a customer of {s}.' },
  ],
  town: [{ gives: 'person', sentence: '{o} is a guest of {s}.' }],
  team: [{ gives: 'town', sentence: 'The {s} once lost in {o}.' }],
  river: [],
};
