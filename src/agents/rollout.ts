import {
  type ActionResult,
  act,
  begin,
  EnvironmentFault,
  type Standing,
  solved,
} from '../envs/episode.ts';
import type { Environment, RemotePlay } from '../envs/types.ts';
import type { GenerateRequest, Generation, TokenPolicy } from '../policy/types.ts';
import type { Agent } from './agent.ts';
import {
  appendTurn,
  contextStart,
  contextTokens,
  type DialogueWindow,
  type Reading,
  reading,
  readsOneTurn,
} from './dialogue.ts';
import type { Written } from './format.ts';
import { parseTurn } from './parse.ts';
import type { Trajectory, Turn } from './trajectory.ts';
import { agentTokens } from './trajectory.ts';

/** An episode to play. */
export interface EpisodeRequest {
  /** The iteration in which the episode starts; with the episode number, it seeds the sampling. */
  readonly iteration: number;
  /** Number of the episode within that iteration. */
  readonly episode: number;
  readonly task: string;
  readonly group: number;
  /** Maximum number of turns; the environment's limit applies if it is lower. */
  readonly horizon: number;
}

/**
 * Several attempts at each task, one group per task.
 * @param first the first episode and group; all episodes share its iteration and horizon
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
 * An episode that reached the budget of a partial rollout: everything needed to continue it, as
 * plain data. It holds no cache, so the policy that continues it recomputes the context.
 */
export interface PausedEpisode {
  readonly request: EpisodeRequest;
  readonly state: unknown;
  /** The agent's next observation. */
  readonly observation: string;
  readonly turns: readonly Turn[];
}

/** Limits of an episode in one call, after which it is paused; at least one turn is played. */
interface RolloutBudget {
  readonly turns: number;
  /** The episode is paused after the turn in which it reaches this number of tokens. */
  readonly tokens: number;
}

/** Episodes are never paused. */
export const unlimited: RolloutBudget = {
  turns: Number.POSITIVE_INFINITY,
  tokens: Number.POSITIVE_INFINITY,
};

export interface RolloutRequest {
  readonly agent: Agent;
  readonly environment: Environment;
  /** Paused episodes to continue before new ones start. */
  readonly paused?: readonly PausedEpisode[];
  readonly episodes: readonly EpisodeRequest[];
  /** `unlimited` by default. */
  readonly budget?: RolloutBudget;
  /** Called after each turn with the completed share of the rollout, from 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
}

/** The results; each list in the order of the request, paused episodes first. */
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
  /** Number of tokens the agent generated so far. */
  written: number;
  /** Turns and tokens at the start of this call, from which its budget counts. */
  readonly before: { readonly turns: number; readonly tokens: number };
  /** First turn of the context that the policy last read. */
  start: number;
  /** Tokens of all turns from `start` on. */
  context: number[];
  /**
   * How many tokens of `context` the slot's key–value cache holds, computed by `cacheVersion` of
   * the policy. The last token of a turn was sampled but never fed back, so it is not among them.
   */
  cached: number;
  cacheVersion: number;
  /** Number of restarts after a fault. */
  readonly restarts: number;
}

/** An episode with the context of its current turn. */
interface Prompt {
  readonly live: Live;
  readonly observationTokens: readonly number[];
  /** Number of context tokens still in the cache. */
  readonly cached: number;
}

/**
 * Plays many episodes at once, one turn of all of them per `generate` call. A call is split if the
 * policy's capacity requires it. If the policy accepts several calls at a time, the episodes are
 * played in waves. If there are more episodes than cache slots, an episode that ends passes its slot
 * to the next. An episode's draws depend only on its number, not on the other episodes in its calls.
 * An episode ends by its task's rules or at its horizon. One that reaches the budget first is
 * paused, and a later call continues it.
 *
 * @throws {EnvironmentFault} if the environment throws
 */
