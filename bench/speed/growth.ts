/** How the cost scales with each size, and the fitted exponent. */
import type { Device } from '../../src/device/index.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { PolicyShape } from '../../src/policy/types.ts';
import { interleaved, type Rounds, spreadOf } from '../measure.ts';
import { DECODED, decoder } from './own-decode.ts';
import { casePolicy } from './own-step.ts';
import { caseBatch, objective, optimizerStep, trainingCases } from './training-case.ts';

export interface Growth {
  /** The size that varies. */
  readonly of: string;
  /** A description of the sizes that stay constant. */
  readonly at: string;
  readonly sizes: readonly number[];
  /** Median milliseconds at each size. */
  readonly times: readonly number[];
  /** b of time ≈ a·size^b, by least squares on the logarithms. */
  readonly exponent: number;
}

interface Series {
  readonly of: string;
  readonly at: string;
  readonly sizes: readonly number[];
  make(device: Device, size: number): Promise<{ run(): Promise<unknown>; close(): void }>;
}

const { shape: S } = trainingCases.S;

const shaped = (part: Partial<PolicyShape>): PolicyShape => ({ ...S, ...part });

async function step(device: Device, shape: PolicyShape, sequences: number, length: number) {
  const training = { shape, sequences, length };
  const policy: Policy = await casePolicy(device, training);
  const batch = caseBatch(training);
  return {
    run: () => policy.update([batch], objective, optimizerStep),
    close: () => policy.destroy(),
  };
}

const series: readonly Series[] = [
  {
    of: 'tokens per update',
    at: 'shape S, sequences of 64 tokens',
    sizes: [512, 1024, 2048, 4096],
    make: (device, size) => step(device, S, size / 64, 64),
  },
  {
    of: 'width',
    at: '2 layers, 512 tokens in sequences of 64',
    sizes: [32, 64, 128, 256],
    make: (device, width) => step(device, shaped({ width, ffnWidth: 3 * width }), 8, 64),
  },
  {
    of: 'layers',
    at: 'width 64, 512 tokens in sequences of 64',
    sizes: [1, 2, 4, 8],
    make: (device, layers) => step(device, shaped({ layers }), 8, 64),
  },
  {
    of: 'context length',
    at: 'shape S, 1,024 tokens in sequences of this length',
    sizes: [32, 64, 128, 256, 512],
    make: (device, length) => step(device, S, 1024 / length, length),
  },
  {
    of: 'parallel episodes',
    at: `shape S, ${DECODED} tokens generated in each episode after a context of 64`,
    sizes: [8, 32, 128, 512],
    make: (device, episodes) => decoder(device, S, episodes),
  },
];

/** Measures each series; its sizes take turns. */
export async function measureGrowth(
  device: Device,
  rounds: Rounds,
  quick: boolean,
): Promise<Growth[]> {
  const found: Growth[] = [];
  for (const { of, at, sizes: all, make } of series) {
    const sizes = quick ? all.slice(0, 2) : all;
    const made = new Map<string, Awaited<ReturnType<Series['make']>>>();
    for (const size of sizes) made.set(`${size}`, await make(device, size));
    const subjects = new Map(
      [...made].map(([name, { run }]) => [
        name,
        async () => {
          await run();
        },
      ]),
    );
    const samples = await interleaved(subjects, rounds);
    for (const { close } of made.values()) close();
    const times = sizes.map((size) => spreadOf(samples.get(`${size}`) ?? []).median);
    found.push({ of, at, sizes, times, exponent: exponentOf(sizes, times) });
  }
  return found;
}

/** The slope of log time over log size, by least squares. */
export function exponentOf(sizes: readonly number[], times: readonly number[]): number {
  const points = sizes.map(
    (size, i) => [Math.log(size), Math.log(times[i] ?? Number.NaN)] as const,
  );
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return covariance / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}
