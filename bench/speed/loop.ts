/** The whole loop of the default preset, with a breakdown of its time. */

import { defaultPreset } from '../../src/config/preset-names.ts';
import { findPreset } from '../../src/config/presets.ts';
import { setConfigValues } from '../../src/config/text.ts';
import type { Device } from '../../src/device/index.ts';
import { loadedEnvironment } from '../../src/envs/registry.ts';
import type { Environment } from '../../src/envs/types.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { Trainer } from '../../src/training/trainer.ts';

export interface LoopReport {
  readonly preset: string;
  readonly iterations: number;
  readonly turnsPerSecond: number;
  /** Tokens that the agent generated. */
  readonly tokensPerSecond: number;
  /**
   * Shares of the wall-clock time. On the device: decoding, other computation and idle time. On the host:
   * environments, and recording and submitting work.
   */
  readonly shares: {
    readonly rollout: number;
    readonly update: number;
    readonly idle: number;
    readonly environment: number;
    readonly transfer: number;
  };
  readonly submissions: number;
  readonly uploadBytes: number;
  readonly readBytes: number;
  /** Milliseconds to create the policy: buffers and all pipelines. */
  readonly startMs: number;
  /** The clock used for the device's time. */
  readonly clock: string;
}

export async function measureLoop(device: Device, iterations: number): Promise<LoopReport> {
  // Runs the requested number of iterations even if the maze is solved earlier, and only trains.
  const config = setConfigValues(findPreset(defaultPreset).config, [
    ['stopping.success', '0'],
    ['evaluation.interval', '0'],
    ['diagnostics.interval', '0'],
  ]);
  const clock = { ms: 0 };
  let startMs = 0;
  const run = await Trainer.create({
    config,
    environment: timed(await loadedEnvironment(config.env), clock),
    createPolicy: async (shape, capacity, seed) => {
      const started = performance.now();
      const policy = await createPolicy(device, shape, capacity, seed);
      startMs = performance.now() - started;
      return policy;
    },
  });
  // The first iteration fills caches.
  await run.iterate();
  const { turns, tokens } = run;
  clock.ms = 0;
  device.startProfile();
  for (let i = 0; i < iterations; i++) await run.iterate();
  const profile = await device.stopProfile();
  const seconds = profile.wallMs / 1000;
  const rollout = profile.bySubmission.generate?.busyMs ?? 0;
  const report = {
    preset: defaultPreset,
    iterations,
    turnsPerSecond: (run.turns - turns) / seconds,
    tokensPerSecond: (run.tokens - tokens) / seconds,
    shares: {
      rollout: rollout / profile.wallMs,
      update: (profile.busyMs - rollout) / profile.wallMs,
      idle: 1 - profile.busyMs / profile.wallMs,
      environment: clock.ms / profile.wallMs,
      transfer: profile.recordMs / profile.wallMs,
    },
    submissions: profile.submissions,
    uploadBytes: profile.uploadBytes,
    readBytes: profile.readBytes,
    startMs,
    clock: profile.clock,
  };
  run.destroy();
  return report;
}

/** The same environment with a timer. */
function timed(environment: Environment, clock: { ms: number }): Environment {
  const counted = <T>(work: () => T): T => {
    const started = performance.now();
    const result = work();
    clock.ms += performance.now() - started;
    return result;
  };
  return Object.assign(Object.create(environment) as Environment, {
    reset: (task: string) => counted(() => environment.reset(task)),
    step: (state: unknown, action: string) => counted(() => environment.step(state, action)),
  });
}
