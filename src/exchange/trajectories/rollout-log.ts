/**
 * The rollout log of AgentGym-RL (arXiv:2509.08755): in each training step every worker writes
 * `step{N}/{rank}.json`, a JSON list of
 *
 *     {"item_id": 7, "conversations": [{"role": "user", "content": "…"}, …], "reward": 1.0}
 *
 * Roles are `user` (environment), `assistant` (agent) and an optional leading `system`. As in AgentTraj,
 * an instruction and the agent's confirmation come first, but unmarked: an assistant message that starts
 * with `OK` before the first turn is taken as the confirmation. The trainer reduces `item_id` to the
 * number after the last underscore; files with the whole id are accepted too.
 */

import { z } from 'zod';
import { trajectoryLimits } from '../../files/limits.ts';
import { list } from '../../files/schema.ts';
import type { EpisodeRecord } from '../../runs/episode.ts';
import {
  ASSENT,
  type Dialogue,
  instructionMessage,
  instructionReader,
  itemError,
  itemLines,
  type Message,
  mapEach,
  readDialogue,
  readItem,
  readItems,
  writeReAct,
} from './trajectory-file.ts';

interface RolloutLogMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** One episode. Field order is part of the layout. */
export interface RolloutLogItem {
  readonly item_id: number | string;
  readonly conversations: readonly RolloutLogMessage[];
  readonly reward: number;
}

/** Path of an iteration's log below the log folder; there is one worker. */
export function rolloutLogPath(iteration: number): string {
  return `step${iteration}/0.json`;
}

/** Converts an episode to the layout. `instruction` is the environment's. */
export function rolloutLogItem(record: EpisodeRecord, instruction: string): RolloutLogItem {
  const user = (content: string): RolloutLogMessage => ({ role: 'user', content });
  const assistant = (content: string): RolloutLogMessage => ({ role: 'assistant', content });
  return {
    item_id: taskNumber(record.taskId) ?? record.taskId,
    conversations: [
      user(instructionMessage(instruction)),
      assistant(ASSENT),
      ...record.turns.flatMap((turn) => [user(turn.observation), assistant(writeReAct(turn))]),
      user(record.finalObservation),
    ],
    reward: record.score,
  };
}

/** The number after the last underscore of a task id, or null. */
export function taskNumber(taskId: string): number | null {
  const digits = /_(\d{1,15})$/.exec(taskId)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Yields the file's text in chunks. */
export function* writeRolloutLog(records: Iterable<EpisodeRecord>): Generator<string> {
  const instructionOf = instructionReader();
  yield* itemLines(
    mapEach(records, (record) => rolloutLogItem(record, instructionOf(record.environment))),
  );
}

const itemSchema = z.object(
  {
    item_id: z.union(
      [
        z.int({ error: 'must be an integer or a string' }),
        z.string().min(1, { error: 'must be a non-empty string' }),
      ],
      { error: 'must be an integer or a non-empty string' },
    ),
    conversations: list(
      z.object(
        {
          role: z.enum(['system', 'user', 'assistant'], {
            error: 'must be "system", "user" or "assistant"',
          }),
          content: z.string({ error: 'must be a string' }),
        },
        { error: 'must be an object with role and content' },
      ),
      { max: trajectoryLimits.messages, error: 'must be a list of messages' },
    ).refine((messages) => messages.length > 0, { error: 'must hold at least one message' }),
    reward: z.number({ error: 'must be a number' }),
  },
  { error: 'must be an object with item_id, conversations and reward' },
);

const SPEAKER = { field: 'role', names: { environment: 'user', agent: 'assistant' } } as const;

/**
 * Parses a file.
 *
 * @throws {TrajectoryFileError} naming the first invalid item and field; items and messages count
 *   from 0.
 */
export function readRolloutLog(text: string): readonly Dialogue[] {
  return rolloutLogDialogues(readItems(text));
}

/** Like `readRolloutLog`, for parsed items. */
export function rolloutLogDialogues(items: readonly unknown[]): readonly Dialogue[] {
  return items.map((value, index) => {
    const { item_id: itemId, conversations, reward } = readItem(itemSchema, value, index);
    const messages = conversations.map(({ role, content }, i): Message => {
      if (role === 'system' && i > 0) {
        throw itemError(
          value,
          index,
          ['conversations', i, 'role'],
          'must be "user" or "assistant" after the first message',
          role,
        );
      }
      return { speaker: role === 'assistant' ? 'agent' : 'environment', text: content };
    });
    const start = conversations[0]?.role === 'system' ? 1 : 0;
    const answer = conversations[start + 1];
    const opened = answer?.role === 'assistant' && /^\s*ok\b/i.test(answer.content);
    return {
      itemId,
      ...readDialogue(messages, opened ? start + 2 : start, value, index, SPEAKER),
      reward,
    };
  });
}
