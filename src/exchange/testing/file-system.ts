/** An in-memory origin private file system with the methods that `ModelStore` and `HubDownloads` use. */

const absent = () => new DOMException('', 'NotFoundError');

class MemoryFile {
  readonly kind = 'file';
  readonly #disk: Disk;
  #bytes = new Uint8Array(0);
  #open = false;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get size(): number {
    return this.#bytes.length;
  }

  async getFile(): Promise<Blob> {
    return new Blob([this.#bytes]);
  }

  async createSyncAccessHandle() {
    if (this.#open) throw new DOMException('', 'NoModificationAllowedError');
    this.#open = true;
    return {
      getSize: () => this.#bytes.length,
      read: (into: Uint8Array, { at }: { at: number }) => {
        const part = this.#bytes.subarray(at, at + into.length);
        into.set(part);
        return part.length;
      },
      truncate: (size: number) => {
        this.#bytes = this.#bytes.slice(0, size);
      },
      write: (bytes: Uint8Array, { at }: { at: number }) => {
        if (this.#disk.used() + bytes.length > this.#disk.capacity) {
          throw new DOMException('', 'QuotaExceededError');
        }
        const grown = new Uint8Array(Math.max(this.#bytes.length, at + bytes.length));
        grown.set(this.#bytes);
        grown.set(bytes, at);
        this.#bytes = grown;
        return bytes.length;
      },
      flush: () => {},
      close: () => {
        this.#open = false;
      },
    };
  }
}

/** A file that can be moved, as in current browsers. */
class MovableFile extends MemoryFile {
  readonly #from: { readonly folder: MemoryFolder; readonly name: string };

  constructor(disk: Disk, folder: MemoryFolder, name: string) {
    super(disk);
    this.#from = { folder, name };
  }

  async move(folder: MemoryFolder, name: string): Promise<void> {
    await this.#from.folder.removeEntry(this.#from.name);
    folder.take(name, this);
  }
}

class MemoryFolder {
  readonly kind = 'directory';
  readonly #disk: Disk;
  readonly #entries = new Map<string, MemoryFile | MemoryFolder>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  get size(): number {
    return [...this.#entries.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<MemoryFolder> {
    const found = this.#entries.get(name);
    if (found instanceof MemoryFolder) return found;
    if (!create) throw absent();
    const made = new MemoryFolder(this.#disk);
    this.#entries.set(name, made);
    return made;
  }

  async getFileHandle(name: string, { create = false } = {}): Promise<MemoryFile> {
    const found = this.#entries.get(name);
    if (found instanceof MemoryFile) return found;
    if (!create) throw absent();
    const { movable } = this.#disk;
    const made = movable ? new MovableFile(this.#disk, this, name) : new MemoryFile(this.#disk);
    this.#entries.set(name, made);
    return made;
  }

  take(name: string, file: MemoryFile): void {
    this.#entries.set(name, file);
  }

  async removeEntry(name: string): Promise<void> {
    if (!this.#entries.delete(name)) throw absent();
  }

  async *entries(): AsyncGenerator<[string, MemoryFile | MemoryFolder]> {
    yield* this.#entries;
  }
}

interface Disk {
  capacity: number;
  /** Whether files can be moved; otherwise they are copied. */
  movable: boolean;
  used(): number;
}

/** An empty disk; `capacity` may change later. */
export function memoryDisk(capacity = Number.POSITIVE_INFINITY) {
  const disk: Disk = { capacity, movable: true, used: () => folder.size };
  const folder: MemoryFolder = new MemoryFolder(disk);
  return { disk, root: folder as unknown as FileSystemDirectoryHandle };
}
