import { describe, expect, it } from 'vitest';
import {
  assemble,
  type Body,
  type F32,
  f32,
  greatestLane,
  type I32,
  i32,
  ints,
  select,
  sumOfLanes,
  type V128,
  v128,
} from './assembler.ts';

/** Addresses of the operands and results of the function under test. */
const IN = 64;
const OUT = 128;

interface Made {
  /** Runs the function on these bytes at IN; returns the bytes at OUT. */
  run(input: ArrayBuffer): ArrayBuffer;
  readonly memory: WebAssembly.Memory;
}

function made(write: (f: Body) => void, shared = false): Made {
  const memory = shared
    ? new WebAssembly.Memory({ initial: 4, maximum: 65536, shared: true })
    : new WebAssembly.Memory({ initial: 4 });
  const module = new WebAssembly.Module(assemble([], shared, write));
  const { run } = new WebAssembly.Instance(module, { env: { memory } }).exports;
  return {
    memory,
    run: (input) => {
      const bytes = new Uint8Array(memory.buffer);
      bytes.set(new Uint8Array(input), IN);
      (run as () => void)();
      return Uint8Array.from(bytes.subarray(OUT, OUT + 64)).buffer;
    },
  };
}

/** The words that a function stores at OUT. */
function words(write: (f: Body, out: I32) => void): number[] {
  return [...new Uint32Array(made((f) => write(f, i32(OUT))).run(new ArrayBuffer(0)))];
}

/** Bits of float32, with all NaNs equal. */
function floatBits(values: readonly number[]): number[] {
  const floats = Float32Array.from(values);
  const bits = new Uint32Array(floats.buffer);
  return Array.from(bits, (word, i) => (Number.isNaN(floats[i]) ? 0x7fc00000 : word));
}

const integers = [0, 1, 2, 31, 32, 33, 127, 128, 12345, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  2.5,
  -2.5,
  0.1,
  -7.25,
  1e-45,
  1e-38,
  3.4e38,
  -3.4e38,
  2 ** 31,
  -5e9,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NaN,
].map(Math.fround);

const pairs = <T>(values: readonly T[]) =>
  values.flatMap((a) => values.map((b) => [a, b] as const));
const bool = Number;

describe('assembled integer code', () => {
  const operations: [string, (a: I32, b: I32) => I32, (a: number, b: number) => number | null][] = [
    ['add', (a, b) => a.add(b), (a, b) => a + b],
    ['sub', (a, b) => a.sub(b), (a, b) => a - b],
    ['mul', (a, b) => a.mul(b), Math.imul],
    ['div', (a, b) => a.div(b), (a, b) => (b === 0 ? null : Math.floor(a / b))],
    ['rem', (a, b) => a.rem(b), (a, b) => (b === 0 ? null : a % b)],
    ['and', (a, b) => a.and(b), (a, b) => a & b],
    ['or', (a, b) => a.or(b), (a, b) => a | b],
    ['xor', (a, b) => a.xor(b), (a, b) => a ^ b],
    ['shl', (a, b) => a.shl(b), (a, b) => a << b],
    ['shr', (a, b) => a.shr(b), (a, b) => a >>> b],
    ['eq', (a, b) => a.eq(b), (a, b) => bool(a === b)],
    ['ne', (a, b) => a.ne(b), (a, b) => bool(a !== b)],
    ['lt', (a, b) => a.lt(b), (a, b) => bool(a < b)],
    ['gt', (a, b) => a.gt(b), (a, b) => bool(a > b)],
    ['le', (a, b) => a.le(b), (a, b) => bool(a <= b)],
    ['ge', (a, b) => a.ge(b), (a, b) => bool(a >= b)],
    ['min', (a, b) => a.min(b), Math.min],
    ['select', (a, b) => select(a.and(1), a, b), (a, b) => (a % 2 === 1 ? a : b)],
  ];
  it.each(operations)('computes %s', (_, operation, exact) => {
    const fn = made((f) => f.store(i32(OUT), operation(f.loadInt(i32(IN)), f.loadInt(i32(IN), 4))));
    for (const [a, b] of pairs(integers)) {
      const expected = exact(a, b);
      const input = Uint32Array.of(a, b).buffer;
      if (expected === null) expect(() => fn.run(input)).toThrow(WebAssembly.RuntimeError);
      else expect(new Uint32Array(fn.run(input))[0], `${a}, ${b}`).toBe(expected >>> 0);
    }
  });

  it('converts to floats by value and by bits', () => {
    const fn = made((f) => {
      const a = f.loadInt(i32(IN));
      f.store(i32(OUT), a.toFloat());
      f.store(i32(OUT), a.asFloat(), 4);
    });
    for (const a of integers) {
      const got = fn.run(Uint32Array.of(a).buffer);
      expect(new Float32Array(got)[0]).toBe(Math.fround(a));
      expect(new Uint32Array(got)[1]).toBe(a);
    }
  });

  it('encodes positive and negative LEB128 integers of every length', () => {
    const edges = [6, 7, 13, 14, 20, 21, 27, 28, 31].flatMap((bit) =>
      [-1, 0, 1].flatMap((by) => [2 ** bit + by, -(2 ** bit) + by]),
    );
    for (const value of [0, 1, -1, ...edges, 0xffffffff]) {
      expect(words((f, out) => f.store(out, i32(value)))[0], `${value}`).toBe(value >>> 0);
    }
  });

  it('omits additions of 0 and multiplications by 1, and no other operations', () => {
    const seven = [7, 7, 0, 8];
    expect(
      words((f, out) => {
        const x = f.i32(7);
        f.store(out, x.add(0));
        f.store(out, x.mul(1), 4);
        f.store(out, x.mul(0), 8);
        f.store(out, x.add(1), 12);
      }).slice(0, 4),
    ).toEqual(seven);
  });
});

