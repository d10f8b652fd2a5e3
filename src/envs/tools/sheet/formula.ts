/** Formulas that compute a number from the numbers in cells. */

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);

const FORMULAS = {
  SUM: sum,
  AVERAGE: (numbers) => sum(numbers) / numbers.length,
  COUNT: (numbers) => numbers.length,
  MAX: (numbers) => Math.max(...numbers),
  MIN: (numbers) => Math.min(...numbers),
  /** The first minus all others. */
  MINUS: (numbers) => 2 * (numbers[0] ?? 0) - sum(numbers),
  PRODUCT: (numbers) => numbers.reduce((product, n) => product * n, 1),
} as const satisfies Readonly<Record<string, (numbers: readonly number[]) => number>>;

export type Operator = keyof typeof FORMULAS;

export const OPERATORS = Object.keys(FORMULAS) as readonly Operator[];

export const isOperator = (name: string): name is Operator => Object.hasOwn(FORMULAS, name);

/** @param numbers at least one, except for COUNT */
export function workedOut(operator: Operator, numbers: readonly number[]): number {
  return FORMULAS[operator](numbers);
}
