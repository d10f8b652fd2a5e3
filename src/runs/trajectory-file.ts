/**
 * What files of trajectories have in common, whichever layout they are in: dialogues, and errors
 * that name the item and the field.
 */

import type { z } from 'zod';
import { createEnvironment, environmentFamilies } from '../envs/registry.ts';
import { JsonError, parseJson } from '../files/json.ts';
import { fileLimits, jsonLimits, trajectoryLimits } from '../files/limits.ts';
import { firstFault } from '../files/schema.ts';
import type { EnvironmentRef } from './episode.ts';

/** Thrown for a file that is not in the layout: one sentence that says where, and what is expected. */
export class TrajectoryFileError extends Error {
  override readonly name = 'TrajectoryFileError';
}

/** What an agent wrote in a turn. */
export interface WrittenTurn {
  /** Empty where it wrote none. */
  readonly thought: string;
  readonly action: string;
}

/** One item of a file, read. */
export interface Dialogue {
  /** As the file has it, e.g. `maze_7`; some rollout logs keep only the number. */
  readonly itemId: string | number;
  /** What the environment said, in order: as many as turns, or one more. None in a mere task. */
  readonly observations: readonly string[];
  readonly turns: readonly WrittenTurn[];
  /** What the file says the episode earned; null where its layout has no place for it. */
  readonly reward: number | null;
}

/** What stands for a thought and an action in the suite's ReAct form. */
const THOUGHT = 'Thought:';
const ACTION = 'Action:';

/**
 * A turn in the suite's ReAct form, `Thought:\n…\n\nAction:\n…`. A turn without a thought has an empty
 * one, so that the suite's parser reads it without complaint.
 */
export function writeReAct({ thought, action }: WrittenTurn): string {
  return `${THOUGHT}\n${thought}\n\n${ACTION}\n${action}`;
}

/**
 * Reads a turn as the suite's clients do: the action is what follows the last `Action:`, and a text
 * without one is an action as a whole. An end-of-sequence mark of Llama's at its end is dropped.
 */
export function readReAct(text: string): WrittenTurn {
  const written = text.endsWith('</s>') ? text.slice(0, -4) : text;
  const at = written.lastIndexOf(ACTION);
  if (at === -1) return { thought: '', action: written.trim() };
  const before = written.slice(0, at).trim();
  return {
    thought: before.startsWith(THOUGHT) ? before.slice(THOUGHT.length).trim() : before,
    action: written.slice(at + ACTION.length).trim(),
  };
}

/** The first message of a dialogue: the environment's instruction, and how to answer. */
export function instructionMessage(instruction: string): string {
  if (instruction.includes(ACTION)) return instruction;
  const form = `Answer every observation in this form:\n${writeReAct({ thought: 'your thought', action: 'your action' })}`;
  return instruction === '' ? form : `${instruction}\n\n${form}`;
}

/** Looks up environments' instructions, each once; an environment that is not registered has none. */
export function instructionReader(): (environment: EnvironmentRef) => string {
  const known = new Map<string, string>();
  return ({ id, options }) => {
    if (!environmentFamilies.some((family) => family.id === id)) return '';
    const key = JSON.stringify([id, options]);
    let instruction = known.get(key);
    if (instruction === undefined) {
      ({ instruction } = createEnvironment(id, options));
      known.set(key, instruction);
    }
    return instruction;
  };
}

/** One for each, when it is asked for. */
export function* mapEach<From, To>(all: Iterable<From>, to: (one: From) => To): Generator<To> {
  for (const one of all) yield to(one);
}

/**
 * Items as the text of a file, one a line, piece by piece: a file of many episodes is never in memory
 * as a whole.
 */
