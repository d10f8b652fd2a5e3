/**
 * Predicts what a policy generates in given situations, from its probabilities instead of samples.
 */

import type { Agent } from '../../agents/agent.ts';
import { contextStart, contextTokens, type DialogueTurn } from '../../agents/dialogue.ts';
import { writeTurn } from '../../agents/format.ts';
import type { Alternative } from '../../runs/inspection.ts';
import type { PolicyAt, PolicyQuery, Situation } from '../../runs/policy-reading.ts';
import { microBatchLimits, packMicroBatches, type TrainingEpisode } from '../learn/batch.ts';

/** A context, and the tokens after it whose distributions are requested. */
interface Asked {
  readonly context: readonly number[];
  readonly written: readonly number[];
}

const exp = (logp: number | undefined) => Math.exp(logp ?? Number.NEGATIVE_INFINITY);

/** The tokens that the agent reads in a situation, limited by its window. */
export function contextOf(
  { tokenizer, window, format }: Pick<Agent, 'tokenizer' | 'window' | 'format'>,
  { turns, observation }: Situation,
): number[] {
  const { maxActionTokens } = window;
  const read: DialogueTurn[] = turns.map((turn) => {
    const actionTokens = tokenizer.encode(writeTurn(turn, format)).slice(0, maxActionTokens);
    if (actionTokens.length < maxActionTokens) actionTokens.push(tokenizer.end);
    return { observationTokens: tokenizer.encode(turn.observation), actionTokens };
  });
  read.push({ observationTokens: tokenizer.encode(observation) });
  return contextTokens(read, contextStart(read, window, tokenizer), tokenizer, window.keepTask);
}

/**
 * For each item of `asked`: (written, V) log-probabilities in nats of the next token at each
 * position of `written`.
 */
async function distributionsOf(
  { policy, temperature }: Agent,
  asked: readonly Asked[],
): Promise<readonly (readonly Float32Array[])[]> {
  const episodes = asked.map(({ context, written }): TrainingEpisode => {
    const zeros = written.map(() => 0);
    const rows = written.map((_, k) => context.length - 1 + k);
    return {
      sequences: [{ tokens: [...context, ...written.slice(0, -1)], rows, first: 0 }],
      targets: written,
      behaviorLogps: zeros,
      advantages: zeros,
      versions: zeros,
      turns: zeros,
    };
  });
  const packed = packMicroBatches(
    episodes,
    episodes.map(() => 0),
    microBatchLimits(policy),
  );
  const logps = await policy.distributions(packed.batches, temperature > 0 ? temperature : 1);
  const size = policy.shape.vocabulary;
  const found = asked.map(() => [] as Float32Array[]);
  for (const [b, origin] of packed.origins.entries()) {
    for (const [r, token] of origin.tokens.entries()) {
      const row = logps[b]?.subarray(r * size, (r + 1) * size) ?? new Float32Array();
      const of = found[origin.episodes[r] ?? 0];
      if (of !== undefined) of[token] = row;
    }
  }
  return found;
}

/** Indices of the `most` largest values of a row, largest first. */
function top(row: Float32Array, most: number): number[] {
  return Array.from(row.keys())
    .sort((x, y) => (row[y] ?? 0) - (row[x] ?? 0))
    .slice(0, most);
}

/** A partial text. */
interface Beam {
  readonly written: readonly number[];
  readonly logp: number;
}

/** The `most` most probable texts of a turn, by beam search with `most` beams. */
async function likeliest(
  agent: Agent,
  context: readonly number[],
  most: number,
): Promise<readonly Alternative[]> {
  const { tokenizer, window } = agent;
  let alive: readonly Beam[] = [{ written: [], logp: 0 }];
  // Sum over different token sequences of the same text.
  const ended = new Map<string, number>();
  for (let length = 1; length <= window.maxActionTokens && alive.length > 0; length++) {
    const asked = alive.map(({ written }) => ({ context, written: [...written, tokenizer.end] }));
    const rows = await distributionsOf(agent, asked);
    const next: Beam[] = [];
    for (const [b, { written, logp }] of alive.entries()) {
      const row = rows[b]?.at(-1) ?? new Float32Array();
      for (const token of top(row, most)) {
        const beam = { written: [...written, token], logp: logp + (row[token] ?? Number.NaN) };
        if (token !== tokenizer.end && length < window.maxActionTokens) next.push(beam);
        else {
          const text = tokenizer.decode(token === tokenizer.end ? written : beam.written);
          ended.set(text, (ended.get(text) ?? 0) + exp(beam.logp));
        }
      }
    }
    const least = [...ended.values()].sort((a, b) => b - a)[most - 1] ?? 0;
    alive = next
      .filter(({ logp }) => exp(logp) > least)
      .sort((a, b) => b.logp - a.logp)
      .slice(0, most);
  }
  return [...ended]
    .map(([text, probability]) => ({ text, probability }))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, most);
}

/** Reads a policy in every situation of a query, without training and without random numbers. */
export async function readPolicy(agent: Agent, query: PolicyQuery): Promise<readonly PolicyAt[]> {
  const { tokenizer, window, format } = agent;
  const { situations, actions, most, search } = query;
  const bare = format === 'bare';
  const texts = (bare ? actions : []).map((action) => {
    const tokens = tokenizer.encode(action);
    return tokens.length < window.maxActionTokens ? [...tokens, tokenizer.end] : tokens;
  });
  const contexts = situations.map((situation) => contextOf(agent, situation));
  const asked = contexts.flatMap((context) =>
    [[tokenizer.end], ...texts].map((written) => ({ context, written })),
  );
  const rows = await distributionsOf(agent, asked);
  const found: PolicyAt[] = [];
  for (const [s, context] of contexts.entries()) {
    const [first, ...others] = rows.slice(s * (1 + texts.length), (s + 1) * (1 + texts.length));
    const row = first?.[0] ?? new Float32Array();
    found.push({
      words: top(row, most).map((token) => ({
        text: tokenizer.label(token),
        probability: exp(row[token]),
      })),
      actions: bare
        ? texts.map((tokens, a) =>
            tokens.length > window.maxActionTokens
              ? 0
              : exp(tokens.reduce((sum, token, k) => sum + (others[a]?.[k]?.[token] ?? 0), 0)),
          )
        : null,
      likeliest: bare && search ? await likeliest(agent, context, most) : null,
    });
  }
  return found;
}
