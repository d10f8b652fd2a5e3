/** An episode in a file of another tool. */

export interface RolloutMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Whether the policy wrote it; false for prompts, observations and given answers. */
  readonly sampled: boolean;
  /** Means over its sampled tokens, if the file has them. */
  readonly logProbability?: number;
  readonly advantage?: number;
  readonly entropy?: number;
  /** Mean log-probability difference between sampler and trainer. */
  readonly mismatch?: number;
}

export interface RolloutEpisode {
  /** Training step; null if the file does not say. */
  readonly step: number | null;
  /** Same for all episodes of one task. */
  readonly task: string | null;
  readonly messages: readonly RolloutMessage[];
  readonly reward: number | null;
  /** A success predicate separate from the reward, if the file has one. */
  readonly success: boolean | null;
  readonly advantage: number | null;
  /** Whether a token or turn limit truncated it; null if the file does not say. */
  readonly truncated: boolean | null;
  /** Number of generated tokens; null if the file does not say. */
  readonly tokens: number | null;
  /** An error that ended it. */
  readonly error: string | null;
  /** Its other numbers, such as reward components. */
  readonly numbers: Readonly<Record<string, number>>;
}

export const sampledText = ({ messages }: Pick<RolloutEpisode, 'messages'>): string =>
  messages
    .filter(({ sampled }) => sampled)
    .map(({ text }) => text)
    .join('\n');

export const promptText = ({ messages }: Pick<RolloutEpisode, 'messages'>): string =>
  messages
    .filter(({ sampled }) => !sampled)
    .map(({ text }) => text)
    .join('\n');