export function* itemLines(items: Iterable<unknown>): Generator<string> {
  let before = '[\n';
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** The agent's answer to the instruction; it says nothing of the task. */
export const ASSENT = 'OK. I will follow these instructions.';

/**
 * Throws `TrajectoryFileError` for a file that is larger than can be read.
 *
 * @param bytes size of the file
 */
export function checkFileSize(bytes: number): void {
  const most = fileLimits.trajectories;
  if (bytes > most) {
    const megabytes = (size: number) => `${Math.ceil(size / 1e6)} MB`;
    throw new TrajectoryFileError(
      `The file has ${megabytes(bytes)}, and at most ${megabytes(most)} can be read; cut it into smaller files.`,
    );
  }
}

/**
 * The items of a file, not yet looked at.
 *
 * @throws {TrajectoryFileError} when the text is empty, not JSON or not a list with items.
 */
export function readItems(text: string): readonly unknown[] {
  // A character has at least one byte.
  checkFileSize(text.length);
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (json.trim() === '') throw new TrajectoryFileError('The file is empty.');
  let value: unknown;
  try {
    value = parseJson(json, jsonLimits.trajectories);
  } catch (error) {
    if (error instanceof JsonError) throw new TrajectoryFileError(`The file ${error.message}.`);
    throw error;
  }
  if (!Array.isArray(value)) {
    throw new TrajectoryFileError(`The file must hold a JSON list of items, got ${shown(value)}.`);
  }
  if (value.length === 0) throw new TrajectoryFileError('The file holds no items.');
  if (value.length > trajectoryLimits.items) {
    throw new TrajectoryFileError(
      `The file holds ${value.length} items, and at most ${trajectoryLimits.items} can be read; cut it into smaller files.`,
    );
  }
  return value;
}

/**
 * An item of a file by its schema, whose error messages say what a field must be.
 *
 * @throws {TrajectoryFileError} naming the item and the first field at fault.
 */
export function readItem<Item>(schema: z.ZodType<Item>, value: unknown, index: number): Item {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = firstFault(parsed.error);
  throw itemError(value, index, path, message, valueAt(value, path));
}

/**
 * One sentence about one field.
 *
 * @param index number of the item in the file, from 0
 * @param path the field within the item; empty for the item as a whole
 * @param expected goes on after the field, e.g. `must be a text`
 */
export function itemError(
  item: unknown,
  index: number,
  path: readonly PropertyKey[],
  expected: string,
  got: unknown,
): TrajectoryFileError {
  const id = valueAt(item, ['item_id']);
  const named = typeof id === 'string' || typeof id === 'number' ? ` (${clip(String(id))})` : '';
  const field = path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`))
    .join('');
  const where = field === '' ? `Item ${index}${named}` : `Item ${index}${named}: ${field}`;
  return new TrajectoryFileError(`${where} ${expected}, got ${shown(got)}.`);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found: unknown = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return clip(JSON.stringify(value) ?? String(value));
}

/** A message of a dialogue, whichever names its layout gives to the speakers. */
export interface Message {
  readonly speaker: 'environment' | 'agent';
  readonly text: string;
}

/**
 * The turns of messages that take turns, the environment first.
 *
 * @param speakerOf where the layout has a message's speaker, and its name for each, for the error
 * @throws {TrajectoryFileError} when one speaks twice in a row, or none is left.
 */
export function readDialogue(
  messages: readonly Message[],
  first: number,
  item: unknown,
  index: number,
  speakerOf: {
    readonly field: string;
    readonly names: Readonly<Record<Message['speaker'], string>>;
  },
): Pick<Dialogue, 'observations' | 'turns'> {
  const observations: string[] = [];
  const turns: WrittenTurn[] = [];
  const rest = messages.slice(first);
  if (rest.length === 0) {
    throw itemError(
      item,
      index,
      ['conversations'],
      'must go on with an observation after its instruction',
      undefined,
    );
  }
  for (const [i, { speaker, text }] of rest.entries()) {
    const expected = i % 2 === 0 ? 'environment' : 'agent';
    if (speaker !== expected) {
      const { field, names } = speakerOf;
      throw itemError(
        item,
        index,
        ['conversations', first + i, field],
        `must be ${JSON.stringify(names[expected])}, since the two take turns`,
        names[speaker],
      );
    }
    if (speaker === 'environment') observations.push(text);
    else turns.push(readReAct(text));
  }
  return { observations, turns };
}
