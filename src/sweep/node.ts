/** Mappings in a sweep file, with their paths. */
import { didYouMean, suggestion } from '../config/nearest.ts';
import { SweepError } from './error.ts';

/** Typed access to the keys of a mapping; errors name the key. */
export class FileNode {
  readonly #path: string;
  readonly #entries: ReadonlyMap<string, unknown>;

  constructor(path: string, entries: ReadonlyMap<string, unknown>) {
    this.#path = path;
    this.#entries = entries;
  }

  /** Path of a key in the file. */
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

  /** @throws {SweepError} for a key that is not in `known` */
  only(known: readonly string[]): void {
    const unknown = this.keys().find((key) => !known.includes(key));
    if (unknown === undefined) return;
    throw new SweepError(this.at(unknown), `unknown key${suggestion(unknown, known)}`);
  }

  /** The parsed value, with integers as bigint. */
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
    throw this.#wrong(key, 'a string');
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

  /** `whole` for a number without a decimal point, because W&B distinguishes 1 from 1.0. */
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
    const wanted = names.length === 1 ? `${names[0]}` : `one of ${names.join(', ')}`;
    const near = typeof value === 'string' ? didYouMean(value, names) : '';
    throw this.#wrong(key, wanted, near === '' ? '' : `.${near}`);
  }

  /** A list of at least one value. */
  list(key: string): readonly unknown[] {
    const value = this.raw(key);
    if (Array.isArray(value) && value.length > 0) return value.map(plain);
    throw this.#wrong(key, 'a list of at least one value');
  }

  #wrong(key: string, wanted: string, hint = ''): SweepError {
    return new SweepError(this.at(key), `must be ${wanted}, got ${asText(this.raw(key))}${hint}`);
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

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value with bigints converted to numbers. */
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
