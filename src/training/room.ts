/** Checks whether a run fits the device's memory before anything is allocated. */

import { type RunCost, runCost } from '../agents/cost.ts';
import { ConfigError } from '../config/error.ts';
import { getConfigValue } from '../config/fields.ts';
import type { Config } from '../config/schema.ts';
import { setConfigValue } from '../config/text.ts';
import { environmentIds, isRemote, loadEnvironments } from '../envs/registry.ts';
import { PolicyShapeError } from '../policy/layout.ts';
import type { PolicyShape } from '../policy/types.ts';
import { bytes, listed } from '../runs/numbers.ts';

/** The device's memory limits in bytes; Infinity if it does not report them. */
export interface Room {
  /** All tensors together. */
  readonly total: number;
  /** A single tensor. */
  readonly tensor: number;
}

/** The run does not fit the device; the message suggests what would fit. */
export class RunTooLargeError extends Error {
  override readonly name = 'RunTooLargeError';
}

/** Settings that make a run smaller, those with the least effect on learning first. */
const levers = [
  'algorithm.micro_batch_tokens',
  'rollout.group_size',
  'agent.context_length',
  'policy.ffn_width',
  'policy.width',
  'policy.layers',
] as const;

/**
 * Halving one setting more often than this makes it a different run; reducing several settings
 * together is better.
 */
const GENTLE = 2;

/** More suggestions than this do not help the user. */
const MOST_WAYS = 3;

/**
 * @param device its name
 * @param pretrained shape of a pretrained model with its adapter, whose size no setting changes
 * @throws {RunTooLargeError} if the run does not fit
 */
export async function checkRoom(
  config: Config,
  room: Room,
  device: string,
  pretrained?: PolicyShape,
): Promise<void> {
  // The vocabulary of a remote environment, and so the run's size, is only known once it is
  // connected.
  if (isRemote(config.env.id)) return;
  await loadEnvironments(environmentIds(config.env));
  const cost = runCost(config, pretrained);
  if (fits(cost, room)) return;
  const useful = levers.filter((path) => !pretrained || !path.startsWith('policy.'));
  const alone = useful.flatMap((path) => {
    const way = shrink(config, [path], room, pretrained);
    return way === null ? [] : [way];
  });
  const gentle = alone.filter(({ halvings }) => halvings <= GENTLE);
  const together = gentle.length > 0 ? null : shrink(config, useful, room, pretrained);
  const ways = gentle.length > 0 ? gentle : [...(together === null ? [] : [together]), ...alone];
  const needs =
    cost.bytes > room.total
      ? `This run needs ${bytes(cost.bytes)} of memory; this device (${device}) offers at most ${bytes(room.total)}.`
      : `One tensor of this run needs ${bytes(cost.largest)}; this device (${device}) allows at most ${bytes(room.tensor)}.`;
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
  if (ways.length === 0)
    return 'No smaller variant fits. Start from a preset and increase its settings.';
  const suggestions = ways.map((way) => `${listed(way.values)} (${bytes(way.bytes)})`);
  return `These would fit: ${suggestions.join(', or ')}.`;
}

/** Halves these settings together until the run fits; null if it never does. */
function shrink(
  config: Config,
  paths: readonly string[],
  room: Room,
  pretrained: PolicyShape | undefined,
): Way | null {
  let smaller = config;
  for (let halvings = 1; ; halvings++) {
    const before = smaller;
    for (const path of paths) smaller = halved(smaller, path);
    if (smaller === before) return null;
    const cost = costOf(smaller, pretrained);
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

/** The config with a setting halved; unchanged if it cannot be halved. */
function halved(config: Config, path: string): Config {
  const half = Number(getConfigValue(config, path)) / 2;
  // A width must be a multiple of the number of heads.
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

/** Null if the network cannot have this shape. */
function costOf(config: Config, pretrained: PolicyShape | undefined): RunCost | null {
  try {
    return runCost(config, pretrained);
  } catch (error) {
    if (error instanceof PolicyShapeError) return null;
    throw error;
  }
}
