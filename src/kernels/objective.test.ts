import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bapoSearch as bapoSearchReference } from '../algorithms/bapo.ts';
import { batchwide } from '../algorithms/batchwide.ts';
import {
  type BapoSettings,
  bapoOrders,
  bapoReadings,
  defaultObjective,
  type LossRows,
  type ObjectiveSettings,
} from '../algorithms/objective.ts';
import { objectiveReference } from '../algorithms/objective-reference.ts';
import { surrogates } from '../algorithms/surrogates.ts';
import type { Device, Recorder, Tensor } from '../device/index.ts';
import {
  bapoSearch,
  logitGradient,
  pickCovariance,
  preferenceCoefficients,
  sequenceRatios,
  sumStats,
  surrogate,
  tokenScores,
} from './objective.ts';
import { episodeLists, inputTable, scoreTable } from './reference/objective.ts';
import { TestRandom } from './reference/random.ts';
import { at } from './reference/values.ts';
import { nonFiniteCauses, statColumns } from './tables.ts';
import { runAndRead, testDevices, upload } from './testing.ts';

let device: Device;

type Statistics = Readonly<Record<(typeof statColumns)[number], number>>;

interface Row {
  readonly target: number;
  readonly behaviorLogp: number;
  readonly advantage: number;
  readonly proximalLogp?: number;
  readonly referenceLogp?: number;
  readonly weight?: number;
  readonly value?: number;
  readonly oldValue?: number;
  readonly return?: number;
  readonly episode?: number;
}

/** The loss rows' columns that do not depend on the logits. */
function columns(rows: readonly Row[]): Omit<LossRows, 'logps' | 'entropies' | 'values'> {
  return {
    behaviorLogps: rows.map(({ behaviorLogp }) => behaviorLogp),
    proximalLogps: rows.map(({ behaviorLogp, proximalLogp = behaviorLogp }) => proximalLogp),
    referenceLogps: rows.map(({ referenceLogp = 0 }) => referenceLogp),
    advantages: rows.map(({ advantage }) => advantage),
    weights: rows.map(({ weight = 1 }) => weight),
    oldValues: rows.map(({ oldValue = 0 }) => oldValue),
    returns: rows.map((row) => row.return ?? 0),
    episodes: rows.map(({ episode = 0 }) => episode),
  };
}

const plain: ObjectiveSettings = { ...defaultObjective, clipLow: 0.8, clipHigh: 1.2 };

/** The step over the whole update that an objective needs, if any. */
function wholeUpdate(
  d: Recorder,
  tensors: Readonly<
    Record<'inputs' | 'scores' | 'found' | 'bounds' | 'episodeStarts' | 'episodeRows', Tensor>
  >,
  { updateRows, episodes }: { readonly updateRows: number; readonly episodes: number },
  settings: ObjectiveSettings,
): void {
  switch (settings.surrogate) {
    case 'bapo':
      bapoSearch(d, tensors, { updateRows }, settings.bapo);
      break;
    case 'gspo':
      sequenceRatios(d, tensors, { episodes, updateRows });
      break;
    case 'clip_cov':
    case 'kl_cov':
      pickCovariance(
        d,
        tensors,
        { updateRows },
        { ...settings, draw: settings.surrogate === 'clip_cov' },
      );
      break;
    case 'dpo':
      preferenceCoefficients(
        d,
        tensors,
        { pairs: episodes / 2, updateRows },
        { beta: settings.dpoBeta },
      );
      break;
    default:
  }
}

/**
 * Runs an update through all kernels. Each micro-batch consists of rows of logits and their loss
 * rows. Returns dlogits and dvalues of each micro-batch, statistics of each row, and totals.
 */
