import { type AttentionHeads, attentionBackward, attentionForward } from './attention.ts';
import { type Operation, operation, unset } from './operation.ts';
import { attentionBackwardReference, attentionReference } from './reference/attention.ts';
import type { TestRandom } from './reference/random.ts';
import { rotateReference } from './reference/rope.ts';
import { dot } from './reference/values.ts';

/**
 * Packed sequences of the given lengths, with a query at every `every`-th token (1: at each token).
 * spans (queries, 2) = first key row, number of keys; keySpans (tokens, 2) = begin, end of the
 * queries that attend to each key row.
 */
function packed(
  lengths: readonly number[],
  every = 1,
): { spans: Uint32Array; keySpans: Uint32Array } {
  const spans: number[] = [];
  const keySpans: number[] = [];
  let start = 0;
  for (const length of lengths) {
    const begins: number[] = [];
    for (let t = start; t < start + length; t++) {
      begins.push(spans.length / 2);
      if (t % every === every - 1) spans.push(start, t - start + 1);
    }
    for (const begin of begins) keySpans.push(begin, spans.length / 2);
    start += length;
  }
  return { spans: Uint32Array.from(spans), keySpans: Uint32Array.from(keySpans) };
}

/** Splits `total` rows into sequences of random lengths; the first has length 1. */
function unevenLengths(total: number, random: TestRandom): number[] {
  const lengths: number[] = [];
  for (let left = total; left > 0; ) {
    const length = lengths.length === 0 ? 1 : Math.min(left, 1 + random.whole(total));
    lengths.push(length);
    left -= length;
  }
  return lengths;
}

const testSizes = {
  cases: [
    { tokens: 1, heads: 1, kvHeads: 1, headDim: 4 },
    { tokens: 13, heads: 4, kvHeads: 2, headDim: 8 },
    { tokens: 70, heads: 3, kvHeads: 1, headDim: 12 },
    { tokens: 40, heads: 2, kvHeads: 2, headDim: 16 },
    { tokens: 0, heads: 2, kvHeads: 1, headDim: 4 },
  ],
  large: { tokens: 200, heads: 4, kvHeads: 2, headDim: 16 },
  refused: [{ kvHeads: 2 }, { headDim: 6 }, { heads: 0 }, { tokens: -1 }],
};

/** Cache rows of each query. */
const CONTEXT = 6;

/** What the queries of the forward pass attend to. */
const stores = [
  {
    name: 'attention',
    ...testSizes,
    keysPerToken: 1,
    spansOf: (tokens: number, random: TestRandom) => packed(unevenLengths(tokens, random)).spans,
  },
  {
    name: 'attention over a cache',
    cases: [
      { tokens: 1, heads: 2, kvHeads: 1, headDim: 4 },
      { tokens: 70, heads: 2, kvHeads: 1, headDim: 8 },
    ],
    large: { tokens: 300, heads: 4, kvHeads: 2, headDim: 16 },
    refused: [],
    keysPerToken: CONTEXT,
    // Each query reads its own, partly filled slot of the cache.
    spansOf: (tokens: number, random: TestRandom) =>
      Uint32Array.from({ length: 2 * tokens }, (_, i) =>
        i % 2 === 0 ? (i / 2) * CONTEXT : 1 + random.whole(CONTEXT),
      ),
  },
];

type Sizes = AttentionHeads & { readonly tokens: number };

/** Random inputs of the backward pass, with a query at every `every`-th token, and its results. */
function drawnBackward({ tokens, ...heads }: Sizes, every: number, random: TestRandom) {
  const { headDim } = heads;
  const { spans, keySpans } = packed(unevenLengths(tokens, random), every);
  const sizes = { rows: spans.length / 2, ...heads };
  const q = random.floats(sizes.rows * heads.heads * headDim, 2);
  const kv = random.floats(tokens * 2 * heads.kvHeads * headDim, 2);
  const dout = random.floats(q.length);
  const { o, lse } = attentionReference({ q, kv, spans }, sizes);
  const { dq, dkv } = attentionBackwardReference({ q, kv, spans, dout }, sizes);
  const delta = Float64Array.from({ length: lse.length }, (_, lane) =>
    dot(
      dout.subarray(lane * headDim, (lane + 1) * headDim),
      o.subarray(lane * headDim, (lane + 1) * headDim),
    ),
  );
  return {
    sizes,
    tensors: {
      ...{ q, kv, spans, keySpans, dout },
      o: Float32Array.from(o),
      lse: Float32Array.from(lse),
      dq: unset(dq.length),
      dkv: unset(dkv.length),
      delta: unset(delta.length),
    },
    expected: { dq, dkv, delta },
  };
}

