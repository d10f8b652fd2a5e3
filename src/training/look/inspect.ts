import type { Agent } from '../../agents/agent.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import { equalRewards } from '../../algorithms/grpo.ts';
import { sampleMoments } from '../../algorithms/worked-advantages.ts';
import type { Config } from '../../config/schema.ts';
import type {
  Alternatives,
  Columns,
  GroupMember,
  InspectedGroup,
  InspectedToken,
  Inspection,
  Learned,
} from '../../runs/inspection.ts';
import { microBatchLimits, packMicroBatches, writtenEpisode } from '../learn/batch.ts';
import { episodeRecord } from './episode-record.ts';
import type { IterationTrace } from './trace.ts';

/** A stored episode with the trace of its training. */
export interface TracedEpisode {
  readonly trajectory: Trajectory;
  /** Null for an evaluation, and for an episode from before the run was resumed. */
  readonly trace: IterationTrace | null;
  /** Stored with the run; used instead of a trace. */
  readonly learned?: Learned;
}

/** The inputs of an inspection. */
export interface Inspector {
  readonly config: Config;
  /** Text of a token. */
  readonly textOf: (token: number) => string;
  /** Number of an episode if it is still stored, otherwise null. */
  readonly numberOf: (trajectory: Trajectory) => number | null;
  readonly isKept: (number: number) => boolean;
}

/** A stored episode with everything the trainer recorded or recomputes about it. */
export function inspectEpisode(
  inspector: Inspector,
  { number, iteration }: Pick<Inspection, 'number' | 'iteration'>,
  { trajectory, trace, learned }: TracedEpisode,
): Inspection {
  const { config, textOf, isKept } = inspector;
  const known = (trace === null ? learned : learnedFrom(inspector, trajectory, trace)) ?? null;
  return {
    number,
    iteration,
    record: episodeRecord(config, textOf, trajectory),
    tokens: inspectTokens(inspector, trajectory, known),
    group: known === null ? null : { ...known.group, members: membersOf(known, isKept) },
  };
}

/** Clears the episode numbers of group members that newer episodes have replaced. */
function membersOf({ group }: Learned, isKept: Inspector['isKept']): readonly GroupMember[] {
  return group.members.map((member) =>
    member.number === null || isKept(member.number) ? member : { ...member, number: null },
  );
}

/** Training details of an episode, to be stored with it; null if it was not used for training. */
export function learnedFrom(
  inspector: Pick<Inspector, 'config' | 'numberOf'>,
  trajectory: Trajectory,
  trace: IterationTrace,
): Learned | null {
  const place = trace.placeOf(trajectory);
  const worked = place === null ? undefined : trace.worked.episodes[place];
  const group = inspectGroup(inspector, trajectory, trace);
  if (place === null || worked === undefined || group === null) return null;
  const updates = trace.tokenUpdates(place);
  return {
    worked: columnsOf(worked.tokens),
    updates: updates === null ? null : columnsOf(updates),
    group,
  };
}

function columnsOf<Row extends object>(rows: readonly Row[]): Columns<Row> {
  const fields = Object.keys(rows[0] ?? {}) as (keyof Row)[];
  const columns: { [Field in keyof Row]?: readonly Row[Field][] } = {};
  for (const field of fields) columns[field] = rows.map((row) => row[field]);
  return columns as Columns<Row>;
}

function rowOf<Row>(columns: Columns<Row>, at: number): Row {
  const fields = Object.keys(columns) as (keyof Row)[];
  return Object.fromEntries(fields.map((field) => [field, columns[field][at]])) as Row;
}

/** (T) the tokens of an episode. */
export function inspectTokens(
  { textOf }: Pick<Inspector, 'textOf'>,
  trajectory: Trajectory,
  learned: Learned | null,
): InspectedToken[] {
  const { worked = null, updates = null } = learned ?? {};
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
        worked: worked === null ? null : rowOf(worked, at),
        update: updates === null ? null : rowOf(updates, at),
      };
    }),
  );
}

/** The group of an episode; null if it was not used for training. */
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

/**
 * The most probable tokens under a policy's weights at every position that the agent generated in
 * an episode.
 */
export async function alternativesOf(
  { policy, tokenizer, temperature }: Agent,
  trajectory: Trajectory,
  most: number,
): Promise<Alternatives> {
  const written = writtenEpisode(trajectory, tokenizer);
  const unlearned = { ...written, advantages: written.targets.map(() => 0) };
  const packed = packMicroBatches([unlearned], [0], microBatchLimits(policy));
  const { version } = policy;
  const logps = await policy.distributions(packed.batches, temperature);
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
          text: tokenizer.label(token),
          probability: Math.exp(row[token] ?? Number.NaN),
        })),
        probability: Math.exp(own),
        // Equally probable tokens share a rank.
        rank: 1 + row.reduce((before, logp) => before + Number(logp > own), 0),
      };
    }
  }
  return { version, tokens };
}
