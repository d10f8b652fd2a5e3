import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EnvironmentFault } from '../episode.ts';
import { EnvironmentOptionError } from '../options.ts';
import { createEnvironment } from '../registry.ts';
import { compile, createWritten, isWrittenState } from './environment.ts';
import { CodeError, limits, Program, startInterpreter } from './interpreter.ts';
import { permission } from './permission.ts';
import { prepareCode, withoutTypes } from './prepare.ts';
import { Rows } from './rows.tsx';
import { templates } from './templates.ts';
import { view } from './view.tsx';

// A broken engine is replaced before the next test, also of another file.
beforeEach(startInterpreter);
afterAll(startInterpreter);

/** A module in which `step` runs this code; its first line is the module's line 7. */
const stepping = (code: string, top = '') => `export const turns = 3;
export const words = ['go', 'on'];
export const reset = () => ({ state: 0, text: 'on' });
export const actions = () => ['go'];
${top}
export function step(state, action, random) {
${code}
  return { state, text: 'on' };
}`;

/** The error of a first step. */
function errorOf(code: string): CodeError {
  try {
    const environment = compile(code);
    environment.step(environment.reset('task_0').state, 'go');
  } catch (error) {
    if (error instanceof CodeError) return error;
    throw error;
  }
  throw new Error('the code runs');
}

describe('the sandbox', () => {
  it.each([
    'fetch',
    'XMLHttpRequest',
    'WebSocket',
    'EventSource',
    'WebTransport',
    'Worker',
    'SharedWorker',
    'importScripts',
    'postMessage',
    'BroadcastChannel',
    'MessageChannel',
    'window',
    'self',
    'parent',
    'top',
    'document',
    'location',
    'navigator',
    'localStorage',
    'sessionStorage',
    'indexedDB',
    'caches',
    'cookieStore',
    'process',
    'require',
    'setTimeout',
    'queueMicrotask',
    'WebAssembly',
    'performance',
    'crypto',
    'SharedArrayBuffer',
    'Proxy',
    'Promise',
  ])('has no %s', (name) => {
    const { line, problem } = errorOf(stepping(`\n  ${name}('https://elsewhere.invalid');`));
    expect([line, problem]).toEqual([8, expect.stringContaining(`'${name}' is not defined`)]);
  });

  it('exposes no host object through constructors', () => {
    const global = errorOf(
      stepping(
        "const all = (function () {}).constructor('return this')(); throw new Error(Object.getOwnPropertyNames(all).sort().join(' '));",
      ),
    ).problem;
    expect(global).not.toMatch(/fetch|Worker|postMessage|document|process|import/);
  });

  it.each([
    "await import('node:fs')",
    "import fs from 'node:fs';",
    "import 'https://elsewhere.invalid/code.js';",
  ])('loads no module with %s', (code) => {
    expect(() => compile(`${code}\n${stepping('')}`)).toThrow(CodeError);
  });

  it('stops an endless loop and names its line', () => {
    const { line, problem } = errorOf(stepping('\n\n  while (true) {}'));
    expect([line, problem]).toEqual([9, expect.stringContaining('takes too long')]);
  });

  it('stops an endless loop at the top level', () => {
    expect(() => compile(`for (;;) {}\n${stepping('')}`)).toThrow(/line 1: takes too long/);
  });

  it('stops an endless loop in reset', () => {
    const code = stepping('').replace('() => ({', '() => { for (;;) {} }; const unused = () => ({');
    expect(() => compile(code).reset('task_0')).toThrow(/line 3: takes too long/);
  });

  it('does not let code catch the error that ends it', () => {
    const code = stepping('  for (;;) { try { for (;;) {} } catch {} finally { continue; } }');
    expect(errorOf(code).problem).toContain('takes too long');
  });

  it.each([
    'const all = []; for (;;) all.push({ all });',
    "let text = 'x'; for (;;) text += text;",
    'const all = []; for (;;) all.push(new Float64Array(100_000));',
    'new ArrayBuffer(2 ** 31)',
    "'x'.repeat(2 ** 29)",
    'const all = new Map(); for (let i = 0; ; i++) all.set(i, [i]);',
  ])('stops a memory bomb: %s', (code) => {
    const before = process.memoryUsage().rss;
    const { line, problem } = errorOf(stepping(code));
    expect(line).toBe(7);
    expect(problem).toMatch(/memory|too long|invalid|length/i);
    expect(process.memoryUsage().rss - before).toBeLessThan(4 * limits.memoryBytes + 64 * 2 ** 20);
  });

  it.each([
    'const dig = () => dig() + 1; dig();',
    'let deep = []; for (let i = 0; i < 100_000; i++) deep = [deep]; state = deep;',
    "JSON.parse('['.repeat(100_000));",
    "new RegExp('('.repeat(10_000) + ')'.repeat(10_000));",
  ])('stops deep recursion: %s', (code) => {
    expect(errorOf(stepping(code)).problem).toMatch(
      /too deeply|too many|overflow|nested|SyntaxError/,
    );
  });

  it.each([
    '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    'const all = []; all.length = 2 ** 32 - 1; all.indexOf(1);',
    'const all = []; all[2 ** 32 - 2] = 1; all.sort();',
    'new Array(2 ** 31).join()',
  ])('rejects a long loop inside a built-in method: %s', (code) => {
    expect(errorOf(stepping(code))).toMatchObject({ line: 7 });
  });

  it('prevents code from polluting prototypes outside the sandbox', () => {
    const code = stepping(
      '',
      'Object.prototype.polluted = 1; Array.prototype.push = () => 0; JSON.parse = () => null; String.prototype.toJSON = () => "no";',
    );
    compile(code).reset('task_0');
    expect('polluted' in {}).toBe(false);
    expect(JSON.parse('[1]')).toEqual([1]);
    const state = `JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')`;
    const environment = compile(stepping(`  return { state: ${state}, text: 'on' };`));
    const after = environment.step(environment.reset('task_0').state, 'go');
    expect(after.observation).toBe('on');
    expect('polluted' in {}).toBe(false);
  });

  it('runs nothing after a call has returned', () => {
    const environment = compile(
      stepping('  later();', 'let late = 0; const later = async () => { await 0; late++; };'),
    );
    const { state } = environment.reset('task_0');
    for (let i = 0; i < 3; i++) expect(environment.step(state, 'go').observation).toBe('on');
  });

  it('rejects calls after a limit is exceeded, but still runs other code', async () => {
    const looping = createWritten({ code: stepping('for (;;) {}') });
    const { state } = looping.reset('task_0');
    expect(() => looping.step(state, 'go')).toThrow(/line 7: takes too long/);
    expect(() => looping.reset('task_0')).toThrow(/line 7: takes too long/);
    await startInterpreter();
    expect(createWritten({ code: stepping('') }).reset('task_0').observation).toBe('on');
    expect(createWritten({ code: stepping('for (;;) {}') }).reset('task_0').observation).toBe('on');
  });

  it('limits the length of return values', () => {
    const code = stepping(`  return { state: 'x'.repeat(${limits.characters}), text: 'on' };`);
    expect(errorOf(code).problem).toContain('returns more than');
  });

  it('limits loop iterations independently of the machine', ({ onTestFinished }) => {
    // The time limit comes first on a slow machine, so stop the clock.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => clock.mockRestore());
    const code = (n: number) => stepping(`  for (let i = 0; i < ${n}; i++);`);
    expect(() => errorOf(code(limits.loops))).toThrow('the code runs');
    expect(errorOf(code(limits.loops + 1)).problem).toContain('takes too long');
  });

  it.each([
    ['for (const a of [1]) for (const b in {}) while (false) ;', 3],
    ['outer: do { continue outer } while (false)', 1],
    ['for (;;) { break }\nif (1) while (0) continue\nelse 0', 2],
    ['const a = "for (;;) {}"; /* while (1) {} */ // do {} while (1)', 0],
  ])('adds a counter to every loop in %s', (code, loops) => {
    const prepared = prepareCode(code);
    expect(prepared.split('$count();')).toHaveLength(loops + 1);
    expect(() => new Program(`${prepared}\nexport const a1 = 0;`).dispose()).not.toThrow();
  });
});

