import type { EnvironmentOptions } from '../envs/types.ts';

/** Episodes as data: what is kept, shown, replayed and exchanged. */

/** One token that the agent wrote. */
export interface EpisodeToken {
  readonly text: string;
  /** Probability the policy gave it when writing it, in [0, 1]. */
  readonly probability: number;
}

/** One turn: observation, text, and result. */
export interface EpisodeTurn {
  readonly observation: string;
  /** What the agent wrote before its action; empty in the bare format. */
  readonly thought: string;
  /** Everything it wrote, token by token; empty where no policy wrote it. */
  readonly tokens: readonly EpisodeToken[];
  /** The action text handed to the environment. */
  readonly action: string;
  readonly understood: boolean;
  readonly reward: number;
}

/** A single environment; a mixture's episodes name the part that they are of. */
export interface EnvironmentRef {
  readonly id: string;
  readonly options: EnvironmentOptions;
}

/** One episode as it is kept and shown; states are re-enacted from the actions. */
export interface EpisodeRecord {
  readonly environment: EnvironmentRef;
  /** The environment's own id of the task, also in a mixture. */
  readonly taskId: string;
  readonly turns: readonly EpisodeTurn[];
  /** What the environment said after the last action. */
  readonly finalObservation: string;
  readonly success: boolean;
  /** Cut by the horizon, not ended by the task's own rules. */
  readonly truncated: boolean;
  readonly score: number;
}
