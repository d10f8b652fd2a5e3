/**
 * What commands read and write. Everything that a command writes goes through `Outputs`: nothing is
 * replaced that was there before, unless `--force` says so, and no symbolic link is followed out.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { UsageError } from './usage.ts';

/**
 * The bytes of a file that a flag names, or of a pipe.
 *
 * @param what the file in words, for instance `the config file`
 * @param most nothing larger is read
 * @throws {UsageError}
 */
export function readGivenFile(what: string, file: string, most: number): Buffer {
  let bytes: Buffer | null;
  try {
    bytes = readAtMost(file, most);
  } catch (error) {
    throw new UsageError(`${what} ${file} cannot be read${codeOf(error)}`);
  }
  if (bytes !== null) return bytes;
  throw new UsageError(`${what} ${file} has more than ${most} bytes, the most that is read`);
}

/** Null where there is more. A pipe, unlike a file, does not say how much it has. */
function readAtMost(file: string, most: number): Buffer | null {
  const open = openSync(file, 'r');
  try {
    const { size } = fstatSync(open);
    if (size > most) return null;
    // One byte more than it should have shows that it has ended there.
    let bytes = Buffer.alloc(Math.min(most, Math.max(size, 2 ** 16)) + 1);
    let used = 0;
    for (;;) {
      const read = readSync(open, bytes, used, Math.min(bytes.length - used, 2 ** 30), null);
      used += read;
      if (read === 0) return bytes.subarray(0, used);
      if (used > most) return null;
      if (used === bytes.length) {
        bytes = Buffer.concat([bytes], Math.min(most + 1, 2 * bytes.length));
      }
    }
  } finally {
    closeSync(open);
  }
}

/**
 * The files of a folder that have one of these names. A link in the folder may lead about in it alone,
 * or, where a model lies in Hugging Face's cache, about in that model's own folder there.
 *
 * @param most bytes of all of them together
 * @throws {UsageError}
 */
export function readNamedFiles(
  what: string,
  folder: string,
  names: readonly string[],
  most: number,
): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const here = realpathSync(folder);
  const within = /[/\\]models--[^/\\]+[/\\]snapshots[/\\][^/\\]+$/.test(here)
    ? dirname(dirname(here))
    : here;
  let left = most;
  for (const name of names) {
    const file = join(folder, name);
    if (entryAt(file) === undefined) continue;
    let target: string;
    try {
      target = realpathSync(file);
    } catch (error) {
      throw new UsageError(`${what} ${file} cannot be read${codeOf(error)}`);
    }
    if (!target.startsWith(within + sep)) {
      throw new UsageError(
        `${what} ${file} is a link out of its folder; put the file itself there`,
      );
    }
    if (statSync(target).isDirectory()) continue;
    const bytes = readGivenFile(what, file, left);
    left -= bytes.length;
    files.set(name, bytes);
  }
  return files;
}

type Contents = string | Uint8Array | Iterable<string>;

/** A file that a command writes, once or again and again. It appears complete or not at all. */
export interface OutputFile {
  /** As it was given. */
  readonly path: string;
  /** @throws {OutputTakenError} */
  write(contents: Contents): void;
}

/** A folder that a command writes files into. */
export interface OutputFolder {
  readonly path: string;
  /**
   * @param name of a file in the folder, with `/` between the folders on the way
   * @throws {OutputTakenError}
   */
  write(name: string, contents: Contents): void;
  /**
   * Adds to the end of a file directly in the folder, which it begins unless the command goes on with
   * one: a name that it does not take and that is there. Of such a text the last line is taken away where
   * it was cut off.
   *
   * @throws {OutputTakenError}
   */
  append(name: string, contents: string | Uint8Array): void;
}

/** Thrown where something came to lie in an output's place while the command worked. */
export class OutputTakenError extends Error {
  override readonly name = 'OutputTakenError';
}

/**
 * What one command writes. Each place is looked at before the work begins, so that hours of it are not
 * lost to a wrong name.
 */
export class Outputs {
  readonly #force: boolean;
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, { readonly flag: string; readonly takes: Takes }>();
  /** Written by this command, which may therefore replace them. */
  readonly #written = new Set<string>();

  constructor({ force }: { readonly force: boolean }) {
    this.#force = force;
  }

  /**
   * @param made whether what is there was made by this command before, and may be replaced
   * @throws {UsageError}
   */
  file(
    flag: string,
    path: string,
    made: (contents: Buffer) => boolean = madeElsewhere,
  ): OutputFile {
    const place = placeOf(flag, path);
    const entry = entryAt(place);
    if (entry?.isDirectory() === true) {
      throw new UsageError(`${flag} ${path}: this is a folder; name a file`);
    }
    if (entry !== undefined && !entry.isFile())
      throw new UsageError(notOrdinary(flag, path, entry));
    this.#claim(flag, path, place);
    for (const [folder, other] of this.#folders) {
      const [first = ''] = relative(folder, place).split(sep);
      if (place.startsWith(folder + sep) && other.takes(first)) {
        throw new UsageError(`${flag} ${path} lies where ${other.flag} writes; name another place`);
      }
    }
    if (entry !== undefined && !this.#force && !made(readFileSync(place))) {
      throw new UsageError(`${flag} ${path} is there already; name another file, or add --force`);
    }
    return { path, write: (contents) => this.#write(path, place, contents, made) };
  }

  /**
   * @param takes whether the command writes a file or folder of this name directly in the folder
   * @throws {UsageError}
   */
  folder(flag: string, path: string, takes: Takes): OutputFolder {
    const place = placeOf(flag, path);
    const entry = entryAt(place);
    if (entry?.isFile() === true) {
      throw new UsageError(`${flag} ${path}: this is a file; name a folder`);
    }
    if (entry !== undefined && !entry.isDirectory()) {
      throw new UsageError(notOrdinary(flag, path, entry));
    }
    this.#claim(flag, path, place);
    const taken = entry === undefined || this.#force ? undefined : readdirSync(place).find(takes);
    if (taken !== undefined) {
      throw new UsageError(
        `${flag} ${path}: ${taken} is there already; name another folder, or add --force`,
      );
    }
    this.#folders.set(place, { flag, takes });
    return {
      path,
      write: (name, contents) => this.#writeIn(path, place, name, contents),
      append: (name, contents) => this.#append(path, place, name, contents),
    };
  }

  #append(path: string, folder: string, name: string, contents: string | Uint8Array): void {
    const place = join(folder, name);
    if (!this.#written.has(place)) {
      this.#begin(path, folder, name, typeof contents === 'string');
      this.#written.add(place);
    }
    const open = openSync(place, constants.O_WRONLY | constants.O_APPEND | NO_LINK);
    try {
      writeAll(open, contents);
    } finally {
      closeSync(open);
    }
  }