describe('random generator', () => {
  it('repeats its numbers in the same task, and differs between tasks and turns', () => {
    const environment = compile(
      stepping("  return { state: [...state, random()], text: 'on' };").replace(
        'state: 0',
        'state: []',
      ),
    );
    const play = (task: string) => {
      let { state } = environment.reset(task);
      for (let i = 0; i < 2; i++) ({ state } = environment.step(state, 'go'));
      return state.data;
    };
    expect(play('task_1')).toBe(play('task_1'));
    const numbers = ['task_1', 'task_2'].flatMap((task): unknown[] => JSON.parse(play(task)));
    expect(new Set(numbers).size).toBe(4);
    for (const number of numbers) expect(number).toEqual(expect.any(Number));
  });

  it.each(['Math.random()', 'Date.now()', 'new Date()'])('cannot be bypassed with %s', (call) => {
    const { line, problem } = errorOf(stepping(`  ${call};`));
    expect([line, problem]).toEqual([7, expect.stringContaining('is not repeatable')]);
  });
});

describe('an error', () => {
  it.each([
    ['export const x = ;', 1, 'nexpected token'],
    ['export const turns = 3;\nexport const words = [\n', null, 'nexpected token'],
    ['export const turns = 3;\nlet x: number = ;', 2, 'nexpected token'],
    ['const a = 1;\n\nb();', 3, "'b' is not defined"],
    ['export const turns = 3;', null, 'must export a function reset'],
    [stepping('').replace('turns = 3', 'turns = 0'), 1, 'turns must be a whole number'],
    [stepping('').replace("['go', 'on']", "'go'"), 2, 'must export words'],
    [stepping('').replace("'on']", "'o  n']"), 2, 'single spaces'],
    [stepping('').replace("'on']", "'<end>']"), 2, 'is reserved'],
  ])('names its line in the module: %s', (code, line, problem) => {
    const error = errorOf(code);
    if (line !== null) expect(error.line).toBe(line);
    expect(error.problem).toContain(problem);
  });

  it.each([
    ['return null;', 'step must return an object'],
    ["return { text: 'on' };", 'state of plain data'],
    ['return { state, text: 3 };', 'text is 3'],
    ["return { state, text: ' ' };", 'non-empty text'],
    ["return { state, text: 'on', reward: 'much' };", 'the reward must be a number'],
    ["return { state, text: 'on', reward: NaN };", 'the reward must be a number'],
  ])('describes an invalid return value: %s', (code, problem) => {
    expect(errorOf(stepping(`  ${code}`)).problem).toContain(problem);
  });

  it('names the option', () => {
    expect(() => createWritten({ code: 'export const x = ;' })).toThrow(EnvironmentOptionError);
    expect(() => createWritten({ code: 'let x;\nlet x;' })).toThrow(/code has an error: line 2/);
  });

  it('is reported as an environment fault during play', async () => {
    const { act, begin } = await import('../episode.ts');
    const environment = createWritten({ code: stepping('\n  undefined.x;') });
    const fault = () => act(environment, begin(environment, 'task_0'), 'go');
    expect(fault).toThrow(EnvironmentFault);
    expect(fault).toThrow(/at action "go": CodeError: line 8/);
  });
});

