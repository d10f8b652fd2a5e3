/**
 * The rollout log of AgentGym-RL (arXiv:2509.08755): each worker of a training step writes the file
 * `step{N}/{rank}.json`, a JSON list of
 *
 *     {"item_id": 7, "conversations": [{"role": "user", "content": "…"}, …], "reward": 1.0}
 *
 * Roles are `user` (the environment), `assistant` (the agent) and, in front, `system`. As in the
 * AgentTraj layout an instruction and the agent's assent come first; here nothing marks them, so an
 * assistant's message that begins with `OK` before the first turn is taken for the assent. The
 * trainer keeps of `item_id` only the number behind the last underscore; files that keep the whole
 * id are read as well.
 */

import { z } from 'zod';
import { trajectoryLimits } from '../files/limits.ts';
import { list } from '../files/schema.ts';
import type { EpisodeRecord } from './episode.ts';
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

export interface RolloutLogMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** One episode. Fields stand in this order. */
export interface RolloutLogItem {
  readonly item_id: number | string;
  readonly conversations: readonly RolloutLogMessage[];
  readonly reward: number;
}

/** Where an iteration's log stands under the folder of logs; there is one worker. */
export function rolloutLogPath(iteration: number): string {
  return `step${iteration}/0.json`;
}

/** An episode in the layout. `instruction` is that of its environment. */
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

/** The number behind the last underscore of a task's id; null where there is none. */
export function taskNumber(taskId: string): number | null {
  const digits = /_(\d{1,15})$/.exec(taskId)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Episodes as the text of a file, piece by piece. */
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
        z.int({ error: 'must be a whole number or a text' }),
        z.string().min(1, { error: 'must be a text that is not empty' }),
      ],
      { error: 'must be a whole number or a text that is not empty' },
    ),
    conversations: list(
      z.object(
        {
          role: z.enum(['system', 'user', 'assistant'], {
            error: 'must be "system", "user" or "assistant"',
          }),
          content: z.string({ error: 'must be a text' }),
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
 * Reads a file in the layout.
 *
 * @throws {TrajectoryFileError} naming the first item and field at fault; items and messages count
 *   from 0.
 */
export function readRolloutLog(text: string): readonly Dialogue[] {
  return rolloutLogDialogues(readItems(text));
}

/** As `readRolloutLog`, of items that are parsed already. */
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