/** Test cases for attention. */
export const attentionOperations: readonly Operation[] = [
  ...stores.flatMap(({ name, cases, large, refused, keysPerToken, spansOf }) =>
    [false, true].map((alone) =>
      operation({
        name: alone ? `${name}, row by row` : name,
        entries: [alone ? 'attention.forward_alone' : 'attention.forward'],
        cases,
        large,
        refused,
        indexed: ['kv'],
        trial: ({ tokens, ...heads }, random) => {
          const spans = spansOf(tokens, random);
          const q = random.floats(tokens * heads.heads * heads.headDim, 3);
          const kv = random.floats(tokens * keysPerToken * 2 * heads.kvHeads * heads.headDim, 3);
          const { o, lse } = attentionReference({ q, kv, spans }, { rows: tokens, ...heads });
          return {
            tensors: { q, kv, spans, o: unset(o.length), lse: unset(lse.length) },
            expected: { o, lse },
          };
        },
        call: (dispatcher, tensors, { tokens, ...heads }) =>
          attentionForward(dispatcher, tensors, { rows: tokens, alone }, heads),
      }),
    ),
  ),

  operation({
    name: 'attention gradient, rotated back',
    entries: ['attention.backward_query', 'attention.backward_kv'],
    gpuOnly: true,
    cases: [
      { tokens: 1, heads: 1, kvHeads: 1, headDim: 8 },
      { tokens: 13, heads: 4, kvHeads: 2, headDim: 8 },
      { tokens: 40, heads: 2, kvHeads: 2, headDim: 16 },
      { tokens: 0, heads: 2, kvHeads: 1, headDim: 8 },
    ],
    refused: [{ headDim: 12 }, { kvHeads: 2 }],
    tolerance: { relative: 1e-5, absolute: 1e-4 },
    trial: (sizes, random) => {
      const { tokens, heads, kvHeads, headDim } = sizes;
      const { tensors, expected } = drawnBackward(sizes, 1, random);
      const { dq, dkv, delta } = expected;
      const { spans } = tensors;
      const positions = Uint32Array.from({ length: tokens }, (_, r) => (spans[2 * r + 1] ?? 1) - 1);
      const back = (x: Float64Array, turned: number, stride: number) =>
        rotateReference({ x, positions }, { rows: tokens, heads: turned, headDim, stride }, -1);
      return {
        tensors: { ...tensors, positions },
        expected: {
          dq: back(dq, heads, heads * headDim),
          dkv: back(dkv, kvHeads, 2 * kvHeads * headDim),
          delta,
        },
      };
    },
    call: (dispatcher, tensors, { tokens, ...heads }) =>
      attentionBackward(dispatcher, tensors, { rows: tokens, keyRows: tokens }, heads),
  }),

  // The last layer computes queries only for rows whose logits are needed.
  ...[1, 3].map((every) =>
    operation({
      name: every === 1 ? 'attention gradient' : 'attention gradient, few queries',
      entries: ['attention.backward_query', 'attention.backward_kv'],
      ...testSizes,
      tolerance: { relative: 1e-5, absolute: 1e-4 },
      trial: (drawnSizes, random) => {
        const { sizes, tensors, expected } = drawnBackward(drawnSizes, every, random);
        const { q, kv, spans, dout } = tensors;
        return {
          derived: { rows: sizes.rows },
          tensors,
          expected,
          gradients: [
            {
              of: 'q',
              values: q,
              loss: (values) => dot(dout, attentionReference({ q: values, kv, spans }, sizes).o),
              analytic: expected.dq,
              output: 'dq',
            },
            {
              of: 'keys and values',
              values: kv,
              loss: (values) => dot(dout, attentionReference({ q, kv: values, spans }, sizes).o),
              analytic: expected.dkv,
              output: 'dkv',
            },
          ],
        };
      },
      call: (dispatcher, tensors, { rows, tokens, ...heads }) =>
        attentionBackward(dispatcher, tensors, { rows, keyRows: tokens }, heads),
    }),
  ),
];
