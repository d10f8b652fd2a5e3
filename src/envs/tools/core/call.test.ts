import { describe, expect, it } from 'vitest';
import { playMalformed, type Spoiler } from '../../testing/malformed.ts';
import { families } from '../index.ts';
import { callHead, firstParameters, MAX_ACTION_LENGTH, readCall } from './call.ts';
import { isEqual, print } from './json.ts';
import { sameAnswer } from './judge.ts';
import { fill, phrasesOf } from './pattern.ts';
import { callText, list, number, optional, text, tool, truth } from './tool.ts';

const move = tool({
  name: 'move',
  description: 'moves',
  parameters: { to: text('where', ['a']), far: number('how far', [1]), fast: truth('whether') },
  run: (world: string, { to }) => ({ reply: to, world }),
});
const stay = tool({
  name: 'stay',
  description: 'stays',
  parameters: {},
  run: (world: string) => ({ reply: 'here', world }),
});
const gather = tool({
  name: 'gather',
  description: 'gathers',
  parameters: {
    from: optional(text('where', ['a'])),
    rows: list(list(number('a number', [1]), 'a list', 'a row'), 'a list of lists', 'rows'),
    again: optional(truth('whether')),
  },
  run: (world: string, { from = 'nowhere', rows }) => ({ reply: `${from} ${rows.flat()}`, world }),
});
const tools = new Map([move, stay, gather].map((one) => [one.name, one]));
const read = (said: string) => readCall(said, tools);
const whole = '{"to": "a", "far": 1, "fast": true}';

describe('readCall', () => {
  it('parses a call, with its arguments in the order of the parameters', () => {
    const call = { tool: 'move', args: { to: 'a', far: 1, fast: true } };
    expect(read(`move with Action Input: ${whole}`)).toEqual(call);
    expect(read('move with Action Input: {"fast":true, "far":1,\t"to":"a"}')).toEqual(call);
    expect(callText(call)).toBe(`move with Action Input: ${whole}`);
    expect(read('stay with Action Input: {}')).toEqual({ tool: 'stay', args: {} });
    const heads = [move, stay].flatMap((one) =>
      firstParameters(one).map((to) => callHead(one, to)),
    );
    expect(heads).toEqual(['move with Action Input: {"to":', 'stay with Action Input: {}']);
  });

  it.each([
    ['format', ['', 'move', 'move{}', ' stay with Action Input: {}', 'a b with Action Input: {}']],
    ['format', ['stay  with Action Input: {}', 'Action: stay with Action Input: {}']],
    [
      'tool',
      [
        'run with Action Input: {}',
        '__proto__ with Action Input: {}',
        'STAY with Action Input: {}',
      ],
    ],
    [
      'json',
      ['stay with Action Input: ', 'stay with Action Input: {} ', 'stay with Action Input: []'],
    ],
    ['json', [`move with Action Input: {'to': 'a'}`, 'move with Action Input: {"to": True}']],
    ['json', ['move with Action Input: {"far": 1e999}', 'move with Action Input: {"to": null}']],
    ['json', ['stay with Action Input: {}{}', 'stay with Action Input: {"a": NaN}']],
    [
      'unknown',
      ['stay with Action Input: {"to": "a"}', 'stay with Action Input: {"__proto__": 1}'],
    ],
    ['unknown', [`move with Action Input: ${whole.replace('{', '{"too": 1, ')}`]],
    ['long', [`stay with Action Input: {${' '.repeat(MAX_ACTION_LENGTH)}}`]],
  ] as const)('rejects a call with the failure %s', (failure, texts) => {
    for (const said of texts) expect(read(said), said).toEqual({ failure });
  });

  it('accepts list parameters, and calls without optional parameters', () => {
    expect(read('gather with Action Input: {"rows": [[1, 2], []]}')).toEqual({
      tool: 'gather',
      args: { rows: [[1, 2], []] },
    });
    const full = { from: 'a', rows: [], again: true };
    const said = 'gather with Action Input: {"again": true, "rows": [], "from": "a"}';
    expect(read(said)).toEqual({ tool: 'gather', args: full });
    expect(firstParameters(gather)).toEqual(['from', 'rows']);
    expect(gather.run('', { rows: [[1], [2]] })).toMatchObject({ reply: 'nowhere 1,2' });
    expect(read('gather with Action Input: {}')).toEqual({ failure: 'missing', parameter: 'rows' });
    for (const rows of ['1', '[1]', '[["1"]]', '{"0": [1]}']) {
      const wrong = { failure: 'type', parameter: 'rows' };
      expect(read(`gather with Action Input: {"rows": ${rows}}`), rows).toEqual(wrong);
    }
    const more = 'gather with Action Input: {"rows": [], "toString": 1}';
    expect(read(more)).toEqual({ failure: 'unknown' });
  });

  it('rejects a call with a missing parameter or a value of the wrong type', () => {
    const cases = [
      ['missing', 'to', '{}'],
      ['missing', 'far', '{"to": "a"}'],
      ['missing', 'fast', '{"to": "a", "far": 1, "toString": true}'],
      ['type', 'to', '{"to": 1, "far": 1, "fast": true}'],
      ['type', 'far', '{"to": "a", "far": "1", "fast": true}'],
      ['type', 'fast', '{"to": "a", "far": 1, "fast": "true"}'],
      ['type', 'to', '{"to": ["a"], "far": 1, "fast": true}'],
      ['type', 'to', '{"to": {"a": 1}, "far": 1, "fast": true}'],
    ];
    for (const [failure, parameter, input] of cases) {
      expect(read(`move with Action Input: ${input}`)).toEqual({ failure, parameter });
    }
  });
});