describe('assembled float code', () => {
  const binary: [
    string,
    (a: F32, b: F32) => F32,
    (a: V128, b: V128) => V128,
    (a: number, b: number) => number,
    /** The rule for four lanes, if it differs. */
    ((a: number, b: number) => number)?,
  ][] = [
    ['add', (a, b) => a.add(b), (a, b) => a.add(b), (a, b) => a + b],
    ['sub', (a, b) => a.sub(b), (a, b) => a.sub(b), (a, b) => a - b],
    ['mul', (a, b) => a.mul(b), (a, b) => a.mul(b), (a, b) => a * b],
    ['div', (a, b) => a.div(b), (a, b) => a.div(b), (a, b) => a / b],
    ['min', (a, b) => a.min(b), (a, b) => a.min(b), Math.min, (a, b) => (b < a ? b : a)],
    ['max', (a, b) => a.max(b), (a, b) => a.max(b), Math.max, (a, b) => (a < b ? b : a)],
  ];
  it.each(binary)(
    'computes %s for one lane and for four',
    (_, one, four, exact, exactOfFour = exact) => {
      const fn = made((f) => {
        f.store(i32(OUT), one(f.loadFloat(i32(IN)), f.loadFloat(i32(IN), 16)));
        f.store(i32(OUT), four(f.load(i32(IN)), f.load(i32(IN), 16)), 16);
      });
      for (const [a, b] of pairs(numbers)) {
        const left = [a, 1, b, -3];
        const right = [b, a, 2, a];
        const got = new Float32Array(fn.run(Float32Array.from([...left, ...right]).buffer));
        const expected = left.map((x, i) => exactOfFour(x, right[i] ?? 0));
        const title = `${a}, ${b}`;
        expect(floatBits([...got.slice(4, 8)]), title).toEqual(floatBits(expected));
        expect(floatBits([...got.slice(0, 1)]), title).toEqual(floatBits([exact(a, b)]));
      }
    },
  );

  const comparisons: [
    string,
    ((a: F32, b: F32) => I32) | null,
    ((a: V128, b: V128) => V128) | null,
    (a: number, b: number) => boolean,
  ][] = [
    ['eq', (a, b) => a.eq(b), (a, b) => a.eq(b), (a, b) => a === b],
    ['lt', (a, b) => a.lt(b), (a, b) => a.lt(b), (a, b) => a < b],
    ['gt', (a, b) => a.gt(b), (a, b) => a.gt(b), (a, b) => a > b],
    ['le', (a, b) => a.le(b), null, (a, b) => a <= b],
    ['ge', (a, b) => a.ge(b), (a, b) => a.ge(b), (a, b) => a >= b],
  ];
  it.each(comparisons)('computes %s for one lane and for four', (_, one, four, exact) => {
    const fn = made((f) => {
      if (one) f.store(i32(OUT), one(f.loadFloat(i32(IN)), f.loadFloat(i32(IN), 16)));
      if (four) f.store(i32(OUT), four(f.load(i32(IN)), f.load(i32(IN), 16)), 16);
    });
    for (const [a, b] of pairs(numbers)) {
      const got = new Uint32Array(fn.run(Float32Array.of(a, b, a, 0, b, b, a, 1).buffer));
      const all = (x: number, y: number) => (exact(x, y) ? 0xffffffff : 0);
      if (one) expect(got[0], `${a}, ${b}`).toBe(bool(exact(a, b)));
      if (four) expect([...got.slice(4, 8)]).toEqual([all(a, b), all(b, b), all(a, a), all(0, 1)]);
    }
  });

  it('computes sqrt, neg and bits for one lane, and sqrt, neg and nearest for four', () => {
    const fn = made((f) => {
      const one = f.loadFloat(i32(IN));
      const four = f.load(i32(IN));
      f.store(i32(OUT), one.sqrt());
      f.store(i32(OUT), one.neg(), 4);
      f.store(i32(OUT), one.asInt(), 8);
      f.store(i32(OUT), four.sqrt().lane(1), 12);
      f.store(i32(OUT), four.neg(), 16);
      f.store(i32(OUT), four.nearest(), 32);
    });
    const even = (x: number) => {
      const low = Math.floor(x);
      const nearest = x - low === 0.5 ? low + (Math.abs(low) % 2) : Math.round(x);
      return Number.isFinite(x) && nearest === 0 ? (x < 0 || Object.is(x, -0) ? -0 : 0) : nearest;
    };
    for (const a of numbers) {
      const input = [a, Math.abs(a), 3.5, -0.75];
      const got = fn.run(Float32Array.from(input).buffer);
      const floats = [...new Float32Array(got)];
      expect(floatBits(floats.slice(0, 2))).toEqual(floatBits([Math.sqrt(a), -a]));
      expect(floatBits([new Float32Array(got, 8, 1)[0] ?? 0])).toEqual(floatBits([a]));
      expect(floatBits(floats.slice(3, 8))).toEqual(
        floatBits([Math.sqrt(Math.abs(a)), ...input.map((x) => -x)]),
      );
      expect(floatBits(floats.slice(8, 12)), `${a}`).toEqual(floatBits(input.map(even)));
    }
  });

  it('truncates to integers, clamped to 32 bits, and converts back to floats', () => {
    const fn = made((f) => {
      const whole = f.v128(f.load(i32(IN)).toInts());
      f.store(i32(OUT), whole);
      f.store(i32(OUT), whole.toFloats(), 16);
    });
    for (const a of numbers) {
      const got = fn.run(Float32Array.of(a, -a, 2.9, -2.9).buffer);
      const kept = (x: number) =>
        Number.isNaN(x) ? 0 : Math.min(Math.max(Math.trunc(x), -(2 ** 31)), 2 ** 31 - 1);
      const expected = [a, -a, 2.9, -2.9].map((x) => kept(x) | 0);
      expect([...new Int32Array(got, 0, 4)]).toEqual(expected);
      expect([...new Float32Array(got, 16, 4)]).toEqual(expected.map(Math.fround));
    }
  });
});

