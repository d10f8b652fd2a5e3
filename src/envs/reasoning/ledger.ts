/** The same sums as a chain's, told of people: who has what follows from what another has. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { shuffled } from '../shuffled.ts';
import { type Chain, drawChain, operationWords } from './chain.ts';
import type { ChainSettings } from './options.ts';
import type { Split } from './tasks.ts';

/** As many as the longest chain needs, and two who have nothing to do with it. */
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

/** A chain whose numbers are people's. */
export interface Ledger {
  readonly chain: Chain;
  /** (steps + 1) who has the number at the start, and who has it after each step. */
  readonly people: readonly string[];
  /** Everything that is told, in the order in which it is told, the idle sentence included. */
  readonly sentences: readonly string[];
}

/**
 * Draws a ledger of a level. What each person has is told in any order, and one sentence is idle: it is about
 * two people of whom nothing else is said.
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
  const told = [
    `${people[0]} ${HAS} ${chain.start}${STOP}`,
    ...chain.operations.map((step, i) => sentence(people[i + 1] ?? '', people[i] ?? '', step)),
    ...(idle === undefined ? [] : [sentence(first, second, idle)]),
  ];
  return { chain, people, sentences: shuffled(told, random) };
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

/** Lexemes of questions beside those of solutions. */
export const ledgerQuestionLexicon: readonly string[] = [
  HAS,
  STOP,
  HOW_MANY,
  ASKS,
  ...Object.values(operationWords),
];

/** What is told at first, of each step and idly, and what is asked. */
export const longestLedgerQuestion = (steps: number): number => 4 + 6 * steps + 6 + 3;
