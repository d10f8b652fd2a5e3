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

/** The settings of each suggestion in an error message. */
function waysOf(message: string): [string, string][][] {
  const [, suggestions = ''] = /These would fit: (.*)\.$/.exec(message) ?? [];
  return suggestions
    .split(', or ')
    .map((way) =>
      [...way.matchAll(/([a-z_]+\.[a-z_]+) (\d+)/g)].map(([, path = '', value = '']) => [
        path,
        value,
      ]),
    );
}

describe('memory check', () => {
  it('accepts every preset', async () => {
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
  ])('rejects %s and suggests settings that fit', async (_, changes) => {
    const config = parseConfig(changes);
    const message = await refusal(config, processor);
    expect(message).toMatch(
      /^This run needs [\d.,]+ [GT]B of memory; this device \(processor\) offers at most 4\.3 GB\./,
    );
    const ways = waysOf(message);
    expect(ways.length).toBeGreaterThan(0);
    for (const way of ways) {
      expect(way.length).toBeGreaterThan(0);
      const cost = runCost(setConfigValues(config, way));
      expect(cost.bytes).toBeLessThanOrEqual(processor.total);
    }
  });

  it('rejects a run with a single tensor that is too large', async () => {
    const config = presetConfig('maze');
    const { largest } = runCost(config);
    const message = await refusal(config, { total: Infinity, tensor: largest - 4 });
    expect(message).toMatch(/^One tensor of this run needs .* These would fit: /);
    for (const way of waysOf(message)) {
      expect(runCost(setConfigValues(config, way)).largest).toBeLessThan(largest);
    }
  });

  it('reports that no smaller variant fits', async () => {
    expect(await refusal(presetConfig('maze'), { total: 1000, tensor: 1000 })).toMatch(
      /No smaller variant fits\. Start from a preset/,
    );
  });
});
