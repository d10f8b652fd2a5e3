/** Parquet files, read a column of a row group at a time by hyparquet. */

import { gunzipSync } from 'fflate';
import { type Compressors, parquetMetadataAsync, parquetRead, snappyUncompress } from 'hyparquet';
import { foreignLimits } from '../../files/log-limits.ts';
import { LogError } from './error.ts';
import type { Gathered } from './gathered.ts';
import { numberIn } from './loose-json.ts';
import type { LogFile, OnRead } from './source.ts';

export function isParquet([a, b, c, d]: Uint8Array): boolean {
  return a === 0x50 && b === 0x41 && c === 0x52 && d === 0x31;
}

/** A page says how large it is unpacked; none that is read of a log is larger than this. */
function checked(unpack: (input: Uint8Array, length: number) => Uint8Array) {
  return (input: Uint8Array, length: number): Uint8Array => {
    if (!(length >= 0 && length <= foreignLimits.parquetPage)) {
      throw new LogError(
        `has a page of ${length} bytes, and at most ${foreignLimits.parquetPage} are read`,
      );
    }
    return unpack(input, length);
  };
}

const unread = (name: string) => () => {
  throw new LogError(`is compressed with ${name}; write it anew with snappy, gzip or none`);
};

const compressors: Compressors = {
  SNAPPY: checked((input, length) => {
    const output = new Uint8Array(length);
    snappyUncompress(input, output);
    return output;
  }),
  GZIP: checked((input, length) => gunzipSync(input, { out: new Uint8Array(length) })),
  ZSTD: unread('zstd'),
  BROTLI: unread('Brotli'),
  LZ4: unread('LZ4'),
  LZ4_RAW: unread('LZ4'),
};

/**
 * Reads a flat table; numbers are measured at the row, counted from 1, until an axis is chosen.
 *
 * @throws {LogError}
 */
export async function readParquet(file: LogFile, into: Gathered, onRead: OnRead): Promise<void> {
  try {
    await readTable(file, into, onRead);
  } catch (error) {
    if (error instanceof LogError) throw error;
    const reason = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
    throw new LogError(`is no Parquet file that can be read: ${reason.slice(0, 200)}`);
  }
}

async function readTable(file: LogFile, into: Gathered, onRead: OnRead): Promise<void> {
  const tail = await file.read(Math.max(0, file.size - 8), file.size);
  if (tail.length < 8 || !isParquet(tail.subarray(4)))
    throw new LogError('is cut off: it has no footer');
  const footer = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  if (footer > foreignLimits.parquetFooter || footer > file.size - 8) {
    throw new LogError(`has a footer of ${footer} bytes, which cannot be`);
  }
  const buffer = {
    byteLength: file.size,
    slice: async (from: number, to = file.size) => {
      const bytes = await file.read(from, to);
      onRead(bytes.length);
      return bytes.slice().buffer as ArrayBuffer;
    },
  };
  const metadata = await parquetMetadataAsync(buffer, {
    initialFetchSize: footer + 8,
    geoparquet: false,
  });
  const rows = Number(metadata.num_rows);
  const columns = metadata.schema.filter(({ type }) => type !== undefined);
  if (columns.length > foreignLimits.series) {
    throw new LogError(
      `has ${columns.length} columns, and at most ${foreignLimits.series} are read`,
    );
  }
  if (!(rows >= 0) || rows * columns.length > foreignLimits.points) {
    throw new LogError(`has ${rows} rows of ${columns.length} columns, more than are read`);
  }
  const numeric = columns.filter(({ type }) => type !== 'BYTE_ARRAY').map(({ name }) => name);
  await parquetRead({
    file: buffer,
    metadata,
    columns: numeric,
    compressors,
    onChunk: ({ columnName, columnData, rowStart }) => {
      for (let i = 0; i < columnData.length; i++) {
        const value: unknown = columnData[i];
        const number = typeof value === 'bigint' ? Number(value) : numberIn(value);
        if (number !== undefined) into.add(columnName, rowStart + i + 1, number);
      }
    },
  });
}