async function update(
  microBatches: readonly {
    readonly logits: readonly (readonly number[])[];
    readonly rowsOf: readonly (readonly Row[])[];
  }[],
  settings: ObjectiveSettings,
  { temperature = 1, vocabulary = 0 } = {},
) {
  const rows = microBatches.flatMap(({ rowsOf }) => rowsOf.flat());
  const updateRows = rows.length;
  const episodes = 1 + Math.max(0, ...rows.map(({ episode = 0 }) => episode));
  const shared = upload(device, {
    inputs: inputTable(columns(rows)),
    scores: new Float32Array(4 * updateRows).fill(Number.NaN),
    found: new Float32Array(2 * updateRows).fill(Number.NaN),
    bounds: new Float32Array(4).fill(Number.NaN),
    totals: new Float32Array(statColumns.length),
    ...episodeLists(
      rows.map(({ episode = 0 }) => episode),
      episodes,
    ),
  });
  let first = 0;
  const parts = microBatches.map(({ logits, rowsOf }) => {
    const lossRows = rowsOf.flat();
    const stride = logits[0]?.length ?? 0;
    const starts = [0];
    for (const some of rowsOf) starts.push((starts.at(-1) ?? 0) + some.length);
    const tensors = upload(device, {
      logits: Float32Array.from(logits.flat()),
      values: Float32Array.from(rowsOf.flatMap(([row]) => [row?.value ?? 0, 7, 7, 7])),
      starts: Uint32Array.from(starts),
      targets: Uint32Array.from(lossRows, ({ target }) => target),
      softmax: new Float32Array(2 * logits.length).fill(Number.NaN),
      dlogits: new Float32Array(logits.length * stride).fill(Number.NaN),
      dvalues: new Float32Array(4 * logits.length).fill(Number.NaN),
      stats: new Float32Array(lossRows.length * statColumns.length).fill(Number.NaN),
      pulls: new Float32Array(4 * lossRows.length).fill(Number.NaN),
    });
    const sizes = {
      rows: logits.length,
      lossRows: lossRows.length,
      first,
      stride,
      vocabulary: vocabulary || stride,
    };
    first += lossRows.length;
    return { tensors, sizes };
  });
  const all: Record<string, Tensor> = { ...shared };
  parts.forEach(({ tensors }, p) => {
    for (const name of ['dlogits', 'dvalues', 'stats', 'pulls'] as const) {
      all[`${name}${p}`] = tensors[name];
    }
  });
  const read = await runAndRead(device, all, (d) => {
    for (const { tensors, sizes } of parts) {
      tokenScores(d, { ...shared, ...tensors }, sizes, { temperature });
    }
    wholeUpdate(d, shared, { updateRows, episodes }, settings);
    for (const { tensors, sizes } of parts) {
      surrogate(d, { ...shared, ...tensors }, sizes, settings);
      logitGradient(d, tensors, sizes, { temperature });
      sumStats(d, { ...shared, ...tensors }, sizes);
    }
  });
  const named = (values: Float32Array, start: number): Statistics =>
    Object.fromEntries(
      statColumns.map((column, c) => [column, at(values, start + c)]),
    ) as Statistics;
  const join = (name: string) =>
    Float32Array.from(parts.flatMap((_, p) => Array.from(read[`${name}${p}`] ?? [])));
  const stats = join('stats');
  const scores = read.scores ?? new Float32Array();
  return {
    logps: rows.map((_, i) => at(scores, 4 * i)),
    entropies: rows.map((_, i) => at(scores, 4 * i + 1)),
    values: rows.map((_, i) => at(scores, 4 * i + 2)),
    dlogits: join('dlogits'),
    dvalues: join('dvalues'),
    pulls: join('pulls'),
    stats: rows.map((_, i) => named(stats, i * statColumns.length)),
    totals: named(read.totals ?? new Float32Array(), 0),
  };
}

/** Runs an update with PPO's clipped objective on a single micro-batch. */
function clipped(
  logits: readonly (readonly number[])[],
  rowsOf: readonly (readonly Row[])[],
  changed: Partial<ObjectiveSettings> = {},
  softmax: { readonly temperature?: number; readonly vocabulary?: number } = {},
) {
  return update([{ logits, rowsOf }], { ...plain, ...changed }, softmax);
}

/** Uploads the tables of many batches together; returns a slice of them for each batch. */
function tables(batches: readonly LossRows[]) {
  const padded = (length: number) => Math.ceil(length / 64) * 64;
  const place = (length: (rows: LossRows) => number) => {
    let end = 0;
    const starts = batches.map((rows) => {
      const start = end;
      end += padded(length(rows));
      return start;
    });
    return { starts, end };
  };
  const inputs = place(({ logps }) => 8 * logps.length);
  const scores = place(({ logps }) => 4 * logps.length);
  const inputData = new Float32Array(inputs.end).fill(Number.NaN);
  const scoreData = new Float32Array(scores.end).fill(Number.NaN);
  batches.forEach((rows, b) => {
    inputData.set(inputTable(rows), inputs.starts[b]);
    scoreData.set(scoreTable(rows), scores.starts[b]);
  });
  const { inputs: inputTensor, scores: scoreTensor } = upload(device, {
    inputs: inputData,
    scores: scoreData,
  });
  return batches.map(({ logps }, b) => ({
    inputs: device.slice(inputTensor, 'inputs', at(inputs.starts, b), 8 * logps.length),
    scores: device.slice(scoreTensor, 'scores', at(scores.starts, b), 4 * logps.length),
  }));
}

/** Sizes from 1 to 600, small ones more often. */
const drawSize = (random: TestRandom) => Math.floor(601 ** random.unit());

function pick<T>(random: TestRandom, among: readonly [T, ...T[]]): T {
  return among[random.whole(among.length)] ?? among[0];
}

