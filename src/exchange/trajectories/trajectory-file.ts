/**
 * Shared by both trajectory layouts: dialogues, and errors that name item and field.
 */

import type { z } from 'zod';
import { createEnvironment, environmentFamilies } from '../../envs/registry.ts';
import { JsonError, parseJson } from '../../files/json.ts';
import { fileLimits, jsonLimits, trajectoryLimits } from '../../files/limits.ts';
import { firstFault } from '../../files/schema.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';

/** Thrown for an invalid file; one sentence names the location of the error and the expected value. */
export class TrajectoryFileError extends Error {
  override readonly name = 'TrajectoryFileError';
}

/** An agent's output in a turn. */
interface WrittenTurn {
  /** Empty if there is none. */
  readonly thought: string;
  readonly action: string;
}

/** A parsed item. */
export interface Dialogue {
  /** As in the file, e.g. `maze_7`; some rollout logs keep only the number. */
  readonly itemId: string | number;
  /** Observations in order: as many as turns, or one more. Empty for a task without dialogue. */
  readonly observations: readonly string[];
  readonly turns: readonly WrittenTurn[];
  /** The episode's reward; null if the layout has none. */
  readonly reward: number | null;
}

/** Markers of thought and action in AgentGym's ReAct format. */
const THOUGHT = 'Thought:';
const ACTION = 'Action:';

/**
 * A turn in AgentGym's ReAct format, `Thought:\n…\n\nAction:\n…`. A missing thought becomes an empty
 * section, because AgentGym's parser requires it.
 */
export function writeReAct({ thought, action }: WrittenTurn): string {
  return `${THOUGHT}\n${thought}\n\n${ACTION}\n${action}`;
}

/**
 * Parses a turn as AgentGym's clients do: the action follows the last `Action:`, or is the whole text
 * without that marker. A trailing Llama end-of-sequence token is dropped.
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

/** The first message of a dialogue: the environment's instruction and the answer format. */
export function instructionMessage(instruction: string): string {
  if (instruction.includes(ACTION)) return instruction;
  const form = `Answer every observation in this form:\n${writeReAct({ thought: 'your thought', action: 'your action' })}`;
  return instruction === '' ? form : `${instruction}\n\n${form}`;
}

/** Returns a cached lookup of an environment's instruction; empty for an unregistered environment. */
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

/** Yields `to` of each item, computed when it is requested. */
export function* mapEach<From, To>(all: Iterable<From>, to: (one: From) => To): Generator<To> {
  for (const one of all) yield to(one);
}

/**
 * Yields items as text, one per line, so that a large file never has to fit in memory.
 */
export function* itemLines(items: Iterable<unknown>): Generator<string> {
  let before = '[\n';
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** The agent's confirmation of the instruction. */
export const ASSENT = 'OK. I will follow these instructions.';

/**
 * Throws `TrajectoryFileError` for a file above the size limit.
 *
 * @param bytes size of the file
 */
export function checkFileSize(bytes: number): void {
  const most = fileLimits.trajectories;
  if (bytes > most) {
    const megabytes = (size: number) => `${Math.ceil(size / 1e6)} MB`;
    throw new TrajectoryFileError(
      `The file is ${megabytes(bytes)}; the limit is ${megabytes(most)}. Split it into smaller files.`,
    );
  }
}

/**
 * The unchecked items of a file.
 *
 * @throws {TrajectoryFileError} if the text is empty, not JSON or not a non-empty list
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
    throw new TrajectoryFileError(`The file must contain a JSON list, got ${shown(value)}.`);
  }
  if (value.length === 0) throw new TrajectoryFileError('The file contains no items.');
  if (value.length > trajectoryLimits.items) {
    throw new TrajectoryFileError(
      `The file contains ${value.length} items; the limit is ${trajectoryLimits.items}. Split it into smaller files.`,
    );
  }
  return value;
}

/**
 * Parses an item with its schema, whose error messages state the expected value.
 *
 * @throws {TrajectoryFileError} naming the item and the first invalid field
 */
export function readItem<Item>(schema: z.ZodType<Item>, value: unknown, index: number): Item {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = firstFault(parsed.error);
  throw itemError(value, index, path, message, valueAt(value, path));
}

/**
 * An error about one field.
 *
 * @param index 0-based item number
 * @param path field within the item; empty for the whole item
 * @param expected continues after the field, e.g. `must be a string`
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

/** A message of a dialogue in either layout. */
export interface Message {
  readonly speaker: 'environment' | 'agent';
  readonly text: string;
}

/**
 * Pairs alternating messages into turns, environment first.
 *
 * @param speakerOf field of a message's speaker and the layout's names, for errors
 * @throws {TrajectoryFileError} if a speaker repeats or no message is left
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
      'must contain an observation after its instruction',
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
        `must be ${JSON.stringify(names[expected])}, because messages alternate`,
        names[speaker],
      );
    }
    if (speaker === 'environment') observations.push(text);
    else turns.push(readReAct(text));
  }
  return { observations, turns };
}
