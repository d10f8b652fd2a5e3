import { createRequire } from 'node:module';
import { env, InferenceSession, Tensor } from 'onnxruntime-web';
import { afterAll, describe, expect, it } from 'vitest';
import { fast, thorough } from '../../scripts/tier.mjs';
import { openNodeProcessor } from '../device/processor/node.ts';
import { environmentFor, offeredFamilies } from '../envs/registry.ts';
import '../envs/testing/load-all.ts';
import { processorKernels } from '../kernels/processor/index.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import { OnnxPlayer, type OnnxRuntime } from './player.ts';
import { randomAgent } from './testing/agents.ts';
import { agreement } from './testing/agreement.ts';

env.logLevel = 'error';
const runtime: OnnxRuntime = { InferenceSession, Tensor, provider: 'wasm' };

/** The native runtime, if present: `npm test` installs it and sets its path. */
const native = nativeRuntime();
function nativeRuntime(): OnnxRuntime | null {
  try {
    const { InferenceSession, Tensor } = createRequire(import.meta.url)(
      process.env.PALESTRA_ONNXRUNTIME ?? 'onnxruntime-node',
    );
    return { InferenceSession, Tensor, provider: 'cpu' };
  } catch {
    return null;
  }
}

const device = openNodeProcessor(processorKernels);
afterAll(() => device.close());

/**
 * Dialogues per environment. Set the number as follows:
 * PALESTRA_DIALOGUES=1000 npx vitest run src/exchange/player
 */
const DIALOGUES = Number(process.env.PALESTRA_DIALOGUES ?? (thorough ? 12 : 2));

const everyId = offeredFamilies.map(({ id }) => id);

describe.each([
  ['onnxruntime-web', runtime, everyId],
  ['native onnxruntime', native, fast ? everyId.filter((_, i) => i % 4 === 0) : everyId],
] as const)('the exported agent in %s', (name, runtime, ids) => {
  it.skipIf(runtime === null).each(ids)(
    'gives the trainer’s probabilities in dialogues of %s',
    async (id) => {
      if (runtime === null) throw new RangeError('there is no such runtime');
      const found = await agreement(device, runtime, id as 'maze/double-t-v1', DIALOGUES);
      if (DIALOGUES >= 100) console.log(name, id, JSON.stringify(found));
      expect(found.sure).toBeGreaterThan(0.05);
      expect(found.plain).toBeLessThan(1e-4);
      expect(found.cached).toBeLessThan(1e-4);
      expect(found.between).toBeLessThan(1e-4);
      expect(found.player).toBeLessThan(1e-4);
    },
  );
});

describe('the exported agent', () => {
  it('scores multi-token actions with their sampling probability at its temperature', async () => {
    const checkpoint = randomAgent(
      {
        env: { id: 'textcraft/textcraft-v1' },
        agent: { max_action_tokens: 8, context_length: 256, temperature: 0.5 },
        policy: { layers: 1, width: 16, heads: 2, kv_heads: 1, ffn_width: 16 },
      },
      2,
    );
    const player = await OnnxPlayer.create(checkpoint, runtime);
    const environment = environmentFor(checkpoint.config.env);
    const { state, observation } = environment.reset(environment.trainTasks[0] ?? '');
    const context = player.context([], observation);
    const random = new TestRandom(3);
    const written = await player.write(context, 0.5, () => random.unit());
    expect(written.tokens.length).toBeGreaterThan(1);
    const product = written.tokens.reduce((p, { probability }) => p * probability, 1);
    const actions = [written.action, 'no such thing', ...environment.admissibleActions(state)];
    const { actions: odds, next } = await player.prospect(context, actions, 5);
    expect(odds[0]?.probability).toBeCloseTo(product, 6);
    expect(odds[1]?.probability).toBe(0);
    expect(odds).toHaveLength(actions.length);
    expect(next.map(({ probability }) => probability)).toEqual(
      next.map(({ probability }) => probability).toSorted((a, b) => b - a),
    );
    const greedy = await player.write(context, 0);
    expect(greedy.tokens[0]?.text).toBe(next[0]?.text);
    await player.release();
  });
});
