import type { Shader } from '../device/index.ts';

/**
 * Unrolls the loops of a shader's source. A software driver keeps loop-indexed arrays in memory, but
 * individually named variables in registers. How many variables a kernel needs depends on the
 * policy's shape, so shaders use directives:
 *
 *     #each i < DIM4        repeats the lines up to #end for i = 0 .. DIM4−1, replacing {i}
 *     #each 1 <= i < DIM4   the same from 1 on
 *     #if QUADS             keeps the lines up to #else or #end if QUADS is not 0
 *
 * Directives nest. A bound is a number or the name of a constant.
 */
export function unrolled(shader: Shader, constants: Readonly<Record<string, number>>): Shader {
  const lines = shader.text.split('\n');
  const value = (name: string): number => {
    const number = /^\d+$/.test(name) ? Number(name) : constants[name];
    if (number === undefined) throw new RangeError(`shader text: no constant ${name}`);
    return number;
  };
  /** Line indices of the #end and #else of the block that opens on the line before `start`. */
  const blockEnd = (start: number): { end: number; otherwise: number | undefined } => {
    let depth = 0;
    let otherwise: number | undefined;
    for (let at = start; at < lines.length; at++) {
      const word = directive(lines[at])?.word;
      if (word === 'each' || word === 'if') depth += 1;
      else if (word === 'else' && depth === 0) otherwise = at;
      else if (word === 'end' && depth-- === 0) return { end: at, otherwise };
    }
    throw new RangeError(`shader text: line ${start} opens a block that no #end closes`);
  };
  const expand = (
    from: number,
    to: number,
    counters: Readonly<Record<string, number>>,
  ): string[] => {
    const out: string[] = [];
    for (let at = from; at < to; at++) {
      const found = directive(lines[at]);
      if (found === undefined) {
        out.push(
          (lines[at] ?? '').replace(/\{(\w+)\}/g, (text, key) => `${counters[key] ?? text}`),
        );
        continue;
      }
      const { end, otherwise } = blockEnd(at + 1);
      const { word, first, name, bound } = found;
      if (word === 'each') {
        const count = value(bound);
        for (let i = first; i < count; i++)
          out.push(...expand(at + 1, end, { ...counters, [name]: i }));
      } else if (value(name) !== 0) out.push(...expand(at + 1, otherwise ?? end, counters));
      else if (otherwise !== undefined) out.push(...expand(otherwise + 1, end, counters));
      at = end;
    }
    return out;
  };
  return { ...shader, text: expand(0, lines.length, {}).join('\n') };
}

/** Prepends the source of `library`, which has no entry points, to a shader. */
export function withLibrary(library: Shader, shader: Shader): Shader {
  return { ...shader, text: `${library.text}\n${shader.text}` };
}

interface Directive {
  readonly word: string;
  readonly first: number;
  readonly name: string;
  readonly bound: string;
}

function directive(line = ''): Directive | undefined {
  const match = /^\s*#(each|if|else|end)(?: (?:(\d+) <= )?(\w+)(?: < (\w+))?)?\s*$/.exec(line);
  if (!match) return undefined;
  const [, word = '', first = '0', name = '', bound = ''] = match;
  return { word, first: Number(first), name, bound };
}
