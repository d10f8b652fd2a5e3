import { mersenne } from 'pure-rand/generator/mersenne';
import { shuffled } from '../shuffled.ts';
import type { Hops } from './options.ts';
import {
  fill,
  formsOf,
  KINDS,
  RELATION_NAMES,
  type Relation,
  type ValueKind,
} from './relations.ts';
import { factValue, type Split, type Thing, thingNumber, world } from './world.ts';

/** One relation on the path from a question to its answer. */
export interface Hop {
  /** Index of the entity and its passage. */
  readonly thing: number;
  readonly relation: Relation;
  /** The value stated in the passage: the name of the next hop's entity, or the answer. */
  readonly value: string;
}

/** A part of a question: the name of the entity, or the words of the first or second relation. */
export interface QuestionPart {
  readonly text: string;
  readonly role: 'subject' | 'first' | 'second';
}

export interface Question {
  readonly text: string;
  /** The parts of `text`, in order. */
  readonly parts: readonly QuestionPart[];
  /** One or two hops; the first starts at the thing that the question names. */
  readonly hops: readonly Hop[];
  readonly answer: string;
  readonly answerKind: ValueKind;
}

type Path = readonly Relation[];

const SUBJECTS = KINDS.filter((kind) => kind === 'person' || kind === 'book' || kind === 'company');

const relationsOf = (kind: ValueKind): readonly Relation[] =>
  RELATION_NAMES.filter((name) => formsOf(name).of === kind);

const asked = (relation: Relation) => formsOf(relation).question !== undefined;

/** Every relation of a person, a book or a company (8). */
const singlePaths: readonly Path[] = SUBJECTS.flatMap((kind) =>
  relationsOf(kind).map((relation) => [relation]),
);

/** Every pair of relations that can be chained: the first leads to an entity that has the second (17). */
const twoPaths: readonly Path[] = singlePaths.flatMap(([first]) =>
  first === undefined || formsOf(first).description === undefined
    ? []
    : relationsOf(formsOf(first).gives)
        .filter(asked)
        .map((second) => [first, second]),
);

/** The text of a form before and after its `{s}`. */
function around(form: string): [string, string] {
  const at = form.indexOf('{s}');
  return [form.slice(0, at), form.slice(at + '{s}'.length)];
}

function questionParts(subject: string, path: Path): readonly QuestionPart[] {
  let parts: readonly QuestionPart[] = [{ text: subject, role: 'subject' }];
  for (const [i, relation] of path.entries()) {
    const { question = '', description = '' } = formsOf(relation);
    const [before, after] = around(i === path.length - 1 ? question : description);
    const role = i === 0 ? 'first' : 'second';
    parts = [{ text: before, role }, ...parts, { text: after, role }];
  }
  return parts.filter(({ text }) => text !== '');
}

/** The question about the end of a path of relations that starts at an entity. */
export function ask(subject: number, path: Path): Question {
  const hops: Hop[] = [];
  let thing: number | undefined = subject;
  for (const relation of path) {
    const at: Thing | undefined = thing === undefined ? undefined : world()[thing];
    if (thing === undefined || at === undefined) throw new RangeError(`${relation} of nothing`);
    const value = factValue(at, relation);
    hops.push({ thing, relation, value });
    thing = thingNumber(value);
  }
  const last = hops.at(-1);
  if (last === undefined) throw new RangeError('a question needs a relation');
  const parts = questionParts(world()[subject]?.name ?? '', path);
  return {
    text: parts.map(({ text }) => text).join(''),
    parts,
    hops,
    answer: last.value,
    answerKind: formsOf(last.relation).gives,
  };
}

/** `Mara Olin was born in Tarsk.`, as a passage would state it. */
export function factSentence({ thing, relation, value }: Hop): string {
  return fill(formsOf(relation).sentence, world()[thing]?.name ?? '', value);
}

const SEED = 5_190_177;
const subjects = new Map<string, readonly number[]>();

/** Indices of the entities in a split at which a path can start, in random order. */
function subjectsOf(path: Path, split: Split): readonly number[] {
  const key = `${split} ${path.join(' ')}`;
  let found = subjects.get(key);
  if (found === undefined) {
    const [first] = path;
    const kind = first === undefined ? undefined : formsOf(first).of;
    const numbers = world().flatMap((thing, i) =>
      thing.kind === kind && thing.split === split ? [i] : [],
    );
    const salt = [...singlePaths, ...twoPaths].indexOf(path);
    found = shuffled(numbers, mersenne(SEED + salt));
    subjects.set(key, found);
  }
  return found;
}

type Opening = readonly [path: Path, subject: number];
const openings = new Map<string, readonly Opening[]>();

/** All questions with one or two hops, as path and subject. Paths alternate until their subjects run out. */
function openingsOf(hops: Exclude<Hops, 'both'>, split: Split): readonly Opening[] {
  const key = `${split} ${hops}`;
  let found = openings.get(key);
  if (found === undefined) {
    const paths = (hops === 'single' ? singlePaths : twoPaths).map((path) => ({
      path,
      starts: subjectsOf(path, split),
    }));
    const rounds = Math.max(...paths.map(({ starts }) => starts.length));
    found = Array.from({ length: rounds }, (_, round) =>
      paths.flatMap(({ path, starts }): Opening[] => {
        const subject = starts[round];
        return subject === undefined ? [] : [[path, subject]];
      }),
    ).flat();
    openings.set(key, found);
  }
  return found;
}

/** Number of questions in a split. */
export function questionCount(hops: Hops, split: Split): number {
  if (hops !== 'both') return openingsOf(hops, split).length;
  return 2 * Math.min(questionCount('single', split), questionCount('two', split));
}

/**
 * The n-th question of a split, counted from 0. Paths alternate until their subjects run out, so that the
 * first questions ask about every relation equally often; with `both`, one- and two-hop questions alternate
 * too.
 * Throws a RangeError if there are not that many questions.
 */
export function questionNumber(n: number, hops: Hops, split: Split): Question {
  if (hops === 'both') return questionNumber(n >> 1, n % 2 === 0 ? 'single' : 'two', split);
  const opening = openingsOf(hops, split)[n];
  if (opening === undefined) throw new RangeError(`no question ${n} of ${hops}, ${split}`);
  const [path, subject] = opening;
  return ask(subject, path);
}
