import { gunzipSync, gzipSync, strFromU8, strToU8 } from 'fflate';
import { type ExperimentRun, KeptRunError, readRun } from './run.ts';

/** First line of an archive. */
const FORMAT = 'palestra runs, version 1';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Key of an object that replaces one with further keys, such as the options of another environment. */
const WHOLE = '=';

/** The fields of `value` that are missing or different in `base`; lists are compared as a whole. */
function difference(value: JsonObject, base: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, own]) => {
      const other = base[key];
      if (isObject(own) && isObject(other)) {
        if (Object.keys(other).some((name) => !(name in own))) return [[key, { [WHOLE]: own }]];
        const inner = difference(own, other);
        return Object.keys(inner).length === 0 ? [] : [[key, inner]];
      }
      return JSON.stringify(own) === JSON.stringify(other) ? [] : [[key, own]];
    }),
  );
}

function merged(base: JsonObject, changes: JsonObject): JsonObject {
  const entries = Object.entries(changes).map(([key, value]): [string, Json] => {
    const other = base[key];
    if (!isObject(value) || !isObject(other)) return [key, value];
    return [key, value[WHOLE] ?? merged(other, value)];
  });
  return { ...base, ...Object.fromEntries(entries) };
}

/**
 * The runs of an experiment as one file: gzip over JSON lines. The first line has the format and the config
 * of the first run. Every other line is a run, whose `config` contains only the fields that differ from that
 * config. Equal runs produce identical bytes.
 */
export function packRuns(runs: readonly ExperimentRun[]): Uint8Array {
  const plain: JsonObject[] = runs.map((run) => JSON.parse(JSON.stringify(run)));
  const configOf = ({ config }: JsonObject): JsonObject => (isObject(config) ? config : {});
  const base = configOf(plain[0] ?? {});
  const lines = [
    { format: FORMAT, config: base },
    ...plain.map((run) => ({ ...run, config: difference(configOf(run), base) })),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return gzipSync(strToU8(text), { level: 9, mtime: 0 });
}

/**
 * Reads an archive.
 *
 * @param file its name, for errors
 * @throws {KeptRunError}
 */
export function unpackRuns(file: string, bytes: Uint8Array): readonly ExperimentRun[] {
  let head: Json | undefined;
  let rest: JsonObject[];
  try {
    const lines = strFromU8(gunzipSync(bytes)).trimEnd().split('\n');
    [head, ...rest] = lines.map((line) => JSON.parse(line));
  } catch (error) {
    throw new KeptRunError(file, error instanceof Error ? error.message : String(error));
  }
  if (!isObject(head) || head.format !== FORMAT || !isObject(head.config)) {
    throw new KeptRunError(file, `its first line is not “${FORMAT}”`);
  }
  const base = head.config;
  return rest.map((run, i) => {
    const changes = isObject(run.config) ? run.config : {};
    return readRun(`${file}, line ${i + 2}`, { ...run, config: merged(base, changes) });
  });
}
