import { objectiveReference, softmaxScores } from '../../algorithms/objective-reference.ts';
import type {
  GenerateRequest,
  Generation,
  NonFiniteCause,
  Objective,
  OptimizerStep,
  PolicyCapacity,
  PolicyShape,
  PolicyState,
  RowScores,
  TokenPolicy,
  TrainingBatch,
  UpdateStats,
  Weights,
  WeightTensor,
} from '../../policy/types.ts';
import { WeightsError } from '../../policy/types.ts';
import { contributionsOf } from '../../policy/update-stats.ts';

/**
 * A policy without a network, for tests: logits and a value for every context it has seen, all zero
 * at first, trained in float64 by gradient descent on the context's mean loss over its rows. Each
 * slot has a real cache of the tokens it was fed, so a caller that miscounts its cache gets a wrong
 * context. Every call is recorded.
 */
export class TabularPolicy implements TokenPolicy {
  readonly device = 'a table';
  readonly shape: PolicyShape;
  readonly capacity: PolicyCapacity;
  waves = 1;
  version = 0;
  destroyed = false;
  readonly generated: GenerateRequest[] = [];
  readonly updates: {
    readonly batches: readonly TrainingBatch[];
    readonly objective: Objective;
    readonly step: OptimizerStep;
  }[] = [];
  /** Each generated token with its context: the tokens the policy had read before. */
  readonly contexts: { readonly context: readonly number[]; readonly token: number }[] = [];
  /** The next updates fail for these causes, one each; null lets an update succeed. */
  readonly failures: (NonFiniteCause | null)[] = [];

  readonly #caches: number[][];
  #table = new Map<string, Float64Array>();
  #values = new Map<string, number>();
  #reference: Map<string, Float64Array> | null = null;

  constructor(shape: PolicyShape, capacity: PolicyCapacity) {
    this.shape = shape;
    this.capacity = capacity;
    this.#caches = Array.from({ length: capacity.episodes }, () => []);
  }

