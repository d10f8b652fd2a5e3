import { type Operation, operation } from './operation.ts';
import { attentionReference } from './reference/attention.ts';
import { linearForward } from './reference/linear.ts';
import type { TestRandom } from './reference/random.ts';
import { rmsnormReference } from './reference/rmsnorm.ts';
import { rotateReference } from './reference/rope.ts';
import { sampleReference } from './reference/sample.ts';
import { swigluReference } from './reference/swiglu.ts';
import { at, float64, plus, type Values } from './reference/values.ts';
import { ENDED } from './sample.ts';
import { type TurnLayout, type TurnShape, takeTurn } from './turn.ts';

const drawn = { endTokens: [3, 5], seed: 0xfeedbeef };

/** Cached tokens of each context, and cache rows per context. */
const CACHED = 2;
const SLOT = 24;

/** Parameters back to back, each at a multiple of 64 elements. */
function place({ padded, layers, width, heads, kvHeads, ffnWidth, tiedEmbeddings }: TurnShape) {
  let end = 0;
  const next = (length: number) => {
    const start = end;
    end = 64 * Math.ceil((end + length) / 64);
    return start;
  };
  const kvColumns = (2 * kvHeads * width) / heads;
  const embedding = next(padded * width);
  const first = end;
  const layer = {
    query: next(width * width),
    keyValue: next(width * kvColumns),
    attentionOutput: next(width * width),
    gateUp: next(2 * width * ffnWidth),
    down: next(ffnWidth * width),
  };
  const matrices = end - first;
  end = first + layers * matrices;
  const head = tiedEmbeddings ? embedding : next(width * padded);
  const firstGain = end;
  const norms = { attentionNorm: next(width), feedForwardNorm: next(width) };
  const gains = end - firstGain;
  end = firstGain + layers * gains;
  const finalNorm = next(width);
  const layout: TurnLayout = { embedding, ...layer, ...norms, matrices, gains, head, finalNorm };
  return { layout, length: end };
}

/** Logits after each token of one context, whose keys and values are written into `caches`. */
function forward(
  shape: TurnShape,
  layout: TurnLayout,
  parameters: Values,
  caches: Float64Array,
  { tokens, position, row }: { readonly tokens: readonly number[]; position: number; row: number },
): Float64Array {
  const { width, heads, kvHeads, ffnWidth, padded, layers, tiedEmbeddings } = shape;
  const rows = tokens.length;
  const headDim = width / heads;
  const kvColumns = 2 * kvHeads * headDim;
  const cacheLength = caches.length / layers;
  const part = (start: number, length: number) =>
    Float64Array.from({ length }, (_, i) => at(parameters, start + i));
  const linear = (x: Values, start: number, inputs: number, outputs: number) =>
    linearForward({ x, w: part(start, inputs * outputs) }, { rows, inputs, outputs });
  const norm = (x: Values, start: number) =>
    rmsnormReference({ x, gain: part(start, width) }, { rows, width }).y;
  const positions = tokens.map((_, t) => position + t);
  const spans = positions.flatMap((p) => [row, p + 1]);
  let x: Float64Array = Float64Array.from(
    tokens.flatMap((token) => [...part(layout.embedding + token * width, width)]),
  );
  for (let l = 0; l < layers; l++) {
    const matrix = (start: number) => start + l * layout.matrices;
    const gain = (start: number) => start + l * layout.gains;
    const n = norm(x, gain(layout.attentionNorm));
    const sizes = { rows, headDim };
    const q = rotateReference(
      { x: linear(n, matrix(layout.query), width, width), positions },
      { ...sizes, heads, stride: width },
      1,
    );
    const added = rotateReference(
      { x: linear(n, matrix(layout.keyValue), width, kvColumns), positions },
      { ...sizes, heads: kvHeads, stride: kvColumns },
      1,
    );
    const kv = caches.subarray(l * cacheLength, (l + 1) * cacheLength);
    kv.set(added, (row + position) * kvColumns);
    const { o } = attentionReference({ q, kv, spans }, { ...sizes, heads, kvHeads });
    const middle = plus(x, linear(o, matrix(layout.attentionOutput), width, width));
    const n2 = norm(middle, gain(layout.feedForwardNorm));
    const gateUp = linear(n2, matrix(layout.gateUp), width, 2 * ffnWidth);
    const h = swigluReference(gateUp, { rows, ffnWidth });
    x = plus(middle, linear(h, matrix(layout.down), ffnWidth, width));
  }
  const last = norm(x, layout.finalNorm);
  if (!tiedEmbeddings) return linear(last, layout.head, width, padded);
  const table = part(layout.head, padded * width);
  const transposed = Float64Array.from({ length: width * padded }, (_, i) =>
    at(table, (i % padded) * width + Math.floor(i / padded)),
  );
  return linearForward({ x: last, w: transposed }, { rows, inputs: width, outputs: padded });
}

