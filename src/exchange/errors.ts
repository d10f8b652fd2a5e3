import { JsonError, parseJson, readJson } from '../files/json.ts';
import type { JsonLimits } from '../files/limits.ts';

/** Thrown for files that no agent can be read from; one sentence says why. */
export class AgentFileError extends Error {
  override readonly name = 'AgentFileError';
  /** @param reason the end of the sentence, for instance `config.json is missing` */
  constructor(reason: string) {
    super(`This agent cannot be read: ${reason}.`);
  }
}

/** JSON of a file, or of a text in one. @throws {AgentFileError} */
export function agentJson(name: string, json: string | Uint8Array, limits: JsonLimits): unknown {
  try {
    return typeof json === 'string' ? parseJson(json, limits) : readJson(json, limits);
  } catch (error) {
    if (error instanceof JsonError) throw new AgentFileError(`${name} ${error.message}`);
    throw error;
  }
}
