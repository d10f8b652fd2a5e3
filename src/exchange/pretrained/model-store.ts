/**
 * Pretrained models in the browser's private file system (OPFS): a folder for each, named by its digest.
 * Only workers write, but every thread can read.
 */
import { z } from 'zod';
import type { PretrainedModel } from '../../agents/pretrained.ts';
import { jsonLimits } from '../../files/limits.ts';
import type { PolicyShape } from '../../policy/types.ts';
import type { KeptBase } from '../../runs/checkpoint.ts';
import { bytes as inBytes } from '../../runs/numbers.ts';
import { AgentFileError, agentJson } from '../errors.ts';
import { readLlamaConfig } from '../llama-config.ts';
import { llamaTensors } from '../llama-tensors.ts';
import { keptAdapter } from './defaults.ts';
import { copiedFiles, type ModelFolder, neededFile } from './model-files.ts';
import { adaptedModel, type OpenedModel, openModel } from './open-model.ts';

/** A stored model. */
export interface StoredModel {
  readonly digest: string;
  readonly name: string;
  /** Total size of its files. */
  readonly bytes: number;
  readonly modelType: string;
  readonly shape: PolicyShape;
  /** Number of parameters, without adapter and value head. */
  readonly parameters: number;
  /** Maximum context length in tokens; null if `config.json` does not say. */
  readonly contextLength: number | null;
}

/** A model cannot be stored; the message is one or two sentences. */
export class ModelStoreError extends Error {
  override readonly name = 'ModelStoreError';
}

/** A run needs a model that is not stored. */
export class ModelMissingError extends Error {
  override readonly name = 'ModelMissingError';
  constructor({ name, digest }: Pick<KeptBase, 'name' | 'digest'>) {
    super(
      `This run trains an adapter of the pretrained model “${name}” (digest ${digest.slice(0, 8)}), which is not stored in this browser.`,
    );
  }
}

/** Written last; a folder without it is incomplete. */
const ENTRY = 'palestra.json';
const entryFields = z.object({ name: z.string().min(1).max(200) });

/** Bytes copied per step. */
const CHUNK = 2 ** 22;

const digestPattern = /^[0-9a-f]{64}$/;

/** Runs `work` alone; with `busy`, runs that instead of waiting for other work. */
type Alone = <T>(work: () => Promise<T>, busy?: () => Promise<T>) => Promise<T>;

export class ModelStore {
  readonly #root: FileSystemDirectoryHandle;
  readonly #free: () => Promise<number>;
  readonly #alone: Alone;

  /**
   * @param root holds a folder for each model
   * @param free bytes that can still be stored
   * @param alone runs one operation at a time across all tabs
   */
  constructor(root: FileSystemDirectoryHandle, free: () => Promise<number>, alone: Alone) {
    this.#root = root;
    this.#free = free;
    this.#alone = alone;
  }

  /**
   * @param place prefix of the page's storage keys
   * @throws {ModelStoreError} if the browser stores no files for this page
   */
  static async open(place: string): Promise<ModelStore> {
    const { name, root, free } = await privateFolder(`${place} models`);
    return new ModelStore(root, free, (work, busy) =>
      navigator.locks.request(name, { ifAvailable: busy !== undefined }, (lock) =>
        lock === null && busy !== undefined ? busy() : work(),
      ),
    );
  }

  /** All complete models, by name; the remains of interrupted copies are removed. */
  async list(): Promise<readonly StoredModel[]> {
    await this.clean();
    const models: StoredModel[] = [];
    for (const digest of await this.#folders()) {
      const files = await this.#files(digest);
      const model = files && (await described(digest, files));
      if (model) models.push(model);
    }
    return models.sort((a, b) => a.name.localeCompare(b.name));
  }

