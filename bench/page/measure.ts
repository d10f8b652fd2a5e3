/** Runs the measurements of the benchmark's page on one device and reports each one. */

import type { Device } from '../../src/device/index.ts';
import { loadEnvironments } from '../../src/envs/registry.ts';
import { interleaved, type Rounds, spreadOf } from '../measure.ts';
import { measureDecode } from '../speed/decode.ts';
import { measureLimits } from '../speed/limits.ts';
import { measureLoop } from '../speed/loop.ts';
import { decoder } from '../speed/own-decode.ts';
import { ownTrainer } from '../speed/own-step.ts';
import { trainingCases } from '../speed/training-case.ts';

/** A measured number, such as `step S`, 3.4, `ms`. */
export interface Measurement {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

/**
 * Measures a device.
 *
 * @param quick small shapes and few measurements: checks that everything runs
 * @param found called with each number as soon as it is known
 */
export async function measureDevice(
  device: Device,
  quick: boolean,
  found: (measurement: Measurement) => void,
): Promise<void> {
  const rounds: Rounds = quick
    ? { rounds: 2, least: 2, budget: 200, milliseconds: 2 }
    : { rounds: 7, least: 3, budget: 2000, milliseconds: 15 };
  const limits = await measureLimits(device, rounds);
  found({ what: 'multiply–add peak', value: limits.peakGflops, unit: 'GFLOP/s' });
  found({ what: 'memory bandwidth', value: limits.memoryGbs, unit: 'GB/s' });
  found({ what: 'one dispatch', value: limits.dispatchMicros, unit: 'µs' });
  found({ what: 'submission and readback', value: limits.readbackMicros, unit: 'µs' });

  const { XS, S, M } = trainingCases;
  for (const training of quick ? [XS] : [S, M]) {
    const trainer = await ownTrainer(device, training);
    const step = async () => {
      await trainer.step();
    };
    const samples = await interleaved(new Map([['step', step]]), rounds);
    const { median } = spreadOf(samples.get('step') ?? []);
    await trainer.close();
    found({ what: `training step ${training.name}`, value: median, unit: 'ms' });
  }
  for (const episodes of quick ? [4] : [1, 64, 512]) {
    const own = await decoder(device, (quick ? XS : S).shape, episodes);
    const [row] = await measureDecode(episodes, new Map([['Palestra', own]]), rounds);
    await own.close();
    if (!row) continue;
    const what = `decoding, ${episodes} ${episodes === 1 ? 'episode' : 'episodes'}`;
    found({ what, value: row.tokensPerSecond, unit: 'tokens/s' });
  }
  await loadEnvironments();
  const loop = await measureLoop(device, quick ? 1 : 5);
  found({ what: 'maze loop', value: loop.turnsPerSecond, unit: 'turns/s' });
}
