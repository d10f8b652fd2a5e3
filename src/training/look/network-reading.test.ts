import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentFor } from '../../agents/agent.ts';
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
import type { WeightTensor } from '../../policy/types.ts';
import type { NetworkQuery } from '../../runs/network-reading.ts';
import { type NetworkSource, readEmbeddings, readNetwork } from './network-reading.ts';
import { readPolicy } from './policy-reading.ts';
import { principalPlane, projected } from './principal-plane.ts';

const moves = ['move up', 'move down', 'move left', 'move right'];

describe('readNetwork', () => {
  let device: Device;
  beforeAll(async () => {
    device = await openNodeProcessor(processorKernels);
  });
  afterAll(() => device.close());

  /** A random network of two layers whose weights are large enough for errors to show. */
  async function networkOf(agentSettings: object = {}) {
    const config = parseConfig({
      policy: { layers: 2, width: 16, heads: 4, kv_heads: 2, ffn_width: 32 },
      agent: { max_action_tokens: 1, temperature: 0.8, ...agentSettings },
    });
    const environment = await loadedEnvironment(config.env);
    const tokenizer = new WordTokenizer(runLexicon(config, environment));
    const shape = policyShape(config, tokenizer.size);
    const policy = await createPolicy(
      device,
      shape,
      policyCapacity(config, shape, environment.turnLimit),
      5,
    );
    const weights = new Map<string, WeightTensor>();
    for (const [name, tensor] of await policy.readWeights()) {
      const values = tensor.values.map((w, i) => w * 3 + 0.05 * Math.sin(i));
      weights.set(name, { ...tensor, values });
    }
    policy.writeWeights(weights);
    const agent = agentFor(config, policy, tokenizer, 1);
    const [task = ''] = environment.trainTasks;
    const situation = { turns: [], observation: environment.reset(task).observation };
    const source: NetworkSource = { agent, shape, kept: [{ iteration: 3, weights }] };
    const query: NetworkQuery = {
      ...{ iteration: null, situation, actions: moves, most: 8 },
      intervention: null,
    };
    const tokens = [tokenizer.obs, ...tokenizer.encode(situation.observation), tokenizer.act];
    const parameters: Parameters = Object.fromEntries(
      [...weights].map(([name, { values }]) => [name, Float64Array.from(values)]),
    );
    return { agent, policy, source, query, tokens, parameters, tokenizer, weights, shape };
  }

  it.each([1, 3])('matches the device policy for actions of up to %i tokens', async (most) => {
    const { agent, source, query } = await networkOf({ max_action_tokens: most });
    const { pass, words } = readNetwork(source, query);
    const [device] = await readPolicy(agent, {
      ...{ situations: [query.situation], actions: moves, most: 8, search: false },
    });
    expect(device?.words).toHaveLength(8);
    for (const [i, { text, probability }] of (device?.words ?? []).entries()) {
      expect(words[i]?.text).toBe(text);
      expect(words[i]?.before).toBeCloseTo(probability, 5);
      // The last row of the lens is the output itself.
      expect(pass.lens.at(-1)?.[i]).toEqual({ text, probability: words[i]?.before });
    }
    for (const [i, probability] of (device?.actions ?? []).entries()) {
      expect(pass.actions?.[i]).toBeCloseTo(probability, 6);
    }
    expect(Math.max(...(pass.actions ?? []))).toBeGreaterThan(most === 1 ? 0.01 : 0);
  });

  it('reproduces the output of every head from its attention weights', async () => {
    const { source, query, tokens, parameters, shape } = await networkOf();
    const { pass } = readNetwork(source, query);
    const packed = {
      tokens: Uint32Array.from(tokens),
      sequenceStarts: Uint32Array.of(0, tokens.length),
    };
    const { blocks } = referenceForward(shape, parameters, packed);
    const [n, headDim] = [tokens.length, shape.width / shape.heads];
    expect(pass.tokens).toHaveLength(n);
    for (const [l, weights] of pass.attention.entries()) {
      const { kv, attention } = blocks[l] ?? { kv: [], attention: [] };
      for (let q = 0; q < n; q++) {
        for (let h = 0; h < shape.heads; h++) {
          const row = weights.subarray((q * shape.heads + h) * n, (q * shape.heads + h + 1) * n);
          expect(row.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 5);
          expect(Array.from(row.subarray(q + 1)).every((w) => w === 0)).toBe(true);
          for (let d = 0; d < headDim; d++) {
            const column = shape.kvHeads * headDim + Math.floor(h / 2) * headDim + d;
            const mixed = row.reduce(
              (sum, w, k) => sum + w * (kv[k * 2 * shape.kvHeads * headDim + column] ?? 0),
              0,
            );
            expect(mixed).toBeCloseTo(attention[(q * shape.heads + h) * headDim + d] ?? 0, 5);
          }
        }
      }
    }
  });

  it('switches a head off exactly as zeroing its rows of the output projection does', async () => {
    const { source, query, policy, agent, weights, shape } = await networkOf();
    const off = { layer: 1, head: 2 };
    const { changed, pass, words } = readNetwork(source, {
      ...query,
      intervention: { off: [off], swaps: [] },
    });
    const name = `layers.${off.layer}.attention_output`;
    const output = weights.get(name);
    if (output === undefined) throw new Error(`no ${name}`);
    const headDim = shape.width / shape.heads;
    const values = output.values.slice();
    values.fill(0, off.head * headDim * shape.width, (off.head + 1) * headDim * shape.width);
    policy.writeWeights(new Map([...weights, [name, { ...output, values }]]));
    const [without] = await readPolicy(agent, {
      ...{ situations: [query.situation], actions: moves, most: shape.vocabulary, search: false },
    });
    const known = new Map(without?.words.map(({ text, probability }) => [text, probability]));
    for (const { text, after } of words) expect(after).toBeCloseTo(known.get(text) ?? -1, 5);
    for (const [i, probability] of (without?.actions ?? []).entries()) {
      expect(changed?.actions?.[i]).toBeCloseTo(probability, 5);
    }
    const difference = Math.max(...words.map(({ before, after }) => Math.abs(before - after)));
    expect(difference).toBeGreaterThan(0.005);
    // The attention of the layer itself does not depend on its outputs.
    expect(changed?.attention[1]).toEqual(pass.attention[1]);
  });

  it('reads a sentence with a replaced word exactly like the edited sentence', async () => {
    const { source, query, tokens, tokenizer } = await networkOf();
    const position = tokens.findIndex((token) => /^\d/.test(tokenizer.label(token)));
    const text = tokenizer.label(tokens[position] ?? 0);
    const other = tokenizer.tokens.find((one) => /^\d/.test(one) && one !== text) ?? '';
    expect([position > 0, other.length > 0]).toEqual([true, true]);
    const { changed } = readNetwork(source, {
      ...query,
      intervention: { off: [], swaps: [{ position, text: other }] },
    });
    const label = tokenizer.encode(other)[0] ?? 0;
    const written = tokens.map((token, i) => (i === position ? label : token));
    const observation = tokenizer.decode(written.slice(1, -1));
    const own = readNetwork(source, { ...query, situation: { turns: [], observation } });
    expect(changed).toEqual(own.pass);
    expect(() =>
      readNetwork(source, {
        ...query,
        intervention: { off: [], swaps: [{ position, text: 'xyzzy' }] },
      }),
    ).toThrow('The vocabulary has no word “xyzzy”.');
  });

  it('lists the words and positions that an update moved most', async () => {
    const { source, query, weights, tokenizer } = await networkOf();
    // Doubling the gain of the final norm changes every distribution.
    const norm = weights.get('final_norm');
    if (norm === undefined) throw new Error('no final norm');
    const sharper = { ...norm, values: norm.values.map((g) => 2 * g) };
    const later = new Map([...weights, ['final_norm', sharper] as const]);
    const moving = { ...source, kept: [...source.kept, { iteration: 4, weights: later }] };
    const { update, pass, kept } = readNetwork(moving, query);
    const before = readNetwork(source, { ...query, most: tokenizer.size });
    const after = readNetwork(moving, { ...query, most: tokenizer.size });
    expect([kept, update?.since, before.update]).toEqual([[3, 4], 3, null]);
    const p = new Map(before.words.map((word) => [word.text, word.before]));
    const moved = after.words.map(({ text, before: now }) => ({
      text,
      by: Math.abs(now - (p.get(text) ?? 0)),
    }));
    moved.sort((a, b) => b.by - a.by);
    expect(update?.words.map(({ text }) => text)).toEqual(
      moved.slice(0, 8).map(({ text }) => text),
    );
    const total = moved.reduce((sum, { by }) => sum + by, 0) / 2;
    expect(update?.positions).toHaveLength(pass.tokens.length);
    expect(update?.positions.at(-1)).toBeCloseTo(total, 10);
    expect(total).toBeGreaterThan(0.01);
    // An earlier iteration is read with its own weights.
    expect(readNetwork(moving, { ...query, iteration: 3 }).words).toEqual(
      readNetwork(source, query).words,
    );
  });

  it('shows the last tokens of a long sentence and rejects a network that is too large', async () => {
    const { source, query, tokens } = await networkOf({ context_length: 1024 });
    const observation = Array.from({ length: 20 }, () => query.situation.observation).join(' ');
    const long = readNetwork(source, { ...query, situation: { turns: [], observation } });
    expect(long.pass.tokens).toHaveLength(160);
    expect(long.hidden).toBe(20 * (tokens.length - 2) + 2 - 160);
    const huge = { shape: [2 ** 23], values: new Float32Array(2 ** 23) };
    const large = { ...source, kept: [{ iteration: 1, weights: new Map([['w', huge]]) }] };
    expect(() => readNetwork(large, { ...query, situation: { turns: [], observation } })).toThrow(
      'too large to examine',
    );
  });

  it('projects all kept embeddings onto the same axes', async () => {
    const { source, weights, tokenizer } = await networkOf();
    const embedding = weights.get('embedding');
    if (embedding === undefined) throw new Error('no embedding');
    const half = { ...embedding, values: embedding.values.map((v) => v / 2) };
    const earlier = { iteration: 1, weights: new Map([['embedding', half]]) };
    const moving = { ...source, kept: [earlier, ...source.kept] };
    const now = readEmbeddings(moving, null);
    const then = readEmbeddings(moving, 1);
    expect(now.words).toHaveLength(tokenizer.size);
    expect([now.kept, then.iteration]).toEqual([[1, 3], 1]);
    expect(then.extent).toBe(now.extent);
    // Halved embeddings have halved coordinates up to the shift of their mean.
    const [a, b] = [now.words[5], now.words[9]];
    const [c, d] = [then.words[5], then.words[9]];
    expect((c?.x ?? 0) - (d?.x ?? 0)).toBeCloseTo(((a?.x ?? 0) - (b?.x ?? 0)) / 2, 6);
  });
});

describe('principalPlane', () => {
  it('finds the axes of points that lie in a plane', () => {
    // Standard deviations 3 along (0, 1, 0) and 1 along (0.6, 0, 0.8), around (1, 2, 3).
    const rows = [
      [3, 1],
      [3, -1],
      [-3, 1],
      [-3, -1],
    ].flatMap(([along = 0, across = 0]) => [1 + 0.6 * across, 2 + along, 3 + 0.8 * across]);
    const plane = principalPlane(rows, 3);
    expect(Array.from(plane.mean)).toEqual([1, 2, 3]);
    for (const [i, v] of [0, 1, 0].entries()) expect(plane.axes[0][i]).toBeCloseTo(v, 9);
    for (const [i, v] of [0.6, 0, 0.8].entries()) expect(plane.axes[1][i]).toBeCloseTo(v, 9);
    expect(plane.explained[0]).toBeCloseTo(0.9, 9);
    expect(plane.explained[1]).toBeCloseTo(0.1, 9);
    const [first] = projected(rows, plane);
    expect(first?.[0]).toBeCloseTo(3, 9);
    expect(first?.[1]).toBeCloseTo(1, 9);
  });
});
