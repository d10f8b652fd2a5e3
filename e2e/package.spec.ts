import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, type Page, test } from '@playwright/test';
import { thorough } from '../scripts/tier.mjs';
import { openHost } from './host.ts';

const run = promisify(execFile);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

/** Settings of a short run. */
const sweepFile = `method: grid
metric: {name: rollout/score, goal: maximize}
parameters:
  preset: {value: maze}
  optimizer.learning_rate: {values: [0.001, 0.003]}
  rollout.tasks_per_iteration: {value: 2}
  rollout.group_size: {value: 2}
  evaluation.interval: {value: 0}
  stopping.iterations: {value: 2}
`;

/** A folder with only the installed package and the examples. */
let folder = '';
const inFolder = async (program: string, ...args: string[]) =>
  (await run(program, args, { cwd: folder, maxBuffer: 2 ** 26 })).stdout;

// All tests share one folder.
test.describe.configure({ mode: 'default' });
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palestra-'));
  await run('npm', ['pack', '--pack-destination', folder]);
  const [tarball = ''] = readdirSync(folder);
  // A fifth of it is the interpreter for environments that users write.
  expect(statSync(join(folder, tarball)).size).toBeLessThan(1_750_000);
  await inFolder('npm', 'init', '--yes');
  // Packages come from this repository, so no network is needed; with --thorough from npm.
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const given = thorough ? [] : needed.map((name) => resolve('node_modules', name));
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
  await inFolder('npm', 'install', ...quiet, ...(thorough ? [] : ['--offline']), tarball, ...given);
  cpSync('docs/examples', folder, { recursive: true });
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the installed command trains', async () => {
  const out = await inFolder(
    ...(['npx', '--offline', 'palestra', 'train'] as const),
    ...['--preset', 'maze', '--updates', '3', '--json'],
  );
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 3]);
  expect(lines.at(-1)).toMatchObject({ final: true, stopped: 'iterations' });
  expect(await inFolder('npx', '--offline', 'palestra', 'serve', '--help')).toContain(
    'Usage: palestra serve [options]',
  );
  writeFileSync(join(folder, 'small.yaml'), sweepFile);
  const installed = 'node_modules/palestra/lib/palestra.js';
  const here = ['--workers', '1', '--threads', '1'];
  const sweep = await inFolder(process.execPath, installed, 'sweep', 'small.yaml', ...here);
  expect(sweep).toMatch(/^Best: trial [12], Score -?[\d.]+\.\n/);
  expect(readdirSync(join(folder, 'sweeps/small/runs'))).toHaveLength(2);
  const queue = ['--out', 'sweeps/small', '--queue', 'redis://127.0.0.1:1'];
  const said = await inFolder(process.execPath, installed, 'work', ...queue).catch(
    ({ stderr }: { readonly stderr: string }) => stderr,
  );
  expect(said).toBe('--queue needs two packages: npm install bullmq ioredis\n');
});

test('the library runs in Node with types and a custom environment', async () => {
  const trained = await inFolder(process.execPath, 'node.mjs');
  expect(trained).toMatch(/^iteration 1: success [\d.]+\n.*\n.*\ngreedy: success [\d.]+\nmaze_0: /);

  const tsc = resolve('node_modules/typescript-7/bin/tsc');
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext'];
  await inFolder(process.execPath, tsc, ...options, 'own-environment.mts');
  const learned = await inFolder(process.execPath, 'own-environment.mjs');
  const successes = [...learned.matchAll(/success ([\d.]+)/g)].map(([, text]) => Number(text));
  expect(successes).toHaveLength(31);
  expect(successes.at(-1)).toBeGreaterThan(2 * (successes[0] ?? 1));

  const worlds = await inFolder(
    process.execPath,
    '--input-type=module',
    '-e',
    everyWorld('palestra'),
  );
  expect(Number(worlds)).toBeGreaterThan(20);
});

test('the library runs in a page, a worker and a notebook', async ({ page }) => {
  const host = await openHost(['/'], folder);
  const problems = problemsOf(page);
  try {
    await page.goto(`${host.address}/page.html`);
    await expect(page.locator('#said')).toHaveText(/^done: greedy success [\d.]+$/);

    const config = JSON.stringify({ stopping: { iterations: 3 }, env: { id: 'maze/double-t-v1' } });
    await page.addScriptTag({
      type: 'module',
      content: `
        const worker = new Worker('worker.js', { type: 'module' });
        const told = [];
        worker.onmessage = ({ data }) => {
          told.push(Object.keys(data).join());
          document.body.dataset.worker = told.join(' ');
        };
        worker.postMessage(${config});`,
    });
    const told = 'row row row evaluation,checkpoint';
    await expect(page.locator('body')).toHaveAttribute('data-worker', told);

    await page.addScriptTag({
      type: 'module',
      content: `
        import { successCurve } from './notebook.js';
        for await (const shown of successCurve(${config})) document.body.replaceChildren(shown);`,
    });
    await expect(page.getByRole('img', { name: 'Success over 3 iterations' })).toBeVisible();

    await page.addScriptTag({
      type: 'module',
      content: everyWorld('./node_modules/palestra/lib/browser').replace(
        'console.log(String(count))',
        'document.body.dataset.worlds = String(count)',
      ),
    });
    await expect(page.locator('body')).toHaveAttribute('data-worlds', /^[2-9]\d$/);
    expect(problems).toEqual([]);
  } finally {
    await host.close();
  }
});

/** Starts a task in every environment, to check that the package contains their data and SQLite. */
function everyWorld(palestra: string): string {
  const from = palestra.startsWith('.')
    ? `${palestra}/environments.js`
    : `${palestra}/environments`;
  return `
    import { loadedEnvironment, offeredFamilies } from '${from}';
    let count = 0;
    for (const { id } of offeredFamilies) {
      const environment = await loadedEnvironment({ id, options: {}, mixture: [] });
      if (environment.reset(environment.evalTasks[0]).observation !== '') count++;
    }
    console.log(String(count));`;
}

function problemsOf(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return problems;
}
