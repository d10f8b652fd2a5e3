import { adaptedLinears, adapterNames } from './layout.ts';
import { type PolicyShape, WeightsError, type WeightTensor } from './types.ts';

/**
 * Merges an adapter into its network: W + (alpha / rank) · A·B.
 *
 * @param network weights by the names of `networkLayout`
 * @param adapter weights by the names of `parameterLayout` of the shape with its adapter
 * @throws {WeightsError} for a tensor that is missing
 */
export function mergedWeights(
  shape: PolicyShape,
  network: ReadonlyMap<string, WeightTensor>,
  adapter: ReadonlyMap<string, WeightTensor>,
): Map<string, WeightTensor> {
  const merged = new Map(network);
  const scale = shape.adapter ? shape.adapter.alpha / shape.adapter.rank : 0;
  for (const [name, { inputs, outputs, ranks }] of adaptedLinears(shape)) {
    const names = adapterNames(name);
    const [w, a, b] = [network.get(name), adapter.get(names.a), adapter.get(names.b)];
    if (!w || !a || !b) throw new WeightsError(`the tensor ${name} or its adapter is missing`);
    const values = new Float32Array(w.values.length);
    const row = new Float64Array(outputs);
    for (let i = 0; i < inputs; i++) {
      row.fill(0);
      for (let r = 0; r < ranks; r++) {
        const left = scale * (a.values[i * ranks + r] ?? 0);
        if (left === 0) continue;
        for (let o = 0; o < outputs; o++) {
          row[o] = (row[o] ?? 0) + left * (b.values[r * outputs + o] ?? 0);
        }
      }
      for (let o = 0; o < outputs; o++) {
        values[i * outputs + o] = (w.values[i * outputs + o] ?? 0) + (row[o] ?? 0);
      }
    }
    merged.set(name, { shape: w.shape, values });
  }
  const head = adapter.get('value_head');
  if (head) merged.set('value_head', head);
  return merged;
}
