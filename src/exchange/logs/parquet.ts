/** Parquet files: hyparquet reads the footer, `parquet-pages.ts` the numbers. */

import { gunzipSync } from 'fflate';
import { type FileMetaData, parquetMetadataAsync, snappyUncompress } from 'hyparquet';
import { foreignLimits } from '../../files/log-limits.ts';
import { LogError } from './error.ts';
import type { Gathered } from './gathered.ts';
import { checkFooter, isNumeric, readChunk } from './parquet-pages.ts';
import type { LogFile, OnRead } from './source.ts';

export function isParquet([a, b, c, d]: Uint8Array): boolean {
  return a === 0x50 && b === 0x41 && c === 0x52 && d === 0x31;
}

type Unpack = (packed: Uint8Array, length: number) => Uint8Array;

const codecs: Readonly<Record<string, Unpack>> = {
  UNCOMPRESSED: (packed) => packed,
  SNAPPY: (packed, length) => {
    const output = new Uint8Array(length);
    snappyUncompress(packed, output);
    return output;
  },
  GZIP: (packed, length) => gunzipSync(packed, { out: new Uint8Array(length) }),
};

/**
 * Snappy compresses at most 64 bytes into 3, gzip 1032 into 1; a page that claims more is invalid.
 */
const MOST_RATIO = 1032;

function unpacking(codec: string): Unpack {
  const unpack = codecs[codec];
  if (unpack === undefined) {
    throw new LogError(`is compressed with ${codec}; write it with snappy, gzip or no compression`);
  }
  return (packed, length) => {
    const most = Math.min(foreignLimits.parquetPage, MOST_RATIO * (packed.length + 64));
    if (length >= 0 && length <= most) return unpack(packed, length);
    throw new LogError(`has a page that claims ${length} bytes; the limit is ${most}`);
  };
}

/** Maximum number of values per byte of a file; a constant column takes almost no space. */
const MOST_VALUES = 256;

/**
 * Reads the numeric columns of a flat table; the row number, from 1, is the axis until another is
 * chosen.
 *
 * @throws {LogError}
 */
export async function readParquet(file: LogFile, into: Gathered, onRead: OnRead): Promise<void> {
  try {
    const metadata = await readFooter(file);
    const leaves = leavesOf(metadata);
    let first = 1;
    for (const group of metadata.row_groups) {
      const rows = Number(group.num_rows);
      for (const [place, { meta_data: about }] of group.columns.entries()) {
        const leaf = leaves[place];
        if (about === undefined || leaf === undefined) throw new LogError('lacks a column');
        if (!leaf.flat || !isNumeric(about.type)) continue;
        const begin = Number(about.dictionary_page_offset ?? about.data_page_offset);
        const bytes = await piece(file, begin, Number(about.total_compressed_size));
        onRead(bytes.length);
        const unpack = unpacking(about.codec);
        readChunk(
          { bytes, type: about.type, optional: leaf.optional, rows, unpack },
          (row, value) => into.add(leaf.name, first + row, value),
        );
      }
      first += rows;
    }
  } catch (error) {
    if (error instanceof LogError) throw error;
    const reason = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
    throw new LogError(`is not a readable Parquet file: ${reason.slice(0, 200)}`);
  }
}

async function piece(file: LogFile, from: number, length: number): Promise<Uint8Array> {
  if (!(from >= 4 && length >= 0 && from + length <= file.size)) {
    throw new LogError('has a column chunk outside the file');
  }
  if (length > foreignLimits.parquetColumn) {
    throw new LogError(`has a column chunk of ${length} bytes, which exceeds the limit`);
  }
  return file.read(from, from + length);
}

/** A file as hyparquet's `AsyncBuffer`. */
export function parquetBuffer(file: LogFile) {
  return {
    byteLength: file.size,
    slice: async (from: number, to = file.size) => {
      const bytes = new Uint8Array(to - from);
      bytes.set(await file.read(from, to));
      return bytes.buffer;
    },
  };
}

/** @throws {LogError} */
export async function readFooter(file: LogFile): Promise<FileMetaData> {
  const tail = await file.read(Math.max(0, file.size - 8), file.size);
  if (tail.length < 8 || !isParquet(tail.subarray(4))) {
    throw new LogError('is truncated: it has no footer');
  }
  const footer = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  if (footer > foreignLimits.parquetFooter || footer > file.size - 8) {
    throw new LogError(`has an impossible footer length of ${footer} bytes`);
  }
  checkFooter(await file.read(file.size - 8 - footer, file.size - 8));
  const buffer = parquetBuffer(file);
  const options = { initialFetchSize: footer + 8, geoparquet: false };
  const metadata = await parquetMetadataAsync(buffer, options);
  const columns = leavesOf(metadata).length;
  if (columns > foreignLimits.series) {
    throw new LogError(`has ${columns} columns; the limit is ${foreignLimits.series}`);
  }
  const rows = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  const most = Math.min(foreignLimits.points, MOST_VALUES * file.size);
  if (!(rows >= 0) || rows * columns > most) {
    throw new LogError(`has ${rows} rows of ${columns} columns, which exceeds the limit`);
  }
  return metadata;
}

interface Leaf {
  readonly name: string;
  readonly optional: boolean;
  /** A top-level column with at most one value per row. */
  readonly flat: boolean;
}

/** The columns in the order of their chunks. */
function leavesOf({ schema }: FileMetaData): readonly Leaf[] {
  const [root] = schema;
  const isFlat = root?.num_children === schema.length - 1;
  return schema.slice(1).flatMap(({ name, type, repetition_type: repetition }): Leaf[] =>
    type === undefined
      ? []
      : [
          {
            name,
            optional: repetition === 'OPTIONAL',
            flat: isFlat && repetition !== 'REPEATED',
          },
        ],
  );
}
