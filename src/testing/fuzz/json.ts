/**
 * Mutations of JSON that keep it valid, including features that only JSON text has, such as huge
 * numbers and duplicate keys.
 */
import type { RandomStream } from '../../training/random.ts';
import { few, MOST_BYTES, type Mutator, mutateBytes, oneIn, pick, words } from './bytes.ts';

type Holder = Record<string | number, unknown>;
/** The location of a value within another. */
interface Slot {
  readonly holder: Holder;
  readonly key: string | number;
}

/** Raw texts that JSON.stringify never produces. */
const rawValues: readonly ((random: RandomStream) => string)[] = [
  ...['1e999', '-1e999', '1e-999', '-0', '0.1e1', '1E400', '9'.repeat(400), '"\\ud800"'].map(
    (text) => () => text,
  ),
  (random) => {
    const deep = pick(random, [2, 12, 25, 70, 2000, 20_000]);
    return oneIn(random, 2)
      ? `${'['.repeat(deep)}${']'.repeat(deep)}`
      : `${'{"a":'.repeat(deep)}0${'}'.repeat(deep)}`;
  },
  (random) => {
    const one = pick(random, ['0', '[]', '{}', '""', 'null', '-1', '{"a":0}', '"a"']);
    return `[${new Array(pick(random, [2, 9, 70, 1000, 40_000])).fill(one).join(',')}]`;
  },
  (random) =>
    JSON.stringify(pick(random, ['a', '中', '\0']).repeat(pick(random, [100, 10_000, 60_000]))),
  () => '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
];

const values: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 0.5, 2, 8, 64, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32],
  ...[2 ** 53, -(2 ** 53), 1e308, Number.MIN_VALUE, '', 'a', '0', [], {}, [[]], [null], [0], ['']],
  ...[{ a: 1 }, { length: 1e9 }, { toString: 0 }, { valueOf: null }],
];

/** Placeholder for a raw text, and its form in the output of JSON.stringify. */
const mark = (i: number) => `\u0001raw${i}\u0001`;
const MARKS = /"\\u0001raw(\d+)\\u0001"/g;

/**
 * Mutates JSON by value, and sometimes by byte.
 *
 * @param pool texts to insert, such as names and choices
 */
export function json(pool: readonly string[] = []): Mutator {
  const texts = [...words, ...pool, ...pool];
  return (bytes, random) => {
    const text = new TextDecoder().decode(bytes);
    if (oneIn(random, 6)) return mutateBytes(bytes, random);
    const changed = new TextEncoder().encode(changedJson(text, texts, random));
    return (oneIn(random, 12) ? mutateBytes(changed, random) : changed).subarray(0, MOST_BYTES);
  };
}

/** Text nested too deeply for JSON.stringify is mutated as plain text. */
function changedJson(text: string, pool: readonly string[], random: RandomStream): string {
  try {
    return changedText(text, pool, random);
  } catch (error) {
    if (error instanceof RangeError) return changedString(text, pool, random);
    throw error;
  }
}

function changedText(text: string, pool: readonly string[], random: RandomStream): string {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return changedString(text, pool, random);
  }
  const raws: string[] = [];
  const top: Holder = { root };
  for (let i = few(random, 5); i > 0; i--) changeOne(top, pool, random, raws);
  // The result is empty if the outermost value was removed.
  return (JSON.stringify(top.root) ?? '').replace(MARKS, (_, i) => raws[Number(i)] ?? '0');
}

/** The location of every value. Without recursion, because values may be deeply nested. */
function slotsOf(top: Holder): Slot[] {
  const slots: Slot[] = [];
  const holders: Holder[] = [top];
  for (const holder of holders) {
    for (const key of Object.keys(holder)) {
      const place = Array.isArray(holder) ? Number(key) : key;
      slots.push({ holder, key: place });
      const value = holder[place];
      if (typeof value === 'object' && value !== null) holders.push(value as Holder);
    }
  }
  return slots;
}

