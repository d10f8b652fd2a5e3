import { describe, expect, it } from 'vitest';
import { runCost } from '../agents/cost.ts';
import { parseConfig } from '../config/check.ts';
import { presetConfig, presets } from '../config/presets.ts';
import { setConfigValues } from '../config/text.ts';
import { checkRoom, type Room, RunTooLargeError } from './room.ts';

const processor: Room = { total: 2 ** 32, tensor: 2 ** 32 };

async function refusal(config: Parameters<typeof checkRoom>[0], room: Room): Promise<string> {
  try {
    await checkRoom(config, room, 'processor');
  } catch (error) {
    expect(error).toBeInstanceOf(RunTooLargeError);
    return error instanceof Error ? error.message : '';
  }
  throw new Error('it fits');
}

/** The settings of the ways that a refusal names. */
function waysOf(message: string): [string, string][][] {
  const [, told = ''] = /What would fit: (.*)\.$/.exec(message) ?? [];
  return told
    .split(', or ')
    .map((way) =>
      [...way.matchAll(/([a-z_]+\.[a-z_]+) (\d+)/g)].map(([, path = '', value = '']) => [
        path,
        value,
      ]),
    );
}

describe('the room of a device', () => {
  it('is enough for every preset', async () => {
    for (const { name } of presets) {
      await checkRoom(presetConfig(name), processor, 'processor');
    }
  });

  it.each([
    ['a large micro-batch', { algorithm: { micro_batch_tokens: 1_048_576 } }],
    [
      'a large network',
      { policy: { layers: 16, width: 1024, heads: 16, kv_heads: 16, ffn_width: 4096 } },
    ],
    [
      'everything at once',
      {
        policy: { layers: 16, width: 1024, heads: 16, kv_heads: 16, ffn_width: 4096 },
        algorithm: { micro_batch_tokens: 1_048_576 },
        rollout: { group_size: 256 },
      },
    ],
  ])('is not enough for %s, and what is said to fit does fit', async (_, changes) => {
    const config = parseConfig(changes);
    const message = await refusal(config, processor);
    expect(message).toMatch(
      /^This run needs [\d.,]+ [GT]B of memory, and there are 4\.3 GB at most on this device \(processor\)\./,
    );
    const ways = waysOf(message);
    expect(ways.length).toBeGreaterThan(0);
    for (const way of ways) {
      expect(way.length).toBeGreaterThan(0);
      const cost = runCost(setConfigValues(config, way));
      expect(cost.bytes).toBeLessThanOrEqual(processor.total);
    }
  });

  it('may be short of a single piece only', async () => {
    const config = presetConfig('maze');
    const { largest } = runCost(config);
    const message = await refusal(config, { total: Infinity, tensor: largest - 4 });
    expect(message).toMatch(/^A single piece of this run’s memory is .* What would fit: /);
    for (const way of waysOf(message)) {
      expect(runCost(setConfigValues(config, way)).largest).toBeLessThan(largest);
    }
  });

  it('may be so short that nothing fits', async () => {
    expect(await refusal(presetConfig('maze'), { total: 1000, tensor: 1000 })).toMatch(
      /Nothing like it fits: choose a preset/,
    );
  });
});
