/** Runs the fuzzer on readers with planted faults, for the fuzzer's own tests. */
import { endWith } from '../../cli/streams.ts';
import { mutateBytes } from './bytes.ts';
import { fuzzCommand } from './fuzz-command.ts';
import type { Reader } from './reader.ts';

class PlantedError extends Error {
  override readonly name = 'PlantedError';
}

/** A reader that rejects half of all inputs and has the fault for one in sixteen. */
function planted(name: string, fault: (bytes: Uint8Array) => unknown): Reader {
  return {
    name,
    refusals: [PlantedError],
    seeds: () => [new Uint8Array(16)],
    mutate: mutateBytes,
    read: (bytes) => {
      const sum = bytes.reduce((total, byte) => total + byte, bytes.length);
      if (sum % 16 === 1) return fault(bytes);
      if (sum % 2 === 1) throw new PlantedError('refused');
      return sum;
    },
  };
}

const held: Uint8Array[] = [];

const readers: readonly Reader[] = [
  planted('sound', () => 0),
  planted('throws', () => {
    throw new TypeError('planted');
  }),
  planted('hangs', () => {
    for (;;);
  }),
  planted('waits', () => new Promise(() => {})),
  planted('grows', () => held.push(new Uint8Array(100 * 2 ** 20).fill(1))),
  planted('claims', () => held.push(new Uint8Array(100 * 2 ** 20))),
  planted('overflows', () => {
    const list: unknown[] = [];
    for (;;) list.push(new Array(1e6).fill(list));
  }),
  planted('pollutes', () => {
    Object.defineProperty(Object.prototype, 'polluted', { value: 1, configurable: true });
  }),
  planted('inherits', () =>
    JSON.parse('{"a":{"b":1}}', (key, value) => (key === 'a' ? Object.create(value) : value)),
  ),
];

endWith(await fuzzCommand(process.argv.slice(2), readers));
