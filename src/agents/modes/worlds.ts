/**
 * The turns of a conversation as one-turn environments, derived from the environment whose tasks
 * are discussed. Their task ids are the texts that a turn is about, so critiques and refinements
 * are played, imitated and trained on like everything else.
 */
import { z } from 'zod';
import type { Advice } from '../../envs/criticism.ts';
import type { Environment, Transition } from '../../envs/types.ts';
import { EpisodeOverError, UnknownTaskError } from '../../envs/types.ts';
import { type Criticizable, critiquePrompt, debatePrompt, refinementPrompt } from './prompts.ts';

/** An answer to critique. */
export interface Answered {
  readonly task: string;
  readonly answer: string;
}

/** An answer to refine. */
export interface Criticized extends Answered {
  readonly critique: string;
}

/** An answer to revise after reading other answers. */
interface Debated extends Answered {
  readonly others: readonly string[];
}

const answered = z.strictObject({ task: z.string(), answer: z.string() });
const criticized = z.strictObject({ ...answered.shape, critique: z.string() });
const debated = z.strictObject({ ...answered.shape, others: z.array(z.string()) });

/** The task id for the subject of a turn. */
export function taskOf(about: Answered | Criticized | Debated): string {
  return JSON.stringify(about);
}

/** The state of a turn. */
interface TurnState<About> {
  readonly about: About;
  /** The text of the turn; null before it. */
  readonly reply: string | null;
}

/** Properties that distinguish the kinds of turns. */
interface TurnRules<About extends Answered> {
  /** Suffix of the derived environment's id. */
  readonly name: string;
  readonly instruction: string;
  readonly schema: z.ZodType<About>;
  prompt(question: string, about: About): string;
  /** Whether the text is correct. */
  right(about: About, reply: string): boolean;
  /** Whether the text can be parsed. */
  understood(about: About, reply: string): boolean;
  expert(about: About): string;
}

/** A one-turn environment with reward 1 for a correct text. */
function turnWorld<About extends Answered>(
  of: Criticizable,
  rules: TurnRules<About>,
): Environment<TurnState<About>> {
  const id = `${of.id}/${rules.name}`;
  const expert = ({ about, reply }: TurnState<About>) => {
    if (reply !== null) throw new EpisodeOverError(id);
    return rules.expert(about);
  };
  return {
    id,
    // Its tasks are answers, so it lists none. It shares the holdout of the underlying environment.
    trainTasks: [],
    evalTasks: [],
    holdout: of.holdout,
    turnLimit: 1,
    instruction: rules.instruction,
    lexicon: [...of.lexicon, ...of.criticism.lexicon],
    thoughtLexicon: [],
    reset(task) {
      const about = read(rules.schema, task);
      if (about === null) throw new UnknownTaskError(id, task);
      const { observation } = of.reset(about.task);
      return { state: { about, reply: null }, observation: rules.prompt(observation, about) };
    },
    step({ about, reply }, action): Transition<TurnState<About>> {
      if (reply !== null) throw new EpisodeOverError(id);
      return {
        state: { about, reply: action },
        observation: '',
        reward: Number(rules.right(about, action)),
        terminated: true,
        understood: rules.understood(about, action),
      };
    },
    success: ({ about, reply }) => reply !== null && rules.right(about, reply),
    admissibleActions: (state) => (state.reply === null ? [expert(state)] : []),
    expert: (state) => ({ thought: '', action: expert(state) }),
  };
}

function read<About>(schema: z.ZodType<About>, task: string): About | null {
  try {
    return schema.parse(JSON.parse(task));
  } catch {
    return null;
  }
}

/**
 * Answers to critique. A critique is correct if its verdict is; the expert is the annotator.
 * @param advice how much the annotator says
 */
export function critiqueWorld(environment: Criticizable, advice: Advice): Environment {
  const { criticism } = environment;
  return turnWorld<Answered>(environment, {
    name: 'critique',
    instruction:
      'Say of each step of the solution whether it is right, to the first that is not, and then whether the answer is.',
    schema: answered,
    prompt: (question, { answer }) => critiquePrompt(question, answer),
    right: ({ task, answer }, reply) =>
      criticism.read(reply)?.right === criticism.judge(task, answer).right,
    understood: (_, reply) => criticism.read(reply) !== null,
    expert: ({ task, answer }) => criticism.critique(task, answer, { advice }),
  });
}

/**
 * Answers to revise. The text is correct if it is a correct answer in the underlying
 * environment.
 */
function answerWorld<About extends Answered>(
  environment: Criticizable,
  rules: Pick<TurnRules<About>, 'name' | 'instruction' | 'schema' | 'prompt' | 'expert'>,
): Environment {
  const { criticism } = environment;
  return turnWorld(environment, {
    ...rules,
    right: ({ task }, reply) => criticism.judge(task, reply).right,
    understood: (_, reply) => criticism.final(reply) !== null,
  });
}

/** Answers to refine after a critique; the expert follows it exactly, even if it is wrong. */
export function refinementWorld(environment: Criticizable): Environment {
  const { criticism } = environment;
  return answerWorld<Criticized>(environment, {
    name: 'refinement',
    instruction: 'Write the solution again, following the critique.',
    schema: criticized,
    prompt: (question, { answer, critique }) => refinementPrompt(question, answer, critique),
    expert: ({ task, answer, critique }) => criticism.refine(task, answer, critique),
  });
}

/** Answers to revise after reading other answers; the expert gives the correct answer. */
export function debateWorld(environment: Criticizable): Environment {
  return answerWorld<Debated>(environment, {
    name: 'debate',
    instruction: 'Write the solution again, given the other solutions.',
    schema: debated,
    prompt: (question, { answer, others }) => debatePrompt(question, answer, others),
    expert: ({ task }) => environment.expert(environment.reset(task).state).action,
  });
}
