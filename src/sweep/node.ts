/** A mapping of a sweep file, which knows where in the file it stands. */
import { SweepError } from './error.ts';

/** The keys of a mapping, read one by one; whatever does not fit is an error that names the key. */
export class FileNode {
  readonly #path: string;
  readonly #entries: ReadonlyMap<string, unknown>;

  constructor(path: string, entries: ReadonlyMap<string, unknown>) {
    this.#path = path;
    this.#entries = entries;
  }

  /** Where a key stands in the file. */
  at(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`;
  }

  get path(): string {
    return this.#path;
  }

  keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** @throws {SweepError} for a key that is not among these */
  only(known: readonly string[]): void {
    const unknown = this.keys().find((key) => !known.includes(key));
    if (unknown === undefined) return;
    throw new SweepError(this.at(unknown), `unknown key; known keys here are ${known.join(', ')}`);
  }

  /** As the file has it, whole numbers as bigint. */
  raw(key: string): unknown {
    if (!this.has(key)) throw new SweepError(this.at(key), 'is missing');
    return this.#entries.get(key);
  }

  child(key: string): FileNode {
    return readNode(this.at(key), this.raw(key));
  }

  text(key: string): string {
    const value = this.raw(key);
    if (typeof value === 'string') return value;
    throw this.#wrong(key, 'a text');
  }

  flag(key: string): boolean {
    const value = this.raw(key);
    if (typeof value === 'boolean') return value;
    throw this.#wrong(key, 'true or false');
  }

  number(key: string): number {
    const value = plain(this.raw(key));
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw this.#wrong(key, 'a number');
  }

  /** Whether the number is written without a point, as W&B tells them apart. */
  isWritten(key: string): 'whole' | 'other' {
    return typeof this.raw(key) === 'bigint' ? 'whole' : 'other';
  }

  whole(key: string, least: number, most: number): number {
    const value = plain(this.raw(key));
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
      return value;
    }
    throw this.#wrong(key, `a whole number from ${least} to ${most}`);
  }

  choice<const Name extends string>(key: string, names: readonly Name[]): Name {
    const value = this.raw(key);
    const found = names.find((name) => name === value);
    if (found !== undefined) return found;
    throw this.#wrong(key, names.length === 1 ? `${names[0]}` : `one of ${names.join(', ')}`);
  }

  /** At least one value. */
  list(key: string): readonly unknown[] {
    const value = this.raw(key);
    if (Array.isArray(value) && value.length > 0) return value.map(plain);
    throw this.#wrong(key, 'a list of at least one value');
  }

  #wrong(key: string, wanted: string): SweepError {
    return new SweepError(this.at(key), `must be ${wanted}, got ${asText(this.raw(key))}`);
  }
}

/** @throws {SweepError} for anything but a mapping */
export function readNode(path: string, value: unknown): FileNode {
  if (isMapping(value)) return new FileNode(path, new Map(Object.entries(value)));
  throw new SweepError(
    path,
    path === ''
      ? 'a sweep file is a mapping with method, metric and parameters'
      : `must be a mapping of keys, got ${asText(value)}`,
  );
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value with numbers in place of bigints. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

function asText(value: unknown): string {
  const text = JSON.stringify(plain(value)) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
