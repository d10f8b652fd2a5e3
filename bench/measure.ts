/** Summary of measured rates: median, minimum and maximum. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
}

/** @throws {RangeError} for no values. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (i: number) => sorted[i] ?? Number.NaN;
  const last = sorted.length - 1;
  if (last < 0) throw new RangeError('a median needs at least one measurement');
  return {
    median: (at(Math.floor(last / 2)) + at(Math.ceil(last / 2))) / 2,
    least: at(0),
    greatest: at(last),
  };
}

/** Measurement settings. */
export interface Timing {
  /** Number of measurements of each rate. */
  readonly repetitions: number;
  /** Minimum duration of the warm-up and of each measurement, in milliseconds. */
  readonly milliseconds: number;
}

/**
 * Units of work per second.
 * @param work does some work and returns its number of units; called repeatedly
 */
export function rateOf(work: () => number, { repetitions, milliseconds }: Timing): Spread {
  rateOnce(work, milliseconds);
  return spreadOf(Array.from({ length: repetitions }, () => rateOnce(work, milliseconds)));
}

function rateOnce(work: () => number, milliseconds: number): number {
  const started = performance.now();
  let units = 0;
  let elapsed = 0;
  while (elapsed < milliseconds) {
    units += work();
    elapsed = performance.now() - started;
  }
  return (units * 1000) / elapsed;
}

/** Settings for measuring subjects in turn. */
export interface Rounds {
  /** Maximum number of measurements of each subject. */
  readonly rounds: number;
  /** Minimum number of measurements, however long they take. */
  readonly least: number;
  /** A subject that has used this many milliseconds is not measured further. */
  readonly budget: number;
  /** Target duration of a measurement, for subjects that can repeat their work. */
  readonly milliseconds: number;
}

/**
 * Milliseconds that a short subject runs before each of its measurements: an idle GPU runs at a low clock
 * rate and takes time to speed up.
 */
const AWAKE = 60;

/**
 * Measures subjects in turn (A B C A B C …), so that other load on the machine affects all of them
 * alike. Each runs once before as a warm-up, unless all are warm.
 * @param apart whether subjects compute on different devices, so that one idles while another works
 * @returns milliseconds of every run, by subject
 */
export async function interleaved(
  subjects: ReadonlyMap<string, () => Promise<void>>,
  { rounds, least, budget }: Omit<Rounds, 'milliseconds'>,
  { warm = false, apart = false } = {},
): Promise<Map<string, number[]>> {
  const samples = new Map([...subjects.keys()].map((name) => [name, [] as number[]]));
  const spent = new Map<string, number>();
  if (!warm) for (const run of subjects.values()) await run();
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of subjects) {
      const before = spent.get(name) ?? 0;
      if (round >= least && before > budget) continue;
      const last = samples.get(name)?.at(-1) ?? 0;
      if (apart && last < AWAKE) await awaken(run);
      const started = performance.now();
      await run();
      const elapsed = performance.now() - started;
      spent.set(name, before + elapsed);
      samples.get(name)?.push(elapsed);
    }
  }
  return samples;
}

async function awaken(run: () => Promise<void>): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < AWAKE) await run();
}

/** 1,000 texts for each call of `ruler`. */
const RULER_TEXTS = 1000;

/**
 * Work that is the same on every machine: builds and hashes texts of eight words. It resembles the work of
 * environments, and its rate indicates the speed of the machine.
 * @returns the number of texts
 */
export function ruler(): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < RULER_TEXTS; n++) {
    const words: string[] = [];
    for (let w = 0; w < 8; w++) words.push(`word${(n * 7 + w * 13) % 97}`);
    const text = words.join(' ');
    for (let i = 0; i < text.length; i++) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    }
  }
  rulerResult = hash;
  return RULER_TEXTS;
}

// Exported, so that the loop is not optimized away.
export let rulerResult = 0;
