/**
 * Downloads of pretrained models. Partial files are kept in the browser's private file system (OPFS), in a
 * folder for each model and commit, until the model is complete.
 *
 * `@huggingface/hub` is not used: in browsers it stores nothing (its cache is for Node) and compares no
 * hashes, and a list of files is one request.
 */
import { jsonLimits } from '../../../files/limits.ts';
import { agentJson } from '../../errors.ts';
import { readLlamaConfig } from '../../llama-config.ts';
import { readModelTexts } from '../chat-tokenizer.ts';
import { type ModelFolder, neededFile } from '../model-files.ts';
import { type ModelStore, noRoom, privateFolder, type StoredModel } from '../model-store.ts';
import { type CheckedModel, checkModel } from './check-model.ts';
import { fetchFile } from './fetch-file.ts';
import { type HubConnection, huggingFace } from './hub-connection.ts';
import { HubError } from './hub-error.ts';
import { bytesOf, type HubFile, type HubModel, hubModel, isWeights } from './hub-model.ts';

/** A download that was started and is not complete. */
export interface UnfinishedDownload {
  readonly model: HubModel;
  /** Number of bytes that are stored. */
  readonly bytes: number;
}

export interface DownloadProgress {
  /** Number of bytes that are stored. */
  readonly bytes: number;
  /** `connecting`: waiting to try again; `storing`: after all bytes were downloaded. */
  readonly phase: 'downloading' | 'connecting' | 'storing';
  /** Length of the pause in seconds. */
  readonly seconds?: number;
}

/** Written first; a folder without it is damaged. */
const ENTRY = 'palestra.json';

/** Runs `work` while this tab holds a lock; returns null if another tab holds it. */
export type OneTab = <T>(work: () => Promise<T>) => Promise<T | null>;

export class HubDownloads {
  readonly #root: FileSystemDirectoryHandle;
  readonly #free: () => Promise<number>;
  readonly #oneTab: OneTab;
  readonly #hub: HubConnection;

  /**
   * @param root holds a folder for each unfinished download
   * @param free bytes that can still be stored
   */
  constructor(
    root: FileSystemDirectoryHandle,
    free: () => Promise<number>,
    oneTab: OneTab,
    hub: HubConnection,
  ) {
    this.#root = root;
    this.#free = free;
    this.#oneTab = oneTab;
    this.#hub = hub;
  }

  /**
   * @param place prefix of the page's storage keys
   * @throws {ModelStoreError} if the browser stores no files for this page
   */
  static async open(place: string): Promise<HubDownloads> {
    const { name, root, free } = await privateFolder(`${place} downloads`);
    return new HubDownloads(root, free, (work) => lockOnce(name, work), huggingFace);
  }

  /** Looks a model up; see `checkModel`. */
  check(name: string, revision: string, signal: AbortSignal): Promise<CheckedModel> {
    return checkModel(this.#hub, name, revision, signal);
  }

  /** All unfinished downloads, by name. */
  async list(): Promise<readonly UnfinishedDownload[]> {
    const found: UnfinishedDownload[] = [];
    for await (const [, handle] of this.#root.entries()) {
      if (handle.kind !== 'directory') continue;
      const model = await entryOf(handle as FileSystemDirectoryHandle);
      if (model === null) continue;
      found.push({ model, bytes: await storedBytes(handle as FileSystemDirectoryHandle, model) });
    }
    return found.sort((a, b) => a.model.name.localeCompare(b.model.name));
  }

  /** Number of bytes of a model that are stored by an unfinished download. */
  async bytesOf(model: HubModel): Promise<number> {
    const all = await this.list();
    return (
      all.find(({ model: { name, commit } }) => name === model.name && commit === model.commit)
        ?.bytes ?? 0
    );
  }

  /** Deletes an unfinished download. @throws {HubError} while a tab is downloading */
  async remove(model: HubModel): Promise<void> {
    await this.#alone(() => this.#delete(model));
  }

  /**
   * Downloads what is missing of a model, verifies every file, and stores the model.
   *
   * @throws {HubError} if the Hub refuses, a file is damaged, or another tab is downloading
   * @throws {AgentFileError} if the files are not a model that Palestra can train
   * @throws {ModelStoreError} if the disk is full
   * @throws {CancelledError} once the signal aborts; downloaded bytes are kept
   */
  async download(
    model: HubModel,
    store: ModelStore,
    onProgress: (progress: DownloadProgress) => void,
    signal: AbortSignal,
  ): Promise<StoredModel> {
    return this.#alone(async () => {
      const total = bytesOf(model);
      // A cancelled copy may hold the space that this download needs.
      await store.clean();
      const folder = await this.#root.getDirectoryHandle(folderName(model), { create: true });
      await write(folder, ENTRY, new TextEncoder().encode(JSON.stringify(model)));
      const missing = total - (await storedBytes(folder, model));
      const free = await this.#free();
      if (free < missing) throw noRoom(missing, free);
      let before = 0;
      let checked = false;
      const handles = new Map<string, FileSystemFileHandle>();
      for (const file of model.files) {
        if (isWeights(file) && !checked) {
          await checkTexts(await opened(handles));
          checked = true;
        }
        const handle = await folder.getFileHandle(file.name, { create: true });
        handles.set(file.name, handle);
        await this.#fetch(model, file, handle, before, onProgress, signal);
        before += file.bytes;
      }
      onProgress({ bytes: total, phase: 'storing' });
      const added = await store.add(model.name, await opened(handles), () => {}, moveOf(handles));
      await this.#delete(model);
      return added;
    });
  }

  async #fetch(
    model: HubModel,
    file: HubFile,
    handle: FileSystemFileHandle,
    before: number,
    onProgress: (progress: DownloadProgress) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const access = await exclusiveAccess(handle);
    let stored = 0;
    const report = {
      onBytes: (bytes: number) => {
        stored = bytes;
        onProgress({ bytes: before + bytes, phase: 'downloading' });
      },
      onWait: (seconds: number) =>
        onProgress({ bytes: before + stored, phase: 'connecting', seconds }),
    };
    try {
      await fetchFile(this.#hub, model, file, access, report, signal);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'QuotaExceededError') throw error;
      throw noRoom(bytesOf(model) - before - stored, await this.#free());
    } finally {
      access.close();
    }
  }

  async #delete(model: HubModel): Promise<void> {
    await this.#root.removeEntry(folderName(model), { recursive: true });
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = await this.#oneTab(async () => ({ value: await work() }));
    if (result !== null) return result.value;
    throw new HubError(
      'Another tab is downloading a model. Wait until it has finished, or cancel it there.',
    );
  }
}

