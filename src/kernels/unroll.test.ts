import { describe, expect, it } from 'vitest';
import { unrolled as unrolledShader } from './unroll.ts';

const unrolled = (text: string, constants: Readonly<Record<string, number>>) =>
  unrolledShader({ text, signatures: {} }, constants).text;

const text = (...lines: string[]) => lines.join('\n');

describe('unrolled', () => {
  it('repeats a block for each index, including nested blocks', () => {
    const code = text(
      '#each s < 2',
      'let q{s} = a;',
      '  #each 1 <= i < N',
      '  x{s}_{i}',
      '  #end',
      '#end',
    );
    expect(unrolled(code, { N: 3 })).toBe(
      text('let q0 = a;', '  x0_1', '  x0_2', 'let q1 = a;', '  x1_1', '  x1_2'),
    );
  });

  it('keeps one branch of a condition', () => {
    const code = text('#if QUADS', 'a', '#if DEEP', 'b', '#end', '#else', 'c', '#end', 'd');
    expect(unrolled(code, { QUADS: 1, DEEP: 0 })).toBe(text('a', 'd'));
    expect(unrolled(code, { QUADS: 1, DEEP: 1 })).toBe(text('a', 'b', 'd'));
    expect(unrolled(code, { QUADS: 0, DEEP: 1 })).toBe(text('c', 'd'));
  });

  it('keeps WGSL braces and omits a block with zero repetitions', () => {
    expect(unrolled(text('fn f() {x}', '#each i < 0', 'y{i}', '#end'), {})).toBe('fn f() {x}');
  });

  it('rejects a missing constant and an unclosed block', () => {
    expect(() => unrolled('#each i < N\n#end', {})).toThrow('no constant N');
    expect(() => unrolled('#if N\nx', { N: 1 })).toThrow('no #end closes');
  });
});
