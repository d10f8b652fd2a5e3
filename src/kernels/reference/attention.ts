import { add, at, type Values } from './values.ts';

export interface AttentionSizes {
  readonly rows: number;
  readonly heads: number;
  /** Divides `heads`: query head h reads key–value head ⌊h / (heads/kvHeads)⌋. */
  readonly kvHeads: number;
  readonly headDim: number;
}

interface AttentionInput {
  /** (rows, heads·headDim) */
  readonly q: Values;
  /** (key rows, 2·kvHeads·headDim): keys of all heads, then values of all heads. */
  readonly kv: Values;
  /** (rows, 2): first key row of each query row, number of key rows. */
  readonly spans: Values;
}

/**
 * Attention (arXiv:1706.03762, Eq. 1) of each query row over its span of key rows.
 * o (rows, heads·headDim); lse (rows, heads) = log Σ exp(q·k/√headDim).
 */
export function attentionReference(
  { q, kv, spans }: AttentionInput,
  { rows, heads, kvHeads, headDim }: AttentionSizes,
): { o: Float64Array; lse: Float64Array } {
  const kvStride = 2 * kvHeads * headDim;
  const o = new Float64Array(rows * heads * headDim);
  const lse = new Float64Array(rows * heads);
  for (let r = 0; r < rows; r++) {
    for (let h = 0; h < heads; h++) {
      const query = (r * heads + h) * headDim;
      const kvHead = Math.floor(h / (heads / kvHeads)) * headDim;
      const scores: number[] = [];
      for (let j = 0; j < at(spans, 2 * r + 1); j++) {
        const key = (at(spans, 2 * r) + j) * kvStride + kvHead;
        let score = 0;
        for (let d = 0; d < headDim; d++) score += at(q, query + d) * at(kv, key + d);
        scores.push(score / Math.sqrt(headDim));
      }
      const highest = Math.max(...scores);
      const total = scores.reduce((sum, score) => sum + Math.exp(score - highest), 0);
      lse[r * heads + h] = highest + Math.log(total);
      scores.forEach((score, j) => {
        const p = Math.exp(score - at(lse, r * heads + h));
        const value = (at(spans, 2 * r) + j) * kvStride + kvHeads * headDim + kvHead;
        for (let d = 0; d < headDim; d++) add(o, query + d, p * at(kv, value + d));
      });
    }
  }
  return { o, lse };
}

/**
 * Attention weights (rows − from, heads, rows − from) of the query rows from `from` on over the key rows
 * from `from` on; 0 outside of a row's span. A row's weights sum to 1 if its span begins at `from` or later.
 */
export function attentionWeightsReference(
  { q, kv, spans }: AttentionInput,
  sizes: AttentionSizes,
  from = 0,
): Float64Array {
  const { rows, heads, kvHeads, headDim } = sizes;
  const { lse } = attentionReference({ q, kv, spans }, sizes);
  const shown = rows - from;
  const weights = new Float64Array(shown * heads * shown);
  for (let r = from; r < rows; r++) {
    const start = at(spans, 2 * r);
    for (let h = 0; h < heads; h++) {
      const kvHead = Math.floor(h / (heads / kvHeads)) * headDim;
      for (let k = Math.max(from, start); k < start + at(spans, 2 * r + 1); k++) {
        let score = 0;
        for (let d = 0; d < headDim; d++) {
          const key = at(kv, k * 2 * kvHeads * headDim + kvHead + d);
          score += at(q, (r * heads + h) * headDim + d) * key;
        }
        const weight = Math.exp(score / Math.sqrt(headDim) - at(lse, r * heads + h));
        weights[((r - from) * heads + h) * shown + (k - from)] = weight;
      }
    }
  }
  return weights;
}

/**
 * Returns dq (shape of q) and dkv (shape of kv) from dout (rows, heads·headDim). With p the
 * attention weights:
 * dv = Σ p·do; dp = do·v; ds = p·(dp − do·o); dq = Σ ds·k/√headDim; dk = Σ ds·q/√headDim.
 */
export function attentionBackwardReference(
  { q, kv, spans, dout }: AttentionInput & { readonly dout: Values },
  sizes: AttentionSizes,
): { dq: Float64Array; dkv: Float64Array } {
  const { rows, heads, kvHeads, headDim } = sizes;
  const { o, lse } = attentionReference({ q, kv, spans }, sizes);
  const kvStride = 2 * kvHeads * headDim;
  const dq = new Float64Array(q.length);
  const dkv = new Float64Array(kv.length);
  const scale = 1 / Math.sqrt(headDim);
  for (let r = 0; r < rows; r++) {
    for (let h = 0; h < heads; h++) {
      const query = (r * heads + h) * headDim;
      const kvHead = Math.floor(h / (heads / kvHeads)) * headDim;
      let delta = 0;
      for (let d = 0; d < headDim; d++) delta += at(dout, query + d) * at(o, query + d);
      for (let j = 0; j < at(spans, 2 * r + 1); j++) {
        const key = (at(spans, 2 * r) + j) * kvStride + kvHead;
        const value = key + kvHeads * headDim;
        let score = 0;
        let dp = 0;
        for (let d = 0; d < headDim; d++) {
          score += at(q, query + d) * at(kv, key + d) * scale;
          dp += at(dout, query + d) * at(kv, value + d);
        }
        const p = Math.exp(score - at(lse, r * heads + h));
        const ds = p * (dp - delta);
        for (let d = 0; d < headDim; d++) {
          add(dkv, value + d, p * at(dout, query + d));
          add(dq, query + d, ds * at(kv, key + d) * scale);
          add(dkv, key + d, ds * at(q, query + d) * scale);
        }
      }
    }
  }
  return { dq, dkv };
}