  /**
   * Checks a model's files and copies those that are used.
   *
   * @param files by name
   * @param move moves a file into a folder instead of copying it; null copies
   * @throws {AgentFileError} if the files are not a model
   * @throws {ModelStoreError} if the disk is full or a file cannot be read
   */
  async add(
    name: string,
    files: ReadonlyMap<string, Blob>,
    onProgress: (fraction: number) => void,
    move: ((file: string, folder: FileSystemDirectoryHandle) => Promise<void>) | null = null,
  ): Promise<StoredModel> {
    const used = new Map<string, Blob>();
    const take = (file: string) => {
      const found = files.get(file);
      if (found !== undefined) used.set(file, found);
      return found ?? null;
    };
    const { digest } = await readable(() => openModel(take));
    // An export copies these files from the stored model.
    copiedFiles.forEach(take);
    const total = [...used.values()].reduce((sum, { size }) => sum + size, 0);
    return await this.#alone(async () => {
      const before = await this.#files(digest);
      const known = before && (await described(digest, before));
      if (known) return known;
      await this.#clean();
      const free = await this.#free();
      if (move === null && free < total) throw noRoom(total, free);
      const folder = await this.#root.getDirectoryHandle(digest, { create: true });
      let copied = 0;
      const onBytes = (bytes: number) => {
        copied += bytes;
        onProgress(copied / total);
      };
      try {
        // Largest last: a kill between two moves then loses little.
        for (const [file, blob] of [...used].sort(([, a], [, b]) => a.size - b.size)) {
          if (move === null) await copy(folder, file, blob, onBytes);
          else await move(file, folder);
        }
        const entry = new Blob([JSON.stringify({ name: name.slice(0, 200) })]);
        await copy(folder, ENTRY, entry, () => {});
      } catch (error) {
        await this.#root.removeEntry(digest, { recursive: true }).catch(() => {});
        const isFull = error instanceof Error && error.name === 'QuotaExceededError';
        throw isFull ? noRoom(total, await this.#free()) : error;
      }
      const stored = await this.#files(digest);
      const model = stored && (await described(digest, stored));
      if (!model) throw new ModelStoreError('The copy of this model is damaged. Open it again.');
      return model;
    });
  }

  async remove(digest: string): Promise<void> {
    await this.#alone(() => this.#root.removeEntry(digest, { recursive: true }));
  }

  /**
   * @throws {ModelMissingError} if it is not stored
   * @throws {AgentFileError} if its files are damaged
   */
  async openModel(
    base: Pick<KeptBase, 'name' | 'digest'>,
  ): Promise<{ readonly folder: ModelFolder; readonly opened: OpenedModel }> {
    const files = digestPattern.test(base.digest) ? await this.#files(base.digest) : null;
    if (files === null || !files.has(ENTRY)) throw new ModelMissingError(base);
    const folder: ModelFolder = (name) => files.get(name) ?? null;
    const opened = await readable(() => openModel(folder));
    if (opened.digest === base.digest) return { folder, opened };
    throw new AgentFileError(
      `the stored files of ${base.name} are damaged; delete the model and open its folder again`,
    );
  }

  async #folders(): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const [name] of this.#root.entries()) if (digestPattern.test(name)) names.push(name);
    return names;
  }

  /** The files of a model's folder; null if there is none. */
  async #files(digest: string): Promise<ReadonlyMap<string, File> | null> {
    const files = new Map<string, File>();
    try {
      const folder = await this.#root.getDirectoryHandle(digest);
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind === 'file')
          files.set(name, await (handle as FileSystemFileHandle).getFile());
      }
      return files;
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFoundError') return null;
      throw error;
    }
  }

  /** Removes the remains of interrupted copies, unless a copy is in progress. */
  async clean(): Promise<void> {
    await this.#alone(
      // The worker of a page that was just closed may still hold a file.
      () => this.#clean().catch(() => {}),
      async () => {},
    );
  }

  async #clean(): Promise<void> {
    for (const digest of await this.#folders()) {
      const files = await this.#files(digest);
      if (files && (await nameOf(files)) !== null) continue;
      await this.#root.removeEntry(digest, { recursive: true });
    }
  }
}

/** A folder of the browser's private file system. */
export interface PrivateFolder {
  /** Also the name of its lock. */
  readonly name: string;
  readonly root: FileSystemDirectoryHandle;
  /** Bytes that can still be stored. */
  readonly free: () => Promise<number>;
}

