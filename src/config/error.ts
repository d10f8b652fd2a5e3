/** Thrown for a config that cannot be used. The message is one line: where, what, what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The field at fault, for instance `policy.width`; empty for the config as a whole. */
  readonly path: string;
  constructor(path: string, problem: string) {
    // A name that somebody wrote into a file may hold anything, a line break too.
    const name = /^[\w.-]{1,80}$/.test(path) ? path : shown(path);
    super(path === '' ? problem : `${name}: ${problem}`);
    this.path = path;
  }
}

/** A value as a sentence shows it, cut where it is long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = asJson(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** A value as JSON, or words in its place where there is none. */
export function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // JSON that is read can be nested deeper than JSON that is written.
    return 'something nested too deeply';
  }
}