/** Random loss rows of which only log-probabilities and advantages matter. */
function drawRows(random: TestRandom, count: number): LossRows {
  const spread = pick(random, [0.01, 0.3, 1]);
  const kind = pick(random, ['mixed', 'mixed', 'mixed', 'positive', 'negative', 'zero'] as const);
  const sparse = random.unit() < 0.3;
  const logps = Array.from(random.floats(count, 3), (x) => Math.fround(x - 3.1));
  const none = logps.map(() => 0);
  const near = (bound: number) => bound * (1 + pick(random, [1e-4, -1e-4]));
  const proximalLogps = logps.map((logp) => {
    const kind = random.unit();
    // A ratio of exactly 1, near a bound, or anywhere.
    if (kind < 0.2) return logp;
    const bound = pick(random, [0.625, 0.75, 0.875, 1, 1.25, 1.5, 2]);
    if (kind < 0.4) return Math.fround(logp - Math.log(near(bound)));
    return Math.fround(logp - spread * (2 * random.unit() - 1));
  });
  return {
    logps,
    proximalLogps,
    behaviorLogps: proximalLogps.map((logp) =>
      random.unit() < 0.5 ? logp : Math.fround(logp + 0.5 * (2 * random.unit() - 1)),
    ),
    referenceLogps: logps.map((logp) => Math.fround(logp + 0.3 * (2 * random.unit() - 1))),
    advantages: logps.map(() => {
      const advantage = Math.fround(2 * random.unit() - 1);
      if (kind === 'zero' || (sparse && random.unit() < 0.5)) return 0;
      if (kind === 'mixed') return advantage;
      return kind === 'positive' ? Math.abs(advantage) : -Math.abs(advantage);
    }),
    weights: none,
    entropies: none,
    values: none,
    oldValues: none,
    returns: none,
    episodes: none,
  };
}

