/** Counts the items of a critique data set by kind, and filters them. */

import { answerSources, faultKinds } from '../../../envs/criticism.ts';
import type { CritiqueItem } from '../../../runs/critique-item.ts';
import { faultNames } from './reading.ts';

/** A property that distinguishes items. */
export interface Aspect {
  readonly name: 'source' | 'fault' | 'level' | 'answer' | 'annotator' | 'filter';
  readonly title: string;
  /** Explains it in a sentence. */
  readonly line: string;
  of(item: CritiqueItem): string;
  /** Name of a kind. */
  label(kind: string): string;
}

const sourceNames: Readonly<Record<string, string>> = {
  sampled: 'sampled',
  hot: 'high temperature from a step on',
  inserted: 'error inserted',
};

export const aspects: readonly Aspect[] = [
  {
    name: 'answer',
    title: 'Answer',
    line: 'Whether the answer is correct, according to the oracle.',
    of: ({ right }) => (right ? 'right' : 'wrong'),
    label: (kind) => (kind === 'right' ? 'correct' : kind),
  },
  {
    name: 'level',
    title: 'Level',
    line: 'A higher level has more steps.',
    of: ({ level }) => String(level),
    label: (kind) => `level ${kind}`,
  },
  {
    name: 'source',
    title: 'Source',
    line: 'How the answer was constructed: sampled as a whole, sampled at high temperature from some step on, or with an error inserted at a step.',
    of: ({ source }) => source,
    label: (kind) => sourceNames[kind] ?? kind,
  },
  {
    name: 'fault',
    title: 'First error',
    line: 'The kind of error in the first wrong step.',
    of: ({ fault }) => fault ?? 'none',
    label: (kind) =>
      faultKinds.flatMap((one) => (one === kind ? faultNames[one] : []))[0] ?? 'no error',
  },
  {
    name: 'annotator',
    title: 'Annotator',
    line: 'Whether the critique is the oracle’s, or a deliberately wrong one.',
    of: (item) => (item.true ? 'true' : 'erring'),
    label: (kind) => (kind === 'true' ? 'correct' : 'wrong'),
  },
  {
    name: 'filter',
    title: 'Correct refinements',
    line: 'How many of the actor’s refinements were correct after the critique; the filter drops a critique with too few.',
    of: ({ filter }) => (filter === null ? 'none' : `${filter.right} of ${filter.of}`),
    label: (kind) => (kind === 'none' ? 'not filtered' : kind),
  },
];

/** The selected kind of each aspect; aspects without an entry are not filtered. */
export type Wanted = Partial<Readonly<Record<Aspect['name'], string>>>;

export interface Count {
  readonly kind: string;
  readonly count: number;
}

const order: readonly string[] = [...answerSources, ...faultKinds];

/** Number of items of each kind. */
export function countBy({ of }: Aspect, items: readonly CritiqueItem[]): readonly Count[] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const kind = of(item);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const place = (kind: string) => order.indexOf(kind);
  return [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .sort(
      (a, b) =>
        place(a.kind) - place(b.kind) || a.kind.localeCompare(b.kind, 'en', { numeric: true }),
    );
}

export function wantedItems(
  items: readonly CritiqueItem[],
  wanted: Wanted,
): readonly CritiqueItem[] {
  const asked = aspects.flatMap(({ name, of }) => {
    const kind = wanted[name];
    return kind === undefined ? [] : { of, kind };
  });
  return asked.length === 0
    ? items
    : items.filter((item) => asked.every(({ of, kind }) => of(item) === kind));
}
