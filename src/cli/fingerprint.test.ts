import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fast } from '../../scripts/tier.mjs';
import { presetConfig } from '../config/presets.ts';
import { environmentFamilies } from '../envs/registry.ts';
import { Code, openingDigest, openingMetrics, withoutWgslComments } from './fingerprint.node.ts';
import { readCode } from './testing/commands.ts';

const root = process.cwd();
let copy = '';
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'palestra-code-'));
  for (const folder of ['src', 'shaders'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true }));

const maze = presetConfig('maze');
const wordle = presetConfig('wordle');
const generalist = presetConfig('generalist');

const GPU = 'nvidia, hopper';
const PROCESSOR = 'processor, 1 thread, Node 20.20.2';

/** Fingerprints of the three presets with one file of the copy changed. */
async function changed(path: string, change: (text: string) => string, adapter = GPU) {
  const file = join(copy, path);
  const text = readFileSync(file, 'utf8');
  const other = change(text);
  expect(other).not.toBe(text);
  writeFileSync(file, other);
  try {
    const code = await Code.read(copy);
    return [maze, wordle, generalist].map((config) => code.fingerprint(config, adapter));
  } finally {
    writeFileSync(file, text);
  }
}

describe('the code’s fingerprint', () => {
  it('is the same for the same code in any folder', async () => {
    const here = await readCode();
    const there = await Code.read(copy);
    expect(there.fingerprint(maze, GPU)).toBe(here.fingerprint(maze, GPU));
    expect(here.fingerprint(maze, GPU)).toMatch(/^[0-9a-f]{16}$/);
    expect(here.fingerprint(wordle, GPU)).not.toBe(here.fingerprint(maze, GPU));
  });

  it('covers the trainer, the network, the kernels and only the run’s own environments', async () => {
    const code = await readCode();
    const paths = code.paths(maze, GPU);
    for (const path of [
      'shaders/attention.wgsl',
      'src/training/learn/learner.ts',
      'src/algorithms/gae.ts',
      'src/policy/update.ts',
      'src/agents/rollout.ts',
      'src/device/webgpu/gpu.ts',
      'src/envs/maze/environment.ts',
    ]) {
      expect(paths).toContain(path);
    }
    expect(paths.some((path) => /^src\/(config|runs|ui|cli|lab)\/|envs\/wordle/.test(path))).toBe(
      false,
    );
    for (const { id } of environmentFamilies) {
      const config = { ...maze, env: { id, options: {}, mixture: [] } };
      const folder = `src/envs/${id.split('/')[0]}/`;
      const own = code.paths(config, GPU);
      expect(own.some((path) => path.startsWith(folder))).toBe(true);
    }
  });

  it.skipIf(fast)('changes with the code, but not with comments, types or tooltips', async () => {
    const comment = (text: string) => `// what\n${text}`;
    const before = await changed('src/algorithms/gae.ts', comment);
    const same = [
      await changed('shaders/adamw.wgsl', (text) => `/* a /* nested */ b */ // c\n${text}`),
      await changed('src/agents/rollout.ts', (text) => `${text}\nexport type Nothing = never;\n`),
      await changed('src/config/schema.ts', (text) =>
        text.replace(/description:\s+'/, '$&Another text. '),
      ),
    ];
    for (const prints of same) expect(prints).toEqual(before);
    const [mazes, words, all] = before;
    const other = (text: string) => text.replaceAll('sqrt(', 'abs(');
    const kernel = await changed('shaders/adamw.wgsl', other);
    expect(kernel.some((print) => before.includes(print))).toBe(false);
    // A run on the processor executes no shader.
    const processor = await changed('shaders/adamw.wgsl', other, PROCESSOR);
    expect(processor).toEqual(await changed('src/algorithms/gae.ts', comment, PROCESSOR));
    const environment = await changed('src/envs/wordle/game.ts', (text) =>
      text.replace(/===/, '!=='),
    );
    expect(environment[0]).toBe(mazes);
    expect(environment[1]).not.toBe(words);
    expect(environment[2]).not.toBe(all);
    // A file shared by environments counts only for those that use it.
    const shared = await changed('src/envs/shuffled.ts', (text) => text.replace(/- 1/, '- 0'));
    expect(shared[0]).toBe(mazes);
    expect(shared[2]).not.toBe(all);
  });
});

describe('withoutWgslComments', () => {
  it('removes nested block comments and line comments', () => {
    expect(withoutWgslComments('a /* b /* c */ d */ e // f\ng\n')).toBe('a e g');
    expect(withoutWgslComments('let x = a / b; // end')).toBe('let x = a / b;');
  });
});

describe('openingDigest', () => {
  const rows = Array.from({ length: 9 }, (_, i) => ({
    iteration: i,
    'policy/loss': 0.1 * i,
    'time/seconds': i,
  }));

  it('depends on every bit of the given metrics in the first iterations, but not on times, later iterations or other metrics', () => {
    const metrics = openingMetrics(rows);
    expect(metrics).toEqual(['iteration', 'policy/loss']);
    const digest = openingDigest(rows, metrics);
    const other = (change: (i: number) => object) =>
      openingDigest(
        rows.map((row, i) => ({ ...row, ...change(i) })),
        metrics,
      );
    expect(other(() => ({ 'time/seconds': 7, 'policy/episodes': 3 }))).toBe(digest);
    expect(other((i) => (i > 4 ? { 'policy/loss': 7 } : {}))).toBe(digest);
    expect(other((i) => (i === 4 ? { 'policy/loss': 0.4 + 2 ** -54 } : {}))).not.toBe(digest);
  });
});
