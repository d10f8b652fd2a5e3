/** Writes TensorBoard event files with scalars for many steps. */

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ ((value & 1) === 1 ? 0x82f63b78 : 0);
  return value;
});

/** CRC-32C with TFRecord's mask. */
function masked(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 255] ?? 0);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

function record(data: Buffer): Buffer {
  const framed = Buffer.alloc(16 + data.length);
  framed.writeUInt32LE(data.length, 0);
  framed.writeUInt32LE(masked(framed.subarray(0, 8)), 8);
  data.copy(framed, 12);
  framed.writeUInt32LE(masked(data), 12 + data.length);
  return framed;
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

const message = (field: number, content: Buffer) =>
  Buffer.concat([Buffer.from([8 * field + 2, ...varint(content.length)]), content]);

const seconds = (time: number) => {
  const bytes = Buffer.alloc(9, 9);
  bytes.writeDoubleLE(time, 1);
  return bytes;
};

/** The version event that starts a file. */
export const eventHead = (time: number): Buffer =>
  record(Buffer.concat([seconds(time), message(3, Buffer.from('brain.Event:2'))]));

/** One event with all scalars of a step, each a `simple_value`. */
export function eventRow(
  time: number,
  step: number,
  numbers: readonly (readonly [key: string, value: number])[],
): Buffer {
  const values = numbers.map(([key, value]) => {
    const simple = Buffer.alloc(5, 8 * 2 + 5);
    simple.writeFloatLE(value, 1);
    return message(1, Buffer.concat([message(1, Buffer.from(key)), simple]));
  });
  return record(
    Buffer.concat([
      seconds(time),
      Buffer.from([8 * 2, ...varint(step)]),
      message(5, Buffer.concat(values)),
    ]),
  );
}