/** @throws {ModelStoreError} if the browser stores no files for this page */
export async function privateFolder(title: string): Promise<PrivateFolder> {
  try {
    const top = await navigator.storage.getDirectory();
    // Names of folders contain no slashes.
    const name = encodeURIComponent(title);
    const root = await top.getDirectoryHandle(name, { create: true });
    const free = async () => {
      const { quota, usage = 0 } = await navigator.storage.estimate();
      return quota === undefined ? Number.POSITIVE_INFINITY : quota - usage;
    };
    return { name, root, free };
  } catch {
    throw new ModelStoreError(
      'This browser cannot store files for this page: the window is private, the page uses plain http, or storage is disabled.',
    );
  }
}

/**
 * The stored model of a run, with its adapter.
 *
 * @param place prefix of the page's storage keys
 * @throws {ModelMissingError} if it is not stored
 * @throws {CheckpointError} for unsupported adapter settings
 */
export async function openStoredModel(place: string, base: KeptBase): Promise<PretrainedModel> {
  const store = await ModelStore.open(place);
  const { opened } = await store.openModel(base);
  return adaptedModel(opened, base.name, keptAdapter(base));
}

/** Null for an incomplete folder, such as one whose last file was being written when the page closed. */
async function described(
  digest: string,
  files: ReadonlyMap<string, File>,
): Promise<StoredModel | null> {
  try {
    return await readEntry(digest, files);
  } catch (error) {
    if (error instanceof AgentFileError || error instanceof z.ZodError) return null;
    throw error;
  }
}

/** The name in a model's last file; null if that file is missing or incomplete. */
async function nameOf(files: ReadonlyMap<string, File>): Promise<string | null> {
  const text = await files.get(ENTRY)?.text();
  try {
    return entryFields.parse(JSON.parse(text ?? '')).name;
  } catch {
    return null;
  }
}

async function readEntry(digest: string, files: ReadonlyMap<string, File>): Promise<StoredModel> {
  const folder: ModelFolder = (name) => files.get(name) ?? null;
  const text = await neededFile(folder, ENTRY, jsonLimits.base.bytes);
  const { name } = entryFields.parse(agentJson(ENTRY, text, jsonLimits.base));
  const config = await neededFile(folder, 'config.json', jsonLimits.config.bytes);
  const { shape, fields } = readLlamaConfig(config, false);
  const length = fields.max_position_embeddings;
  return {
    ...{ digest, name, shape },
    bytes: [...files.values()].reduce((sum, { size }) => sum + size, 0),
    modelType: String(fields.model_type),
    parameters: parametersOf(shape),
    contextLength: typeof length === 'number' ? length : null,
  };
}

/** Number of parameters, without adapter and value head. */
export function parametersOf(shape: PolicyShape): number {
  return llamaTensors(shape)
    .map((tensor) => tensor.shape.reduce((product, size) => product * size, 1))
    .reduce((sum, count) => sum + count, 0);
}

/** @throws DOMException `QuotaExceededError` if the disk is full */
async function copy(
  folder: FileSystemDirectoryHandle,
  name: string,
  file: Blob,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const handle = await folder.getFileHandle(name, { create: true });
  const access = await handle.createSyncAccessHandle();
  try {
    access.truncate(0);
    for (let at = 0; at < file.size; at += CHUNK) {
      const part = file.slice(at, Math.min(file.size, at + CHUNK));
      const bytes = new Uint8Array(await readable(() => part.arrayBuffer()));
      const written = access.write(bytes, { at });
      // If the disk is full, some browsers write less instead of throwing.
      if (written < bytes.length) throw new DOMException('', 'QuotaExceededError');
      onBytes(written);
    }
    access.flush();
  } finally {
    access.close();
  }
}

/** Names the fault if the browser cannot read a file, such as one that was moved. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new ModelStoreError(
      'The browser cannot read the files of this model; they were moved or changed.',
    );
  }
}

/** The error for files that do not fit. */
export function noRoom(needed: number, free: number): ModelStoreError {
  return new ModelStoreError(
    `This model needs ${inBytes(needed)} of storage, and the browser has ${inBytes(Math.max(0, free))} left. Delete stored models or runs, or free disk space.`,
  );
}