describe('sameAnswer', () => {
  it('ignores types, case and the order of a list', () => {
    expect(sameAnswer('2021', 2021)).toBe(true);
    expect(sameAnswer('30.0', 30)).toBe(true);
    expect(sameAnswer(' Done', 'done')).toBe(true);
    expect(sameAnswer(['b', 'A'], ['a', 'b'])).toBe(true);
    expect(sameAnswer([10, 9], ['9', '10'])).toBe(true);
  });

  it('rejects any other difference', () => {
    expect(sameAnswer('', 0)).toBe(false);
    expect(sameAnswer('a', ['a'])).toBe(false);
    expect(sameAnswer(['a', 'a'], ['a'])).toBe(false);
    expect(sameAnswer(['a, b'], ['a', 'b'])).toBe(false);
    expect(sameAnswer('donee', 'done')).toBe(false);
  });
});

describe('isEqual', () => {
  it('compares values, including the order of keys', () => {
    const value = { a: [1, 'x', [true]], b: {} };
    expect(isEqual(value, structuredClone(value))).toBe(true);
    const others = [{ a: [1, 'x', [true]] }, { b: {}, a: value.a }, { ...value, a: [1] }, [value]];
    for (const other of [...others, 1, undefined]) expect(isEqual(value, other)).toBe(false);
    expect(isEqual([1], { 0: 1 })).toBe(false);
    expect(isEqual({ 0: 1 }, [1])).toBe(false);
    expect(isEqual('1', 1)).toBe(false);
  });
});

describe('goal sentence', () => {
  it('contains its values as written in calls, between fixed phrases', () => {
    const pattern = 'Set {a} to {b}. Then stop.';
    expect(fill(pattern, { a: 'x y', b: 3 })).toBe('Set "x y" to 3. Then stop.');
    expect(phrasesOf(pattern)).toEqual(['Set', 'to', '.', 'Then stop.']);
    expect(() => fill(pattern, { a: 1 })).toThrow(RangeError);
    expect(print([{ id: 't1', n: [1, true] }])).toBe('[{"id": "t1", "n": [1, true]}]');
  });
});

/** Ways to corrupt a call. */
const spoilers: readonly Spoiler[] = [
  (call, at) => call.slice(0, at),
  (call, at) => call.slice(at),
  (call, at, other) => call.slice(0, at) + other + call.slice(at),
  (call, at) => call.slice(0, at) + call.slice(at + 1),
  (call) => call.replaceAll('"', "'"),
  (call) => call.replace('with Action Input: ', ''),
  (call) => call.replace(/"\w+":/, '"nothing":'),
  (call) => call.replace('}', ', "more": 1}'),
  (call, _, other) => call.replace(/: "[^"]*"/, `: ${JSON.stringify(other)}`),
  (call) => call.replace(/: "[^"]*"/, ': [[[[[[1]]]]]]'),
  (call) => call.replace('{', `{${'['.repeat(400)}`),
  (call) => `${call}${call}`,
  (call, at) => call.replace(/"\w+"}/, `${'9'.repeat(at)}}`),
  (call) => call.replace('{', '{"__proto__": {"answer": 1}, '),
];

describe.each(families)('$id', (family) => {
  it('replies to each of a thousand malformed calls quickly, using only lexemes of its vocabulary', () => {
    const malformed = playMalformed(family.create(), spoilers, /^Observation: Invalid action: /);
    expect(malformed).toBeGreaterThan(600);
  });
});
