/** Reads critique data sets: one JSON object per line, as `critiqueLines` writes them. */

import { z } from 'zod';
import { answerSources, faultKinds } from '../envs/criticism.ts';
import {
  areLoaded,
  createEnvironment,
  type EnvironmentSettings,
  environmentFamilies,
  environmentFor,
  environmentIds,
  familyOf,
} from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import { JsonError, parseJson } from '../files/json.ts';
import { critiqueLimits, fileLimits, jsonLimits } from '../files/limits.ts';
import { firstFault, pathText } from '../files/schema.ts';
import type { CritiqueItem } from './critique-item.ts';

/** Thrown for a file that is not a critique data set; the message names the line and the field. */
export class CritiqueFileError extends Error {
  override readonly name = 'CritiqueFileError';
}

/** A data set that was read, with its environment. */
export interface ReadCritiques {
  readonly items: readonly CritiqueItem[];
  /** The environment of its tasks; null if no known environment asks these questions. */
  readonly environment: EnvironmentSettings | null;
}

const said = (what: string) =>
  z
    .string(`must be ${what}`)
    .max(critiqueLimits.characters, `has more than ${critiqueLimits.characters} characters`);
const truth = z.boolean('must be true or false');
const whole = (least: number) =>
  z.int(`must be a whole number, at least ${least}`).min(least, `must be at least ${least}`);
const step = whole(0).max(critiqueLimits.steps, `must be at most ${critiqueLimits.steps}`);
const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names, `must be one of ${names.join(', ')}`);

const schema = z.strictObject(
  {
    task: said('a task id'),
    level: whole(1).max(critiqueLimits.steps, `must be at most ${critiqueLimits.steps}`),
    question: said('a text'),
    answer: said('a text'),
    right: truth,
    step: step.nullable(),
    fault: oneOf(faultKinds).nullable(),
    source: oneOf(answerSources),
    from: step.nullable(),
    critique: said('a text'),
    true: truth,
    filter: z.strictObject({ right: whole(0), of: whole(1) }).nullable(),
  },
  'must be an object with the fields of an item and no others',
);

/**
 * Reads the items of a file. Stops at the first error.
 *
 * @throws {CritiqueFileError}
 */
export function readCritiqueLines(text: string): readonly CritiqueItem[] {
  checkCritiqueFileSize(text.length);
  const items: CritiqueItem[] = [];
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  for (let line = 1; from < text.length; line++) {
    const end = text.indexOf('\n', from);
    const until = end < 0 ? text.length : end;
    const own = text.slice(from, until).trim();
    from = until + 1;
    if (own === '') continue;
    if (items.length === critiqueLimits.items) {
      throw new CritiqueFileError(
        `The file has more than ${critiqueLimits.items} items; split it into smaller files.`,
      );
    }
    items.push(readLine(own, line));
  }
  if (items.length === 0) {
    throw new CritiqueFileError(
      'The file contains no items; a critique data set has one JSON object per line.',
    );
  }
  return items;
}

function readLine(text: string, line: number): CritiqueItem {
  let value: unknown;
  try {
    value = parseJson(text, jsonLimits.critique);
  } catch (error) {
    if (error instanceof JsonError) throw new CritiqueFileError(`Line ${line} ${error.message}.`);
    throw error;
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = firstFault(parsed.error);
  const field = path.length === 0 ? '' : `: ${pathText(path)}`;
  throw new CritiqueFileError(`Line ${line}${field} ${message}.`);
}

/** @throws {CritiqueFileError} if the file is larger than the limit */
export function checkCritiqueFileSize(bytes: number): void {
  if (bytes > fileLimits.critiques) {
    throw new CritiqueFileError(
      `The file has ${bytes} bytes; the limit is ${fileLimits.critiques}. Split it into smaller files.`,
    );
  }
}

/**
 * Reads a data set and finds the environment that asks its questions: one of `present`, or a known
 * environment with default options. The file does not name its environment.
 *
 * @param present environments to try first
 * @throws {CritiqueFileError}
 */
export function readCritiques(
  text: string,
  present: readonly EnvironmentSettings[],
): ReadCritiques {
  const items = readCritiqueLines(text);
  // The run may use a server or Python, which cannot be created here.
  const usable = present.filter((settings) =>
    environmentIds(settings).every((id) => familyOf(id) !== undefined && areLoaded([id])),
  );
  const own = usable.find((settings) => asks(environmentFor(settings), items));
  if (own !== undefined) return { items, environment: own };
  const family = environmentFamilies.find(({ id }) => asks(standard(id), items));
  const environment = family === undefined ? null : { id: family.id, options: {}, mixture: [] };
  return { items, environment };
}

/** Cached, because some environments are slow to create. */
const made = new Map<string, Environment>();

function standard(id: string): Environment {
  const known = made.get(id) ?? createEnvironment(id, {});
  made.set(id, known);
  return known;
}

function asks(environment: Environment, items: readonly CritiqueItem[]): boolean {
  if (environment.criticism === undefined) return false;
  const tasks = new Set([...environment.trainTasks, ...environment.evalTasks]);
  return items.every(
    ({ task, question }) => tasks.has(task) && environment.reset(task).observation === question,
  );
}