  /** Makes an empty file, or gets one that is there ready to be gone on with. */
  #begin(path: string, folder: string, name: string, isText: boolean): void {
    const place = join(folder, name);
    if (entryAt(folder) === undefined) mkdirSync(folder);
    const entry = entryAt(place);
    if (entry === undefined) {
      closeSync(openSync(place, 'wx'));
      return;
    }
    const goesOn = this.#folders.get(folder)?.takes(name) === false;
    if (!entry.isFile() || !(goesOn || this.#force)) {
      throw new OutputTakenError(`${join(path, name)} is there already, and is left as it is`);
    }
    if (!goesOn) {
      rmSync(place);
      closeSync(openSync(place, 'wx'));
    } else if (isText) truncateSync(place, wholeLines(place));
  }

  #claim(flag: string, path: string, place: string): void {
    const key = ignoresCase ? place.toLowerCase() : place;
    const other = this.#files.get(key);
    if (other !== undefined) {
      throw new UsageError(`${flag} and ${other} are both ${path}; name two places`);
    }
    this.#files.set(key, flag);
  }

  #writeIn(path: string, place: string, name: string, contents: Contents): void {
    const parts = name.split('/');
    let folder = place;
    for (const part of ['', ...parts.slice(0, -1)]) {
      folder = join(folder, part);
      const entry = entryAt(folder);
      if (entry === undefined) mkdirSync(folder);
      else if (!entry.isDirectory()) {
        throw new OutputTakenError(`${join(path, name)} cannot be written: ${folder} is no folder`);
      }
    }
    this.#write(join(path, name), join(place, name), contents);
  }

  #write(path: string, place: string, contents: Contents, made = madeElsewhere): void {
    // A name of its own, made only where there is nothing: a link in its place is not followed.
    const part = `${place}.${randomUUID()}.part`;
    const open = openSync(part, 'wx');
    try {
      if (typeof contents === 'string' || contents instanceof Uint8Array) writeAll(open, contents);
      else for (const piece of contents) writeAll(open, piece);
    } catch (error) {
      closeSync(open);
      rmSync(part, { force: true });
      throw error;
    }
    closeSync(open);
    const entry = entryAt(place);
    const ours = () => this.#force || this.#written.has(place) || made(readFileSync(place));
    const free = entry === undefined || (entry.isFile() && ours());
    if (!free) {
      throw new OutputTakenError(
        `${path} came to be there while this command worked, and is left as it is; what was to go there is in ${part}`,
      );
    }
    // Renaming puts the new file in place of the name; it never writes through a link.
    renameSync(part, place);
    this.#written.add(place);
  }
}

/** Not on Windows, which has no such flag. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Bytes of a text up to the end of its last whole line. */
function wholeLines(place: string): number {
  const open = openSync(place, 'r');
  try {
    const piece = Buffer.alloc(2 ** 16);
    for (let end = fstatSync(open).size; end > 0; ) {
      const from = Math.max(0, end - piece.length);
      const read = readSync(open, piece, 0, end - from, from);
      const last = piece.subarray(0, read).lastIndexOf(0x0a);
      if (last !== -1) return from + last + 1;
      end = from;
    }
    return 0;
  } finally {
    closeSync(open);
  }
}

type Takes = (name: string) => boolean;

const madeElsewhere = (_contents: Buffer) => false;

/** Where file systems take `A` and `a` for one name by default. */
const ignoresCase = process.platform === 'darwin' || process.platform === 'win32';

/** The one way to name a place whose folder is there, whatever links lead to the folder. */
function placeOf(flag: string, path: string): string {
  const whole = resolve(path);
  try {
    const folder = realpathSync(dirname(whole));
    if (statSync(folder).isDirectory()) return join(folder, basename(whole));
  } catch {
    // It is said below.
  }
  throw new UsageError(`${flag} ${path}: the folder ${dirname(path)} does not exist`);
}

/** What lies at a path itself; a link is not followed. */
function entryAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function notOrdinary(flag: string, path: string, entry: Stats): string {
  return entry.isSymbolicLink()
    ? `${flag} ${path}: this is a symbolic link; name the place that it leads to`
    : `${flag} ${path}: this is neither a file nor a folder; name another place`;
}

function writeAll(open: number, contents: string | Uint8Array): void {
  const bytes = typeof contents === 'string' ? Buffer.from(contents) : contents;
  // A single call may write less than it was given.
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(open, bytes, done, Math.min(bytes.length - done, 2 ** 30));
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}
