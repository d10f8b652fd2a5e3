/** An origin private file system in memory, with what `ModelStore` uses of it. */

const absent = () => new DOMException('', 'NotFoundError');

class MemoryFile {
  readonly kind = 'file';
  readonly #disk: Disk;
  #bytes = new Uint8Array(0);

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
    return {
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
      close: () => {},
    };
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
    const made = new MemoryFile(this.#disk);
    this.#entries.set(name, made);
    return made;
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
  used(): number;
}

/** An empty disk; `capacity` may change later. */
export function memoryDisk(capacity = Number.POSITIVE_INFINITY) {
  const disk: Disk = { capacity, used: () => folder.size };
  const folder: MemoryFolder = new MemoryFolder(disk);
  return { disk, root: folder as unknown as FileSystemDirectoryHandle };
}
