/** Palestra's decoding: parallel episodes, continuing from a cached context. */
import type { Device } from '../../src/device/index.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import type { PolicyShape } from '../../src/policy/types.ts';
import { caseBatch, caseWeights } from './training-case.ts';

/** Tokens of each episode's context, and tokens generated. */
export const CONTEXT = 64;
export const DECODED = 16;

/** Contexts of random tokens, concatenated. */
export function contexts(shape: PolicyShape, episodes: number): Uint32Array {
  return caseBatch({ shape, sequences: episodes, length: CONTEXT }).tokens;
}

/** Generates `DECODED` tokens in each episode, repeatedly and after the same contexts. */
export interface Decoder {
  /** (episodes · DECODED) the generated tokens, greedy; grouped by episode. */
  run(): Promise<Uint32Array>;
  close(): void | Promise<void>;
}

/**
 * A policy whose cache holds all context tokens except the last. A run reads the last one and decodes
 * greedily.
 */
export async function decoder(
  device: Device,
  shape: PolicyShape,
  episodes: number,
): Promise<Decoder & { close(): void }> {
  const all = contexts(shape, episodes);
  const capacity = {
    tokens: all.length,
    rows: episodes,
    lossRows: 1,
    updateRows: 1,
    episodes,
    context: CONTEXT + DECODED,
  };
  const policy = await createPolicy(device, shape, capacity, 1);
  policy.writeWeights(caseWeights(shape));
  const slots = Uint32Array.from({ length: episodes }, (_, i) => i);
  const zeros = new Uint32Array(episodes);
  const request = {
    slots,
    keepCache: true,
    // No token ends an episode, so every episode generates all tokens.
    endTokens: [shape.vocabulary],
    temperature: 0,
    random: { seed: 1, iterations: zeros, episodes: slots, offsets: zeros },
  };
  const starts = (length: number) =>
    Uint32Array.from({ length: episodes + 1 }, (_, i) => i * length);
  await policy.generate({
    ...request,
    cachedLengths: zeros,
    newTokens: all.filter((_, i) => i % CONTEXT < CONTEXT - 1),
    newTokenStarts: starts(CONTEXT - 1),
    maxNewTokens: 1,
  });
  const turn = {
    ...request,
    cachedLengths: zeros.map(() => CONTEXT - 1),
    newTokens: all.filter((_, i) => i % CONTEXT === CONTEXT - 1),
    newTokenStarts: starts(1),
    maxNewTokens: DECODED,
  };
  return {
    run: async () => (await policy.generate(turn)).tokens,
    close: () => policy.destroy(),
  };
}
