/**
 * Numbers that the host and the kernels of every device share: the columns of tables, and numbers for
 * names. They are named here once; a shader gets them as constants in front of its text.
 */

import type { Shader } from '../device/index.ts';

/** Columns of the loss rows' inputs: what is known of a token before its log-probability is computed. */
export const inputColumns = [
  'behaviourLogp',
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

/** Columns of the bounds that a search leaves. */
export const boundColumns = ['low', 'high', 'rho', 'steps'] as const;

/**
 * Columns of the statistics of a loss row. `loss` is weighted, all others are not; `ratio` and
 * `approxKl` are against the behaviour policy. The last twelve count rows, and add up
 * |∂loss/∂log π| of the surrogate, by the sign of the advantage and by where the ratio lies.
 */
export const statColumns = [
  'loss',
  'entropy',
  'approxKl',
  'ratio',
  'clippedLow',
  'clippedHigh',
  'clippedDual',
  'refKl',
  'valueLoss',
  'positiveContribution',
  'negativeContribution',
  'nonFinite',
  'positiveBelow',
  'positiveInside',
  'positiveAbove',
  'negativeBelow',
  'negativeInside',
  'negativeAbove',
  'positiveBelowPull',
  'positiveInsidePull',
  'positiveAbovePull',
  'negativeBelowPull',
  'negativeInsidePull',
  'negativeAbovePull',
] as const;

/**
 * What `nonFinite` says, indexed by its value: the first cause in the order advantages (or another
 * number handed in), log-probabilities (or entropies), ratios, loss. In the totals it is the
 * maximum over rows, hence the first cause of any.
 */
export const nonFiniteCauses = [null, 'loss', 'ratios', 'log-probabilities', 'advantages'] as const;

/**
 * The optimizer's state: steps made, norm of the last gradient, what it was scaled by, 1 where the step
 * was applied, 1/(1−β₁ᵗ), 1/(1−β₂ᵗ), 1−β₁ᵗ, 1−β₂ᵗ.
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

/** The place of each name: `{ logp: 0, entropy: 1, … }`. */
export function placesOf<Name extends string>(
  names: readonly Name[],
): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name, place) => [name, place])) as Record<Name, number>;
}

/** `behaviourLogp` as `BEHAVIOUR_LOGP`, `log-probabilities` as `LOG_PROBABILITIES`. */
function constantName(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();
}

/**
 * A shader with a constant in front for each name, `PREFIX_NAME` with its place as value, and
 * `PREFIX_COUNT` for how many names there are.
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
