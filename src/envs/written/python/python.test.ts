import { loadPyodide } from 'pyodide';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCode } from '../../../agents/check-code.ts';
import { EnvironmentOptionError } from '../../options.ts';
import { createEnvironment, loadEnvironments } from '../../registry.ts';
import { pythonCard } from '../card.ts';
import { compile, createPython } from '../environment.ts';
import { CodeError } from '../interpreter.ts';
import { usePython } from './program.ts';
import { type LoadPyodide, loadPython } from './pyodide.ts';
import { pythonTemplates } from './templates.ts';

const lake = pythonTemplates.at(-1)?.code ?? '';

let answer: (request: string) => string;

// Python limits all WebAssembly memory of its thread, which other test files use too.
const { grow } = WebAssembly.Memory.prototype;
afterAll(() => {
  WebAssembly.Memory.prototype.grow = grow;
});

beforeAll(async () => {
  await loadEnvironments([pythonCard.id]);
  // Only the page can run Python: Node has no sandboxed thread.
  expect(() => createEnvironment(pythonCard.id)).toThrow('Python code runs in the page only');
  answer = await loadPython(loadPyodide as unknown as LoadPyodide);
  usePython({ ask: answer });
});

/** A class whose `step` runs this code; its first line is line 9. */
const stepping = (code: string, top = '') => `import random
${top}
class One:
    actions = ['go']
    max_episode_steps = 3
    def reset(self, seed):
        return 'go', {}
    def step(self, action):
        ${code}
        return 'go', 0, False, False, {}
`;

function errorOf(code: string): CodeError {
  try {
    const environment = compile(code, 'python');
    environment.step(environment.reset('task_0').state, 'go');
  } catch (error) {
    if (error instanceof CodeError) return error;
    throw error;
  }
  throw new Error('the code runs');
}

describe('a Python environment', () => {
  it.each(pythonTemplates)('passes all checks and can be solved: $name', ({ code }) => {
    const { findings, facts } = checkCode(code, undefined, 'python');
    expect(findings).toEqual([]);
    expect(facts?.expert).toBe(1);
    expect(facts?.chance).toBeLessThan(0.5);
  });

  it('returns the same result for a state, regardless of earlier steps', () => {
    const environment = createPython({ code: lake });
    const isSafe = (task: string) => {
      const down = environment.step(environment.reset(task).state, 'down');
      return !down.terminated && !environment.step(down.state, 'down').terminated;
    };
    const { state } = environment.reset(environment.trainTasks.find(isSafe) ?? '');
    const down = environment.step(state, 'down');
    const right = environment.step(state, 'right');
    const deeper = environment.step(down.state, 'down');
    expect(environment.step(state, 'down')).toEqual(down);
    expect(environment.step(state, 'right')).toEqual(right);
    expect(environment.step(down.state, 'down')).toEqual(deeper);
    expect(environment.draw(deeper.state)?.[2]).toMatch(/^@/);
  });

  it('seeds the random module before every step, regardless of other episodes', () => {
    const code = stepping('return str(random.randint(0, 9)), 0, False, False, {}', 'import math');
    const words = code.replace("actions = ['go']", "actions = ['go']; words = list('0123456789')");
    const environment = compile(words, 'python');
    const play = (task: string, others: readonly string[]) => {
      let { state } = environment.reset(task);
      for (const other of others) environment.step(environment.reset(other).state, 'go');
      const first = environment.step(state, 'go');
      state = first.state;
      return [first.observation, environment.step(state, 'go').observation];
    };
    expect(play('task_1', ['task_2', 'task_3'])).toEqual(play('task_1', []));
  });

  it('accepts a Gymnasium environment without names for actions and observations', () => {
    const code = `import gymnasium as gym
class Count(gym.Env):
    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Discrete(4)
    max_episode_steps = 5
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.n = 0
        return self.n, {}
    def step(self, action):
        self.n += action
        return self.n, 0.5, self.n == 3, False, {'is_success': self.n == 3}
    def action_masks(self):
        return [True, self.n < 3]
`;
    const environment = compile(code, 'python');
    expect(environment.lexicon).toEqual(['0', '1', '2', '3', 'Unknown action.']);
    let { state } = environment.reset('task_0');
    for (const _ of [1, 2, 3]) state = environment.step(state, '1').state;
    expect(environment.success(state)).toBe(true);
  });

  it.each([
    ['a module of the browser', 'import js', 'ImportError: js is not available'],
    [
      'the bridge to JavaScript',
      'from pyodide.code import run_js',
      'pyodide.code is not available',
    ],
    ['the system', 'import os', 'os is not available'],
    ['the network', 'import urllib.request', 'urllib.request is not available'],
    ['files', "open('/etc/passwd')", "name 'open' is not defined"],
    ['the clock', 'import time', 'time is not available'],
    ['an endless loop', 'while True: pass', 'takes too long'],
    ['an endless generator', 'sum(1 for _ in iter(int, 1))', 'takes too long'],
    ['a memory bomb', 'x = [0] * 10**9', 'needs too much memory: 256 MiB'],
    ['deep recursion', '(lambda f: f(f))(lambda f: f(f))', 'calls itself too deeply'],
    ['an unknown name', 'nope', "NameError: name 'nope' is not defined"],
  ])('rejects %s and names the line', (_, code, problem) => {
    const error = errorOf(stepping(code));
    expect([error.line, error.problem]).toEqual([9, expect.stringContaining(problem)]);
  });

  it.each([
    ['x = 1', 'the code must define a class with the methods reset and step'],
    [stepping('return 5'), 'step must return (observation, reward, terminated, truncated, info)'],
    [stepping('return {1}, 0, False, False, {}'), 'must return an observation of text or numbers'],
    [stepping("return 'go', 'a lot', False, False, {}"), 'the reward must be a finite number'],
    [
      stepping('pass').replace('    max_episode_steps = 3\n', ''),
      'the class must have max_episode_steps',
    ],
    [stepping('pass').replace("['go']", '5'), 'actions must be a list of words'],
    ['class A(:', 'SyntaxError: invalid syntax'],
  ])('reports the error in %j', (code, problem) => {
    expect(errorOf(code).problem).toContain(problem);
  });

  it('breaks when its host is replaced, and is then compiled again', () => {
    const environment = createPython({ code: lake });
    expect(createPython({ code: lake })).toBe(environment);
    usePython({ ask: answer });
    expect(environment.isBroken()).toBe(true);
    const again = createPython({ code: lake });
    expect(again.isBroken()).toBe(false);
    expect(again.reset('task_3').observation).toBe(environment.reset('task_3').observation);
  });

  it('counts the steps of a replay one by one', () => {
    const environment = compile(
      stepping('for _ in range(80_000): pass').replace('steps = 3', 'steps = 20'),
      'python',
    );
    let { state } = environment.reset('task_0');
    for (let turn = 0; turn < 14; turn++) state = environment.step(state, 'go').state;
    const before = environment.operations();
    // The second step from this state replays the first 14, over a million iterations.
    for (const _ of [1, 2]) expect(environment.step(state, 'go').observation).toBe('go');
    expect(environment.operations() - before).toBeGreaterThan(100 * 16 * 80_000);
  });

  it('reports an error in its code as an option error', () => {
    expect(() => createPython({ code: 'nope' })).toThrow(EnvironmentOptionError);
  });
});
