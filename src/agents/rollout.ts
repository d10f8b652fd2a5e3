import { act, begin, type Standing, solved } from '../envs/episode.ts';
import type { Environment } from '../envs/types.ts';
import type { GenerateRequest, Generation, TokenPolicy } from '../policy/types.ts';
import type { Agent } from './agent.ts';
import { appendTurn, contextStart, contextTokens } from './dialogue.ts';
import { parseTurn } from './parse.ts';
import type { Trajectory, Turn } from './trajectory.ts';
import { agentTokens } from './trajectory.ts';

/** An episode to play. */
export interface EpisodeRequest {
  /** The iteration in which it begins; it keys the sampling together with its number. */
  readonly iteration: number;
  /** Number of the episode within that iteration. */
  readonly episode: number;
  readonly task: string;
  readonly group: number;
  /** Most turns; the environment's own limit holds where it is lower. */
  readonly horizon: number;
}

/**
 * Some tries of each task, a group a task.
 *
 * @param first iteration and horizon of all, and the numbers of the first group and the first episode
 */
export function triesOf(
  tasks: readonly string[],
  tries: number,
  first: Omit<EpisodeRequest, 'task'>,
): EpisodeRequest[] {
  return tasks.flatMap((task, t) =>
    Array.from({ length: tries }, (_, i) => ({
      ...first,
      episode: first.episode + t * tries + i,
      task,
      group: first.group + t,
    })),
  );
}

/**
 * An episode that reached the budget of a partial rollout: everything needed to go on with it, as
 * plain data. It holds no cache, so that whichever version goes on reads the context anew.
 */
export interface PausedEpisode {
  readonly request: EpisodeRequest;
  readonly state: unknown;
  /** What the agent is to read next. */
  readonly observation: string;
  readonly turns: readonly Turn[];
}

/** What an episode may do in one call before it is paused; it takes at least one turn. */
export interface RolloutBudget {
  readonly turns: number;
  /** It is paused after the turn in which it has written this many. */
  readonly tokens: number;
}

/** No episode is ever paused. */
export const unlimited: RolloutBudget = {
  turns: Number.POSITIVE_INFINITY,
  tokens: Number.POSITIVE_INFINITY,
};

