/**
 * The AgentTraj layout of the AgentGym suite (arXiv:2406.04151): a JSON list of
 *
 *     {"item_id": "maze_7", "conversations": [{"from": "human", "loss": null, "value": "…"}, …]}
 *
 * What the suite's code says of it, and what is done here:
 *
 * - A dialogue opens with two messages that belong to the environment's client, not to the task: an
 *   instruction (`human`, `loss: null`) and the agent's assent (`gpt`, `loss: false`). The third
 *   message is the first observation; some clients (the maze's, Wordle's) put the rules of the game
 *   before it in the same message.
 * - Then the agent's turns (`gpt`, `loss: true`), each `Thought:\n…\n\nAction:\n…`, alternate with
 *   observations (`human`, `loss: null`). The suite's loop records what the environment says to the
 *   last action too, so dialogues end with an observation; files that end with the agent's turn are
 *   read as well.
 * - `loss` says whether a message is trained on. Nothing holds the reward, the environment's version
 *   or its options; they come back by playing the actions again (`trajectory-import.ts`).
 * - A set of tasks (AgentEval) has the same layout with `conversations: null`.
 *
 * Fields that the layout does not have are passed over.
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

export interface AgentTrajMessage {
  readonly from: 'human' | 'gpt';
  /** Whether it is trained on; null for what the agent did not write. */
  readonly loss: boolean | null;
  readonly value: string;
}

/** One task, with the dialogue that an agent had about it or null. Fields stand in this order. */
export interface AgentTrajItem {
  readonly item_id: string;
  readonly conversations: readonly AgentTrajMessage[] | null;
}

/**
 * An episode in the layout; one in which nothing was done is a task. `instruction` is that of its
 * environment.
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

/** Episodes as the text of a file, piece by piece. */
export function* writeAgentTraj(records: Iterable<EpisodeRecord>): Generator<string> {
  const instructionOf = instructionReader();
  yield* itemLines(
    mapEach(records, (record) => agentTrajItem(record, instructionOf(record.environment))),
  );
}

const itemSchema = z.object(
  {
    item_id: z
      .string({ error: 'must be a text' })
      .min(1, { error: 'must be a text that is not empty' }),
    conversations: list(
      z.object(
        {
          from: z.enum(['human', 'gpt'], { error: 'must be "human" or "gpt"' }),
          loss: z.boolean({ error: 'must be true, false or null' }).nullable(),
          value: z.string({ error: 'must be a text' }),
        },
        { error: 'must be an object with from, loss and value' },
      ),
      {
        max: trajectoryLimits.messages,
        error: 'must be a list of messages, or null for a task without a dialogue',
      },
    ).nullable(),
  },
  { error: 'must be an object with item_id and conversations' },
);

const SPEAKER = { field: 'from', names: { environment: 'human', agent: 'gpt' } } as const;

/**
 * Reads a file in the layout.
 *
 * @throws {TrajectoryFileError} naming the first item and field at fault; items and messages count
 *   from 0.
 */
export function readAgentTraj(text: string): readonly Dialogue[] {
  return agentTrajDialogues(readItems(text));
}

/** As `readAgentTraj`, of items that are parsed already. */
export function agentTrajDialogues(items: readonly unknown[]): readonly Dialogue[] {
  return items.map((value, index) => {
    const { item_id: itemId, conversations } = readItem(itemSchema, value, index);
    if (conversations === null) return { itemId, observations: [], turns: [], reward: null };
    if (conversations.length === 0) {
      throw itemError(value, index, ['conversations'], 'must hold at least one message', []);
    }
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
