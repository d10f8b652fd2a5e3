/** Checksums of event files (CRC-32C, masked) and of W&B's files (CRC-32 of ISO 3309). */

/** @param polynomial with reversed bits */
function tableOf(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    return crc;
  });
}

const castagnoli = tableOf(0x82f63b78);
const iso3309 = tableOf(0xedb88320);

function checkSum(table: Uint32Array, bytes: Uint8Array, from: number, to: number): number {
  let crc = 0xffffffff;
  for (let at = from; at < to; at++) {
    crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** CRC-32C of a byte range, rotated and offset as TFRecord files store it. */
export function maskedCrc(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const crc = checkSum(castagnoli, bytes, from, to);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

export function crc32(bytes: Uint8Array, from = 0, to = bytes.length): number {
  return checkSum(iso3309, bytes, from, to);
}
