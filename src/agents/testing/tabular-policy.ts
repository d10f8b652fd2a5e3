import { ppoClipReference } from '../../algorithms/ppo-clip.ts';
import type {
  GenerateRequest,
  Generation,
  Objective,
  OptimizerStep,
  PolicyCapacity,
  PolicyShape,
  TokenPolicy,
  TrainingBatch,
  UpdateStats,
} from '../../policy/types.ts';

/**
 * A policy without a network, for tests: one row of logits for every context it has met, all zero at
 * first, learned in float64 by gradient descent on the mean over the context's own rows. It keeps a real per-slot cache of the tokens
 * it was fed, so a caller that miscounts its cache reads a wrong context here, and it records every
 * call.
 */
export class TabularPolicy implements TokenPolicy {
  readonly shape: PolicyShape;
  readonly capacity: PolicyCapacity;
  version = 0;
  destroyed = false;
  readonly generated: GenerateRequest[] = [];
  readonly updates: {
    readonly batches: readonly TrainingBatch[];
    readonly objective: Objective;
    readonly step: OptimizerStep;
  }[] = [];
  /** For each written token: the tokens the policy had read when it wrote it. */
  readonly contexts: { readonly context: readonly number[]; readonly token: number }[] = [];
  /** Set to make the next update report a gradient that was not finite. */
  failNextUpdate = false;

  readonly #caches: number[][];
  readonly #table = new Map<string, Float64Array>();

  constructor(shape: PolicyShape, capacity: PolicyCapacity) {
    this.shape = shape;
    this.capacity = capacity;
    this.#caches = Array.from({ length: capacity.episodes }, () => []);
  }

