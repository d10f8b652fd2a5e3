/** Hashes of files in pieces, which WebCrypto cannot compute. */
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '../../../files/hex.ts';
import type { HubFile } from './hub-model.ts';

export interface FileHash {
  add(bytes: Uint8Array): void;
  /** In hexadecimal. */
  digest(): string;
}

/** The hash that the Hub lists for a file: SHA-256 for a large file, else its git blob id. */
export function fileHash({ hash, bytes }: Pick<HubFile, 'hash' | 'bytes'>): FileHash {
  const state = (hash === 'sha256' ? sha256 : sha1).create();
  if (hash === 'git') state.update(new TextEncoder().encode(`blob ${bytes}\0`));
  return { add: (part) => void state.update(part), digest: () => hex(state.digest()) };
}
