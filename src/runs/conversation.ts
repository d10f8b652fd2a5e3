/** The conversation about one task as plain data: stored with a run and shown on the page. */

/** An answer with its critique and refinement. The environment decides which steps are correct. */
export interface ConversationRecord {
  /** Task id of the environment. */
  readonly task: string;
  readonly answer: string;
  /** Null if the answer was not critiqued. */
  readonly critique: string | null;
  /** The actor's answer after the critique; null if it was not asked again. */
  readonly refinement: string | null;
  /** Conversations with the same number in an iteration share an answer; their critiques are compared. */
  readonly group: number;
  /** How the critic was trained on the critique; null if it was not. */
  readonly learned: LearnedCritique | null;
}

/** Reward and advantage of a critique in the critic's update. */
export interface LearnedCritique {
  /** Training stage. 1: the reward is for a correct verdict. 2: for the actor's refinement. */
  readonly stage: 1 | 2;
  readonly reward: number;
  /** Mean over the critique's tokens. */
  readonly advantage: number;
}

/** A conversation stored with a run. */
export interface KeptConversation extends ConversationRecord {
  /** Unique within the run; never reused. */
  readonly number: number;
  readonly iteration: number;
}
