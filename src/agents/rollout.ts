import type { Environment, Transition } from '../envs/types.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { GenerateRequest, Generation, TokenPolicy } from '../policy/types.ts';
import type { DialogueWindow } from './dialogue.ts';
import { appendTurn, contextStart, contextTokens } from './dialogue.ts';
import { parseAction } from './parse.ts';
import type { Trajectory, Turn } from './trajectory.ts';

/** An episode to play. */
export interface EpisodeRequest {
  /** Number of the episode within the iteration; it keys the sampling. */
  readonly episode: number;
  readonly task: string;
  readonly group: number;
}

export interface RolloutRequest {
  readonly environment: Environment;
  readonly policy: TokenPolicy;
  readonly tokenizer: Tokenizer;
  readonly episodes: readonly EpisodeRequest[];
  readonly window: DialogueWindow;
  /** Most turns of an episode; the environment's own limit holds where it is lower. */
  readonly horizon: number;
  /** 0 takes the most probable token. */
  readonly temperature: number;
  /** Key of the sampling: the same numbers draw the same tokens. */
  readonly random: { readonly seed: number; readonly iteration: number };
  /** Called after each turn with the share of the rollout that is done, from 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
}

/** Thrown when an environment fails; an episode never ends with a silent score of 0. */
export class EnvironmentFault extends Error {
  override readonly name = 'EnvironmentFault';
  readonly environment: string;
  readonly task: string;
  /** The action that was being taken, or `null` during a reset. */
  readonly action: string | null;
  constructor(environment: string, task: string, action: string | null, cause: unknown) {
    const during = action === null ? 'reset' : `action ${JSON.stringify(action)}`;
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    super(`${environment} failed on task ${task} at ${during}: ${reason}`, { cause });
    this.environment = environment;
    this.task = task;
    this.action = action;
  }
}

/** An episode being played. */
interface Live {
  readonly request: EpisodeRequest;
  /** Position of its trajectory in the result. */
  readonly index: number;
  /** Cache slot. */
  readonly slot: number;
  state: unknown;
  observation: string;
  readonly turns: Turn[];
  score: number;
  /** Tokens the agent wrote so far. */
  written: number;
  /** The task ended by its own rules. */
  terminated: boolean;
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
 * @returns trajectories in the order of `episodes`
 * @throws {EnvironmentFault} when the environment throws.
 */
export async function rollout(request: RolloutRequest): Promise<Trajectory[]> {
  const { environment, policy, episodes } = request;
  const horizon = Math.min(request.horizon, environment.turnLimit);
  const trajectories = new Array<Trajectory | undefined>(episodes.length).fill(undefined);
  const waiting = episodes.map((episode, index) => ({ episode, index }));
  const freeSlots = Array.from({ length: policy.capacity.episodes }, (_, slot) => slot);
  let lives: Live[] = [];
  const read = remembering((text: string) => request.tokenizer.encode(text));
  let turnsPlayed = 0;
  let finished = 0;

  while (finished < episodes.length) {
    while (freeSlots.length > 0 && waiting.length > 0) {
      const slot = freeSlots.shift();
      const next = waiting.shift();
      if (slot !== undefined && next !== undefined) {
        lives.push(begin(environment, next.episode, next.index, slot));
      }
    }
    for (const prompts of split(
      lives.map((live) => prompt(live, request, read)),
      policy,
    )) {
      const generation = await policy.generate(generateRequest(prompts, request));
      for (const [e, p] of prompts.entries()) act(p, e, generation, request);
    }

    turnsPlayed += lives.length;
    const playing: Live[] = [];
    for (const live of lives) {
      if (!live.terminated && live.turns.length < horizon) {
        playing.push(live);
        continue;
      }
      trajectories[live.index] = end(live, environment);
      freeSlots.push(live.slot);
      finished++;
    }
    lives = playing;
    // Later episodes may take fewer turns, so this is a lower bound that ends at exactly 1.
    const mostTurns = turnsPlayed + (waiting.length + lives.length) * horizon;
    request.onProgress?.(finished === episodes.length ? 1 : turnsPlayed / mostTurns);
  }
  return trajectories.filter((trajectory) => trajectory !== undefined);
}

function begin(
  environment: Environment,
  request: EpisodeRequest,
  index: number,
  slot: number,
): Live {
  const { state, observation } = guard(environment, request.task, null, () =>
    environment.reset(request.task),
  );
  return {
    request,
    index,
    slot,
    state,
    observation,
    turns: [],
    score: 0,
    written: 0,
    terminated: false,
    start: 0,
    context: [],
    cached: 0,
    cacheVersion: -1,
  };
}

/** Brings an episode's context to its present turn, and says how much of it its cache still holds. */
function prompt(live: Live, request: RolloutRequest, read: (text: string) => number[]): Prompt {
  const { tokenizer, window, policy } = request;
  const observationTokens = read(live.observation);
  const turns = [...live.turns, { observationTokens }];
  const start = contextStart(turns, window);
  // A window that slid gives every token another position, and an update another value.
  const slid = start !== live.start;
  if (slid) {
    live.start = start;
    live.context = contextTokens(turns, start, tokenizer);
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

function generateRequest(prompts: readonly Prompt[], request: RolloutRequest): GenerateRequest {
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
    maxNewTokens: request.window.maxActionTokens,
    // With a window of one turn every turn is read anew.
    keepCache: request.window.historyWindow !== 1,
    endToken: request.tokenizer.end,
    temperature: request.temperature,
    random: {
      seed: request.random.seed,
      iteration: request.random.iteration,
      episodes: Uint32Array.from(prompts, ({ live }) => live.request.episode),
      offsets: Uint32Array.from(prompts, ({ live }) => live.written),
    },
  };
}

/** Takes what was written for episode `e` of a call as its action. */
function act(p: Prompt, e: number, generation: Generation, request: RolloutRequest): void {
  const { environment, tokenizer, window } = request;
  const { live } = p;
  const from = e * window.maxActionTokens;
  const to = from + (generation.lengths[e] ?? 0);
  const actionTokens = Array.from(generation.tokens.subarray(from, to));
  const action = parseAction(actionTokens, tokenizer);
  const transition: Transition<unknown> = guard(environment, live.request.task, action, () =>
    environment.step(live.state, action),
  );
  live.turns.push({
    observation: live.observation,
    action,
    observationTokens: p.observationTokens,
    actionTokens,
    logps: Array.from(generation.logps.subarray(from, to)),
    entropies: Array.from(generation.entropies.subarray(from, to)),
    version: generation.version,
    contextStart: live.start,
    reward: transition.reward,
    understood: transition.understood,
  });
  live.state = transition.state;
  live.observation = transition.observation;
  live.score += transition.reward;
  live.written += actionTokens.length;
  live.terminated = transition.terminated;
  for (const token of actionTokens) live.context.push(token);
  live.cached = live.context.length - 1;
  live.cacheVersion = generation.version;
}

function end(live: Live, environment: Environment): Trajectory {
  const lastAction = live.turns.at(-1)?.action ?? null;
  return {
    episode: live.request.episode,
    task: live.request.task,
    group: live.request.group,
    turns: live.turns,
    finalObservation: live.observation,
    score: live.score,
    success: guard(environment, live.request.task, lastAction, () =>
      environment.success(live.state),
    ),
    terminated: live.terminated,
    truncated: !live.terminated,
  };
}

function guard<T>(environment: Environment, task: string, action: string | null, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new EnvironmentFault(environment.id, task, action, cause);
  }
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