export async function rollout(request: RolloutRequest): Promise<Rollout> {
  const { agent, environment, budget = unlimited } = request;
  const { policy, tokenizer, window } = agent;
  const { remote } = environment;
  if (
    remote !== undefined &&
    budget !== unlimited &&
    Number.isFinite(budget.turns + budget.tokens)
  ) {
    throw new Error('a remote environment cannot be paused; set rollout.partial_turns to 0');
  }
  const before = request.paused ?? [];
  const requests = [...before.map((episode) => episode.request), ...request.episodes];
  const waiting = [
    ...before.map((episode, index) => ({ episode: () => episode, index })),
    ...request.episodes.map((episode, i) => ({
      episode: () => opened(environment, episode),
      index: before.length + i,
    })),
  ];
  const seats = Math.min(
    policy.capacity.episodes,
    remote?.sessions ?? Number.POSITIVE_INFINITY,
    requests.length,
  );
  const trajectories = new Array<Trajectory | undefined>(requests.length).fill(undefined);
  const paused = new Array<PausedEpisode | undefined>(requests.length).fill(undefined);
  const longest = Math.min(
    budget.turns,
    requests.reduce((most, one) => Math.max(most, horizonOf(one, environment)), 1),
  );
  const read = reading(tokenizer);
  const parse = parsing(agent);
  let turnsPlayed = 0;
  let unfinished = requests.length;
  let failed = false;

  /** Plays waiting episodes in some of the cache slots until none is left. */
  const playWave = async (freeSlots: number[]): Promise<void> => {
    let lives: Live[] = [];
    while (!failed && (waiting.length > 0 || lives.length > 0)) {
      const seated: (Live | Promise<Live>)[] = [];
      while (freeSlots.length > 0 && waiting.length > 0) {
        const slot = freeSlots.shift();
        const next = waiting.shift();
        if (slot === undefined || next === undefined) continue;
        const episode = next.episode();
        seated.push(
          episode instanceof Promise
            ? episode.then((begun) => seat(begun, next.index, slot))
            : seat(episode, next.index, slot),
        );
      }
      lives.push(...(remote === undefined ? (seated as Live[]) : await Promise.all(seated)));
      for (const prompts of split(
        lives.map((live) => prompt(live, agent, read)),
        policy,
      )) {
        const generation = await policy.generate(generateRequest(prompts, agent));
        if (remote === undefined) {
          for (let e = 0; e < prompts.length; e++) {
            const p = prompts[e];
            if (p === undefined) continue;
            const said = parse(generation, e);
            takeTurn(p, said, generation, e, act(environment, p.live.at, said.action), window);
          }
        } else {
          const again = await takeRemoteTurns(remote, prompts, generation, request, parse);
          lives = lives.map((live) => again.get(live) ?? live);
        }
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
        unfinished--;
        if (!live.at.terminated) remote?.release(live.at.state);
        freeSlots.push(live.slot);
      }
      lives = playing;
      // Later episodes may take fewer turns, so this is a lower bound that ends at exactly 1.
      request.onProgress?.(
        unfinished === 0 ? 1 : turnsPlayed / (turnsPlayed + unfinished * longest),
      );
    }
  };

  // While the device computes one wave, the host steps another.
  const slots = Array.from({ length: seats }, (_, slot) => slot);
  const waves = Array.from({ length: Math.min(policy.waves, seats) }, (_, w) =>
    slots.filter((slot) => slot % policy.waves === w),
  );
  const ends = await Promise.allSettled(
    waves.map((wave) =>
      playWave(wave).catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    ),
  );
  for (const wave of ends) if (wave.status === 'rejected') throw wave.reason;
  return {
    trajectories: trajectories.filter((trajectory) => trajectory !== undefined),
    paused: paused.filter((episode) => episode !== undefined),
  };
}

function horizonOf(request: EpisodeRequest, environment: Environment): number {
  return Math.min(request.horizon, environment.turnLimit);
}

function opened(
  environment: Environment,
  request: EpisodeRequest,
): PausedEpisode | Promise<PausedEpisode> {
  const { remote } = environment;
  if (remote !== undefined) return openedRemotely(remote, environment, request);
  const { state, observation } = begin(environment, request.task);
  return { request, state, observation, turns: [] };
}

async function openedRemotely(
  remote: RemotePlay,
  environment: Environment,
  request: EpisodeRequest,
): Promise<PausedEpisode> {
  try {
    return { request, ...(await remote.begin(request.task)), turns: [] };
  } catch (cause) {
    throw new EnvironmentFault(environment.id, request.task, null, cause);
  }
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
    restarts: 0,
  };
}

function pause({ request, at: { state, observation }, turns }: Live): PausedEpisode {
  return { request, state, observation, turns };
}

/**
 * Updates an episode's context for its current turn, and returns how much of it is still cached.
 */
