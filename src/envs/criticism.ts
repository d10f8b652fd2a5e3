/**
 * Support for critics in environments whose tasks are answered step by step in one text: which steps are
 * correct, how a critic reports errors, and how an actor uses the critique. Any two agents can then alternate
 * answer, critique and refinement (arXiv:2411.16579, arXiv:2510.24320).
 */

/** Kinds of errors in a step, named as in critiques. */
export const faultKinds = ['form', 'operand', 'operation', 'result', 'missing', 'answer'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Where flawed answers come from (arXiv:2411.16579, §3.1). */
export const answerSources = ['sampled', 'hot', 'inserted'] as const;
export type AnswerSource = (typeof answerSources)[number];

/** A step of an answer, as judged by the oracle. */
export interface JudgedStep {
  readonly text: string;
  /** `carried`: wrong only because it uses the result of an earlier wrong step. */
  readonly verdict: 'right' | 'wrong' | 'carried';
  /** The error of a wrong step; null for the others. */
  readonly fault: FaultKind | null;
}

/** An answer, as judged by the oracle. */
export interface Judgement {
  /** Whether the final answer is correct, regardless of its steps. */
  readonly right: boolean;
  readonly steps: readonly JudgedStep[];
  /** Index of the first wrong step; null if there is none. */
  readonly firstWrong: number | null;
}

/** How much a critique says about the first wrong step, beyond the verdict on the answer. */
export const adviceNames = ['verdict', 'place', 'type', 'value'] as const;
export type Advice = (typeof adviceNames)[number];

/** A parsed critique. */
export interface ReadCritique {
  /** The verdict on the final answer. */
  readonly right: boolean;
  /** Index of the step that the critique calls wrong. */
  readonly step: number | null;
  readonly fault: FaultKind | null;
  /** The result that the step should have had, according to the critique. */
  readonly value: string | null;
}

/** What a critique says about one step. */
export interface Remark {
  readonly label: 'ok' | 'bad';
  /** The critic's own version of the step; null if it gives none. */
  readonly own: string | null;
  /** The error that the critique names, and the result the step should have had. */
  readonly fault: FaultKind | null;
  readonly value: string | null;
}

/** One version of an answer and where its correction starts. */
export interface AnswerVersion {
  readonly answer: string;
  /** Index of the step found wrong, from which the next version differs; null in the last version. */
  readonly wrong: number | null;
}

/**
 * What a critique should say. With `advice` alone the critique is correct; every other field overrides one
 * part of it.
 */
export interface CritiqueOptions {
  readonly advice: Advice;
  /** Index of the step to call wrong, ignoring all earlier ones; null calls every step correct. */
  readonly step?: number | null;
  /** The error to name for that step. */
  readonly fault?: FaultKind;
  /** The result to give for that step. */
  readonly value?: string;
  /** The verdict on the final answer, regardless of what is said about the steps. */
  readonly verdict?: boolean;
}

/**
 * Lexemes that separate the parts of a prompt. The first three precede the text they label: a solution, a
 * critique of it, the answer of another agent. The others end the prompt with the request.
 */
export const promptLexemes = {
  solution: 'Solution:',
  critique: 'Critique:',
  others: 'Others:',
  criticize: 'Criticise it.',
  improve: 'Improve it.',
} as const;

export interface Criticism {
  /**
   * Lexemes of critiques and of their prompts (`promptLexemes`) that are not in the environment's own
   * lexicon.
   */
  readonly lexicon: readonly string[];
  /** Number of levels, counted from 1. Higher levels have more steps. */
  readonly levels: number;
  level(task: string): number;
  /**
   * Indices of the steps that need something withheld from `Environment.shownTasks`; empty if the expert may
   * show every training task.
   */
  withheld(task: string): readonly number[];
  /** Possible results of a step, as text. */
  readonly values: readonly string[];
  /**
   * Maximum number of tokens in a question, an answer and a critique, including the end token. A lexeme is
   * one token.
   */
  readonly longest: {
    readonly question: number;
    readonly answer: number;
    readonly critique: number;
  };
  /**
   * The oracle. It judges any text. The answer line counts as a step, even if it is missing (a step without
   * text), so an incorrect answer always has a first wrong step.
   */
  judge(task: string, answer: string): Judgement;
  /**
   * The annotator: comments on each step up to the first wrong one, then gives the verdict. The critique is
   * true unless the options override it.
   * @throws {RangeError} if `options.step` is not the index of a judged step
   */
  critique(task: string, answer: string, options: CritiqueOptions): string;
  /**
   * Parses a critique by position: exactly one verdict, at the end. Null for a malformed critique, which
   * counts as wrong.
   */
  read(critique: string): ReadCritique | null;
  /** The remarks on the steps, in order. For a malformed critique, the remarks that can be parsed. */
  remarks(critique: string): readonly Remark[];
  /**
   * Joins an answer and its corrected versions into one text, with a comment on each step (self-talk,
   * arXiv:2411.16579). The text is itself an answer, in which the last version of each step counts. Null if a
   * version does not continue the one before it.
   */
  monologue(versions: readonly AnswerVersion[]): string | null;
  /** The final answer as text, for majority voting; null if the text has none. */
  final(answer: string): string | null;
  /** The first `steps` steps of an answer, as a prefix that the actor continues. */
  upTo(answer: string, steps: number): string;
  /** Completes an answer, correct or not, without adding another error. */
  finish(task: string, begun: string): string;
  /**
   * A correct answer up to and including a step (from 0) with an error of the given kind, as a prefix that
   * the actor continues; null if that step cannot have this error. Once completed, the answer is wrong unless
   * the error affects only the form.
   * @param random returns numbers in [0, 1)
   */
  flawed(task: string, step: number, kind: FaultKind, random: () => number): string | null;
  /**
   * What an actor writes if it follows a critique exactly. An answer that is called correct, or whose
   * critique cannot be parsed, is repeated unchanged. Otherwise the steps before the one called wrong are
   * kept, that step gets the result that the critique gives (or the correct one), and correct steps follow.
   * If the critique names no step, the first step that is actually wrong takes its place.
   */
  refine(task: string, answer: string, critique: string): string;
}
