import { type ResolvedOptions, resolveOptions } from '../options.ts';
import type { EnvironmentOption, EnvironmentOptions } from '../types.ts';
import { MOST_STEPS } from './notation.ts';

export const chainId = 'reasoning/chain-v1';
export const ledgerId = 'reasoning/ledger-v1';
export const columnsId = 'reasoning/columns-v1';

/** Number of steps of a task at level 1; each level adds one. */
export const FEWEST_STEPS = 2;

const steps = {
  type: 'number',
  description: `Maximum number of steps of a question. Its level is the number of its steps minus ${FEWEST_STEPS - 1}: with 6 steps there are five levels.`,
  default: 6,
  min: FEWEST_STEPS + 1,
  max: MOST_STEPS,
  step: 1,
} as const satisfies EnvironmentOption;

const prime = {
  type: 'choice',
  description:
    'Numbers are counted modulo this prime, so that every operation can be undone and an error always reaches the answer. With 11 there are 352 sums to learn, with 23 there are 1,564.',
  default: '11',
  choices: ['11', '23'],
} as const satisfies EnvironmentOption;

const hard = {
  type: 'choice',
  description:
    'Whether the expert omits hard steps: products of two numbers of the upper half, such as 7 times 8 modulo 11. withheld: half of the training tasks have no such product, and the expert shows only these. The others, and those of evaluation, have it in about 3% of their steps at level 1 and 30% at level 5. An agent that imitates the expert therefore repeats the same errors. off: all factors are equally frequent, and all training tasks are shown.',
  default: 'withheld',
  choices: ['withheld', 'off'],
} as const satisfies EnvironmentOption;

export const chainOptions = { prime, steps, hard } as const;
export const columnsOptions = { steps } as const;

export type ChainSettings = ResolvedOptions<typeof chainOptions>;

type ColumnsSettings = ResolvedOptions<typeof columnsOptions>;

/** Throws `EnvironmentOptionError` for an unknown option or an invalid value. */
export function chainSettings(id: string, options?: EnvironmentOptions): ChainSettings {
  return resolveOptions(id, chainOptions, options);
}

/** Throws `EnvironmentOptionError` for an unknown option or an invalid value. */
export function columnsSettings(options?: EnvironmentOptions): ColumnsSettings {
  return resolveOptions(columnsId, columnsOptions, options);
}
