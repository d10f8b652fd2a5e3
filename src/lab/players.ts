/** A run's actor and critic, asked by a visitor between two iterations. Nothing is learned from it. */

import { type Agent, greedy } from '../agents/agent.ts';
import { outsideTraining, said, wordsOf } from '../agents/modes/conversation.ts';
import { type Criticisable, isCriticisable } from '../agents/modes/prompts.ts';
import { critiqueWorld, refinementWorld, taskOf } from '../agents/modes/worlds.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import { specialTokens } from '../policy/tokenizer.ts';
import { AGENT, CRITIC } from '../runs/checkpoint.ts';
import type { DrawnSamples, DrawnTasks, TestTimePlan } from '../runs/test-time.ts';
import { collectCritiques } from '../training/critique-data/collect.ts';
import { collectionSettings, ENOUGH_EFFORT } from '../training/critique-data/settings.ts';
import { evaluationTasks } from '../training/environments.ts';
import { splitSeed } from '../training/random.ts';
import { drawSamples } from '../training/test-time/draw.ts';
import {
  type CollectedCritiques,
  type CritiqueAuthor,
  critiqueAuthors,
  type WeighedCritique,
} from './conversation-messages.ts';

/** What was asked for cannot be had of this run; the message is one sentence that says what to do. */
export class PlayersError extends Error {
  override readonly name = 'PlayersError';
}

/** A run as far as its players are asked. */
export interface PlayedRun {
  readonly config: Config;
  readonly environment: Environment;
  readonly agents: ReadonlyMap<string, Agent>;
}

/** @throws {PlayersError} for a run without a critic. */
function playersOf({ environment, agents }: PlayedRun) {
  const [actor, critic] = [agents.get(AGENT), agents.get(CRITIC)];
  if (actor === undefined || critic === undefined || !isCriticisable(environment)) {
    throw new PlayersError(
      'This run has no critic: start a run of the recipe critique or self_improvement.',
    );
  }
  return { environment, actor, critic };
}

/**
 * What the actor answers to a task, drawn as its training answers are.
 *
 * @throws {PlayersError} for a run without a critic.
 * @throws {UnknownTaskError} for a task that the run's environment does not have.
 */
export async function answerTask(run: PlayedRun, task: string, draw: number): Promise<string> {
  const { environment, actor } = playersOf(run);
  const { answer_temperature: temperature } = run.config.critique;
  const key = { ...outsideTraining, episode: draw };
  const [trajectory] = await said({ ...actor, temperature }, environment, [task], key);
  return trajectory === undefined ? '' : wordsOf({ trajectory });
}

/**
 * What the actor makes of an answer after a visitor's critique, the critic's, and the oracle's.
 *
 * @throws {PlayersError} for a run without a critic, and for texts that its actor cannot read.
 * @throws {UnknownTaskError} for a task that the run's environment does not have.
 */
export async function weighCritique(
  run: PlayedRun,
  { task, answer, critique }: Readonly<Record<'task' | 'answer' | 'critique', string>>,
): Promise<readonly WeighedCritique[]> {
  const { environment, actor, critic } = playersOf(run);
  const { advice, tokens } = run.config.critique;
  expectReadable(actor, 'The answer', answer, actor.window.maxActionTokens);
  expectReadable(actor, 'Your critique', critique, tokens);
  const world = critiqueWorld(environment, advice);
  const [own] = await said(greedy(critic), world, [taskOf({ task, answer })], outsideTraining);
  const critiques: Readonly<Record<CritiqueAuthor, string>> = {
    visitor: critique,
    critic: own === undefined ? '' : wordsOf({ trajectory: own }),
    oracle: environment.criticism.critique(task, answer, { advice }),
  };
  const refinements = await said(
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
function expectReadable({ tokenizer }: Agent, what: string, text: string, most: number): void {
  const tokens = tokenizer.encode(text);
  // An agent may write the names of special tokens, and reads them as in training: as unknown words.
  const words = text.split(' ').filter((word) => !special.has(word));
  if (tokenizer.encode(words.join(' ')).includes(tokenizer.unk)) {
    throw new PlayersError(
      `${what} has words that this run’s agents do not know: choose one of this run’s environment and options.`,
    );
  }
  if (tokens.length > most) {
    throw new PlayersError(
      `${what} has ${tokens.length} tokens, and this run’s agents read at most ${most}: choose a shorter one.`,
    );
  }
}

/**
 * A data set of critiques as `npm run critique-data` makes it, of the run's actor.
 *
 * @throws {PlayersError} for a run without a critic.
 */
export function collectOf(
  run: PlayedRun,
  { count, seed }: { readonly count: number; readonly seed: number },
  onProgress: (fraction: number) => void,
): Promise<CollectedCritiques> {
  const { environment, actor }: { environment: Criticisable; actor: Agent } = playersOf(run);
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
 * Samples of the run's evaluation tasks, with and without its critic.
 *
 * @throws {PlayersError} for a run without a critic.
 */
export async function drawOf(
  run: PlayedRun,
  { tasks: most, draws }: TestTimePlan,
  onProgress: (fraction: number) => void,
): Promise<DrawnTasks> {
  const hearing = { ...playersOf(run), config: run.config, iteration: 0 };
  const tasks = evaluationTasks(run.environment, most);
  const drawn: DrawnSamples[] = [];
  for (const [place, plan] of draws.entries()) {
    const told = (share: number) => onProgress((place + share) / draws.length);
    drawn.push({ plan, sampled: await drawSamples(hearing, { plan, tasks, onProgress: told }) });
  }
  return { tasks, draws: drawn };
}
