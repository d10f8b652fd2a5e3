/** Whether a run fits the device, told before anything of it is made. */

import { type RunCost, runCost } from '../agents/cost.ts';
import { ConfigError } from '../config/error.ts';
import { getConfigValue } from '../config/fields.ts';
import type { Config } from '../config/schema.ts';
import { setConfigValue } from '../config/text.ts';
import { environmentIds, loadEnvironments } from '../envs/registry.ts';
import { PolicyShapeError } from '../policy/layout.ts';
import { bytes, listed } from '../runs/numbers.ts';

/** What a device has room for, in bytes; Infinity where it does not tell. */
export interface Room {
  /** Of all tensors together. */
  readonly total: number;
  /** Of one of them. */
  readonly tensor: number;
}

/** The device has no room for the run; the message says what would fit. */
export class RunTooLargeError extends Error {
  override readonly name = 'RunTooLargeError';
}

/** What makes a run smaller, those first that change least what is learned. */
const levers = [
  'algorithm.micro_batch_tokens',
  'rollout.group_size',
  'agent.context_length',
  'policy.ffn_width',
  'policy.width',
  'policy.layers',
] as const;

/** A setting that is halved more often makes another run of it; many settings together are then better. */
const GENTLE = 2;

/** More ways to choose among help nobody. */
const MOST_WAYS = 3;

/**
 * @param device what it is called
 * @throws {RunTooLargeError} where the run does not fit.
 */
export async function checkRoom(config: Config, room: Room, device: string): Promise<void> {
  await loadEnvironments(environmentIds(config.env));
  const cost = runCost(config);
  if (fits(cost, room)) return;
  const alone = levers.flatMap((path) => {
    const way = shrink(config, [path], room);
    return way === null ? [] : [way];
  });
  const gentle = alone.filter(({ halvings }) => halvings <= GENTLE);
  const together = gentle.length > 0 ? null : shrink(config, levers, room);
  const ways = gentle.length > 0 ? gentle : [...(together === null ? [] : [together]), ...alone];
  const needs =
    cost.bytes > room.total
      ? `This run needs ${bytes(cost.bytes)} of memory, and there are ${bytes(room.total)} at most on this device (${device}).`
      : `A single piece of this run’s memory is ${bytes(cost.largest)}, and this device (${device}) takes ${bytes(room.tensor)} at most.`;
  throw new RunTooLargeError(`${needs} ${whatFits(ways.slice(0, MOST_WAYS))}`);
}

function fits(cost: RunCost, room: Room): boolean {
  return cost.bytes <= room.total && cost.largest <= room.tensor;
}

interface Way {
  readonly halvings: number;
  readonly values: readonly string[];
  readonly bytes: number;
}

function whatFits(ways: readonly Way[]): string {
  if (ways.length === 0) return 'Nothing like it fits: choose a preset and go up from there.';
  const told = ways.map((way) => `${listed(way.values)} (${bytes(way.bytes)})`);
  return `What would fit: ${told.join(', or ')}.`;
}

/** Halves these settings, all together, until the run fits; null where it does not. */
function shrink(config: Config, paths: readonly string[], room: Room): Way | null {
  let smaller = config;
  for (let halvings = 1; ; halvings++) {
    const before = smaller;
    for (const path of paths) smaller = halved(smaller, path);
    if (smaller === before) return null;
    const cost = costOf(smaller);
    if (cost === null || !fits(cost, room)) continue;
    const final = smaller;
    const changed = paths.filter(
      (path) => getConfigValue(final, path) !== getConfigValue(config, path),
    );
    return {
      halvings,
      values: changed.map((path) => `${path} ${getConfigValue(final, path)}`),
      bytes: cost.bytes,
    };
  }
}

/** The config with half of a setting; the same where that cannot be. */
function halved(config: Config, path: string): Config {
  const half = Number(getConfigValue(config, path)) / 2;
  // A width goes in steps, of which it has as many as heads.
  const step = path.startsWith('policy.') && path.endsWith('width') ? 4 * config.policy.heads : 1;
  const value = Math.floor(half / step) * step;
  if (value < 1) return config;
  try {
    return setConfigValue(config, path, String(value));
  } catch (error) {
    if (error instanceof ConfigError) return config;
    throw error;
  }
}

/** Null where the network cannot have this shape. */
function costOf(config: Config): RunCost | null {
  try {
    return runCost(config);
  } catch (error) {
    if (error instanceof PolicyShapeError) return null;
    throw error;
  }
}