function shapeOf({
  layers,
  kvHeads,
  tied,
}: Readonly<Record<'layers' | 'kvHeads' | 'tied', number>>) {
  const fixed = { vocabulary: 11, padded: 12, width: 16, heads: 2, ffnWidth: 12 };
  return { ...fixed, layers, kvHeads, tiedEmbeddings: tied === 1 };
}

function randomParameters(random: TestRandom, length: number): Float32Array {
  return random.floats(length, 0.7);
}

/** Test cases for a turn in one dispatch. */
export const turnOperations: readonly Operation[] = [
  operation({
    name: 'turn',
    entries: ['turn.turn'],
    gpuOnly: true,
    cases: [
      { contexts: 1, read: 1, width: 1, sharing: 1, layers: 1, kvHeads: 1, tied: 0 },
      { contexts: 3, read: 10, width: 4, sharing: 1, layers: 2, kvHeads: 2, tied: 1 },
      { contexts: 2, read: 5, width: 1, sharing: 3, layers: 2, kvHeads: 1, tied: 0 },
    ],
    refused: [{ contexts: 0 }, { read: 0 }, { width: 0 }],
    tolerance: { relative: 1e-4, absolute: 1e-4 },
    trial: ({ contexts, read, width, sharing, layers, kvHeads, tied }, random) => {
      const shape = shapeOf({ layers, kvHeads, tied });
      const { layout, length } = place(shape);
      const parameters = randomParameters(random, length);
      const cacheLength = (contexts * SLOT * 2 * kvHeads * shape.width) / shape.heads;
      const caches = random.floats(layers * cacheLength);
      const episodes = contexts * sharing;
      const newTokens = random.wholes(contexts * read, shape.vocabulary);
      const index = new Uint32Array(6 * contexts + newTokens.length + 4 * episodes);
      index.set(newTokens, 6 * contexts);
      const outputs = () => ({
        tokens: new Uint32Array(episodes * width).fill(0xdead),
        logps: random.floats(episodes * width),
        entropies: random.floats(episodes * width),
      });
      const tensors = { parameters, index, caches, ...outputs() };
      const expected = {
        caches: float64(caches),
        tokens: new Float64Array(episodes * width),
        logps: new Float64Array(episodes * width),
        entropies: new Float64Array(episodes * width),
      };
      for (let c = 0; c < contexts; c++) {
        index.set([c * read, read, CACHED, c * SLOT, c * sharing, sharing], 6 * c);
        for (let i = 0; i < sharing; i++) {
          // The outputs are in a different order from the draws.
          const row = episodes - 1 - (c * sharing + i);
          const at4 = 6 * contexts + newTokens.length + 4 * (c * sharing + i);
          const play = (episode: number) => {
            const cache = expected.caches.slice();
            let tokens = [...newTokens.subarray(c * read, (c + 1) * read)];
            let position = CACHED;
            let margin = Number.POSITIVE_INFINITY;
            const out: { token: number; logp: number; entropy: number }[] = [];
            let ended = false;
            for (let step = 0; step < width; step++) {
              const logits = ended
                ? new Float64Array()
                : forward(shape, layout, parameters, cache, { tokens, position, row: c * SLOT });
              ended ||= drawn.endTokens.includes(out.at(-1)?.token ?? ENDED);
              if (ended) {
                out.push({ token: ENDED, logp: 0, entropy: 0 });
                continue;
              }
              const start = (tokens.length - 1) * shape.padded;
              const found = sampleReference(logits.subarray(start, start + shape.vocabulary), {
                ...{ temperature: 1, seed: drawn.seed, iteration: 4, episode },
                position: 6 + step,
              });
              margin = Math.min(margin, found.margin);
              position += tokens.length;
              tokens = [found.token];
              out.push(found);
            }
            return { cache, margin, out };
          };
          // Use episodes whose draws do not depend on rounding, so that tokens match exactly.
          let episode = random.whole(2 ** 31);
          let played = play(episode);
          while (played.margin < 1e-3) {
            episode = random.whole(2 ** 31);
            played = play(episode);
          }
          index.set([episode, 6, row, 4], at4);
          expected.caches.set(played.cache);
          played.out.forEach(({ token, logp, entropy }, step) => {
            expected.tokens[row * width + step] = token;
            expected.logps[row * width + step] = logp;
            expected.entropies[row * width + step] = entropy;
          });
        }
      }
      return { tensors, expected };
    },
    call: (dispatcher, tensors, { contexts, read, width, sharing, layers, kvHeads, tied }) => {
      const shape = shapeOf({ layers, kvHeads, tied });
      const sizes = { contexts, newTokens: contexts * read, episodes: contexts * sharing, width };
      const cacheLength = (contexts * SLOT * 2 * kvHeads * shape.width) / shape.heads;
      const { layout, length } = place(shape);
      takeTurn(
        dispatcher,
        tensors,
        shape,
        layout,
        { ...sizes, cacheLength, parameters: length },
        { ...drawn, temperature: 1 },
      );
    },
  }),
];
