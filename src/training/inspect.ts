import type { Trajectory } from '../agents/trajectory.ts';
import { equalRewards } from '../algorithms/grpo.ts';
import { sampleMoments } from '../algorithms/worked-advantages.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { TokenPolicy } from '../policy/types.ts';
import type { Config } from '../runs/config.ts';
import type {
  Alternatives,
  GroupMember,
  InspectedGroup,
  InspectedToken,
  Inspection,
} from '../runs/inspection.ts';
import { packMicroBatches, writtenEpisode } from './batch.ts';
import { microBatchLimits } from './capacity.ts';
import { episodeRecord } from './episode-record.ts';
import type { IterationTrace } from './trace.ts';

/** An episode that is kept, and what was learned from it; null for an evaluation's. */
export interface TracedEpisode {
  readonly trajectory: Trajectory;
  readonly trace: IterationTrace | null;
}

/** What is needed to take episodes apart. */
export interface Inspector {
  readonly config: Config;
  /** Spells a token. */
  readonly textOf: (token: number) => string;
  /** Number of an episode that is still kept, else null. */
  readonly numberOf: (trajectory: Trajectory) => number | null;
}

/** A kept episode with every number that the trainer had of it. */
export function inspectEpisode(
  inspector: Inspector,
  { number, iteration }: Pick<Inspection, 'number' | 'iteration'>,
  { trajectory, trace }: TracedEpisode,
): Inspection {
  const { config, textOf } = inspector;
  return {
    number,
    iteration,
    record: episodeRecord(config, textOf, trajectory),
    tokens: inspectTokens(inspector, trajectory, trace),
    group: trace === null ? null : inspectGroup(inspector, trajectory, trace),
  };
}

/** (T) the tokens of an episode. */
export function inspectTokens(
  { textOf }: Pick<Inspector, 'textOf'>,
  trajectory: Trajectory,
  trace: IterationTrace | null,
): InspectedToken[] {
  const place = trace?.placeOf(trajectory) ?? null;
  const worked = place === null ? undefined : trace?.worked.episodes[place]?.tokens;
  const updates = place === null ? null : (trace?.tokenUpdates(place) ?? null);
  let t = 0;
  return trajectory.turns.flatMap(({ actionTokens, logps, entropies, version }, turn) =>
    actionTokens.map((token, k): InspectedToken => {
      const at = t++;
      return {
        turn,
        text: textOf(token),
        logp: logps[k] ?? Number.NaN,
        entropy: entropies[k] ?? Number.NaN,
        version,
        worked: worked?.[at] ?? null,
        update: updates?.[at] ?? null,
      };
    }),
  );
}

/** The group of an episode; null where nothing was learned from it. */
export function inspectGroup(
  { config, numberOf }: Pick<Inspector, 'config' | 'numberOf'>,
  trajectory: Trajectory,
  trace: IterationTrace,
): InspectedGroup | null {
  const place = trace.placeOf(trajectory);
  if (place === null) return null;
  const { algorithm } = config;
  const group = trace.signals[place]?.group;
  const { episodes, whitening } = trace.worked;
  const members = trace.trajectories.flatMap((member, i): GroupMember[] => {
    const worked = episodes[i];
    if (trace.signals[i]?.group !== group || worked === undefined) return [];
    const { turns, score, success, truncated } = member;
    const { reward, baseline, scale, tokens } = worked;
    return [
      {
        number: numberOf(member),
        turns: turns.length,
        score,
        success,
        truncated,
        reward,
        baseline,
        scale,
        advantage: tokens.reduce((sum, token) => sum + token.advantage, 0) / tokens.length,
      },
    ];
  });
  const rewards = members.map(({ reward }) => reward);
  return {
    taskId: episodeRecord(config, null, trajectory).taskId,
    estimator: algorithm.advantage,
    gamma: algorithm.gamma,
    lambda: algorithm.gae_lambda,
    rewards: sampleMoments(rewards),
    equal: equalRewards(rewards),
    whitening,
    surrogate: algorithm.objective,
    members,
  };
}

/** What the weights of a policy would write, at every token that an agent wrote in an episode. */
export async function alternativesOf(
  {
    config,
    policy,
    tokenizer,
  }: { readonly config: Config; readonly policy: TokenPolicy; readonly tokenizer: Tokenizer },
  trajectory: Trajectory,
  most: number,
): Promise<Alternatives> {
  const written = writtenEpisode(trajectory, tokenizer);
  const unlearned = { ...written, advantages: written.targets.map(() => 0) };
  const packed = packMicroBatches([unlearned], [0], microBatchLimits(policy));
  const { version } = policy;
  const logps = await policy.distributions(packed.batches, config.agent.temperature);
  const size = policy.shape.vocabulary;
  const tokens: Alternatives['tokens'][number][] = [];
  for (const [b, origin] of packed.origins.entries()) {
    for (const [r, t] of origin.tokens.entries()) {
      const row = logps[b]?.subarray(r * size, (r + 1) * size) ?? new Float32Array();
      const target = written.targets[t] ?? 0;
      const own = row[target] ?? Number.NaN;
      const order = Array.from(row.keys()).sort((x, y) => (row[y] ?? 0) - (row[x] ?? 0));
      tokens[t] = {
        top: order.slice(0, most).map((token) => ({
          text: tokenizer.decode([token]),
          probability: Math.exp(row[token] ?? Number.NaN),
        })),
        probability: Math.exp(own),
        // Of equally probable tokens none ranks before another.
        rank: 1 + row.reduce((before, logp) => before + Number(logp > own), 0),
      };
    }
  }
  return { version, tokens };
}
