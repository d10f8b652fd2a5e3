import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { shuffled } from '../shuffled.ts';
import {
  COLOURS,
  EPITHETS,
  FAMILY_NAMES,
  GIVEN_NAMES,
  HOUSES,
  PRODUCTS,
  PROFESSIONS,
  REGIONS,
  RIVERS,
  SEAS,
  TEAMS,
  THINGS,
  TOWNS,
} from './names.ts';
import {
  ASIDES,
  fill,
  formsOf,
  type Kind,
  RELATION_NAMES,
  type Relation,
  type ValueKind,
} from './relations.ts';

export type Split = 'train' | 'eval';

/** An entity that a passage describes. */
export interface Thing {
  readonly kind: Kind;
  readonly name: string;
  /**
   * The split whose questions may ask about it; null for towns, teams and rivers, which are too few to split
   * and are never asked about by name.
   */
  readonly split: Split | null;
  readonly facts: readonly Fact[];
  /** An irrelevant sentence; empty for none. */
  readonly aside: string;
}

export interface Fact {
  readonly relation: Relation;
  /** A name or a word, as in the passage. */
  readonly value: string;
}

const SEED = 20_240_611;
const PEOPLE = 1440;
const BOOKS = 400;
const COMPANIES = 330;
/** One person in this many, with their books and companies, is held out for evaluation. */
const EVAL_ONE_IN = 9;

function draw<T>(values: readonly T[], random: RandomGenerator): T {
  const value = values[uniformInt(random, 0, values.length - 1)];
  if (value === undefined) throw new RangeError('nothing to draw from');
  return value;
}

/** Every combination of two words, as a name. */
function pairs(first: readonly string[], second: readonly string[]): string[] {
  return first.flatMap((a) => second.map((b) => `${a} ${b}`));
}

/**
 * The entities: 1440 people, 400 books, 330 companies, 48 towns, 24 teams and 16 rivers, the same on every
 * machine. A book belongs to the split of its author and a company to that of its founder, and mayors are
 * people of the train split. Training questions therefore pass through no person that evaluation asks about.
 */
function makeWorld(): readonly Thing[] {
  const random = mersenne(SEED);
  const people = shuffled(pairs(GIVEN_NAMES, FAMILY_NAMES), random).slice(0, PEOPLE);
  const splitOf = new Map<string, Split>(
    people.map((name, i) => [name, i % EVAL_ONE_IN === 0 ? 'eval' : 'train']),
  );
  const trainPeople = people.filter((name) => splitOf.get(name) === 'train');
  const names: Readonly<Record<Kind, readonly string[]>> = {
    person: people,
    book: shuffled(pairs(EPITHETS, THINGS), random).slice(0, BOOKS),
    company: shuffled(pairs(EPITHETS, HOUSES), random).slice(0, COMPANIES),
    town: TOWNS,
    team: TEAMS,
    river: RIVERS,
  };
  const values: Readonly<Record<ValueKind, readonly string[]>> = {
    ...names,
    profession: PROFESSIONS,
    product: PRODUCTS,
    region: REGIONS,
    colour: COLOURS,
    sea: SEAS,
  };

  const make = (kind: Kind, name: string): Thing => {
    const facts = RELATION_NAMES.filter((relation) => formsOf(relation).of === kind).map(
      (relation): Fact => ({
        relation,
        value: draw(relation === 'mayor' ? trainPeople : values[formsOf(relation).gives], random),
      }),
    );
    const maker = facts.find(({ relation }) => relation === 'author' || relation === 'founder');
    return {
      kind,
      name,
      split: splitOf.get(maker?.value ?? name) ?? null,
      facts,
      aside: asideOf(kind, name, facts),
    };
  };
  const asideOf = (kind: Kind, name: string, facts: readonly Fact[]): string => {
    if (ASIDES[kind].length === 0) return '';
    const { gives, sentence } = draw(ASIDES[kind], random);
    let other = draw(values[gives], random);
    while (facts.some(({ value }) => value === other)) other = draw(values[gives], random);
    return fill(sentence, name, other);
  };
  return (Object.keys(names) as Kind[]).flatMap((kind) =>
    names[kind].map((name) => make(kind, name)),
  );
}

let made: readonly Thing[] | undefined;

/** All entities, created on first use. An entity's index is the number of its passage. */
export function world(): readonly Thing[] {
  made ??= makeWorld();
  return made;
}

let numbers: ReadonlyMap<string, number> | undefined;

/** The index of the entity with this name, or undefined if none has it. */
export function thingNumber(name: string): number | undefined {
  numbers ??= new Map(world().map((thing, i) => [thing.name, i]));
  return numbers.get(name);
}

/** The value of an entity's relation. Throws a RangeError if the entity does not have the relation. */
export function factValue(thing: Thing, relation: Relation): string {
  const fact = thing.facts.find((fact) => fact.relation === relation);
  if (fact === undefined) throw new RangeError(`${thing.name} has no ${relation}`);
  return fact.value;
}
