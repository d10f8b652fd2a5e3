/**
 * Looks inside a network: attention, logit lens, the effect of interventions and of updates, and embeddings.
 * Everything is computed in float64 from the weights by the reference forward pass.
 */

import type { Agent } from '../../agents/agent.ts';
import {
  type HeadRef,
  type Parameters,
  type ReferenceForward,
  referenceAttention,
  referenceForward,
  referenceReadout,
} from '../../policy/reference.ts';
import type { PolicyShape, WeightTensor } from '../../policy/types.ts';
import type { Alternative } from '../../runs/inspection.ts';
import type {
  EmbeddingReading,
  Moved,
  NetworkPass,
  NetworkQuery,
  NetworkReading,
  Swap,
} from '../../runs/network-reading.ts';
import { contextOf } from './policy-reading.ts';
import { at, principalPlane, projected } from './principal-plane.ts';

/** Maximum number of tokens whose attention is returned. */
export const MOST_SHOWN = 160;
/** Largest vocabulary whose words are offered as replacements and shown in the chart of embeddings. */
export const MOST_WORDS = 4096;
/** Maximum number of multiplications in one forward pass; more would take longer than about 10 s. */
const MOST_WORK = 1e9;

/** Weights of a network after an iteration. */
export interface KeptWeights {
  readonly iteration: number;
  readonly weights: ReadonlyMap<string, WeightTensor>;
}

/** A network and how its agent reads a situation. */
export interface NetworkSource {
  readonly agent: Pick<Agent, 'tokenizer' | 'window' | 'format' | 'temperature'>;
  readonly shape: PolicyShape;
  /** Kept weights, oldest first; the last are the current ones. */
  readonly kept: readonly KeptWeights[];
}

/** The network cannot be examined; the message is one sentence. */
export class NetworkReadingError extends Error {
  override readonly name = 'NetworkReadingError';
}

interface Run {
  readonly forward: ReferenceForward;
  readonly tokens: readonly number[];
}

/** Weights after an iteration, or the newest before it, and their position in the list. */
function keptAt({ kept }: NetworkSource, iteration: number | null) {
  const found = kept.findLastIndex((one) => one.iteration <= (iteration ?? Number.MAX_VALUE));
  const place = Math.max(0, found);
  const weights = kept[place];
  if (weights === undefined) throw new NetworkReadingError('No weights have been saved yet.');
  return { place, weights };
}

function inFloat64({ weights }: KeptWeights): Parameters {
  return Object.fromEntries(
    [...weights].map(([name, { values }]) => [name, Float64Array.from(values)]),
  );
}

/** @throws {NetworkReadingError} for a network that takes too long in float64 */
function checkSize({ shape, kept: [first] }: NetworkSource, tokens: number): void {
  if (shape.adapter) {
    throw new NetworkReadingError('Pretrained models are too large to examine.');
  }
  let parameters = 0;
  for (const { values } of first?.weights.values() ?? []) parameters += values.length;
  if (parameters * tokens > MOST_WORK) {
    throw new NetworkReadingError(
      `A network of ${parameters} parameters is too large to examine with a sentence of ${tokens} tokens.`,
    );
  }
}

function run(
  shape: PolicyShape,
  parameters: Parameters,
  tokens: readonly number[],
  off: readonly HeadRef[] = [],
): Run {
  const packed = {
    tokens: Uint32Array.from(tokens),
    sequenceStarts: Uint32Array.of(0, tokens.length),
  };
  return { forward: referenceForward(shape, parameters, packed, off), tokens };
}

/** softmax(z / temperature) of a row of logits. */
function softmax(row: Float64Array, temperature: number): Float64Array {
  const most = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = row.map((z) => Math.exp((z - most) / temperature));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((w) => w / total);
}

/** (V) probabilities of the next token after row `r`. */
function nextAt(
  logits: Float64Array,
  shape: PolicyShape,
  r: number,
  temperature: number,
): Float64Array {
  const stride = Math.ceil(shape.vocabulary / 4) * 4;
  return softmax(logits.subarray(r * stride, r * stride + shape.vocabulary), temperature);
}

/** Indices of the `most` largest values, largest first. */
function largest(values: ArrayLike<number>, most: number): number[] {
  return Array.from(values, (_, i) => i)
    .sort((a, b) => at(values, b) - at(values, a))
    .slice(0, most);
}

function swapped(
  tokens: readonly number[],
  swaps: readonly Swap[],
  { tokenizer }: NetworkSource['agent'],
  size: number,
): number[] {
  const result = [...tokens];
  for (const { position, text } of swaps) {
    let token = 0;
    while (token < size && tokenizer.label(token) !== text) token++;
    if (token === size) throw new NetworkReadingError(`The vocabulary has no word “${text}”.`);
    if (position < 0 || position >= tokens.length) {
      throw new NetworkReadingError(`The sentence has no token ${position}.`);
    }
    result[position] = token;
  }
  return result;
}

/**
 * Attention, logit lens and action probabilities of a network in a situation, with and without an
 * intervention, and what the last update changed. Probabilities are at the agent's temperature, or at 1 if
 * the agent is greedy.
 *
 * @throws {NetworkReadingError}
 */
