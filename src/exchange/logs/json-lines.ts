/**
 * Logs with one JSON object per line: verl's file logger, Stable-Baselines3, RLlib, W&B's history,
 * and others.
 */

import { JsonError } from '../../files/json.ts';
import { foreignLimits } from '../../files/log-limits.ts';
import { LogError } from './error.ts';
import type { Gathered } from './gathered.ts';
import { flatten, numberIn, parseLooseJson, recordOf } from './loose-json.ts';
import { type LogFile, linesOf, type OnRead, type TextLine, wholeText } from './source.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The content of a line; null for an empty one, and for a truncated last one.
 *
 * @throws {LogError}
 */
function objectIn({ number, text, whole }: TextLine): Fields | null {
  if (text.trim() === '') return null;
  let value: unknown;
  try {
    value = parseLooseJson(text, foreignLimits.lineJson);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // Its writer was stopped, or is still writing.
    if (!whole && number > 1) return null;
    throw new LogError(`line ${number} ${error.message}`);
  }
  const fields = recordOf(value);
  if (fields === null) throw new LogError(`line ${number} is not a JSON object`);
  return fields;
}

async function eachObject(
  file: LogFile,
  onRead: OnRead,
  take: (fields: Fields, line: number) => void,
): Promise<void> {
  for await (const lines of linesOf(file, onRead)) {
    for (const line of lines) {
      const fields = objectIn(line);
      if (fields !== null) take(fields, line.number);
    }
  }
}

/**
 * verl's `{"step": 3, "data": {…}}`; non-finite values are null. Two lines in a row for one step
 * complement each other.
 */
export async function readVerlLines(file: LogFile, into: Gathered, onRead: OnRead): Promise<void> {
  let newest = Number.NEGATIVE_INFINITY;
  await eachObject(file, onRead, ({ step, data }, line) => {
    const metrics = recordOf(data);
    if (typeof step !== 'number' || metrics === null) {
      throw new LogError(`line ${line} lacks step or data`);
    }
    if (step < newest) {
      into.rewind(step);
      into.note(
        `Line ${line} goes back to step ${step}; the later lines replace the earlier ones.`,
      );
    }
    newest = step;
    for (const [key, value] of Object.entries(metrics)) {
      const number = value === null ? Number.NaN : numberIn(value);
      if (number !== undefined) into.replace(key, step, number);
    }
  });
}

/** Settings repeated in every line are read once and are not measurements. */
const SETTINGS = 'config';

function takeRow(fields: Fields, row: number, into: Gathered): void {
  const { [SETTINGS]: settings, ...measured } = fields;
  if (recordOf(settings) !== null && row === 1) into.setAll(settings);
  flatten(recordOf(settings) === null ? fields : measured, (key, value) =>
    into.add(key, row, value),
  );
}

/** Any JSON objects; the x axis is the row number, from 1, until the user assigns a column. */
export async function readObjectLines(
  file: LogFile,
  into: Gathered,
  onRead: OnRead,
): Promise<void> {
  let row = 0;
  await eachObject(file, onRead, (fields) => takeRow(fields, ++row, into));
}

/** A JSON array of such objects. */
export async function readObjectList(file: LogFile, into: Gathered, onRead: OnRead): Promise<void> {
  const list = wholeJson(await wholeText(file, onRead));
  if (!Array.isArray(list)) throw new LogError('is not a list of JSON objects');
  list.forEach((one, index) => {
    const fields = recordOf(one);
    if (fields === null) throw new LogError(`has no JSON object in entry ${index + 1}`);
    takeRow(fields, index + 1, into);
  });
}

function wholeJson(text: string): unknown {
  try {
    return parseLooseJson(text, foreignLimits.wholeJson);
  } catch (error) {
    if (error instanceof JsonError) throw new LogError(error.message);
    throw error;
  }
}

/**
 * `trainer_state.json` of Hugging Face's trainers: flat rows with a step, separate rows for
 * evaluations, and a final row of totals, which is left out.
 */
export async function readTrainerState(
  file: LogFile,
  into: Gathered,
  onRead: OnRead,
): Promise<void> {
  const state = recordOf(wholeJson(await wholeText(file, onRead)));
  const history = state?.log_history;
  if (!Array.isArray(history)) throw new LogError('has no log_history list');
  history.forEach((one, index) => {
    const fields = recordOf(one);
    const step = fields?.step;
    if (fields === null || typeof step !== 'number') {
      throw new LogError(`has no step in entry ${index + 1} of log_history`);
    }
    if ('train_runtime' in fields) return;
    for (const [key, value] of Object.entries(fields)) {
      const number = key === 'step' ? undefined : numberIn(value);
      if (number !== undefined) into.add(key, step, number);
    }
  });
}