  async breathe(): Promise<void> {}

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
        throw new RangeError(`the cache of slot ${slot} has fewer than ${cachedLength} tokens`);
      }
      const fed = request.newTokens.slice(request.newTokenStarts[e], request.newTokenStarts[e + 1]);
      if (fed.length === 0) throw new RangeError('an episode has no new tokens');
      const context = [...cached, ...fed];
      for (let k = 0; k < columns; k++) {
        const drawn = this.#draw(context, request, e, (request.random.offsets[e] ?? 0) + k);
        this.contexts.push({ context: [...context], token: drawn.token });
        tokens[e * columns + k] = drawn.token;
        logps[e * columns + k] = drawn.logp;
        entropies[e * columns + k] = drawn.entropy;
        lengths[e] = k + 1;
        if (request.endTokens.includes(drawn.token) || k === columns - 1) break;
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
    withScores = false,
  ): Promise<UpdateStats> {
    this.updates.push({ batches, objective, step });
    const scores = withScores ? this.#scores(batches, objective.temperature, this.#table) : null;
    const cause: NonFiniteCause | null = this.failures.shift() ?? firstNonFinite(batches);
    const { result, gradients, gradNorm } = this.#backward(batches, objective);
    this.version++;
    const skipped = cause !== null || !Number.isFinite(gradNorm);
    if (!skipped) {
      for (const [key, { logits, value, weight }] of gradients) {
        const table = this.#logits(key);
        for (let k = 0; k < table.length; k++) {
          table[k] = at(table, k) - (step.learningRate * at(logits, k)) / weight;
        }
        this.#values.set(key, this.#value(key) - (step.learningRate * value) / weight);
      }
    }
    return {
      rows: result.rows.length,
      loss: result.loss,
      sums: result.sums,
      clipLow: result.batchwide.clipLow,
      clipHigh: result.batchwide.clipHigh,
      ...contributionsOf(result.sums),
      gradNorm: skipped ? Number.NaN : gradNorm,
      skipped,
      cause: skipped ? (cause ?? 'gradient') : null,
      ...(scores === null ? {} : { scores }),
    };
  }

  async score(
    batches: readonly TrainingBatch[],
    temperature: number,
    weights: Weights = 'present',
  ): Promise<RowScores[]> {
    const table = weights === 'present' ? this.#table : this.#reference;
    if (table === null) throw new Error('no reference was kept');
    return this.#scores(batches, temperature, table);
  }

  #scores(
    batches: readonly TrainingBatch[],
    temperature: number,
    table: ReadonlyMap<string, Float64Array>,
  ): RowScores[] {
    return batches.map((batch) => {
      this.#check(batch);
      const keys = Array.from(batch.rows, (row) => contextOf(batch, row).join(' '));
      const scores = keys.map((key) =>
        softmaxScores(table.get(key) ?? new Float64Array(this.shape.vocabulary), temperature),
      );
      return {
        logps: Float32Array.from(scores, ({ logps }, r) => at(logps, at(batch.targets, r))),
        entropies: Float32Array.from(scores, ({ entropy }) => entropy),
        values: Float32Array.from(keys, (key) => this.#value(key)),
      };
    });
  }

  async distributions(
    batches: readonly TrainingBatch[],
    temperature: number,
  ): Promise<Float32Array[]> {
    return batches.map((batch) =>
      Float32Array.from(
        Array.from(batch.rows).flatMap((row) => {
          const logits = this.#logits(contextOf(batch, row).join(' '));
          return Array.from(softmaxScores(logits, temperature).logps);
        }),
      ),
    );
  }

  async gradientNorm(batches: readonly TrainingBatch[], objective: Objective): Promise<number> {
    return this.#backward(batches, objective).gradNorm;
  }

  /** Plain gradient descent has no state to reset. */
  restartOptimizer(): void {}

  keepReference(): void {
    this.#reference = new Map([...this.#table].map(([key, logits]) => [key, logits.slice()]));
  }

  /** A row of logits for each context, named by the context's tokens. */
  async readWeights(): Promise<ReadonlyMap<string, WeightTensor>> {
    return exactTensors(this.#table);
  }

  writeWeights(weights: ReadonlyMap<string, WeightTensor>): void {
    for (const [name, { values }] of weights) {
      if (values.length !== WORDS * this.shape.vocabulary) {
        throw new WeightsError(
          `the tensor ${name} must have ${WORDS * this.shape.vocabulary} numbers`,
        );
      }
    }
    this.#table = fromExact(weights);
  }

  /** The values of contexts stand in for a network's optimizer state. */
  async readState(): Promise<PolicyState> {
    const none = new Map<string, WeightTensor>();
    return {
      weights: exactTensors(this.#table),
      firstMoments: exactTensors(new Map([...this.#values].map(([key, value]) => [key, [value]]))),
      secondMoments: none,
      optimizer: new Float32Array(),
      reference: this.#reference && exactTensors(this.#reference),
      version: this.version,
    };
  }

  writeState({ weights, firstMoments, reference, version }: PolicyState): void {
    this.#table = fromExact(weights);
    this.#values = new Map([...fromExact(firstMoments)].map(([key, [value = 0]]) => [key, value]));
    this.#reference = reference && fromExact(reference);
    this.version = version;
  }

  destroy(): void {
    this.destroyed = true;
  }

  #check(batch: TrainingBatch): void {
    if (
      batch.tokens.length > this.capacity.tokens ||
      batch.rows.length > this.capacity.lossRows ||
      new Set(batch.rows).size > this.capacity.rows
    ) {
      throw new RangeError('the micro-batch is larger than the capacity');
    }
  }

  /** The loss of all micro-batches together, and its gradient for each context. */
  #backward(batches: readonly TrainingBatch[], objective: Objective) {
    const { vocabulary, valueHead } = this.shape;
    for (const batch of batches) this.#check(batch);
    const column = (pick: (batch: TrainingBatch) => ArrayLike<number>): number[] =>
      batches.flatMap((batch) => Array.from(pick(batch)));
    const keys = batches.flatMap((batch) =>
      Array.from(batch.rows, (row) => contextOf(batch, row).join(' ')),
    );
    if (keys.length > this.capacity.updateRows) {
      throw new RangeError('the update is larger than the capacity');
    }
    const { surrogate } = objective;
    if ((surrogate === 'gspo' || surrogate === 'dpo') && batches.some((b) => !b.episodes)) {
      throw new RangeError(`${surrogate} needs the episode of each row`);
    }
    const advantages = column((batch) => batch.advantages);
    const weights = column((batch) => batch.weights);
    const reference = objectiveReference({
      logits: keys.flatMap((key) => Array.from(this.#logits(key))),
      targets: column((batch) => batch.targets),
      temperature: objective.temperature,
      values: keys.map((key) => this.#value(key)),
      rows: {
        behaviorLogps: column((batch) => batch.behaviorLogps),
        proximalLogps: column((batch) => batch.proximalLogps ?? batch.behaviorLogps),
        referenceLogps: column((batch) => batch.referenceLogps ?? batch.behaviorLogps),
        advantages,
        weights,
        oldValues: column((batch) => batch.oldValues ?? new Float32Array(batch.rows.length)),
        returns: column((batch) => batch.returns ?? new Float32Array(batch.rows.length)),
        episodes: column((batch) => batch.episodes ?? new Uint32Array(batch.rows.length)),
      },
      settings: objective,
    });
    const gradients = new Map<string, { logits: Float64Array; value: number; weight: number }>();
    for (const [r, key] of keys.entries()) {
      const gradient = gradients.get(key) ?? {
        logits: new Float64Array(vocabulary),
        value: 0,
        weight: 0,
      };
      gradient.weight += at(weights, r);
      gradient.value += valueHead ? at(reference.dvalues, r) : 0;
      for (let k = 0; k < vocabulary; k++) {
        gradient.logits[k] = at(gradient.logits, k) + at(reference.dlogits, r * vocabulary + k);
      }
      gradients.set(key, gradient);
    }
    let squares = 0;
    for (const { logits, value } of gradients.values()) {
      squares += value * value + logits.reduce((sum, g) => sum + g * g, 0);
    }
    return { result: reference, gradients, gradNorm: Math.sqrt(squares) };
  }

  #value(key: string): number {
    return this.#values.get(key) ?? 0;
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
      const { seed, iterations, episodes } = request.random;
      let u = uniform(seed, at(iterations, e), at(episodes, e), offset);
      for (; token < z.length - 1; token++) {
        u -= Math.exp(logProbs[token] ?? 0);
        if (u < 0) break;
      }
    }
    return { token, logp: logProbs[token] ?? 0, entropy };
  }
}

/** 16-bit words of a float64 number. */
const WORDS = 4;

/**
 * Each float64 number as its 16-bit words: nothing is rounded, and every word is finite as a
 * float32.
 */
function exactTensors(rows: ReadonlyMap<string, ArrayLike<number>>): Map<string, WeightTensor> {
  return new Map(
    [...rows].map(([key, numbers]) => {
      const values = Float32Array.from(new Uint16Array(Float64Array.from(numbers).buffer));
      return [key, { shape: [values.length], values }];
    }),
  );
}

function fromExact(tensors: ReadonlyMap<string, WeightTensor>): Map<string, Float64Array> {
  return new Map(
    [...tensors].map(([key, { values }]) => [
      key,
      new Float64Array(Uint16Array.from(values).buffer),
    ]),
  );
}

/** The tokens visible to a loss row: its sequence up to and including itself. */
export function contextOf(batch: TrainingBatch, row: number): number[] {
  let start = 0;
  for (const s of batch.sequenceStarts) if (s <= row) start = s;
  return Array.from(batch.tokens.subarray(start, row + 1));
}

/** The first number of the batches that is not finite. */
function firstNonFinite(batches: readonly TrainingBatch[]): NonFiniteCause | null {
  const every = (pick: (batch: TrainingBatch) => Float32Array) =>
    batches.every((batch) => pick(batch).every(Number.isFinite));
  if (!every((batch) => batch.advantages)) return 'advantages';
  return every((batch) => batch.behaviorLogps) ? null : 'ratios';
}

function at(values: ArrayLike<number>, i: number): number {
  const value = values[i];
  if (value === undefined) throw new RangeError(`no entry ${i} among ${values.length}`);
  return value;
}

/** A number in [0, 1) that depends only on the arguments. */
function uniform(...key: number[]): number {
  let h = 0x9e3779b9;
  for (const x of key) {
    h = Math.imul(h ^ x, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
  }
  return (h >>> 0) / 2 ** 32;
}