/**
 * Attempts to take a lock or open a file, and milliseconds between attempts: the worker of a page that was
 * just reloaded may still hold it.
 */
const [ATTEMPTS, PAUSE] = [40, 150];

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

/** @throws {HubError} if the file stays open elsewhere */
async function exclusiveAccess(handle: FileSystemFileHandle): Promise<FileSystemSyncAccessHandle> {
  for (let i = 0; i < ATTEMPTS; i++) {
    try {
      return await handle.createSyncAccessHandle();
    } catch (error) {
      const isOpen = error instanceof Error && error.name === 'NoModificationAllowedError';
      if (!isOpen) throw error;
      await pause();
    }
  }
  throw new HubError(
    'Another tab has the file open. Close the other tabs of this page, then resume.',
  );
}

/** Returns null if another tab keeps the lock. */
async function lockOnce<T>(name: string, work: () => Promise<T>): Promise<T | null> {
  for (let i = 0; i < ATTEMPTS; i++) {
    const result = await navigator.locks.request(name, { ifAvailable: true }, async (lock) =>
      lock === null ? null : { value: await work() },
    );
    if (result !== null) return result.value;
    await pause();
  }
  return null;
}

/** Names of folders contain no slashes. */
const folderName = ({ name, commit }: HubModel) => encodeURIComponent(`${name}@${commit}`);

/** Null for a damaged folder. */
async function entryOf(folder: FileSystemDirectoryHandle): Promise<HubModel | null> {
  try {
    const file = await (await folder.getFileHandle(ENTRY)).getFile();
    const bytes = new Uint8Array(await file.arrayBuffer());
    return hubModel.parse(agentJson(ENTRY, bytes, jsonLimits.config));
  } catch {
    return null;
  }
}

async function storedBytes(folder: FileSystemDirectoryHandle, model: HubModel): Promise<number> {
  const sizes = new Map<string, number>();
  for await (const [name, handle] of folder.entries()) {
    if (handle.kind !== 'file') continue;
    sizes.set(name, (await (handle as FileSystemFileHandle).getFile()).size);
  }
  return model.files.reduce(
    (sum, { name, bytes }) => sum + Math.min(bytes, sizes.get(name) ?? 0),
    0,
  );
}

async function opened(
  handles: ReadonlyMap<string, FileSystemFileHandle>,
): Promise<ReadonlyMap<string, File>> {
  const files = new Map<string, File>();
  for (const [name, handle] of handles) files.set(name, await handle.getFile());
  return files;
}

/**
 * Rejects a model whose text files cannot be used, such as its config and tokenizer. @throws
 * {AgentFileError}
 */
async function checkTexts(files: ReadonlyMap<string, Blob>): Promise<void> {
  const folder: ModelFolder = (name) => files.get(name) ?? null;
  const config = await neededFile(folder, 'config.json', jsonLimits.config.bytes);
  const { shape, fields } = readLlamaConfig(config, false);
  await readModelTexts(folder, fields, shape.vocabulary);
}

/** Moves files instead of copying them, in browsers that can. */
function moveOf(
  handles: ReadonlyMap<string, FileSystemFileHandle>,
): ((name: string, folder: FileSystemDirectoryHandle) => Promise<void>) | null {
  type Movable = FileSystemFileHandle & {
    move?(folder: FileSystemDirectoryHandle, name: string): Promise<void>;
  };
  const all: readonly Movable[] = [...handles.values()];
  if (all.some(({ move }) => move === undefined)) return null;
  return async (name, folder) => {
    const handle: Movable | undefined = handles.get(name);
    await handle?.move?.(folder, name);
  };
}

async function write(
  folder: FileSystemDirectoryHandle,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const handle = await folder.getFileHandle(name, { create: true });
  const access = await exclusiveAccess(handle);
  try {
    access.truncate(0);
    access.write(bytes, { at: 0 });
    access.flush();
  } finally {
    access.close();
  }
}
