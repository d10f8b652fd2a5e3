/**
 * File access of commands. All output goes through `Outputs`: existing files are overwritten only
 * with `--force`, and symbolic links are never followed.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
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
import type { ByteSource } from '../runs/safetensors.ts';
import { UsageError } from './usage.ts';

/**
 * The bytes of a file that a flag names, or of a pipe.
 *
 * @param what describes the file, for instance `the config file`
 * @param most size limit in bytes
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
  throw new UsageError(`${what} ${file} is larger than the limit of ${most} bytes`);
}

/** The bytes of a file; null if there are more than `most`. A pipe has no size to check in advance. */
function readAtMost(file: string, most: number): Buffer | null {
  const open = openSync(file, 'r');
  try {
    const { size } = fstatSync(open);
    if (size > most) return null;
    // One extra byte detects a file that grew.
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
 * The files of a folder that have one of these names. Links must stay within the folder or,
 * in the Hugging Face cache, within the folder of the model.
 *
 * @param most size limit of all files together, in bytes
 * @throws {UsageError}
 */
export function readNamedFiles(
  what: string,
  folder: string,
  names: readonly string[],
  most: number,
): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const find = fileFinder(what, folder);
  let left = most;
  for (const name of names) {
    const file = find(name);
    if (file === null) continue;
    const bytes = readGivenFile(what, file, left);
    left -= bytes.length;
    files.set(name, bytes);
  }
  return files;
}

/**
 * Finds the files of a folder. Links must stay within the folder or, in the Hugging Face cache, within
 * the folder of the model.
 *
 * @throws {UsageError} for a link that leaves it
 */
function fileFinder(what: string, folder: string): (name: string) => string | null {
  const here = realpathSync(folder);
  const within = /[/\\]models--[^/\\]+[/\\]snapshots[/\\][^/\\]+$/.test(here)
    ? dirname(dirname(here))
    : here;
  return (name) => {
    const file = join(folder, name);
    if (entryAt(file) === undefined) return null;
    let target: string;
    try {
      target = realpathSync(file);
    } catch (error) {
      throw new UsageError(`${what} ${file} cannot be read${codeOf(error)}`);
    }
    if (!target.startsWith(within + sep)) {
      throw new UsageError(
        `${what} ${file} is a link to a file outside its folder; copy the file into the folder`,
      );
    }
    return statSync(target).isDirectory() ? null : file;
  };
}

/**
 * The files of a folder by name, read in parts; null for a missing name.
 *
 * @param what describes a file, for instance `the model file`
 * @throws {UsageError} if there is no such folder
 */
export function openFolder(flag: string, what: string, folder: string) {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(`${flag} ${folder}: no such folder`);
  }
  const find = fileFinder(what, folder);
  return (name: string): ByteSource | null => {
    const file = find(name);
    if (file === null) return null;
    return { size: statSync(file).size, slice: (begin, end) => partOf(what, file, begin, end) };
  };
}

/** Bytes of a file, read on demand. */
function partOf(what: string, file: string, begin: number, end: number) {
  return {
    arrayBuffer: async () => {
      try {
        const open = openSync(file, 'r');
        try {
          const bytes = new Uint8Array(Math.max(0, end - begin));
          let used = 0;
          while (used < bytes.length) {
            const most = Math.min(bytes.length - used, 2 ** 30);
            const read = readSync(open, bytes, used, most, begin + used);
            if (read === 0) break;
            used += read;
          }
          return used === bytes.length ? bytes.buffer : bytes.buffer.slice(0, used);
        } finally {
          closeSync(open);
        }
      } catch (error) {
        throw new UsageError(`${what} ${file} cannot be read${codeOf(error)}`);
      }
    },
  };
}

type Contents = string | Uint8Array | Iterable<string>;

/** A file that a command writes, possibly repeatedly. It appears complete or not at all. */
export interface OutputFile {
  /** The path as given. */
  readonly path: string;
  /** @throws {OutputTakenError} */
  write(contents: Contents): void;
}

/** A folder that a command writes files into. */
export interface OutputFolder {
  readonly path: string;
  /**
   * @param name path of a file relative to the folder, with `/` as separator
   * @throws {OutputTakenError}
   */
  write(name: string, contents: Contents): void;
  /**
   * Appends to a file directly in the folder, creating it if necessary. If the file exists and `takes` is
   * false for its name, an incomplete last line is removed first.
   *
   * @throws {OutputTakenError}
   */
  append(name: string, contents: string | Uint8Array): void;
}

/** Thrown if another program created an output file while the command ran. */
export class OutputTakenError extends Error {
  override readonly name = 'OutputTakenError';
}

/**
 * The outputs of one command. Each path is checked before the work starts, so a wrong name does not
 * cost hours of work.
 */
export class Outputs {
  readonly #force: boolean;
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, ClaimedFolder>();
  /** Files written by this command, which it may replace. */
  readonly #written = new Set<string>();
  /** Folders that this command has written into. */
  readonly #begun = new Set<string>();

