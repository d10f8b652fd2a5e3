import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Agent } from '../agents/agent.ts';
import { greedy } from '../agents/agent.ts';
import { ContextOverflowError } from '../agents/dialogue.ts';
import { play } from '../agents/play.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import { clusteredMean, clusteredShare } from '../algorithms/clustered.ts';
import { passAtK } from '../algorithms/pass-at-k.ts';
import type { Config } from '../config/schema.ts';
import { begin, play as playOn, type Standing, solved } from '../envs/episode.ts';
import { createEnvironment, offeredFamilies } from '../envs/registry.ts';
import type { Environment, EnvironmentOptions } from '../envs/types.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type {
  EnvironmentReport,
  EvaluationReport,
  Player,
  PlayerResult,
  Trained,
} from '../runs/evaluation-report.ts';
import { episodeRecord } from './look/episode-record.ts';
import { RandomStream } from './random.ts';
import { mean } from './sums.ts';

/** An environment to evaluate. */
interface EvaluatedEnvironment {
  readonly environment: Environment;
  /** Its options, for the report. */
  readonly options: EnvironmentOptions;
}

/**
 * The environments in which to evaluate an agent of this config. Training environments keep their
 * training options; others use their defaults.
 *
 * @param wanted ids, or all selectable ones
 * @throws {UnknownEnvironmentError} for an id that is not registered
 */
export function evaluatedEnvironments(
  { env }: Config,
  wanted: 'trained' | 'all' | readonly string[],
): EvaluatedEnvironment[] {
  const trained = env.mixture.length === 0 ? [env] : env.mixture;
  const ids = wanted === 'all' ? offeredFamilies.map(({ id }) => id) : wanted;
  const chosen =
    ids === 'trained'
      ? trained
      : ids.map((id) => trained.find((part) => part.id === id) ?? { id, options: {} });
  return chosen.map(({ id, options }) => ({
    environment: createEnvironment(id, options),
    options,
  }));
}

export interface EvaluationRequest {
  readonly agent: Agent;
  /** The tokenizer for an environment, if it depends on the environment; by default the agent's. */
  readonly tokenizerFor?: (environment: Environment) => Tokenizer;
  /** Config of the run that trained it. */
  readonly trained: Trained & { readonly config: Config };
  readonly environments: readonly EvaluatedEnvironment[];
  /** Evaluation tasks per environment, starting with the first; 0 for all. */
  readonly tasks: number;
  /** Episodes per task for the sampled and the random agent; at least 1. */
  readonly samples: number;
  /** Seed of all draws; training's random streams are not used. */
  readonly seed: number;
  /** Called with the fraction of the work done, 0 to 1. If it throws, the evaluation ends. */
  readonly onProgress?: (fraction: number) => void;
  /** Awaited between episodes, so that a worker can receive messages. */
  readonly breathe?: () => Promise<void>;
}

interface EvaluatedAgent {
  readonly report: EvaluationReport;
  /** The greedy agent's episodes, one per task, environment by environment. */
  readonly greedy: readonly EpisodeRecord[];
}

/**
 * Plays the evaluation tasks of environments with the agent (greedy and sampled), the expert and a
 * random agent. Nothing is learned.
 *
 * @throws {EnvironmentFault} if the environment fails
 */
export async function evaluateAgents(request: EvaluationRequest): Promise<EvaluatedAgent> {
  const { agent, trained, environments, seed, onProgress = () => {} } = request;
  const environmentReports: EnvironmentReport[] = [];
  const greedy: EpisodeRecord[] = [];
  for (const [i, evaluated] of environments.entries()) {
    const found = await evaluateIn(evaluated, request, (fraction) =>
      onProgress((i + fraction) / environments.length),
    );
    environmentReports.push(found.report);
    greedy.push(...found.greedy);
  }
  const { iteration, turns, tokens } = trained;
  return {
    report: {
      trained: { iteration, turns, tokens },
      seed,
      temperature: agent.temperature,
      environments: environmentReports,
    },
    greedy,
  };
}

/** Outcome of an episode. */
interface Outcome {
  readonly success: boolean;
  readonly score: number;
  readonly turns: number;
}

async function evaluateIn(
  { environment, options }: EvaluatedEnvironment,
  { agent, tokenizerFor, trained, tasks: most, samples, seed, breathe }: EvaluationRequest,
  onProgress: (fraction: number) => void,
): Promise<{ report: EnvironmentReport; greedy: EpisodeRecord[] }> {
  const tasks = most === 0 ? environment.evalTasks : environment.evalTasks.slice(0, most);
  const limit = trained.config.evaluation.horizon || environment.turnLimit;
  const horizon = Math.min(limit, environment.turnLimit);
  // The greedy agent and the expert play each task once, the other two `samples` times.
  const plays = 2 + 2 * samples;
  const progress = (before: number, own: number) => (fraction: number) =>
    onProgress((before + own * fraction) / plays);

  const played = await agentEpisodes(
    { ...agent, seed, tokenizer: tokenizerFor?.(environment) ?? agent.tokenizer },
    environment,
    tasks,
    horizon,
    samples,
    progress(0, 1 + samples),
  );
  const baseline = { environment, tasks, horizon, breathe };
  const expert = await playTexts(baseline, 1, expertActions(environment), progress(1 + samples, 1));
  const random = await playTexts(
    baseline,
    samples,
    randomActions(environment, seed),
    progress(2 + samples, samples),
  );

  const reference = { id: environment.id, options };
  const { cluster, sentence } = environment.holdout;
  const clusters = tasks.map((task) => cluster?.of(task) ?? task);
  const count = new Set(clusters).size;
  const results =
    'unable' in played
      ? []
      : [
          summarize(
            'greedy',
            played.greedy.map((trajectory) => [outcome(trajectory)]),
            clusters,
          ),
          summarize('sampled', grouped(played.sampled.map(outcome), samples), clusters),
        ];
  return {
    report: {
      environment: reference,
      tasks: tasks.length,
      clusters:
        cluster === undefined || count === tasks.length ? null : { name: cluster.name, count },
      asks: sentence,
      horizon,
      agentUnable: 'unable' in played ? played.unable : null,
      results: [
        ...results,
        summarize('expert', expert, clusters),
        summarize('random', random, clusters),
      ],
    },
    greedy:
      'unable' in played
        ? []
        : played.greedy.map((trajectory) => ({
            ...episodeRecord(trained.config, null, trajectory),
            environment: reference,
          })),
  };
}

