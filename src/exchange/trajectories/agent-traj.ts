/**
 * The AgentTraj layout of the AgentGym suite (arXiv:2406.04151): a JSON list of
 *
 *     {"item_id": "maze_7", "conversations": [{"from": "human", "loss": null, "value": "…"}, …]}
 *
 * Conventions of AgentGym's code and of this reader:
 *
 * - A dialogue starts with two messages of the environment's client: an instruction (`human`,
 *   `loss: null`) and the agent's confirmation (`gpt`, `loss: false`). The third message is the first
 *   observation; some clients (maze, Wordle) prepend the game's rules to it.
 * - Agent turns (`gpt`, `loss: true`), each `Thought:\n…\n\nAction:\n…`, alternate with observations
 *   (`human`, `loss: null`). AgentGym also records the observation after the last action; files that end
 *   with an agent turn are accepted too.
 * - `loss` marks messages that are trained on. The layout has no reward, environment version or options;
 *   they are recovered by replaying the actions (`trajectory-import.ts`).
 * - A task set (AgentEval) has the same layout with `conversations` null, empty or missing.
 *
 * Unknown fields are ignored.
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
  itemLines,
  type Message,
  mapEach,
  readDialogue,
  readItem,
  readItems,
  writeReAct,
} from './trajectory-file.ts';

interface AgentTrajMessage {
  readonly from: 'human' | 'gpt';
  /** Whether the message is trained on; null for the environment's messages. */
  readonly loss: boolean | null;
  readonly value: string;
}

/** One task with its dialogue or null. Field order is part of the layout. */
export interface AgentTrajItem {
  readonly item_id: string;
  readonly conversations: readonly AgentTrajMessage[] | null;
}

/**
 * Converts an episode to the layout; an episode without turns becomes a task. `instruction` is the
 * environment's.
 */
export function agentTrajItem(record: EpisodeRecord, instruction: string): AgentTrajItem {
  if (record.turns.length === 0) return { item_id: record.taskId, conversations: null };
  const human = (value: string): AgentTrajMessage => ({ from: 'human', loss: null, value });
  return {
    item_id: record.taskId,
    conversations: [
      human(instructionMessage(instruction)),
      { from: 'gpt', loss: false, value: ASSENT },
      ...record.turns.flatMap((turn): AgentTrajMessage[] => [
        human(turn.observation),
        { from: 'gpt', loss: true, value: writeReAct(turn) },
      ]),
      human(record.finalObservation),
    ],
  };
}

/** Yields the file's text in chunks. */
export function* writeAgentTraj(records: Iterable<EpisodeRecord>): Generator<string> {
  const instructionOf = instructionReader();
  yield* itemLines(
    mapEach(records, (record) => agentTrajItem(record, instructionOf(record.environment))),
  );
}

const itemSchema = z.object(
  {
    item_id: z
      .string({ error: 'must be a string' })
      .min(1, { error: 'must be a non-empty string' }),
    conversations: list(
      z.object(
        {
          from: z.enum(['human', 'gpt'], { error: 'must be "human" or "gpt"' }),
          loss: z.boolean({ error: 'must be true, false or null' }).nullable(),
          value: z.string({ error: 'must be a string' }),
        },
        { error: 'must be an object with from, loss and value' },
      ),
      {
        max: trajectoryLimits.messages,
        error: 'must be a list of messages, or null for a task without a dialogue',
      },
    ).nullish(),
  },
  { error: 'must be an object with item_id and conversations' },
);

const SPEAKER = { field: 'from', names: { environment: 'human', agent: 'gpt' } } as const;

/**
 * Parses a file.
 *
 * @throws {TrajectoryFileError} naming the first invalid item and field; items and messages count
 *   from 0.
 */
export function readAgentTraj(text: string): readonly Dialogue[] {
  return agentTrajDialogues(readItems(text));
}

/** Like `readAgentTraj`, for parsed items. */
export function agentTrajDialogues(items: readonly unknown[]): readonly Dialogue[] {
  return items.map((value, index) => {
    const { item_id: itemId, conversations } = readItem(itemSchema, value, index);
    if (!conversations?.length) return { itemId, observations: [], turns: [], reward: null };
    const messages = conversations.map(
      ({ from, value: said }): Message => ({
        speaker: from === 'human' ? 'environment' : 'agent',
        text: said,
      }),
    );
    const opened = conversations[0]?.from === 'human' && conversations[1]?.loss === false;
    return {
      itemId,
      ...readDialogue(messages, opened ? 2 : 0, value, index, SPEAKER),
      reward: null,
    };
  });
}