  constructor({ force }: { readonly force: boolean }) {
    this.#force = force;
  }

  /**
   * @param made whether an existing file was made by this command and may be replaced
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
        throw new UsageError(
          `${flag} ${path} is inside the output of ${other.flag}; choose another path`,
        );
      }
    }
    if (entry !== undefined && !this.#force && !made(readFileSync(place))) {
      throw new UsageError(`${flag} ${path} exists; name another file or add --force`);
    }
    return { path, write: (contents) => this.#write(path, place, contents, made) };
  }

  /**
   * With `--force`, the first write removes appended files and subfolders of an earlier command that
   * `takes` names: the outputs of two runs must not mix. Other files are replaced one at a time, because
   * the command may still read them.
   *
   * @param takes whether the command writes a file or folder of this name directly in the folder
   * @param isEarlier whether an earlier run wrote an entry; such entries are removed with `--force`
   * @throws {UsageError}
   */
  folder(flag: string, path: string, takes: Takes, isEarlier?: IsEarlier): OutputFolder {
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
      throw new UsageError(`${flag} ${path}: ${taken} exists; name another folder or add --force`);
    }
    this.#folders.set(place, { flag, takes, ...(isEarlier && { isEarlier }) });
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

  /** Creates an empty file, or prepares an existing one for appending. */
  #begin(path: string, folder: string, name: string, isText: boolean): void {
    const place = join(folder, name);
    if (entryAt(folder) === undefined) mkdirSync(folder);
    this.#removeEarlier(folder);
    const entry = entryAt(place);
    if (entry === undefined) {
      closeSync(openSync(place, 'wx'));
      return;
    }
    const goesOn = this.#folders.get(folder)?.takes(name) === false;
    if (!entry.isFile() || !(goesOn || this.#force)) {
      throw new OutputTakenError(`${join(path, name)} exists and was left unchanged`);
    }
    if (!goesOn) {
      rmSync(place);
      closeSync(openSync(place, 'wx'));
    } else if (isText) truncateSync(place, wholeLines(place));
  }

  /** Removes what an earlier run wrote, once per folder. */
  #removeEarlier(folder: string): void {
    if (!this.#force || this.#begun.has(folder)) return;
    this.#begun.add(folder);
    const isEarlier = this.#folders.get(folder)?.isEarlier;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (isEarlier?.(folder, entry) === true)
        rmSync(join(folder, entry.name), { recursive: true });
    }
  }

  #claim(flag: string, path: string, place: string): void {
    const key = ignoresCase ? place.toLowerCase() : place;
    const other = this.#files.get(key);
    if (other !== undefined) {
      throw new UsageError(`${flag} and ${other} are both ${path}; choose different paths`);
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
        throw new OutputTakenError(
          `${join(path, name)} cannot be written: ${folder} is not a folder`,
        );
      }
      if (folder === place) this.#removeEarlier(place);
    }
    this.#write(join(path, name), join(place, name), contents);
  }

  #write(path: string, place: string, contents: Contents, made = madeElsewhere): void {
    // Open a new file with a unique name exclusively, so that no link is followed.
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
        `${path} was created by another program in the meantime and was left unchanged; the output is in ${part}`,
      );
    }
    // Renaming replaces a link with this name instead of writing through it.
    renameSync(part, place);
    this.#written.add(place);
  }
}

/** Absent on Windows. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Bytes up to the end of the last complete line. */
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
/** @param folder that holds the entry */
type IsEarlier = (folder: string, entry: Dirent) => boolean;

interface ClaimedFolder {
  readonly flag: string;
  readonly takes: Takes;
  readonly isEarlier?: IsEarlier;
}

const madeElsewhere = (_contents: Buffer) => false;

/** Platforms whose file systems ignore case by default. */
const ignoresCase = process.platform === 'darwin' || process.platform === 'win32';

/** The canonical path, with links in the folder resolved. */
function placeOf(flag: string, path: string): string {
  const whole = resolve(path);
  try {
    const folder = realpathSync(dirname(whole));
    if (statSync(folder).isDirectory()) return join(folder, basename(whole));
  } catch {
    // Reported below.
  }
  throw new UsageError(`${flag} ${path}: the folder ${dirname(path)} does not exist`);
}

/** The entry at a path, without following a link. */
function entryAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function notOrdinary(flag: string, path: string, entry: Stats): string {
  return entry.isSymbolicLink()
    ? `${flag} ${path}: this is a symbolic link; name its target`
    : `${flag} ${path}: this is neither a file nor a folder; name another path`;
}

function writeAll(open: number, contents: string | Uint8Array): void {
  const bytes = typeof contents === 'string' ? Buffer.from(contents) : contents;
  // One call may write fewer bytes than requested.
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(open, bytes, done, Math.min(bytes.length - done, 2 ** 30));
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}
