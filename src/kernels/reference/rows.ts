import { add, at, type Values } from './values.ts';

/** y (count, width) = x (·, width)[index (count)]. A token embedding is a gather by token id. */
export function gatherRows(
  { x, index }: { readonly x: Values; readonly index: Values },
  { count, width }: { readonly count: number; readonly width: number },
): Float64Array {
  const y = new Float64Array(count * width);
  for (let r = 0; r < count; r++) {
    for (let i = 0; i < width; i++) y[r * width + i] = at(x, at(index, r) * width + i);
  }
  return y;
}

/** y (·, width)[index (count)] += x (count, width). Indices may repeat. */
export function scatterAddRows(
  { x, index, y }: { readonly x: Values; readonly index: Values; readonly y: Float64Array },
  { count, width }: { readonly count: number; readonly width: number },
): void {
  for (let r = 0; r < count; r++) {
    for (let i = 0; i < width; i++) add(y, at(index, r) * width + i, at(x, r * width + i));
  }
}