export interface RolloutRequest {
  readonly agent: Agent;
  readonly environment: Environment;
  /** Paused episodes to go on with, before any new one begins. */
  readonly paused?: readonly PausedEpisode[];
  readonly episodes: readonly EpisodeRequest[];
  /** `unlimited` where absent. */
  readonly budget?: RolloutBudget;
  /** Called after each turn with the share of the rollout that is done, from 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
}

/** What became of the episodes; each list in the order of the request, paused ones first. */
export interface Rollout {
  readonly trajectories: Trajectory[];
  readonly paused: PausedEpisode[];
}

/** An episode being played. */
interface Live {
  readonly request: EpisodeRequest;
  /** Position among all episodes of the call. */
  readonly index: number;
  /** Cache slot. */
  readonly slot: number;
  at: Standing;
  readonly turns: Turn[];
  score: number;
  /** Tokens the agent wrote so far. */
  written: number;
  /** Turns and tokens at the start of this call, from which its budget counts. */
  readonly before: { readonly turns: number; readonly tokens: number };
  /** First turn of the context that the policy last read. */
  start: number;
  /** Tokens of all turns from `start` on. */
  context: number[];
  /**
   * How many tokens of `context` the slot's key–value cache holds, computed by `cacheVersion` of the
   * policy. The last token written in a turn was sampled but never fed back, so it is not among them.
   */
  cached: number;
  cacheVersion: number;
}

/** An episode with the context of its present turn. */
interface Prompt {
  readonly live: Live;
  readonly observationTokens: readonly number[];
  /** How many tokens of the context the cache still holds. */
  readonly cached: number;
}

/**
 * Plays many episodes at once, one turn of all of them per `generate` call; a call is split only
 * where the policy's capacity demands it. When there are more episodes than cache slots, an episode
 * that ends hands its slot to the next. The draws of an episode depend on its number alone, not on
 * which episodes share its calls.
 *
 * An episode ends by its task's rules or at its horizon; one that reaches the budget before is
 * paused, and a later call goes on with it.
 *
 * @throws {EnvironmentFault} when the environment throws.
 */
export async function rollout(request: RolloutRequest): Promise<Rollout> {
  const { agent, environment, budget = unlimited } = request;
  const { policy, tokenizer } = agent;
  const all: readonly PausedEpisode[] = [
    ...(request.paused ?? []),
    ...request.episodes.map((episode) => opened(environment, episode)),
  ];
  const waiting = all.map((episode, index) => ({ episode, index }));
  const trajectories = new Array<Trajectory | undefined>(all.length).fill(undefined);
  const paused = new Array<PausedEpisode | undefined>(all.length).fill(undefined);
  const longest = Math.min(
    budget.turns,
    all.reduce((most, episode) => Math.max(most, horizonOf(episode.request, environment)), 1),
  );
  const freeSlots = Array.from({ length: policy.capacity.episodes }, (_, slot) => slot);
  let lives: Live[] = [];
  const read = remembering((text: string) => tokenizer.encode(text));
  let turnsPlayed = 0;

  while (waiting.length > 0 || lives.length > 0) {
    while (freeSlots.length > 0 && waiting.length > 0) {
      const slot = freeSlots.shift();
      const next = waiting.shift();
      if (slot !== undefined && next !== undefined) {
        lives.push(seat(next.episode, next.index, slot));
      }
    }
    for (const prompts of split(
      lives.map((live) => prompt(live, agent, read)),
      policy,
    )) {
      const generation = await policy.generate(generateRequest(prompts, agent));
      for (const [e, p] of prompts.entries()) takeTurn(p, e, generation, request);
    }

    turnsPlayed += lives.length;
    const playing: Live[] = [];
    for (const live of lives) {
      if (live.at.terminated || live.turns.length >= horizonOf(live.request, environment)) {
        trajectories[live.index] = end(live, request);
      } else if (
        live.turns.length - live.before.turns >= budget.turns ||
        live.written - live.before.tokens >= budget.tokens
      ) {
        paused[live.index] = pause(live);
      } else {
        playing.push(live);
        continue;
      }
      freeSlots.push(live.slot);
    }
    lives = playing;
    // Later episodes may take fewer turns, so this is a lower bound that ends at exactly 1.
    const left = waiting.length + lives.length;
    request.onProgress?.(left === 0 ? 1 : turnsPlayed / (turnsPlayed + left * longest));
  }
  return {
    trajectories: trajectories.filter((trajectory) => trajectory !== undefined),
    paused: paused.filter((episode) => episode !== undefined),
  };
}

function horizonOf(request: EpisodeRequest, environment: Environment): number {
  return Math.min(request.horizon, environment.turnLimit);
}

function opened(environment: Environment, request: EpisodeRequest): PausedEpisode {
  const { state, observation } = begin(environment, request.task);
  return { request, state, observation, turns: [] };
}

function seat(episode: PausedEpisode, index: number, slot: number): Live {
  const { request, state, observation, turns } = episode;
  const written = agentTokens(episode);
  return {
    request,
    index,
    slot,
    at: {
      task: request.task,
      state,
      observation,
      action: turns.at(-1)?.action ?? null,
      terminated: false,
    },
    turns: [...turns],
    score: turns.reduce((sum, { reward }) => sum + reward, 0),
    written,
    before: { turns: turns.length, tokens: written },
    // No turn yet: the first prompt builds the context.
    start: -1,
    context: [],
    cached: 0,
    cacheVersion: -1,
  };
}

function pause({ request, at: { state, observation }, turns }: Live): PausedEpisode {
  return { request, state, observation, turns };
}

/** Brings an episode's context to its present turn, and says how much of it its cache still holds. */
function prompt(live: Live, agent: Agent, read: (text: string) => number[]): Prompt {
  const { tokenizer, window, policy } = agent;
  const observationTokens = read(live.at.observation);
  const turns = [...live.turns, { observationTokens }];
  const start = contextStart(turns, window);
  // A window that slid gives every token another position, and an update another value.
  const slid = start !== live.start;
  if (slid) {
    live.start = start;
    live.context = contextTokens(turns, start, tokenizer, window.keepTask);
  } else {
    appendTurn(live.context, { observationTokens }, tokenizer);
  }
  const stale = slid || live.cacheVersion !== policy.version;
  return { live, observationTokens, cached: stale ? 0 : live.cached };
}

/** Splits the turns of all episodes into calls that the policy's capacity allows. */
function split(prompts: readonly Prompt[], policy: TokenPolicy): Prompt[][] {
  const { tokens: mostTokens, rows: mostRows } = policy.capacity;
  const calls: Prompt[][] = [];
  let call: Prompt[] = [];
  let tokens = 0;
  for (const p of prompts) {
    const added = p.live.context.length - p.cached;
    if (call.length > 0 && (call.length === mostRows || tokens + added > mostTokens)) {
      calls.push(call);
      call = [];
      tokens = 0;
    }
    call.push(p);
    tokens += added;
  }
  if (call.length > 0) calls.push(call);
  return calls;
}

function generateRequest(prompts: readonly Prompt[], agent: Agent): GenerateRequest {
  const starts = [0];
  const newTokens: number[] = [];
  for (const { live, cached } of prompts) {
    for (let i = cached; i < live.context.length; i++) newTokens.push(live.context[i] ?? 0);
    starts.push(newTokens.length);
  }
  return {
    slots: Uint32Array.from(prompts, ({ live }) => live.slot),
    cachedLengths: Uint32Array.from(prompts, ({ cached }) => cached),
    newTokens: Uint32Array.from(newTokens),
    newTokenStarts: Uint32Array.from(starts),
    maxNewTokens: agent.window.maxActionTokens,
    // With a window of one turn every turn is read anew.
    keepCache: agent.window.historyWindow !== 1,
    endToken: agent.tokenizer.end,
    temperature: agent.temperature,
    random: {
      seed: agent.seed,
      iterations: Uint32Array.from(prompts, ({ live }) => live.request.iteration),
      episodes: Uint32Array.from(prompts, ({ live }) => live.request.episode),
      offsets: Uint32Array.from(prompts, ({ live }) => live.written),
    },
  };
}

/** Takes what was written for episode `e` of a call as its action. */
function takeTurn(p: Prompt, e: number, generation: Generation, request: RolloutRequest): void {
  const { agent, environment } = request;
  const { tokenizer, window, format } = agent;
  const { live } = p;
  const from = e * window.maxActionTokens;
  const to = from + (generation.lengths[e] ?? 0);
  const actionTokens = Array.from(generation.tokens.subarray(from, to));
  const { thought, action } = parseTurn(actionTokens, tokenizer, format);
  const after = act(environment, live.at, action);
  live.turns.push({
    observation: live.at.observation,
    thought,
    action,
    observationTokens: p.observationTokens,
    actionTokens,
    logps: Array.from(generation.logps.subarray(from, to)),
    entropies: Array.from(generation.entropies.subarray(from, to)),
    version: generation.version,
    contextStart: live.start,
    reward: after.reward,
    understood: after.understood,
  });
  live.at = after;
  live.score += after.reward;
  live.written += actionTokens.length;
  for (const token of actionTokens) live.context.push(token);
  live.cached = live.context.length - 1;
  live.cacheVersion = generation.version;
}

function end(live: Live, { agent, environment }: RolloutRequest): Trajectory {
  return {
    iteration: live.request.iteration,
    episode: live.request.episode,
    task: live.request.task,
    group: live.request.group,
    horizon: horizonOf(live.request, environment),
    taskKept: agent.window.keepTask,
    turns: live.turns,
    finalObservation: live.at.observation,
    score: live.score,
    success: solved(environment, live.at),
    terminated: live.at.terminated,
    truncated: !live.at.terminated,
  };
}

/** Remembers the tokens of each observation: episodes of a group read the same ones many times. */
function remembering(encode: (text: string) => number[]): (text: string) => number[] {
  const known = new Map<string, number[]>();
  return (text) => {
    const found = known.get(text) ?? encode(text);
    known.set(text, found);
    return found;
  };
}
