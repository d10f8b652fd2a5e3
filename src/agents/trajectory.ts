/** Trajectories as plain data: they survive `structuredClone` and JSON. */

/** One turn: the observation, the agent's text, and the result. */
export interface Turn {
  readonly observation: string;
  /** The text before the action; empty in the bare format. */
  readonly thought: string;
  /** The action as the environment read it. */
  readonly action: string;
  readonly observationTokens: readonly number[];
  /** The tokens as sampled, including the end token if there is one. Never re-tokenized. */
  readonly actionTokens: readonly number[];
  /** Log-probability in nats of each action token under the policy that generated it. */
  readonly logps: readonly number[];
  /** Entropy in nats of the distribution that each action token was drawn from. */
  readonly entropies: readonly number[];
  /** Policy version that generated the action. */
  readonly version: number;
  /**
   * The first turn of the episode (from 0) that the policy could read when it generated this
   * action.
   */
  readonly contextStart: number;
  readonly reward: number;
  /** Whether the environment could parse the text as an action. */
  readonly understood: boolean;
}

/** One episode. */
export interface Trajectory {
  /** The iteration in which the episode began; a partial rollout may end it in a later one. */
  readonly iteration: number;
  /** Number of the episode within that iteration. */
  readonly episode: number;
  readonly task: string;
  /**
   * Episodes of one group play the same task and are compared with each other; numbered within the
   * iteration.
   */
  readonly group: number;
  /** Maximum number of turns. */
  readonly horizon: number;
  /** Whether the first observation stayed in view when the window moved on. */
  readonly taskKept: boolean;
  readonly turns: readonly Turn[];
  /** The observation after the last action. */
  readonly finalObservation: string;
  /** Sum of rewards. */
  readonly score: number;
  /** The success predicate, independent of the score. */
  readonly success: boolean;
  /** The task ended by its own rules. */
  readonly terminated: boolean;
  /** The episode was cut off at the horizon before the task ended. */
  readonly truncated: boolean;
}

/** Number of tokens that the agent generated in an episode. */
export function agentTokens(episode: { readonly turns: readonly Turn[] }): number {
  return episode.turns.reduce((sum, turn) => sum + turn.actionTokens.length, 0);
}
