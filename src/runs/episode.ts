import type { EnvironmentOptions } from '../envs/types.ts';

/** Episodes as plain data: stored, shown, replayed and exchanged. */

/** One token that the agent generated. */
export interface EpisodeToken {
  readonly text: string;
  /** Probability under the policy that generated it, in [0, 1]. */
  readonly probability: number;
}

/** One turn: observation, generated text and result. */
export interface EpisodeTurn {
  readonly observation: string;
  /** The text before the action; empty in the bare format. */
  readonly thought: string;
  /** All generated tokens, in order; empty if the player is not a policy. */
  readonly tokens: readonly EpisodeToken[];
  /** The action text passed to the environment. */
  readonly action: string;
  readonly understood: boolean;
  readonly reward: number;
}

/** A single environment; episodes of a mixture name the part they belong to. */
export interface EnvironmentRef {
  readonly id: string;
  readonly options: EnvironmentOptions;
}

/** An episode as stored and shown; states are recomputed by replaying the actions. */
export interface EpisodeRecord {
  readonly environment: EnvironmentRef;
  /** The environment's own task id, also in a mixture. */
  readonly taskId: string;
  readonly turns: readonly EpisodeTurn[];
  /** The observation after the last action. */
  readonly finalObservation: string;
  readonly success: boolean;
  /** Truncated by the horizon, not terminated by the task's rules. */
  readonly truncated: boolean;
  readonly score: number;
}