describe('assembled code for four integers or masks', () => {
  it('adds, subtracts, shifts, ands, ors and selects', () => {
    const fn = made((f) => {
      const a = f.v128(f.load(i32(IN)));
      const b = f.v128(f.load(i32(IN), 16));
      const results = [
        a.addInts(b),
        a.subInts(b),
        a.shl(5),
        a.shr(5),
        a.and(b),
        a.or(b),
        ints(0x0ff0_1234).choose(a, b),
      ];
      results.forEach((result, i) => {
        f.store(i32(OUT), result, 16 * i);
      });
    });
    for (const [a, b] of pairs(integers)) {
      fn.run(Uint32Array.of(a, b, 7, 9, b, a, 9, 2 ** 31).buffer);
      const got = new Int32Array(fn.memory.buffer, OUT, 28);
      const operations = [
        (x: number, y: number) => x + y,
        (x: number, y: number) => x - y,
        (x: number) => x << 5,
        (x: number) => x >> 5,
        (x: number, y: number) => x & y,
        (x: number, y: number) => x | y,
        (x: number, y: number) => (x & 0x0ff0_1234) | (y & ~0x0ff0_1234),
      ];
      const lanes = [
        [a, b],
        [b, a],
        [7, 9],
        [9, 2 ** 31],
      ] as const;
      expect([...got], `${a}, ${b}`).toEqual(
        operations.flatMap((operation) => lanes.map(([x, y]) => operation(x, y) | 0)),
      );
    }
  });

  it('extracts lanes, shuffles, splats and stores constants', () => {
    expect(
      words((f, out) => {
        const a = f.v128(f32(1).splat().shuffle(v128(2), [0, 4, 5, 3]));
        f.store(out, a);
        f.store(out, a.lane(1), 16);
        f.store(out, a.lane(3), 20);
        f.store(out, ints(-2).lane(2), 24);
        f.store(out, v128(-1.5), 32);
      }).slice(0, 12),
    ).toEqual([
      ...floatBits([1, 2, 2, 1, 2, 1]),
      0xfffffffe,
      0,
      ...floatBits([-1.5, -1.5, -1.5, -1.5]),
    ]);
  });

  it('sums lanes in the order (0 + 2) + (1 + 3), and finds their maximum', () => {
    const lanes = [1e8, 1, -1e8, 3];
    const fn = made((f) => {
      f.store(i32(OUT), sumOfLanes(f, f.load(i32(IN))));
      f.store(i32(OUT), greatestLane(f, f.load(i32(IN))), 4);
    });
    expect([...new Float32Array(fn.run(Float32Array.from(lanes).buffer), 0, 2)]).toEqual([4, 1e8]);
    for (let place = 0; place < 4; place++) {
      const some = [-5, -6, -7, -8];
      some[place] = -1;
      expect(new Float32Array(fn.run(Float32Array.from(some).buffer))[1]).toBe(-1);
    }
  });
});

