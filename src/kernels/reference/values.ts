/** Array-like of numbers, the input type of the references. */
export type Values = ArrayLike<number>;

/** values[i]. Throws if i is out of bounds, which is a bug in the reference. */
export function at(values: Values, i: number): number {
  const value = values[i];
  if (value === undefined) throw new RangeError(`no element ${i} among ${values.length}`);
  return value;
}

/** values[i] += by. */
export function add(values: Float64Array, i: number, by: number): void {
  values[i] = at(values, i) + by;
}

/** A copy in float64. */
export function float64(values: Values): Float64Array {
  return Float64Array.from(values);
}

/** a + b, element by element. */
export function plus(a: Values, b: Values): Float64Array {
  return Float64Array.from(a, (value, i) => value + at(b, i));
}

/** Σ a·b. */
export function dot(a: Values, b: Values): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += at(a, i) * at(b, i);
  return sum;
}
