/**
 * Thrown for an invalid config. The message is one line: the field, what is wrong, what is allowed.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The field, for instance `policy.width`; empty for the whole config. */
  readonly path: string;
  constructor(path: string, problem: string) {
    // A name from a file may contain anything, even line breaks.
    const name = /^[\w.-]{1,80}$/.test(path) ? path : shown(path);
    super(path === '' ? problem : `${name}: ${problem}`);
    this.path = path;
  }
}

/** A value for use in a sentence, truncated if long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = asJson(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** A value as JSON, or a phrase if it cannot be written. */
export function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // `JSON.parse` accepts deeper nesting than `JSON.stringify`.
    return 'a value nested too deeply';
  }
}
