/** Reads the output of `npm run train -- --json`: an object per iteration, then one with `"final": true`. */

import { parseConfig } from '../../config/check.ts';
import { ConfigError } from '../../config/error.ts';
import type { Config } from '../../config/schema.ts';
import { JsonError, parseJson } from '../../files/json.ts';
import { runLimits } from '../../files/limits.ts';
import { logLimits } from '../../files/log-limits.ts';
import { isMetricKey, type MetricRow } from '../../runs/metrics.ts';
import type { Row } from '../../runs/row.ts';

/** Thrown for any other text; the message completes a sentence that begins with the file's name. */
export class RowLogError extends Error {
  override readonly name = 'RowLogError';
}

interface RowLog {
  /** By iteration. */
  readonly rows: readonly Pick<Row, 'iteration' | 'metrics'>[];
  /** The evaluation after the last iteration, if the run finished. */
  readonly evaluations: readonly Pick<Row, 'iteration' | 'metrics'>[];
  /** From the last line; null if the log ends before it. */
  readonly config: Config | null;
  /** Name of the pretrained model that was trained, from the last line; null for the config's network. */
  readonly model: string | null;
  /** What was left out, one sentence each. */
  readonly notes: readonly string[];
}

interface Line {
  readonly number: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * Reads such a log. If a run was resumed, later rows replace earlier ones; a truncated last line is
 * left out.
 *
 * @throws {RowLogError}
 */
export function readRowLog(text: string): RowLog {
  if (text.length > logLimits.bytes) {
    throw new RowLogError(`has more than ${logLimits.bytes} characters`);
  }
  const { lines, notes } = linesOf(text);
  const rows: Pick<Row, 'iteration' | 'metrics'>[] = [];
  const evaluations: Pick<Row, 'iteration' | 'metrics'>[] = [];
  let config: Config | null = null;
  let model: string | null = null;
  for (const line of lines) {
    const metrics = metricsOf(line);
    const { iteration } = metrics;
    if (iteration === undefined || !Number.isInteger(iteration) || iteration < 1) {
      throw new RowLogError(
        `line ${line.number} has no valid iteration (a whole number of at least 1)`,
      );
    }
    if (line.value.final === true) {
      evaluations.push({ iteration, metrics });
      config = configOf(line) ?? config;
      model = modelOf(line) ?? model;
      continue;
    }
    const before = rows.findLastIndex((row) => row.iteration < iteration) + 1;
    if (before < rows.length) {
      rows.length = before;
      notes.push(
        `Line ${line.number} goes back to iteration ${iteration}; the later rows replace the earlier ones.`,
      );
    }
    rows.push({ iteration, metrics });
  }
  if (rows.length === 0) throw new RowLogError('contains no iteration');
  return { rows, evaluations, config, model, notes };
}

function linesOf(text: string): { readonly lines: readonly Line[]; readonly notes: string[] } {
  const texts = text.split('\n');
  if (texts.length > runLimits.iterations) {
    throw new RowLogError(`has more than ${runLimits.iterations} lines`);
  }
  const notes: string[] = [];
  const lines: Line[] = [];
  texts.forEach((one, index) => {
    if (one.trim() === '') return;
    const number = index + 1;
    try {
      lines.push({ number, value: objectOf(parseJson(one, logLimits.line), number) });
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      // The writer was stopped within the last line, which therefore has no line break.
      const cut = index === texts.length - 1 && lines.length > 0;
      if (!cut) throw new RowLogError(`line ${number} ${error.message}`);
      notes.push(`Line ${number} is incomplete and was left out.`);
    }
  });
  return { lines, notes };
}

function objectOf(value: unknown, number: number): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RowLogError(`line ${number} is not a JSON object`);
  }
  return Object.fromEntries(Object.entries(value));
}

/** The registered metrics of a line; null stands for a non-finite value. Other keys are ignored. */
function metricsOf({ number, value }: Line): MetricRow {
  const metrics: Record<string, number> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (!isMetricKey(key)) continue;
    if (entry !== null && typeof entry !== 'number') {
      throw new RowLogError(`line ${number}: ${key} must be a number`);
    }
    metrics[key] = entry ?? Number.NaN;
  }
  return metrics;
}

function modelOf({ value: { model } }: Line): string | null {
  if (typeof model !== 'object' || model === null) return null;
  return 'name' in model && typeof model.name === 'string' ? model.name : 'unnamed';
}

function configOf({ number, value: { config } }: Line): Config | null {
  if (config === undefined) return null;
  try {
    return parseConfig(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new RowLogError(`line ${number}: ${error.message}`);
  }
}
