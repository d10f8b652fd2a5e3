/**
 * What an environment whose tasks are answered step by step, in one text, knows of such answers:
 * which of their steps hold, how a critic says so, and what an actor makes of it. With it any two
 * agents can play answer, critique and refinement (arXiv:2411.16579, arXiv:2510.24320).
 */

/** What is wrong with a step, each named as critiques name it. */
export const faultKinds = ['form', 'operand', 'operation', 'result', 'missing', 'answer'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** How flawed answers come about (arXiv:2411.16579, §3.1). */
export const answerSources = ['sampled', 'hot', 'inserted'] as const;
export type AnswerSource = (typeof answerSources)[number];

/** A step of an answer as the oracle sees it. */
export interface JudgedStep {
  readonly text: string;
  /** `carried`: it follows from an earlier wrong one, and is itself as it should be after that. */
  readonly verdict: 'right' | 'wrong' | 'carried';
  /** What is wrong with a wrong one. */
  readonly fault: FaultKind | null;
}

/** An answer as the oracle sees it. */
export interface Judgement {
  /** Whether the final answer is right, however it was come by. */
  readonly right: boolean;
  readonly steps: readonly JudgedStep[];
  /** The first wrong step, from 0; null where none is. */
  readonly firstWrong: number | null;
}

/** How much a critique says of the first wrong step beside that the answer is wrong. */
export const adviceNames = ['verdict', 'place', 'type', 'value'] as const;
export type Advice = (typeof adviceNames)[number];

/** A critique as it is read. */
export interface ReadCritique {
  /** The verdict on the final answer. */
  readonly right: boolean;
  /** The step that it calls wrong, from 0. */
  readonly step: number | null;
  readonly fault: FaultKind | null;
  /** What the step should have come to, as the critique has it. */
  readonly value: string | null;
}

/** What a critique says of one step. */
export interface Remark {
  readonly label: 'ok' | 'bad';
  /** The step as the critic has it itself; null where it says none. */
  readonly own: string | null;
  /** What it says is wrong, and what the step should have come to. */
  readonly fault: FaultKind | null;
  readonly value: string | null;
}

/** An answer, and what became of it. */
export interface AnswerVersion {
  readonly answer: string;
  /** The step, from 0, that was found wrong, from which on the next version goes another way; null in the last. */
  readonly wrong: number | null;
}

/** What a critique is to say. With `advice` alone it is true; each of the others makes it say that instead. */
export interface CritiqueOptions {
  readonly advice: Advice;
  /** The step that it calls wrong, from 0, passing over all before it; null calls everything right. */
  readonly step?: number | null;
  /** What it says is wrong with that step. */
  readonly fault?: FaultKind;
  /** What it says that step should have come to. */
  readonly value?: string;
  /** What it calls the final answer, whatever it says of the steps. */
  readonly verdict?: boolean;
}

/**
 * Lexemes that tell prompts apart, each after the text that it is about: a solution to be read, a critique of it,
 * answers of others; then what is asked for.
 */
export const promptLexemes = {
  solution: 'Solution:',
  critique: 'Critique:',
  others: 'Others:',
  criticise: 'Criticise it.',
  improve: 'Improve it.',
} as const;

export interface Criticism {
  /**
   * Lexemes of critiques and of the prompts around them (`promptLexemes`); none of the environment's own
   * again.
   */
  readonly lexicon: readonly string[];
  /** Tasks have levels 1 to so many; a higher one has more steps. */
  readonly levels: number;
  level(task: string): number;
  /**
   * Steps of a task, from 0, that need what no task of `Environment.shownTasks` has in it; none where the
   * expert shows everything.
   */
  withheld(task: string): readonly number[];
  /** Values that a step can come to, as text. */
  readonly values: readonly string[];
  /** Most tokens of a question, and of an answer and a critique with their end token; a lexeme is a token. */
  readonly longest: {
    readonly question: number;
    readonly answer: number;
    readonly critique: number;
  };
  /**
   * The oracle. Any text can be judged. Its steps include the line of the answer, and a line that is not there but
   * should be, as a step without text: so an answer that is not right always has a first wrong step.
   */
  judge(task: string, answer: string): Judgement;
  /**
   * The annotator: step by step to the first wrong one, the verdict last. True, unless the options say otherwise.
   *
   * @throws {RangeError} where `options.step` is none of the judged steps.
   */
  critique(task: string, answer: string, options: CritiqueOptions): string;
  /**
   * Reads a critique by position: exactly one verdict, in the last place. Null for one that is malformed, which
   * counts as wrong whatever it says.
   */
  read(critique: string): ReadCritique | null;
  /** What a critique says of the steps that it speaks of, from the first on; of a malformed one, as far as it can be read. */
  remarks(critique: string): readonly Remark[];
  /**
   * One text of an answer and its mended versions, with what was thought of each step (self-talk,
   * arXiv:2411.16579). It is an answer again, of which the last version of each step counts. Null where
   * the versions do not go on from each other.
   */
  monologue(versions: readonly AnswerVersion[]): string | null;
  /** What an answer comes to, as text, which majorities count; null for one that comes to nothing. */
  final(answer: string): string | null;
  /** The first so many steps of an answer, as the text that the actor goes on from. */
  upTo(answer: string, steps: number): string;
  /** A whole answer from its first steps, right or wrong: what follows from them without another error. */
  finish(task: string, begun: string): string;
  /**
   * A right answer up to and with a step (from 0) that has an error of a kind, as the text that the
   * actor goes on from; null where that step cannot have it. Finished, it is not right, but where the
   * error is one of form alone.
   *
   * @param random from 0 up to 1
   */
  flawed(task: string, step: number, kind: FaultKind, random: () => number): string | null;
  /**
   * What an actor writes that follows a critique to the letter: an answer that is called right again
   * as it is, as is one whose critique cannot be read; else the steps before the one that is called wrong, that step with the value that it is
   * said to come to (its right one where none is said), and right steps on from there. Where no step is
   * named, the steps before the one that is in fact wrong, and right ones from there.
   */
  refine(task: string, answer: string, critique: string): string;
}
