/** What was said about one task, as data: what is kept with a run, shown and asked about. */

/** An answer and its refinement. The environment decides which of its steps are correct. */
export interface ConversationRecord {
  /** Task id of the environment. */
  readonly task: string;
  readonly answer: string;
  /** Null where the answer was not criticised. */
  readonly critique: string | null;
  /** What the actor wrote after the critique; null where it was not asked again. */
  readonly refinement: string | null;
  /** Conversations of an iteration with the same number are about the same answer, and are compared. */
  readonly group: number;
  /** What the critic learned from the critique; null where it learned nothing. */
  readonly learned: LearnedCritique | null;
}

/** What a critique was worth to the critic that wrote it. */
export interface LearnedCritique {
  /** 1: its verdict was rewarded. 2: what the actor made of it. */
  readonly stage: 1 | 2;
  readonly reward: number;
  /** Mean over its tokens. */
  readonly advantage: number;
}

/** A conversation that a run keeps. */
export interface KeptConversation extends ConversationRecord {
  /** Names it within its run; it is never given again. */
  readonly number: number;
  readonly iteration: number;
}
