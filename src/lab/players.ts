/** Answers of a run's actor and critic between iterations. They do not affect training. */

import { type Agent, greedy } from '../agents/agent.ts';
import { askAgent, outsideTraining, wordsOf } from '../agents/modes/conversation.ts';
import { type Criticizable, isCriticizable } from '../agents/modes/prompts.ts';
import { critiqueWorld, refinementWorld, taskOf } from '../agents/modes/worlds.ts';
import { recipesWithCritic } from '../config/recipes.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import { specialTokens } from '../policy/tokenizer.ts';
import { AGENT, CRITIC } from '../runs/checkpoint.ts';
import type { DrawnSamples, DrawnTasks, TestTimePlan } from '../runs/test-time.ts';
import { type Collection, collectCritiques } from '../training/critique-data/collect.ts';
import { collectionSettings, ENOUGH_EFFORT } from '../training/critique-data/settings.ts';
import { evaluationTasks } from '../training/environments.ts';
import { splitSeed } from '../training/random.ts';
import { drawSamples } from '../training/test-time/draw.ts';

/** Authors of the critiques that are compared. */
const critiqueAuthors = ['visitor', 'critic', 'oracle'] as const;
type CritiqueAuthor = (typeof critiqueAuthors)[number];

/** A critique, and the actor's greedy refinement after it. */
export interface Refinement {
  readonly author: CritiqueAuthor;
  readonly critique: string;
  readonly refinement: string;
}

/** Thrown if the run cannot answer the question; the message is one sentence that says what to do. */
class PlayersError extends Error {
  override readonly name = 'PlayersError';
}

/** The parts of a trainer that are used here. */
export interface PlayedRun {
  readonly config: Config;
  readonly environment: Environment;
  readonly agents: ReadonlyMap<string, Agent>;
}

/** @throws {PlayersError} for a run without a critic. */
function playersOf({ environment, agents }: PlayedRun) {
  const [actor, critic] = [agents.get(AGENT), agents.get(CRITIC)];
  if (actor === undefined || critic === undefined || !isCriticizable(environment)) {
    throw new PlayersError(
      `This run has no critic: start a run with the recipe ${recipesWithCritic.join(' or ')}.`,
    );
  }
  return { environment, actor, critic };
}

/**
 * The actor's answer to a task, sampled as in training.
 *
 * @throws {PlayersError} for a run without a critic.
 * @throws {UnknownTaskError} for a task that the run's environment does not have.
 */
export async function answerTask(run: PlayedRun, task: string, draw: number): Promise<string> {
  const { environment, actor } = playersOf(run);
  const { answer_temperature: temperature } = run.config.critique;
  const key = { ...outsideTraining, episode: draw };
  const [trajectory] = await askAgent({ ...actor, temperature }, environment, [task], key);
  return trajectory === undefined ? '' : wordsOf({ trajectory });
}

/**
 * The actor's greedy refinements of an answer, one per critique: the user's, the critic's and the
 * oracle's.
 *
 * @throws {PlayersError} for a run without a critic, and for texts with unknown words or too many
 *   tokens.
 * @throws {UnknownTaskError} for a task that the run's environment does not have.
 */
export async function compareCritiques(
  run: PlayedRun,
  { task, answer, critique }: Readonly<Record<'task' | 'answer' | 'critique', string>>,
): Promise<readonly Refinement[]> {
  const { environment, actor, critic } = playersOf(run);
  const { advice, tokens } = run.config.critique;
  checkReadable(actor, 'The answer', answer, actor.window.maxActionTokens);
  checkReadable(actor, 'Your critique', critique, tokens);
  const world = critiqueWorld(environment, advice);
  const [own] = await askAgent(greedy(critic), world, [taskOf({ task, answer })], outsideTraining);
  const critiques: Readonly<Record<CritiqueAuthor, string>> = {
    visitor: critique,
    critic: own === undefined ? '' : wordsOf({ trajectory: own }),
    oracle: environment.criticism.critique(task, answer, { advice }),
  };
  const refinements = await askAgent(
    greedy(actor),
    refinementWorld(environment),
    critiqueAuthors.map((author) => taskOf({ task, answer, critique: critiques[author] })),
    outsideTraining,
  );
  return critiqueAuthors.map((author, i) => {
    const trajectory = refinements[i];
    const refinement = trajectory === undefined ? '' : wordsOf({ trajectory });
    return { author, critique: critiques[author], refinement };
  });
}

const special: ReadonlySet<string> = new Set(specialTokens);

/** @throws {PlayersError} */
function checkReadable({ tokenizer }: Agent, what: string, text: string, limit: number): void {
  const tokens = tokenizer.encode(text);
  // Agents may write special tokens as text; they are read as unknown words, as in training.
  const words = text.split(' ').filter((word) => !special.has(word));
  if (tokenizer.encode(words.join(' ')).includes(tokenizer.unk)) {
    throw new PlayersError(
      `${what} has words that are not in this run’s vocabulary. Use only words that occur in this run’s environment.`,
    );
  }
  if (tokens.length > limit) {
    throw new PlayersError(
      `${what} has ${tokens.length} tokens; this run’s agents read at most ${limit}. Use a shorter one.`,
    );
  }
}

/**
 * A data set of critiques of the actor's answers, as `npm run critique-data` makes it.
 *
 * @throws {PlayersError} for a run without a critic.
 */
export function collectFrom(
  run: PlayedRun,
  { count, seed }: { readonly count: number; readonly seed: number },
  onProgress: (fraction: number) => void,
): Promise<Collection> {
  const { environment, actor }: { environment: Criticizable; actor: Agent } = playersOf(run);
  return collectCritiques(
    {
      ...collectionSettings(run.config.critique),
      ...{ count, distinct: true, effort: ENOUGH_EFFORT },
    },
    environment,
    actor,
    splitSeed(seed).criticism,
    onProgress,
  );
}

/**
 * Test-time samples of evaluation tasks, with and without the critic.
 *
 * @throws {PlayersError} for a run without a critic.
 */
export async function drawFrom(
  run: PlayedRun,
  { tasks: limit, draws }: TestTimePlan,
  onProgress: (fraction: number) => void,
): Promise<DrawnTasks> {
  const players = { ...playersOf(run), config: run.config, iteration: 0 };
  const tasks = evaluationTasks(run.environment, limit);
  const drawn: DrawnSamples[] = [];
  for (const [index, plan] of draws.entries()) {
    const onShare = (share: number) => onProgress((index + share) / draws.length);
    drawn.push({ plan, sampled: await drawSamples(players, { plan, tasks, onProgress: onShare }) });
  }
  return { tasks, draws: drawn };
}