/** The agent's episodes by task, or the reason why it cannot play in this environment. */
async function agentEpisodes(
  agent: Agent,
  environment: Environment,
  tasks: readonly string[],
  horizon: number,
  samples: number,
  onProgress: (fraction: number) => void,
): Promise<{ greedy: Trajectory[]; sampled: Trajectory[] } | { unable: string }> {
  const lacking = unknownLexemes(environment, agent.tokenizer);
  if (lacking.length > 0) {
    const all = environment.lexicon.length;
    return {
      unable: `its vocabulary lacks ${lacking.length} of ${all} lexemes, such as ${JSON.stringify(lacking[0])}.`,
    };
  }
  const once = tasks.map((task) => ({ task, horizon }));
  const often = once.flatMap((episode) => new Array<typeof episode>(samples).fill(episode));
  try {
    const best = await play(greedy(agent), environment, once, (fraction) =>
      onProgress(fraction / (1 + samples)),
    );
    const sampled = await play(agent, environment, often, (fraction) =>
      onProgress((1 + samples * fraction) / (1 + samples)),
    );
    return { greedy: best, sampled };
  } catch (error) {
    if (!(error instanceof ContextOverflowError)) throw error;
    return { unable: `${error.message}.` };
  }
}

/** Lexemes of an environment that a vocabulary cannot encode. */
function unknownLexemes({ lexicon }: Environment, tokenizer: Tokenizer): string[] {
  return lexicon.filter((lexeme) => tokenizer.encode(lexeme).includes(tokenizer.unk));
}

/** Chooses an action for a state. */
type Actions = (state: unknown) => string;

function expertActions(environment: Environment): Actions {
  return (state) => environment.expert(state).action;
}

function randomActions(environment: Environment, seed: number): Actions {
  const stream = new RandomStream(xoroshiro128plus(seed | 0));
  return (state) => {
    const actions = environment.admissibleActions(state);
    const action = actions.length === 0 ? undefined : actions[stream.below(actions.length)];
    if (action === undefined)
      throw new Error('no action is admissible, but the episode is not over');
    return action;
  };
}

interface Baseline {
  readonly environment: Environment;
  readonly tasks: readonly string[];
  readonly horizon: number;
  readonly breathe: (() => Promise<void>) | undefined;
}

/** Plays tasks without a policy and returns the outcomes of each task. */
async function playTexts(
  { environment, tasks, horizon, breathe }: Baseline,
  episodes: number,
  actions: Actions,
  onProgress: (fraction: number) => void,
): Promise<Outcome[][]> {
  const outcomes: Outcome[][] = [];
  for (const task of tasks) {
    outcomes.push(
      Array.from({ length: episodes }, () => playText(environment, task, horizon, actions)),
    );
    onProgress(outcomes.length / tasks.length);
    await breathe?.();
  }
  return outcomes;
}

function playText(
  environment: Environment,
  task: string,
  horizon: number,
  actions: Actions,
): Outcome {
  let at: Standing = begin(environment, task);
  let [score, turns] = [0, 0];
  const choose = ({ state }: Standing) => ({ action: actions(state) });
  for (const { after } of playOn(environment, at, choose, horizon)) {
    at = after;
    score += after.reward;
    turns += 1;
  }
  return { success: solved(environment, at), score, turns };
}

function outcome({ success, score, turns }: Trajectory): Outcome {
  return { success, score, turns: turns.length };
}

/** Splits items into consecutive groups of `size`. */
function grouped<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: items.length / size }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** Range of every environment's score, enforced by the conformance suite. */
const SCORES = [0, 1] as const;

/**
 * @param outcomes by task; the same number for every task
 * @param clusters cluster of each task
 */
function summarize(
  player: Player,
  outcomes: readonly (readonly Outcome[])[],
  clusters: readonly string[],
): PlayerResult {
  const episodes = outcomes[0]?.length ?? 0;
  const solved = outcomes.map((of) => of.filter(({ success }) => success).length);
  const rate = (k: number) =>
    clusteredShare(
      solved.map((c) => passAtK(episodes, c, k)),
      clusters,
    );
  const varies = player === 'sampled' || player === 'random';
  return {
    player,
    episodesPerTask: episodes,
    // pass@1 is the success rate.
    success: rate(1),
    score: clusteredMean(
      outcomes.map((of) => mean(of, ({ score }) => score)),
      clusters,
      SCORES,
    ),
    turns: mean(outcomes.flat(), ({ turns }) => turns),
    passAtK: varies ? Array.from({ length: episodes }, (_, i) => rate(i + 1)) : [],
  };
}