describe('withoutTypes', () => {
  it('removes types without moving lines', () => {
    const code =
      'interface A {\n  a: number;\n}\nexport const f = (a: A): number => (a as A).a!;\n';
    const plain = withoutTypes(code);
    expect(plain.split('\n')).toHaveLength(code.split('\n').length);
    expect(plain).not.toMatch(/interface|number/);
  });
});

describe('code without permission', () => {
  const { mayRun } = permission;
  afterEach(() => {
    permission.mayRun = mayRun;
  });

  it('is not run, and the observation says so', () => {
    permission.mayRun = () => false;
    const environment = createEnvironment('written/code-v1', { code: 'for (;;) {}' });
    const { state, observation } = environment.reset('task_0');
    expect(observation).toContain('has not been allowed to run');
    expect(environment.admissibleActions(state)).toEqual([]);
    const own = createEnvironment('written/code-v1');
    expect(own.trainTasks.length).toBeGreaterThan(1);
  });
});

describe('the view', () => {
  it.each(templates)('shows the text and drawing of $name', ({ code }) => {
    const environment = createWritten({ code });
    const { state, observation } = environment.reset('task_0');
    expect(isWrittenState(state)).toBe(true);
    const props = {
      environmentId: environment.id,
      options: { code },
      taskId: 'task_0',
      state,
      glide: 0,
    };
    const markup = renderToStaticMarkup(createElement(view.Component, props));
    expect(markup).toContain(observation.slice(0, 10));
    expect(markup.includes('written-rows')).toBe(code.includes('export function draw'));
  });
});

describe('a drawing', () => {
  const drawn = (rows: readonly string[]) => renderToStaticMarkup(createElement(Rows, { rows }));
  const squares = (markup: string) => markup.split('<span').length - 1;

  it('pads short rows, shows no squares of empty rows and none of a large drawing', () => {
    expect(squares(drawn(['##', '#', '', '#@#']))).toBe(12);
    expect(drawn(['', ''])).toBe('');
    const large = drawn(Array.from({ length: 31 }, () => '.'.repeat(400)));
    expect(squares(large)).toBe(0);
    expect(large).toContain('31 × 400 squares');
  });

  it('is not computed again after an error, which leaves the text', () => {
    const code = stepping('', 'export const draw = () => { for (;;) {} };');
    const { state } = createWritten({ code }).reset('task_0');
    const props = {
      ...{ environmentId: 'written/code-v1', options: { code }, taskId: 'task_0', glide: 0 },
      state,
    };
    const show = () => renderToStaticMarkup(createElement(view.Component, props));
    expect(show()).toContain('<p class="written-text">on</p>');
    const again = vi.spyOn(Program.prototype, 'call');
    // The interpreter has not restarted yet.
    expect(show()).toContain('<p class="written-text">on</p>');
    const other = { ...props, state: { ...state, data: '1' } };
    expect(renderToStaticMarkup(createElement(view.Component, other))).toContain('on');
    expect(again).not.toHaveBeenCalled();
    again.mockRestore();
  });
});