describe.each(testDevices)('on $on', ({ open }) => {
  beforeAll(async () => {
    device = await open();
  });
  afterEach(() => device.check());
  afterAll(() => device?.close());

  describe('the clipped surrogate in edge cases', () => {
    // Ratio exactly 1: the behavior log-probability is the one that the kernel itself computes.
    const logits = [[0.3, -0.2, 0.9]];
    const logpOf = async (target: number) => {
      const { logps } = await clipped(logits, [[{ target, behaviorLogp: 0, advantage: 0 }]]);
      return at(logps, 0);
    };

    it.each([1, -1])('keeps the gradient at a ratio exactly on the bound, A = %d', async (A) => {
      const behaviorLogp = await logpOf(2);
      const row = { target: 2, behaviorLogp, advantage: A };
      // ∂(−A·r)/∂z_v at r = 1: −A·(1[v=2] − p_v), p = softmax(0.3, −0.2, 0.9).
      const total = Math.exp(0.3) + Math.exp(-0.2) + Math.exp(0.9);
      const expected = [
        (A * Math.exp(0.3)) / total,
        (A * Math.exp(-0.2)) / total,
        (A * Math.exp(0.9)) / total - A,
      ];
      for (const bounds of [
        { clipLow: 1, clipHigh: 1.2 },
        { clipLow: 0.8, clipHigh: 1 },
        { clipLow: 1, clipHigh: 1 },
        { clipLow: 0.8, clipHigh: 1.2, dualClip: 1 },
      ]) {
        const { dlogits, stats } = await clipped(logits, [[row]], bounds);
        expect(stats[0]).toMatchObject({ ratio: 1, clippedLow: 0, clippedHigh: 0, clippedDual: 0 });
        expect(stats[0]).toMatchObject({ approxKl: 0, loss: -A });
        // A ratio on a bound counts as inside.
        expect(stats[0]).toMatchObject({ [A > 0 ? 'positiveInside' : 'negativeInside']: 1 });
        expected.forEach((d, v) => {
          expect(dlogits[v]).toBeCloseTo(d, 5);
        });
      }
    });

    it('zeroes the gradient past the upper bound only for A > 0 and past the lower only for A < 0, except for dual clip', async () => {
      const behaviorLogp = await logpOf(2);
      const past = (shift: number, advantage: number, dualClip = Number.POSITIVE_INFINITY) =>
        clipped(logits, [[{ target: 2, behaviorLogp: behaviorLogp - shift, advantage }]], {
          clipLow: 1,
          clipHigh: 1,
          dualClip,
        });
      const largest = ({ dlogits }: { dlogits: Float32Array }) =>
        Math.max(...Array.from(dlogits, Math.abs));
      const above = await past(1e-4, 1);
      expect(above.stats[0]).toMatchObject({ clippedLow: 0, clippedHigh: 1, positiveAbove: 1 });
      expect(largest(above)).toBe(0);
      const below = await past(-1e-4, -1);
      expect(below.stats[0]).toMatchObject({ clippedLow: 1, clippedHigh: 0, negativeBelow: 1 });
      expect(largest(below)).toBe(0);
      const dual = await past(1e-4, -1, 1);
      expect(dual.stats[0]).toMatchObject({ clippedDual: 1, negativeAbove: 1, loss: 1 });
      expect(largest(dual)).toBe(0);
      for (const kept of [await past(1e-4, -1), await past(-1e-4, 1), await past(-1e-4, 1, 1)]) {
        expect(kept.stats[0]).toMatchObject({ clippedLow: 0, clippedHigh: 0, clippedDual: 0 });
        expect(largest(kept)).toBeGreaterThan(0.1);
      }
    });

    it('sums the gradients of loss rows that share a row of logits', async () => {
      const rows: Row[] = [
        { target: 0, behaviorLogp: -1.2, advantage: 0.7, weight: 0.25, value: 0.3, return: 1 },
        { target: 2, behaviorLogp: -0.8, advantage: -0.4, weight: 0.5, value: 0.3 },
        { target: 0, behaviorLogp: -1.1, advantage: -1, weight: 0.25, value: 0.3, return: 0.1 },
      ];
      const changed = {
        entropyCoef: 0.1,
        value: { coef: 0.5, clip: Number.POSITIVE_INFINITY },
      };
      const softmax = { temperature: 0.6 };
      const together = await clipped(logits, [rows], changed, softmax);
      const alone = await Promise.all(
        rows.map((row) => clipped(logits, [[row]], changed, softmax)),
      );
      const sum = (name: 'dlogits' | 'dvalues', k: number) =>
        alone.reduce((total, single) => total + at(single[name], k), 0);
      together.dlogits.forEach((d, v) => {
        expect(d).toBeCloseTo(sum('dlogits', v), 6);
      });
      together.dvalues.forEach((d, k) => {
        expect(d).toBeCloseTo(sum('dvalues', k), 6);
      });
      // coef · Σ weight·(v − R)
      expect(together.dvalues[0]).toBeCloseTo(
        0.5 * (0.25 * (0.3 - 1) + 0.5 * 0.3 + 0.25 * (0.3 - 0.1)),
        6,
      );
      expect(together.stats).toEqual(alone.flatMap(({ stats }) => stats));
      expect(together.totals.loss).toBeCloseTo(
        alone.reduce((total, { totals }) => total + totals.loss, 0),
        6,
      );
    });

    it('has zero gradients in padding columns and in rows without loss rows, for any logits', async () => {
      const padded = [
        [0.3, -0.2, 0.9, 50],
        [0.1, 0.2, 0.3, Number.NaN],
        [2, -1, 0, 80],
      ];
      const { dlogits, dvalues, stats } = await clipped(
        padded,
        [
          [{ target: 1, behaviorLogp: -2, advantage: 1 }],
          [],
          [{ target: 0, behaviorLogp: -0.1, advantage: -1 }],
        ],
        { entropyCoef: 0.2 },
        { vocabulary: 3 },
      );
      for (const column of [3, 4, 5, 6, 7, 11]) expect(dlogits[column]).toBeCloseTo(0, 30);
      expect(Array.from(dvalues.slice(4, 8))).toEqual([0, 0, 0, 0]);
      const unpadded = await clipped(
        [[0.3, -0.2, 0.9]],
        [[{ target: 1, behaviorLogp: -2, advantage: 1 }]],
        { entropyCoef: 0.2 },
      );
      expect(Array.from(dlogits.slice(0, 3))).toEqual(Array.from(unpadded.dlogits));
      expect(stats[0]).toEqual(unpadded.stats[0]);
    });

    it('handles logits so far apart that tokens have probability zero', async () => {
      const far = [300, -300, 0, 299];
      const { dlogits, entropies } = await clipped(
        [far],
        [[{ target: 0, behaviorLogp: -0.5, advantage: 1 }]],
        { entropyCoef: 0.5 },
      );
      const reference = objectiveReference({
        logits: far,
        targets: [0],
        temperature: 1,
        rows: columns([{ target: 0, behaviorLogp: -0.5, advantage: 1 }]),
        settings: { ...plain, entropyCoef: 0.5 },
      });
      reference.dlogits.forEach((d, v) => {
        expect(dlogits[v]).toBeCloseTo(d, 5);
      });
      expect(entropies[0]).toBeCloseTo(at(reference.entropies, 0), 5);
    });
  });

  describe('an update through all kernels', () => {
    const vocabulary = 5;

    /** Twelve rows of logits with one to three loss rows each, in four episodes. */
    function drawUpdate(random: TestRandom) {
      const logits = Array.from({ length: 12 }, () => Array.from(random.floats(vocabulary, 2)));
      const rowsOf = logits.map((row, l) => {
        const value = at(random.floats(1), 0);
        return Array.from({ length: 1 + (l % 3) }, (_, k) => {
          const target = random.whole(vocabulary);
          const total = Math.log(row.reduce((sum, z) => sum + Math.exp(z / 1.25), 0));
          const logp = at(row, target) / 1.25 - total;
          const near = () => Math.fround(logp + 0.5 * (2 * random.unit() - 1));
          return {
            target,
            value,
            episode: (l + k) % 4,
            behaviorLogp: near(),
            proximalLogp: near(),
            referenceLogp: near(),
            advantage: at(random.floats(1), 0),
            weight: 1 / 24,
            oldValue: at(random.floats(1), 0),
            return: at(random.floats(1), 0),
          };
        });
      });
      return { logits, rowsOf };
    }

    const settings: ObjectiveSettings = {
      ...plain,
      entropyCoef: 0.1,
      dualClip: 1.5,
      importanceCap: 1.3,
      kl: { estimator: 'k3', coef: 0.2 },
      value: { coef: 0.5, clip: 0.2 },
      bapo: { ...plain.bapo, target: 0.55 },
      covariance: { fraction: 0.2, low: -0.3, high: 0.3, klCoef: 0.5, seed: 9 },
    };

    it.each(surrogates)(
      'matches the float64 reference from logits to gradients: %s',
      async (kind) => {
        const batch = drawUpdate(new TestRandom(4));
        const lossRows = batch.rowsOf.flat();
        const objective = { ...settings, surrogate: kind };
        const got = await update([batch], objective, { temperature: 1.25 });
        const rowLogits = batch.rowsOf.flatMap((rows, l) => rows.map(() => batch.logits[l] ?? []));
        const expected = objectiveReference({
          logits: rowLogits.flat(),
          targets: lossRows.map(({ target }) => target),
          temperature: 1.25,
          values: lossRows.map(({ value }) => value),
          rows: columns(lossRows),
          settings: objective,
        });
        let i = 0;
        batch.rowsOf.forEach((rows, l) => {
          for (let v = 0; v < vocabulary; v++) {
            const sum = rows.reduce(
              (total, _, k) => total + at(expected.dlogits, (i + k) * vocabulary + v),
              0,
            );
            expect(got.dlogits[l * vocabulary + v]).toBeCloseTo(sum, 6);
          }
          const dvalue = rows.reduce((total, _, k) => total + at(expected.dvalues, i + k), 0);
          expect(got.dvalues[4 * l]).toBeCloseTo(dvalue, 6);
          i += rows.length;
        });
        expect(got.totals.loss).toBeCloseTo(expected.loss, 5);
        expect(got.totals.entropy).toBeCloseTo(
          expected.entropies.reduce((sum, entropy) => sum + entropy, 0),
          4,
        );
      },
    );

    it.each(surrogates)('does not depend on the split into micro-batches: %s', async (kind) => {
      const { logits, rowsOf } = drawUpdate(new TestRandom(5));
      const objective = { ...settings, surrogate: kind };
      const cut = (from: number, to?: number) => ({
        logits: logits.slice(from, to),
        rowsOf: rowsOf.slice(from, to),
      });
      const whole = await update([cut(0)], objective);
      const parts = await update([cut(0, 1), cut(1, 8), cut(8)], objective);
      for (const name of ['dlogits', 'dvalues', 'pulls', 'stats', 'logps'] as const) {
        expect(parts[name], name).toEqual(whole[name]);
      }
      for (const column of statColumns) {
        expect(parts.totals[column], column).toBeCloseTo(whole.totals[column], 4);
      }
    });
  });

  describe('a non-finite value', () => {
    const logits = [
      [0.5, 0.1],
      [0.2, -0.4],
      [0.1, 0.7],
    ];
    const row: Row = { target: 0, behaviorLogp: -0.7, advantage: 1 };
    const cause = async (
      wrong: Partial<Row>,
      changed: Partial<ObjectiveSettings> = {},
      wrongLogits = logits,
    ) => {
      const { totals } = await clipped(
        wrongLogits,
        [[row], [{ ...row, ...wrong }], [row]],
        changed,
      );
      return nonFiniteCauses[totals.nonFinite];
    };

    it('is reported with its first cause', async () => {
      const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
      expect(await cause({})).toBeNull();
      for (const wrong of [nan, infinity, -infinity]) {
        expect(await cause({ advantage: wrong })).toBe('advantages');
      }
      expect(await cause({ weight: nan })).toBe('advantages');
      expect(await cause({ return: infinity })).toBe('advantages');
      expect(await cause({ behaviorLogp: nan, proximalLogp: -0.7 })).toBe('log-probabilities');
      const broken = [[0.5, 0.1], [nan, -0.4], logits[2] ?? []];
      expect(await cause({}, {}, broken)).toBe('log-probabilities');
      // e^(−0.6 + 120) overflows float32.
      expect(await cause({ behaviorLogp: -120 })).toBe('ratios');
      // −1e30·1e30 overflows too, although every input is finite.
      expect(await cause({ advantage: 1e30, weight: 1e30 })).toBe('loss');
      // Advantages are reported before log-probabilities of the same row.
      expect(await cause({ advantage: nan }, {}, broken)).toBe('advantages');
    });
  });

  describe('BAPO’s search', () => {
    const searches = bapoReadings.flatMap((reading) =>
      bapoOrders.map((order) => ({ reading, order })),
    );

    function searchReference(rows: LossRows, settings: BapoSettings, ratioFactor = 1) {
      const ratios = Array.from(rows.logps, (logp, i) => {
        const logratio = logp - at(rows.proximalLogps, i);
        return logratio === 0 ? 1 : Math.exp(logratio) * ratioFactor;
      });
      return bapoSearchReference({ ...rows, ratios }, settings);
    }

    function drawSettings(
      random: TestRandom,
      rows: LossRows,
      search: Pick<BapoSettings, 'reading' | 'order'>,
    ): BapoSettings {
      const lowMin = pick(random, [0.5, 0.6, 0.625, 0.75, 0.8]);
      const highMin = pick(random, [1, 1.2, 1.25, 1.5]);
      const settings: BapoSettings = {
        ...search,
        target: 1e9,
        lowMin,
        lowMax: pick(random, [lowMin, 0.875, 0.9, 1]),
        highMin,
        highMax: pick(random, [highMin, 1.75, 2, 3]),
        lowStep: pick(random, [0.02, 0.03, 0.05, 0.03125, 0.125]),
        highStep: pick(random, [0.05, 0.1, 0.0625, 0.25]),
      };
      // Mostly a target that the search reaches midway; sometimes a typical one, one that is never
      // reached, or one that is reached at once.
      const kind = random.unit();
      if (kind < 0.05) return settings;
      if (kind < 0.1) return { ...settings, target: 0 };
      const between = (least: number, most: number) => least + random.unit() * (most - least);
      const onTheWay = searchReference(rows, {
        ...settings,
        ...(search.order === 'high_first'
          ? { highMax: between(highMin, settings.highMax), lowMax: lowMin }
          : { lowMax: between(lowMin, settings.lowMax), highMax: highMin }),
      }).rho;
      if (kind > 0.3 && onTheWay > 0 && onTheWay < 1e9) {
        return { ...settings, target: 0.999 * onTheWay };
      }
      const share = pick(random, [0.2, 0.4, 0.45, 0.5, 0.6, 0.8]);
      return { ...settings, target: search.reading === 'pn_ratio' ? share / (1 - share) : share };
    }

    /** The reference's result, or null if float32 rounding may change the number of steps. */
    function expectedResult(rows: LossRows, settings: BapoSettings) {
      const search = (targetFactor: number, ratioFactor: number) =>
        searchReference(rows, { ...settings, target: settings.target * targetFactor }, ratioFactor);
      const result = search(1, 1);
      const others = [search(1 - 1e-5, 1), search(1 + 1e-5, 1)];
      // This contribution measure jumps when a ratio crosses a bound; the others are continuous.
      if (settings.reading === 'active_gradient_share') {
        others.push(search(1, 1 - 5e-7), search(1, 1 + 5e-7));
      }
      const doubtful = others.some(
        (other) => other.lowSteps !== result.lowSteps || other.highSteps !== result.highSteps,
      );
      return doubtful ? null : result;
    }

    it('takes the same steps as the reference on 1,000 batches, for every contribution measure and search order', async () => {
      const random = new TestRandom(11);
      const count = 1000;
      let drawn = 0;
      let redrawn = 0;
      const trials = Array.from({ length: count }, () => {
        for (;;) {
          drawn += 1;
          const rows = drawRows(random, drawSize(random));
          const cases = searches.flatMap((search) => {
            const settings = drawSettings(random, rows, search);
            const expected = expectedResult(rows, settings);
            return expected === null ? [] : [{ settings, expected }];
          });
          if (cases.length === searches.length) return { rows, cases };
          redrawn += 1;
        }
      });
      expect(redrawn / drawn).toBeLessThan(0.01);

      const tensors = tables(trials.map(({ rows }) => rows));
      const all = upload(device, {
        bounds: new Float32Array(64 * count * searches.length).fill(Number.NaN),
      });
      const { bounds } = await runAndRead(device, all, (d) => {
        trials.forEach(({ rows, cases }, t) => {
          cases.forEach(({ settings }, c) => {
            const into = device.slice(all.bounds, 'bounds', 64 * (t * searches.length + c), 4);
            const table = tensors[t];
            if (table === undefined) throw new Error('no tables');
            bapoSearch(d, { ...table, bounds: into }, { updateRows: rows.logps.length }, settings);
          });
        });
      });

      const seen = { start: 0, inside: 0, end: 0 };
      trials.forEach(({ cases }, t) => {
        cases.forEach(({ settings, expected }, c) => {
          const base = 64 * (t * searches.length + c);
          const title = `batch ${t}: ${JSON.stringify(settings)}`;
          const steps = expected.lowSteps + expected.highSteps;
          expect(bounds[base + 3], title).toBe(steps);
          expect(Math.abs(at(bounds, base) - expected.clipLow), title).toBeLessThan(1e-6);
          expect(Math.abs(at(bounds, base + 1) - expected.clipHigh), title).toBeLessThan(1e-6);
          const rho = at(bounds, base + 2);
          if (Number.isNaN(expected.rho)) expect(rho, title).toBe(0);
          else if (expected.rho > 1e30) expect(rho, title).toBeGreaterThan(1e30);
          else {
            const error = Math.abs(rho - expected.rho);
            expect(error, title).toBeLessThanOrEqual(1e-7 + 1e-5 * expected.rho);
          }
          if (steps === 0) seen.start += 1;
          else if (expected.rho < settings.target) seen.end += 1;
          else seen.inside += 1;
        });
      });
      // Many searches stop at once, many midway, and many run to the end.
      for (const times of Object.values(seen)) expect(times).toBeGreaterThan(300);
    });

    it('moves the bounds to hand-computed values for a small batch', async () => {
      // r = 2 and A = 1 for one token, r = 1 and A = −1 for two. All had probability 1/2, so
      // ρ = min(2, c_high) / (min(2, c_high) + 2): 1.25/3.25 = 0.385, 1.5/3.5 = 0.4286, 1.75/3.75 = 0.4667.
      const half = Math.log(0.5);
      const rows: LossRows = {
        ...drawRows(new TestRandom(1), 3),
        logps: [0, half, half],
        proximalLogps: [half, half, half],
        behaviorLogps: [half, half, half],
        advantages: [1, -1, -1],
      };
      const settings: BapoSettings = {
        reading: 'value_share',
        order: 'high_first',
        target: 0.45,
        lowMin: 0.5,
        lowMax: 0.75,
        highMin: 1.25,
        highMax: 2,
        lowStep: 0.25,
        highStep: 0.25,
      };
      const found = async (changed: Partial<BapoSettings>) => {
        const tensors = upload(device, {
          inputs: inputTable(rows),
          scores: scoreTable(rows),
          bounds: new Float32Array(4),
        });
        const { bounds } = await runAndRead(device, tensors, (d) =>
          bapoSearch(d, tensors, { updateRows: 3 }, { ...settings, ...changed }),
        );
        return Array.from(bounds, (x) => Number(x.toFixed(4)));
      };
      expect(await found({})).toEqual([0.5, 1.75, 0.4667, 2]);
      // The lower bound first: its one step changes nothing here, since both negatives have r = 1.
      expect(await found({ order: 'low_first' })).toEqual([0.75, 1.75, 0.4667, 3]);
      // Without the factor π_behavior, which is 1/2 for all tokens: 1.75/2.
      expect(await found({ reading: 'pn_ratio', target: 0.8 })).toEqual([0.5, 1.75, 0.875, 2]);
      // The positive token counts once c_high reaches its ratio 2: 2/4.
      expect(await found({ reading: 'active_gradient_share' })).toEqual([0.5, 2, 0.5, 3]);
    });
  });

  describe('a step over the whole update', () => {
    it('computes GSPO’s ratios and DPO’s coefficients for random batches', async () => {
      const random = new TestRandom(12);
      const trials = Array.from({ length: 100 }, () => {
        const count = drawSize(random);
        const episodeCount = 2 * (1 + random.whole(40));
        // In random order; some episodes have no rows.
        const episodes = Array.from(random.wholes(count, episodeCount));
        episodes[0] = episodeCount - 1;
        return { rows: { ...drawRows(random, count), episodes }, episodeCount, count };
      });
      const beta = 0.3;
      const placed = tables(trials.map(({ rows }) => rows));
      const tensors = trials.map(({ rows, episodeCount, count }) =>
        upload(device, {
          ...episodeLists(rows.episodes, episodeCount),
          gspo: new Float32Array(2 * count).fill(Number.NaN),
          dpo: new Float32Array(2 * count).fill(Number.NaN),
        }),
      );
      const all: Record<string, Tensor> = {};
      tensors.forEach(({ gspo, dpo }, t) => {
        all[`gspo${t}`] = gspo;
        all[`dpo${t}`] = dpo;
      });
      const read = await runAndRead(device, all, (d) => {
        trials.forEach(({ episodeCount, count }, t) => {
          const own = tensors[t];
          const table = placed[t];
          if (own === undefined || table === undefined) throw new Error('no tensors');
          const sizes = { episodes: episodeCount, pairs: episodeCount / 2, updateRows: count };
          sequenceRatios(d, { ...own, ...table, found: own.gspo }, sizes);
          preferenceCoefficients(d, { ...own, ...table, found: own.dpo }, sizes, { beta });
        });
      });
      trials.forEach(({ rows }, t) => {
        for (const kind of ['gspo', 'dpo'] as const) {
          const expected = batchwide(rows, {
            ...plain,
            surrogate: kind,
            dpoBeta: beta,
          }).found.flat();
          const got = read[`${kind}${t}`] ?? new Float32Array();
          expected.forEach((value, k) => {
            const error = Math.abs(at(got, k) - value);
            expect(error, `${kind} ${t}[${k}]`).toBeLessThan(2e-6 + 2e-5 * Math.abs(value));
          });
        }
      });
    });

    it('computes DPO’s coefficients for large margins without overflow', async () => {
      // β = 1; pair 0 has margin 200, pair 1 −200, pair 2 0.
      const episodes = [0, 1, 2, 3, 4, 5];
      const rows: LossRows = {
        ...drawRows(new TestRandom(1), 6),
        episodes,
        logps: [-1, -201, -201, -1, -5, -5],
        referenceLogps: [-3, -3, -3, -3, -3, -3],
      };
      const tensors = upload(device, {
        inputs: inputTable(rows),
        scores: scoreTable(rows),
        ...episodeLists(episodes, 6),
        found: new Float32Array(12),
      });
      const { found } = await runAndRead(device, tensors, (d) =>
        preferenceCoefficients(d, tensors, { pairs: 3, updateRows: 6 }, { beta: 1 }),
      );
      const expected = [
        // −log σ(200) = 0 and σ(−200) = 0
        [0, 0],
        [0, 0],
        // −log σ(−200) = 200, shared by two rows, and σ(200) = 1
        [1, 100],
        [-1, 100],
        [0.5, Math.log(2) / 2],
        [-0.5, Math.log(2) / 2],
      ].flat();
      expected.forEach((value, k) => {
        expect(found[k]).toBeCloseTo(value, 6);
      });
    });

    it.each(['clip_cov', 'kl_cov'] as const)(
      'picks the same rows as the reference: %s',
      async (kind) => {
        const random = new TestRandom(13);
        const low = -0.4;
        const high = 0.6;
        let drawn = 0;
        let redrawn = 0;
        const trials = Array.from({ length: 150 }, () => {
          for (;;) {
            drawn += 1;
            const count = drawSize(random);
            const alike = random.unit() < 0.3;
            const rows = drawRows(random, count);
            const source = (i: number) => (alike ? i % 3 : i);
            const repeat = (values: ArrayLike<number>) =>
              Array.from(values, (_, i) => at(values, source(i) % count));
            const repeated: LossRows = {
              ...rows,
              logps: repeat(rows.logps),
              proximalLogps: repeat(rows.proximalLogps),
              advantages: repeat(rows.advantages),
            };
            const settings: ObjectiveSettings = {
              ...plain,
              surrogate: kind,
              clipLow: 0.81,
              clipHigh: 1.23,
              covariance: {
                fraction: pick(random, [0, 0.002, 0.1, 0.5, 1]),
                low,
                high,
                klCoef: 1,
                seed: random.whole(2 ** 32),
              },
            };
            if (!closeCall(repeated, settings)) return { rows: repeated, settings };
            redrawn += 1;
          }
        });
        // Trials are redrawn if rounding could change the picked rows.
        expect(redrawn / drawn).toBeLessThan(0.1);
        const placed = tables(trials.map(({ rows }) => rows));
        const all = Object.fromEntries(
          trials.map(({ rows }, t) => [t, device.tensor(`found ${t}`, 2 * rows.logps.length)]),
        );
        const read = await runAndRead(device, all, (d) => {
          trials.forEach(({ rows, settings }, t) => {
            const table = placed[t];
            const found = all[t];
            if (table === undefined || found === undefined) throw new Error('no tensors');
            const sizes = { updateRows: rows.logps.length };
            pickCovariance(d, { ...table, found }, sizes, {
              ...settings,
              draw: kind === 'clip_cov',
            });
          });
        });
        let picks = 0;
        trials.forEach(({ rows, settings }, t) => {
          const expected = batchwide(rows, settings).found.flat();
          expect(Array.from(read[t] ?? []), `batch ${t}`).toEqual(expected);
          picks += expected.filter((value) => value === 1).length;
        });
        expect(picks).toBeGreaterThan(1000);
      },
    );

    /** Whether float32 rounding may move a covariance or ratio across a limit. */
    function closeCall(
      rows: LossRows,
      { clipLow, clipHigh, covariance, surrogate }: ObjectiveSettings,
    ) {
      const count = rows.logps.length;
      const mean = (values: ArrayLike<number>) =>
        Array.from(values).reduce((sum, value) => sum + value, 0) / count;
      const meanLogp = mean(rows.logps);
      const meanAdvantage = mean(rows.advantages);
      const covariances = Array.from(
        rows.logps,
        (logp, i) => (logp - meanLogp) * (at(rows.advantages, i) - meanAdvantage),
      );
      const near = (a: number, b: number) => Math.abs(a - b) < 3e-6;
      if (surrogate === 'clip_cov') {
        return covariances.some((value, i) => {
          const ratio = Math.exp(at(rows.logps, i) - at(rows.proximalLogps, i));
          return (
            [covariance.low, covariance.high].some((limit) => near(value, limit)) ||
            [clipLow, clipHigh].some((limit) => near(ratio, limit))
          );
        });
      }
      // If every advantage is 0, every covariance is exactly 0.
      if (Array.from(rows.advantages).every((advantage) => advantage === 0)) return false;
      const picked = Math.max(1, Math.floor(covariance.fraction * count));
      const order = Array.from(covariances.keys()).sort(
        (i, j) => at(covariances, j) - at(covariances, i),
      );
      const last = at(order, picked - 1);
      // Identical rows have the same covariance on any machine.
      const alike = (i: number) =>
        rows.logps[i] === rows.logps[last] && rows.advantages[i] === rows.advantages[last];
      return order
        .slice(picked)
        .some((i) => near(at(covariances, i), at(covariances, last)) && !alike(i));
    }
  });
});
