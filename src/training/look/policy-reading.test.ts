import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Agent, agentFor } from '../../agents/agent.ts';
import { policyCapacity } from '../../agents/capacity.ts';
import { runLexicon } from '../../agents/lexicon.ts';
import { policyShape } from '../../agents/shape.ts';
import { parseConfig } from '../../config/check.ts';
import type { Device } from '../../device/index.ts';
import { openNodeProcessor } from '../../device/processor/node.ts';
import { loadedEnvironment } from '../../envs/registry.ts';
import { processorKernels } from '../../kernels/processor/index.ts';
import { createPolicy } from '../../policy/policy.ts';
import { type Parameters, referenceForward } from '../../policy/reference.ts';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { readPolicy } from './policy-reading.ts';

const moves = ['move up', 'move down', 'move left', 'move right'];

/** log π (V) of the token after `tokens`, in float64, independent of the code under test. */
function reference(
  { policy: { shape }, temperature }: Agent,
  weights: Parameters,
  tokens: number[],
) {
  const packed = {
    tokens: Uint32Array.from(tokens),
    sequenceStarts: Uint32Array.of(0, tokens.length),
  };
  const { logits } = referenceForward(shape, weights, packed);
  const padded = logits.length / tokens.length;
  const from = (tokens.length - 1) * padded;
  const row = [...logits.subarray(from, from + shape.vocabulary)].map((z) => z / temperature);
  const most = Math.max(...row);
  const total = most + Math.log(row.reduce((sum, z) => sum + Math.exp(z - most), 0));
  return row.map((z) => z - total);
}

describe('readPolicy', () => {
  let device: Device;
  beforeAll(async () => {
    device = await openNodeProcessor(processorKernels);
  });
  afterAll(() => device.close());

  async function agentOf(longest: number) {
    const config = parseConfig({
      policy: { layers: 2, width: 16, ffn_width: 32 },
      agent: { max_action_tokens: longest, temperature: 0.8 },
    });
    const environment = await loadedEnvironment(config.env);
    const tokenizer = new WordTokenizer(runLexicon(config, environment));
    const shape = policyShape(config, tokenizer.size);
    const capacity = policyCapacity(config, shape, environment.turnLimit);
    const policy = await createPolicy(device, shape, capacity, 5);
    const weights: Record<string, Float64Array> = {};
    for (const [name, { values }] of await policy.readWeights()) {
      // Random weights give nearly equal probabilities; with larger ones, errors show.
      weights[name] = Float64Array.from(values, (w, i) => Math.fround(w * 3 + 0.05 * Math.sin(i)));
    }
    policy.writeWeights(
      new Map(
        [...(await policy.readWeights())].map(([name, tensor]) => [
          name,
          { ...tensor, values: Float32Array.from(weights[name] ?? []) },
        ]),
      ),
    );
    const agent = agentFor(config, policy, tokenizer, 1);
    const situations = environment.trainTasks.map((task) => ({
      turns: [],
      observation: environment.reset(task).observation,
    }));
    const contexts = situations.map(({ observation }) => [
      tokenizer.obs,
      ...tokenizer.encode(observation),
      tokenizer.act,
    ]);
    return { agent, weights, situations, contexts, tokenizer };
  }

  it('matches the float64 reference in every cell of the maze', async () => {
    const { agent, weights, situations, contexts, tokenizer } = await agentOf(1);
    const query = { situations, actions: moves, most: 10, search: false };
    const read = await readPolicy(agent, query);
    expect(read).toHaveLength(25);
    let apart = 0;
    for (const [s, { words, actions }] of read.entries()) {
      const logps = reference(agent, weights, contexts[s] ?? []);
      const known = logps.map((logp, token) => [tokenizer.label(token), Math.exp(logp)] as const);
      known.sort(([, a], [, b]) => b - a);
      expect(words).toHaveLength(10);
      for (const [w, { text, probability }] of words.entries()) {
        expect(probability).toBeCloseTo(known[w]?.[1] ?? Number.NaN, 5);
        expect(probability).toBeCloseTo(new Map(known).get(text) ?? Number.NaN, 5);
      }
      for (const [a, move] of moves.entries()) {
        const [token = -1] = tokenizer.encode(move);
        expect(actions?.[a]).toBeCloseTo(Math.exp(logps[token] ?? Number.NaN), 5);
      }
      apart = Math.max(apart, Math.abs((words[0]?.probability ?? 0) - 1 / tokenizer.size));
    }
    expect(apart).toBeGreaterThan(0.02);
  });

  it("multiplies the probabilities of an action's tokens and end token, and lists the most probable texts", async () => {
    const { agent, weights, situations, contexts, tokenizer } = await agentOf(2);
    const [situation, context] = [situations[3], contexts[3]];
    if (situation === undefined || context === undefined) throw new Error('no situation');
    const most = tokenizer.size;
    const [at] = await readPolicy(agent, {
      ...{ situations: [situation], actions: moves },
      ...{ most, search: true },
    });
    const first = reference(agent, weights, context);
    const texts = new Map<string, number>();
    for (let a = 0; a < tokenizer.size; a++) {
      const add = (tokens: number[], logp: number) => {
        const text = tokenizer.decode(tokens);
        texts.set(text, (texts.get(text) ?? 0) + Math.exp(logp));
      };
      if (a === tokenizer.end) add([], first[a] ?? 0);
      else {
        for (const [b, logp] of reference(agent, weights, [...context, a]).entries()) {
          add(b === tokenizer.end ? [a] : [a, b], (first[a] ?? 0) + logp);
        }
      }
    }
    const best = [...texts].sort(([, x], [, y]) => y - x);
    expect(at?.likeliest).toHaveLength(most);
    for (const [i, { text, probability }] of (at?.likeliest ?? []).slice(0, 10).entries()) {
      expect(probability).toBeCloseTo(best[i]?.[1] ?? Number.NaN, 6);
      expect(probability).toBeCloseTo(texts.get(text) ?? Number.NaN, 6);
    }
    for (const [a, move] of moves.entries()) {
      expect(at?.actions?.[a]).toBeCloseTo(texts.get(move) ?? Number.NaN, 6);
    }
  });

  it('includes the earlier turns that fit the window', async () => {
    const { agent, situations } = await agentOf(1);
    const [now, before] = situations;
    if (now === undefined || before === undefined) throw new Error('no situation');
    const turns = [{ observation: before.observation, thought: '', action: 'move up' }];
    const read = async (historyWindow: number) => {
      const window = { ...agent.window, historyWindow };
      const query = { situations: [now, { ...now, turns }], actions: [], most: 3, search: false };
      return readPolicy({ ...agent, window }, query);
    };
    const [alone, windowed] = await read(1);
    expect(windowed).toEqual(alone);
    const [, remembered] = await read(0);
    expect(remembered).not.toEqual(alone);
  });
});