function prompt(live: Live, agent: Agent, read: (text: string) => Reading): Prompt {
  const { tokenizer, window, policy } = agent;
  const { tokens: observationTokens, alone } = read(live.at.observation);
  if (readsOneTurn(window) && alone.length + window.maxActionTokens <= window.contextLength) {
    live.start = live.turns.length;
    live.context = alone;
    return { live, observationTokens, cached: 0 };
  }
  const turns = [...live.turns, { observationTokens }];
  const start = contextStart(turns, window, tokenizer);
  // A window that moved changes every token's position, and an update changes every cached value.
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

/** Splits the turns of all episodes into calls within the policy's capacity. */
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
  // Indexed loops: iterators allocate, and this runs in every turn.
  const calls = prompts.length;
  const slots = new Uint32Array(calls);
  const cachedLengths = new Uint32Array(calls);
  const iterations = new Uint32Array(calls);
  const episodes = new Uint32Array(calls);
  const offsets = new Uint32Array(calls);
  const newTokenStarts = new Uint32Array(calls + 1);
  let length = 0;
  for (let e = 0; e < calls; e++) {
    const p = prompts[e];
    if (p === undefined) continue;
    const { live, cached } = p;
    slots[e] = live.slot;
    cachedLengths[e] = cached;
    iterations[e] = live.request.iteration;
    episodes[e] = live.request.episode;
    offsets[e] = live.written;
    length += live.context.length - cached;
    newTokenStarts[e + 1] = length;
  }
  const newTokens = new Uint32Array(length);
  let next = 0;
  for (const { live, cached } of prompts) {
    const { context } = live;
    for (let i = cached; i < context.length; i++) newTokens[next++] = context[i] ?? 0;
  }
  return {
    slots,
    cachedLengths,
    newTokens,
    newTokenStarts,
    maxNewTokens: agent.window.maxActionTokens,
    // With a window of one turn, every context is new.
    keepCache: agent.window.historyWindow !== 1,
    endTokens: agent.tokenizer.frame.ends,
    temperature: agent.temperature,
    random: { seed: agent.seed, iterations, episodes, offsets },
  };
}

/** The policy's text in a turn. */
interface Said extends Written {
  /** As sampled; never changed, because turns share it. */
  readonly actionTokens: readonly number[];
}

/** The text that was generated for episode `e` of a call. */
type Parse = (generation: Generation, e: number) => Said;

/** Adds a turn to its episode. */
function takeTurn(
  p: Prompt,
  { actionTokens, thought, action }: Said,
  { logps, entropies, version }: Generation,
  e: number,
  after: ActionResult,
  window: DialogueWindow,
): void {
  const { live } = p;
  const from = e * window.maxActionTokens;
  live.turns.push({
    observation: live.at.observation,
    thought,
    action,
    observationTokens: p.observationTokens,
    actionTokens,
    logps: numbers(logps, from, actionTokens.length),
    entropies: numbers(entropies, from, actionTokens.length),
    version,
    contextStart: live.start,
    reward: after.reward,
    understood: after.understood,
  });
  live.at = after;
  live.score += after.reward;
  live.written += actionTokens.length;
  // A one-turn context is shared and never extended.
  if (readsOneTurn(window)) return;
  for (const token of actionTokens) live.context.push(token);
  live.cached = live.context.length - 1;
  live.cacheVersion = version;
}

/** Number of restarts after which the environment counts as broken. */
const MOST_RESTARTS = 8;

/**
 * Takes one turn in all episodes. If a connection fails, its episode restarts with the same draws,
 * so it plays the same way on a deterministic server. Rewards from before the fault are discarded.
 *
 * @returns the restarted episodes, keyed by the episodes that they replace
 * @throws {EnvironmentFault} if an episode was restarted too often, or the server rejects an action
 */
async function takeRemoteTurns(
  remote: RemotePlay,
  prompts: readonly Prompt[],
  generation: Generation,
  { agent, environment }: RolloutRequest,
  parse: Parse,
): Promise<ReadonlyMap<Live, Live>> {
  const again = new Map<Live, Live>();
  await Promise.all(
    prompts.map(async (p, e) => {
      const { live } = p;
      const said = parse(generation, e);
      const { request, index, slot } = live;
      try {
        const { action } = said;
        const after = { ...(await remote.act(live.at.state, action)), task: request.task, action };
        takeTurn(p, said, generation, e, after, agent.window);
      } catch (cause) {
        if (!remote.isFault(cause) || live.restarts >= MOST_RESTARTS) {
          throw new EnvironmentFault(environment.id, request.task, said.action, cause);
        }
        const begun = await openedRemotely(remote, environment, request);
        again.set(live, { ...seat(begun, index, slot), restarts: live.restarts + 1 });
      }
    }),
  );
  return again;
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

/** A parser of turns that caches turns of a single token. */
function parsing({ tokenizer, format, window: { maxActionTokens } }: Agent): Parse {
  const known: Said[] = [];
  return ({ tokens, lengths }, e) => {
    const from = e * maxActionTokens;
    const length = lengths[e] ?? 0;
    const first = tokens[from] ?? 0;
    const found = length === 1 ? known[first] : undefined;
    if (found !== undefined) return found;
    const actionTokens = [...tokens.subarray(from, from + length)];
    const { thought, action } = parseTurn(actionTokens, tokenizer, format);
    const said = { actionTokens, thought, action };
    if (length === 1) known[first] = said;
    return said;
  };
}

/** `count` values in an array of exactly that size: every turn of a run keeps two such arrays. */
function numbers(values: Float32Array, from: number, count: number): number[] {
  if (count === 1) return [values[from] ?? 0];
  const part = new Array<number>(count);
  for (let i = 0; i < count; i++) part[i] = values[from + i] ?? 0;
  return part;
}
