/**
 * Constants shared by the host and the kernels of every device: table columns and the numbers of
 * named values. Each is defined once, here; `numbered` prepends them to a shader's source.
 */

import { rowStatisticNames } from '../algorithms/row-statistics.ts';
import type { Shader } from '../device/index.ts';

/** Columns of the loss rows' inputs, known before a token's log-probability is computed. */
export const inputColumns = [
  'behaviorLogp',
  'proximalLogp',
  'referenceLogp',
  'advantage',
  'weight',
  'oldValue',
  'return',
  'unused',
] as const;

/** Columns of the loss rows' scores. */
export const scoreColumns = ['logp', 'entropy', 'value', 'unused'] as const;

/** Columns of the result of a bound search. */
export const boundColumns = ['low', 'high', 'rho', 'steps'] as const;

/** Columns of a loss row's statistics. */
export const statColumns = rowStatisticNames;

/**
 * Meaning of each value of `nonFinite`: the first non-finite quantity in the order advantages (or
 * another input), log-probabilities (or entropies), ratios, loss. The totals hold the maximum over
 * rows, which is the first cause in any row.
 */
export const nonFiniteCauses = [null, 'loss', 'ratios', 'log-probabilities', 'advantages'] as const;

/**
 * The optimizer's state: completed steps, norm of the last gradient, its scale factor, 1 if the
 * step was applied, 1/(1−β₁ᵗ), 1/(1−β₂ᵗ), 1−β₁ᵗ, 1−β₂ᵗ.
 */
export const optimizerColumns = [
  'steps',
  'gradNorm',
  'gradScale',
  'applied',
  'correction1',
  'correction2',
  'weight1',
  'weight2',
] as const;

/** The index of each name: `{ logp: 0, entropy: 1, … }`. */
export function placesOf<Name extends string>(
  names: readonly Name[],
): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, place) => [name, place])) as Record<Name, number>;
}

/** `behaviorLogp` → `BEHAVIOR_LOGP`, `log-probabilities` → `LOG_PROBABILITIES`. */
function constantName(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();
}

/**
 * Prepends constants to a shader: `PREFIX_NAME`, the index of each name, and `PREFIX_COUNT`, the
 * number of names.
 */
export function numbered(
  shader: Shader,
  lists: Readonly<Record<string, readonly (string | null)[]>>,
): Shader {
  const constants = Object.entries(lists).flatMap(([prefix, names]) => [
    ...names.flatMap((name, place) =>
      name === null ? [] : [`const ${prefix}_${constantName(name)} = ${place}u;`],
    ),
    `const ${prefix}_COUNT = ${names.length}u;`,
  ]);
  return { ...shader, text: `${constants.join(' ')}\n${shader.text}` };
}