export function readNetwork(source: NetworkSource, query: NetworkQuery): NetworkReading {
  const { agent, shape, kept } = source;
  const { tokenizer } = agent;
  const temperature = agent.temperature > 0 ? agent.temperature : 1;
  const tokens = contextOf(agent, query.situation);
  checkSize(source, tokens.length);
  const { place, weights } = keptAt(source, query.iteration);
  const parameters = inFloat64(weights);
  const hidden = Math.max(0, tokens.length - MOST_SHOWN);
  const last = tokens.length - 1;
  const label = (token: number) => tokenizer.label(token);

  const next = ({ forward }: Run) => nextAt(forward.logits, shape, last, temperature);
  const pass = (of: Run, off: readonly HeadRef[]): NetworkPass => ({
    tokens: of.tokens.slice(hidden).map(label),
    attention: of.forward.blocks.map((block) =>
      Float32Array.from(referenceAttention(shape, block, hidden)),
    ),
    lens: lensOf(of.forward, last).map((x): readonly Alternative[] => {
      const { logits } = referenceReadout(shape, parameters, x);
      const p = nextAt(logits, shape, 0, temperature);
      return largest(p, query.most).map((token) => ({
        text: label(token),
        probability: at(p, token),
      }));
    }),
    actions:
      agent.format === 'bare'
        ? query.actions.map((action) => probabilityOf(action, of, off))
        : null,
  });
  /** Probability that the agent generates exactly this action. */
  function probabilityOf(action: string, of: Run, off: readonly HeadRef[]): number {
    const { maxActionTokens } = agent.window;
    const written = tokenizer.encode(action);
    if (written.length > maxActionTokens) return 0;
    if (written.length < maxActionTokens) written.push(tokenizer.end);
    // The first token needs no additional pass.
    const more = written.slice(0, -1);
    const { logits } =
      more.length === 0 ? of.forward : run(shape, parameters, [...of.tokens, ...more], off).forward;
    return written.reduce(
      (product, token, k) => product * at(nextAt(logits, shape, last + k, temperature), token),
      1,
    );
  }
  const lensOf = ({ blocks, last: output }: ReferenceForward, row: number) =>
    [...blocks.map(({ x }) => x), output].map((x) =>
      x.slice(row * shape.width, (row + 1) * shape.width),
    );

  const plain = run(shape, parameters, tokens);
  const { intervention } = query;
  const other =
    intervention === null
      ? null
      : run(
          shape,
          parameters,
          swapped(tokens, intervention.swaps, agent, shape.vocabulary),
          intervention.off,
        );
  const p = next(plain);
  const q = other === null ? p : next(other);
  const either = p.map((value, token) => Math.max(value, at(q, token)));
  const moved = (from: Float64Array, to: Float64Array, order: number[]): Moved[] =>
    order.map((token) => ({
      text: label(token),
      before: at(from, token),
      after: at(to, token),
    }));

  const earlier = kept[place - 1];
  let update: NetworkReading['update'] = null;
  if (earlier !== undefined) {
    const old = run(shape, inFloat64(earlier), tokens);
    const pOld = next(old);
    update = {
      since: earlier.iteration,
      words: moved(
        pOld,
        p,
        largest(
          p.map((value, token) => Math.abs(value - at(pOld, token))),
          query.most,
        ),
      ),
      positions: tokens.slice(hidden).map((_, i) => {
        const before = nextAt(old.forward.logits, shape, hidden + i, temperature);
        const after = nextAt(plain.forward.logits, shape, hidden + i, temperature);
        return after.reduce((sum, v, token) => sum + Math.abs(v - at(before, token)), 0) / 2;
      }),
    };
  }
  return {
    iteration: weights.iteration,
    kept: kept.map(({ iteration }) => iteration),
    ...{ layers: shape.layers, heads: shape.heads, hidden },
    vocabulary:
      shape.vocabulary > MOST_WORDS
        ? []
        : Array.from({ length: shape.vocabulary }, (_, token) => label(token)),
    pass: pass(plain, []),
    changed: other === null ? null : pass(other, intervention?.off ?? []),
    words: moved(p, q, largest(either, query.most)),
    update,
  };
}

/**
 * Token embeddings on the principal plane of the current weights. The plane is the same for every kept
 * iteration, so that points of different iterations can be compared.
 *
 * @throws {NetworkReadingError}
 */
export function readEmbeddings(source: NetworkSource, iteration: number | null): EmbeddingReading {
  const { shape, kept, agent } = source;
  checkSize(source, 1);
  if (shape.vocabulary > MOST_WORDS) {
    throw new NetworkReadingError(`The chart can show at most ${MOST_WORDS} words.`);
  }
  const { weights } = keptAt(source, iteration);
  const rows = (of: KeptWeights) =>
    (of.weights.get('embedding')?.values ?? new Float32Array()).subarray(
      0,
      shape.vocabulary * shape.width,
    );
  const newest = kept.at(-1) ?? weights;
  const plane = principalPlane(rows(newest), shape.width);
  const points = projected(rows(weights), plane);
  const all = [kept[0] ?? weights, newest, weights].flatMap((one) =>
    projected(rows(one), plane).flat(),
  );
  return {
    iteration: weights.iteration,
    kept: kept.map((one) => one.iteration),
    words: points.map(([x, y], token) => ({ text: agent.tokenizer.label(token), x, y })),
    explained: plane.explained,
    extent: all.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
  };
}
