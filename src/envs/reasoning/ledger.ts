/** Chains stated as sentences about people: one person's number follows from another's. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { shuffled } from '../shuffled.ts';
import { type Chain, drawChain, operationWords } from './chain.ts';
import type { ChainSettings } from './options.ts';
import type { Split } from './tasks.ts';

/** Enough for the longest chain plus the two people in the irrelevant sentence. */
export const ledgerNames: readonly string[] = [
  'Ada',
  'Bo',
  'Cleo',
  'Dan',
  'Eve',
  'Finn',
  'Gus',
  'Hal',
  'Ida',
  'Jo',
  'Kim',
];

const HAS = 'has';
const STOP = '.';
const HOW_MANY = 'How many has';
const ASKS = '?';

/** A chain whose numbers belong to people. */
export interface Ledger {
  readonly chain: Chain;
  /** (steps + 1) the owner of the number at the start and after each step. */
  readonly people: readonly string[];
  /** All sentences in order, including the irrelevant one. */
  readonly sentences: readonly string[];
}

/**
 * Draws a ledger of a level. The sentences are in random order, and one is irrelevant: it is about two people
 * who are not mentioned elsewhere.
 */
export function drawLedger(
  settings: Pick<ChainSettings, 'prime' | 'hard'>,
  level: number,
  split: Split,
  random: RandomGenerator,
): Ledger {
  const chain = drawChain(settings, level, split, random);
  const names = shuffled(ledgerNames, random);
  const people = names.slice(0, chain.operations.length + 1);
  const [first = '', second = ''] = names.slice(people.length);
  const [idle] = drawChain(settings, level, split, random).operations;
  const sentences = [
    `${people[0]} ${HAS} ${chain.start}${STOP}`,
    ...chain.operations.map((step, i) => sentence(people[i + 1] ?? '', people[i] ?? '', step)),
    ...(idle === undefined ? [] : [sentence(first, second, idle)]),
  ];
  return { chain, people, sentences: shuffled(sentences, random) };
}

function sentence(
  who: string,
  from: string,
  { operation, by }: Chain['operations'][number],
): string {
  return `${who} ${HAS} ${from} ${operationWords[operation]} ${by}${STOP}`;
}

export function ledgerQuestion({ people, sentences }: Ledger): string {
  return [...sentences, HOW_MANY, `${people.at(-1)}${ASKS}`].join(' ');
}

/** Lexemes of questions that solutions do not contain. */
export const ledgerQuestionLexicon: readonly string[] = [
  HAS,
  STOP,
  HOW_MANY,
  ASKS,
  ...Object.values(operationWords),
];

/** The first sentence, one per step, the irrelevant one, and the question. */
export const longestLedgerQuestion = (steps: number): number => 4 + 6 * steps + 6 + 3;