function changeOne(
  top: Holder,
  pool: readonly string[],
  random: RandomStream,
  raws: string[],
): void {
  const slots = slotsOf(top);
  if (slots.length === 0) return;
  const { holder, key } = pick(random, slots);
  const value = holder[key];
  const isTop = holder === top;
  const put = (next: unknown, at = key) =>
    Object.defineProperty(holder, at, {
      ...{ value: next, enumerable: true, configurable: true, writable: true },
    });
  const raw = (text: string) => {
    raws.push(text);
    return mark(raws.length - 1);
  };
  // Values of the correct type are tried as often as values of other types.
  if (oneIn(random, 2)) {
    if (typeof value === 'number') return void put(changedNumber(value, random));
    if (typeof value === 'string') return void put(changedString(value, pool, random));
    if (Array.isArray(value) && value.length > 0) return void put(changedList(value, random, raw));
  }
  switch (random.below(8)) {
    case 0:
    case 1:
      put(structuredClone(pick(random, values)));
      break;
    case 2:
      put(raw(pick(random, rawValues)(random)));
      break;
    case 3:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else if (!isTop) Reflect.deleteProperty(holder, key);
      break;
    case 4: {
      const other = pick(random, slots);
      put(structuredClone(other.holder[other.key]));
      break;
    }
    case 5: {
      if (isTop || Array.isArray(holder)) break;
      const name = oneIn(random, 3) ? String(pick(random, slots).key) : pick(random, pool);
      if (oneIn(random, 2)) Reflect.deleteProperty(holder, key);
      put(value, name);
      break;
    }
    case 6: {
      // Add the same key again, with another value.
      const other = JSON.stringify(pick(random, values));
      const own = JSON.stringify(value) ?? 'null';
      if (Array.isArray(holder) || isTop || own.includes('\\u0001raw')) break;
      put(raw(`${own},${JSON.stringify(String(key))}:${other}`));
      break;
    }
    default:
      put(pick(random, pool));
  }
}

function changedNumber(value: number, random: RandomStream): number {
  return pick(random, [
    ...[value + 1, value - 1, -value, 2 * value, value / 2, value + 0.5, value * 2 ** 16],
    ...[
      value * 2 ** 40,
      2 ** random.below(64),
      2 ** random.below(64) - 1,
      -(2 ** random.below(64)),
    ],
  ]);
}

function changedString(value: string, pool: readonly string[], random: RandomStream): string {
  // A string may itself contain JSON.
  if (/^\s*[[{]/.test(value) && !oneIn(random, 4)) {
    try {
      JSON.parse(value);
      return changedText(value, pool, random);
    } catch {
      // Not JSON; it is mutated as plain text.
    }
  }
  return changeText(value, pool, random);
}

/** A text with one mutation. */
export function changeText(value: string, pool: readonly string[], random: RandomStream): string {
  const at = random.below(value.length + 1);
  const to = Math.min(value.length, at + random.below(9));
  const long = pick(random, [2, 3, 30, 1000, 20_000]);
  switch (random.below(7)) {
    case 0:
      return pick(random, pool);
    case 1:
      return value.slice(0, at) + pick(random, pool) + value.slice(at);
    case 2:
      return value.slice(0, at) + value.slice(to);
    case 3:
      return value.slice(0, at) + value.slice(at, to).repeat(long) + value.slice(to);
    case 4:
      return value + value;
    case 5:
      return (
        value.slice(0, at) +
        String.fromCharCode(random.below(oneIn(random, 2) ? 128 : 65_536)) +
        value.slice(to)
      );
    default:
      return oneIn(random, 2) ? value.toUpperCase() : [...value].reverse().join('');
  }
}

function changedList(
  list: readonly unknown[],
  random: RandomStream,
  raw: (text: string) => string,
): unknown[] {
  const at = random.below(list.length);
  const one = list[at];
  switch (random.below(5)) {
    case 0:
      return list.slice(0, at);
    case 1:
      return random.shuffled(list);
    case 2: {
      // Limit the number of copies by the length of the value's text.
      const room = Math.floor(MOST_BYTES / (1 + (JSON.stringify(one)?.length ?? 4)));
      const times = Math.min(room, pick(random, [1, 2, 40, 1000, 50_000]));
      // As text, because a later mutation of a shared object would change all copies.
      const copy = typeof one === 'object' && one !== null ? raw(JSON.stringify(one)) : one;
      return [...list.slice(0, at), ...new Array<unknown>(times).fill(copy), ...list.slice(at)];
    }
    case 3:
      return [...list, ...list];
    default:
      return list.toReversed();
  }
}