  async generate(request: GenerateRequest): Promise<Generation> {
    this.generated.push(request);
    const episodes = request.slots.length;
    const columns = request.maxNewTokens;
    if (request.newTokens.length > this.capacity.tokens || episodes > this.capacity.rows) {
      throw new RangeError('the call is larger than the capacity');
    }
    const tokens = new Uint32Array(episodes * columns);
    const logps = new Float32Array(episodes * columns);
    const entropies = new Float32Array(episodes * columns);
    const lengths = new Uint32Array(episodes);
    for (let e = 0; e < episodes; e++) {
      const slot = request.slots[e] ?? 0;
      const cachedLength = request.cachedLengths[e] ?? 0;
      const cached = (this.#caches[slot] ?? []).slice(0, cachedLength);
      if (cached.length < cachedLength) {
        throw new RangeError(`slot ${slot} caches fewer than ${cachedLength} tokens`);
      }
      const fed = request.newTokens.slice(request.newTokenStarts[e], request.newTokenStarts[e + 1]);
      if (fed.length === 0) throw new RangeError('an episode brought no new token');
      const context = [...cached, ...fed];
      for (let k = 0; k < columns; k++) {
        const drawn = this.#draw(context, request, e, (request.random.offsets[e] ?? 0) + k);
        this.contexts.push({ context: [...context], token: drawn.token });
        tokens[e * columns + k] = drawn.token;
        logps[e * columns + k] = drawn.logp;
        entropies[e * columns + k] = drawn.entropy;
        lengths[e] = k + 1;
        if (drawn.token === request.endToken || k === columns - 1) break;
        context.push(drawn.token);
      }
      if (context.length + 1 > this.capacity.context) {
        throw new RangeError('the context is larger than the capacity');
      }
      this.#caches[slot] = context;
    }
    return { tokens, logps, entropies, lengths, version: this.version };
  }

  async update(
    batches: readonly TrainingBatch[],
    objective: Objective,
    step: OptimizerStep,
  ): Promise<UpdateStats> {
    this.updates.push({ batches, objective, step });
    let rows = 0;
    let loss = 0;
    let entropySum = 0;
    let approxKlSum = 0;
    let ratioSum = 0;
    let clippedLow = 0;
    let clippedHigh = 0;
    let squares = 0;
    const gradients = new Map<string, { sum: Float64Array; weight: number }>();
    for (const batch of batches) {
      if (
        batch.tokens.length > this.capacity.tokens ||
        batch.rows.length > this.capacity.lossRows ||
        new Set(batch.rows).size > this.capacity.rows
      ) {
        throw new RangeError('the micro-batch is larger than the capacity');
      }
      const keys = Array.from(batch.rows, (row) => contextOf(batch, row).join(' '));
      const result = ppoClipReference({
        ...objective,
        logits: keys.flatMap((key) => Array.from(this.#logits(key))),
        targets: batch.targets,
        behaviourLogps: batch.behaviourLogps,
        advantages: batch.advantages,
        weights: batch.weights,
      });
      loss += result.loss;
      rows += batch.rows.length;
      for (const [r, row] of result.rows.entries()) {
        entropySum += row.entropy;
        approxKlSum += row.approxKl;
        ratioSum += row.ratio;
        clippedLow += row.clippedLow ? 1 : 0;
        clippedHigh += row.clippedHigh ? 1 : 0;
        const key = keys[r] ?? '';
        const gradient = gradients.get(key) ?? {
          sum: new Float64Array(this.shape.vocabulary),
          weight: 0,
        };
        const { sum } = gradient;
        gradient.weight += batch.weights[r] ?? 0;
        for (let k = 0; k < sum.length; k++) {
          sum[k] = (sum[k] ?? 0) + (result.dlogits[r * sum.length + k] ?? 0);
        }
        gradients.set(key, gradient);
      }
    }
    for (const [key, { sum, weight }] of gradients) {
      const logits = this.#logits(key);
      for (let k = 0; k < logits.length; k++) {
        const g = sum[k] ?? 0;
        squares += g * g;
        logits[k] = (logits[k] ?? 0) - (step.learningRate * g) / weight;
      }
    }
    this.version++;
    const skipped = this.failNextUpdate;
    this.failNextUpdate = false;
    return {
      rows,
      loss,
      entropySum,
      approxKlSum,
      ratioSum,
      clippedLow,
      clippedHigh,
      gradNorm: skipped ? Number.NaN : Math.sqrt(squares),
      skipped,
    };
  }

  destroy(): void {
    this.destroyed = true;
  }

  #logits(key: string): Float64Array {
    const found = this.#table.get(key);
    if (found !== undefined) return found;
    const fresh = new Float64Array(this.shape.vocabulary);
    this.#table.set(key, fresh);
    return fresh;
  }

  #draw(context: readonly number[], request: GenerateRequest, e: number, offset: number) {
    const greedy = request.temperature === 0;
    const z = this.#logits(context.join(' ')).map((x) => (greedy ? x : x / request.temperature));
    const logSum = Math.log(z.reduce((sum, x) => sum + Math.exp(x), 0));
    const logProbs = z.map((x) => x - logSum);
    const entropy = -logProbs.reduce((sum, x) => sum + Math.exp(x) * x, 0);
    let token = 0;
    if (greedy) {
      for (let k = 1; k < z.length; k++) if ((z[k] ?? 0) > (z[token] ?? 0)) token = k;
    } else {
      const { seed, iteration, episodes } = request.random;
      let u = uniform(seed, iteration, episodes[e] ?? 0, offset);
      for (; token < z.length - 1; token++) {
        u -= Math.exp(logProbs[token] ?? 0);
        if (u < 0) break;
      }
    }
    return { token, logp: logProbs[token] ?? 0, entropy };
  }
}

/** What a loss row's position can read: its sequence up to and including itself. */
export function contextOf(batch: TrainingBatch, row: number): number[] {
  let start = 0;
  for (const s of batch.sequenceStarts) if (s <= row) start = s;
  return Array.from(batch.tokens.subarray(start, row + 1));
}

/** A number in [0, 1) that depends on its arguments alone. */
function uniform(...key: number[]): number {
  let h = 0x9e3779b9;
  for (const x of key) {
    h = Math.imul(h ^ x, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
  }
  return (h >>> 0) / 2 ** 32;
}