describe('assembled memory access', () => {
  it('reads and writes at offsets whose LEB128 encodings have different lengths', () => {
    const offsets = [0, 8, 119, 128, 16375, 16384, 131072];
    const fn = made((f) => {
      offsets.forEach((offset, i) => {
        f.store(i32(OUT), i32(i + 1), offset);
        f.store(i32(OUT + 4), f.loadInt(i32(OUT), offset).add(10), offset);
      });
    });
    fn.run(new ArrayBuffer(0));
    const view = new DataView(fn.memory.buffer);
    offsets.forEach((offset, i) => {
      expect(view.getUint32(OUT + offset, true)).toBe(i + 1);
      expect(view.getUint32(OUT + offset + 4, true)).toBe(i + 11);
    });
  });

  it('loads four elements, or one into all four lanes, at any word address', () => {
    const fn = made((f) => {
      f.store(i32(OUT), f.load(i32(IN), 4));
      f.store(i32(OUT), f.loadSplat(i32(IN), 8), 16);
    });
    const got = new Float32Array(fn.run(Float32Array.of(1, 2, 3, 4, 5).buffer));
    expect([...got.slice(0, 8)]).toEqual([2, 3, 4, 5, 3, 3, 3, 3]);
  });

  it('works on shared memory', () => {
    const fn = made((f) => f.store(i32(OUT), i32(5)), true);
    fn.run(new ArrayBuffer(0));
    expect(new Uint32Array(fn.memory.buffer)[OUT / 4]).toBe(5);
  });
});

describe('an assembled function', () => {
  it('runs its statements in order, even if variable indices take more than one byte', () => {
    const count = 300;
    const [sum] = words((f, out) => {
      const variables = Array.from({ length: count }, (_, i) => f.i32(i));
      const total = f.i32(0);
      for (const variable of variables) total.set(total.add(variable));
      f.store(out, total);
    });
    expect(sum).toBe((count * (count - 1)) / 2);
  });

  it('evaluates an expression where it is used; a variable keeps its value', () => {
    const [late, early] = words((f, out) => {
      const x = f.i32(1);
      const value = x.add(1);
      const kept = f.i32(value);
      x.set(i32(10));
      f.store(out, value);
      f.store(out, kept, 4);
    });
    expect([late, early]).toEqual([11, 2]);
  });

  it.each([
    [0, 0, []],
    [3, 3, []],
    [2, 7, [2, 4, 6]],
    [5, 1, []],
  ])('loops from %d to %d in steps of 2', (from, to, expected) => {
    const got = words((f, out) => {
      const at = f.i32(out);
      f.for(from, to, 2, (i) => {
        f.store(at, i);
        at.set(at.add(4));
      });
    });
    expect(got.slice(0, expected.length + 1)).toEqual([...expected, 0]);
  });

  it('nests loops and branches', () => {
    // The sum over i < 5 of Σ over j < i of (j odd: 10, even: 1).
    const [sum] = words((f, out) => {
      const total = f.i32(0);
      f.for(0, 5, 1, (i) => {
        f.for(0, i, 1, (j) => {
          f.if(
            j.and(1),
            () => total.set(total.add(10)),
            () => total.set(total.add(1)),
          );
        });
      });
      f.if(total.gt(1000), () => total.set(i32(0)));
      f.store(out, total);
    });
    expect(sum).toBe(4 * 10 + 6);
  });

  it('checks the condition of a while loop before each iteration', () => {
    const [power] = words((f, out) => {
      const x = f.i32(1);
      f.while(x.lt(1000), () => x.set(x.mul(3)));
      f.while(x.lt(3), () => x.set(i32(0)));
      f.store(out, x);
    });
    expect(power).toBe(2187);
  });

  it('passes arguments in order and by type', () => {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const module = new WebAssembly.Module(
      assemble(['i32', 'f32', 'i32'], false, (f, [a, b, c]) => {
        f.store(a as I32, (b as F32).add((c as I32).toFloat()));
      }),
    );
    const { run } = new WebAssembly.Instance(module, { env: { memory } }).exports;
    (run as (...args: number[]) => void)(16, 0.1, 3);
    expect(new Float32Array(memory.buffer)[4]).toBe(Math.fround(Math.fround(0.1) + 3));
  });
});
