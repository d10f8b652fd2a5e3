/** Thrown for files that no agent can be read from; one sentence says why. */
export class AgentFileError extends Error {
  override readonly name = 'AgentFileError';
  /** @param reason the end of the sentence, for instance `config.json is missing` */
  constructor(reason: string) {
    super(`This agent cannot be read: ${reason}.`);
  }
}

/** Far more than any text file of an agent has; a longer one is refused before it is parsed. */
const MOST_JSON_BYTES = 64 * 2 ** 20;

/** @throws {AgentFileError} */
export function readJson(name: string, bytes: Uint8Array): unknown {
  if (bytes.length > MOST_JSON_BYTES) {
    throw new AgentFileError(`${name} has ${bytes.length} bytes, more than any such file needs`);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new AgentFileError(`${name} is not JSON`);
  }
}
