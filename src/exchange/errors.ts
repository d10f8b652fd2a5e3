import { JsonError, parseJson, readJson } from '../files/json.ts';
import type { JsonLimits } from '../files/limits.ts';

/** Thrown for files that contain no usable agent; the message is one sentence. */
export class AgentFileError extends Error {
  override readonly name = 'AgentFileError';
  /** End of the sentence, for example `config.json is missing`. */
  readonly reason: string;

  constructor(reason: string) {
    super(`This agent cannot be read: ${reason}.`);
    this.reason = reason;
  }
}

/** Parses JSON from a file or from a string in one. @throws {AgentFileError} */
export function agentJson(name: string, json: string | Uint8Array, limits: JsonLimits): unknown {
  try {
    return typeof json === 'string' ? parseJson(json, limits) : readJson(json, limits);
  } catch (error) {
    if (error instanceof JsonError) throw new AgentFileError(`${name} ${error.message}`);
    throw error;
  }
}
