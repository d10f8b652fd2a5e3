/** Plain data throughout: a trajectory survives `structuredClone` and JSON. */

/** One turn: what the agent read, what it wrote, and what the environment made of it. */
export interface Turn {
  readonly observation: string;
  /** What the agent wrote before its action; empty in the bare format. */
  readonly thought: string;
  /** The action as the environment read it. */
  readonly action: string;
  readonly observationTokens: readonly number[];
  /** The tokens as sampled, the end token included if it was written. Never re-tokenised. */
  readonly actionTokens: readonly number[];
  /** Log-probability in nats of each action token under the policy that wrote it. */
  readonly logps: readonly number[];
  /** Entropy in nats of the distribution that each action token was drawn from. */
  readonly entropies: readonly number[];
  /** Policy version that wrote the action. */
  readonly version: number;
  /** The first turn of the episode (from 0) that the policy could read when it wrote this action. */
  readonly contextStart: number;
  readonly reward: number;
  /** Whether the text was an action the environment understands. */
  readonly understood: boolean;
}

/** One episode. */
export interface Trajectory {
  /** The iteration in which the episode began; a partial rollout may end it in a later one. */
  readonly iteration: number;
  /** Number of the episode within that iteration. */
  readonly episode: number;
  readonly task: string;
  /** Episodes of one group play the same task and are compared; numbered within that iteration. */
  readonly group: number;
  /** Most turns that it could take. */
  readonly horizon: number;
  /** Whether the first observation was read in every turn, however far the window had moved on. */
  readonly taskKept: boolean;
  readonly turns: readonly Turn[];
  /** What the environment said after the last action. */
  readonly finalObservation: string;
  /** Sum of rewards. */
  readonly score: number;
  /** The success predicate, apart from the score. */
  readonly success: boolean;
  /** The task ended by its own rules. */
  readonly terminated: boolean;
  /** The horizon cut the episode before it ended by itself. */
  readonly truncated: boolean;
}

/** How many tokens the agent wrote in an episode. */
export function agentTokens(episode: { readonly turns: readonly Turn[] }): number {
  return episode.turns.reduce((sum, turn) => sum + turn.actionTokens.length, 0);
}
