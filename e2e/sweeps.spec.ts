import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expectAccessible } from './accessible.ts';
import { dropFiles } from './drop.ts';
import { expect, test } from './lab-page.ts';
import { stage, stagedBapo } from './staged-run.ts';

let folder = '';
/** A sweep of four trials with two seeds each, created by the command-line tool. */
const sweep = () => join(folder, 'rates');

// All tests share one sweep.
test.describe.configure({ mode: 'default' });
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palestra-'));
  const file = join(folder, 'rates.yaml');
  writeFileSync(
    file,
    `method: random
metric: {name: rollout/turns, goal: minimize}
run_cap: 8
parameters:
  preset: {value: maze}
  seed: {values: [1, 2]}
  optimizer.learning_rate: {distribution: log_uniform_values, min: 0.0001, max: 0.01}
  algorithm.objective: {values: [ppo_clip, bapo]}
  rollout.tasks_per_iteration: {value: 2}
  rollout.group_size: {value: 2}
  evaluation.interval: {value: 0}
  stopping.iterations: {value: 2}
`,
  );
  const command = ['scripts/run.mjs', 'src/cli/sweep.ts', file, '--out', sweep()];
  await promisify(execFile)(process.execPath, [...command, '--workers', '1', '--threads', '1']);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a sweep folder shows its trials, and one of its runs can be trained again', async ({
  lab,
}) => {
  const { page } = lab;
  await stage(page, stagedBapo(3));
  await lab.open({ method: 'bapo' });
  await lab.button('Runs: compare and open stored runs').click();
  await page.getByTestId('sweep-folder').setInputFiles(sweep());
  const panel = page.getByTestId('sweep');
  await expect(panel).toContainText(
    '4 of 4 trials have finished. Trials are chosen by random search',
  );
  await expect(panel.getByTestId('sweep-notes')).toHaveCount(0);

  // The best trial is first and expanded.
  const rows = panel.locator('tr[data-trial]');
  const listed = () => rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-trial')));
  const page1 = readFileSync(join(sweep(), 'README.md'), 'utf8');
  const best = /The best is trial (\d+)/.exec(page1)?.[1] ?? '';
  await expect(rows).toHaveCount(4);
  expect((await listed())[0]).toBe(best);
  const seeds = panel.getByTestId('sweep-runs');
  await expect(seeds.getByRole('listitem')).toHaveCount(2);

  // Brushing by keyboard filters the plot and the table.
  const rate = panel.getByRole('slider', { name: 'Learning rate, up to' });
  await rate.focus();
  for (let press = 0; press < 3; press++) await rate.press('PageDown');
  await expect(rate).toHaveAttribute('aria-valuenow', '40');
  const trials = readFileSync(join(sweep(), 'trials.csv'), 'utf8').trim().split('\n').slice(1);
  const within = trials
    .map((line) => line.split(','))
    .filter(([, , value]) => Math.log10(Number(value)) <= -4 + 0.4 * 2)
    .map(([number]) => number);
  await expect(panel.getByTestId('sweep-inside')).toHaveText(
    `${within.length} of 4 trials match the filters.`,
  );
  expect((await listed()).sort()).toEqual(within.sort());
  await expect(panel.locator('.sweep-line-out')).toHaveCount(4 - within.length);
  await panel.getByRole('button', { name: 'Clear filters' }).click();
  await expect(rows).toHaveCount(4);

  await panel.getByRole('switch', { name: 'Show seeds' }).check();
  await expect(panel.locator('.sweep-point circle')).toHaveCount(8);
  await expectAccessible(page, 'sweep', '[role=dialog]');

  await seeds.getByRole('button', { name: 'Overlay its 2 curves on the charts' }).click();
  await expect(panel.getByTestId('sweep-laid')).toContainText(
    '2 runs of sweeps are on the lab’s charts',
  );
  await seeds.getByRole('button', { name: 'Go to the charts' }).click();
  await expect(panel).not.toBeVisible();
  const laid = page.getByRole('list', { name: 'Runs' });
  await expect(laid).toContainText(`rates, trial ${best}`);
  await lab.button('Runs: compare and open stored runs').click();
  await page.getByTestId('sweep-folder').setInputFiles(sweep());
  await panel.getByRole('button', { name: `Train trial ${best}, seed 2, again` }).click();
  await expect(panel).not.toBeVisible();
  await expect.poll(() => new URL(page.url()).searchParams.get('stopping.iterations')).toBe('2');
  expect(new URL(page.url()).searchParams.get('seed')).toBe('2');
});

test('dropped run records show their sweep, and damaged ones are named', { tag: '@smoke' }, async ({
  lab,
}) => {
  const { page } = lab;
  await stage(page, stagedBapo(1));
  await lab.open({ method: 'bapo' });
  const records = readdirSync(join(sweep(), 'runs')).map((name): [string, string] => [
    name,
    readFileSync(join(sweep(), 'runs', name), 'utf8'),
  ]);
  const [[name, text] = ['', ''], ...others] = records;
  await dropFiles(page, [[name, text.slice(0, 900)], ...others]);
  const notes = page.getByTestId('sweep-notes').getByRole('listitem');
  await expect(notes.first()).toHaveText(/^There is no sweep.json/);
  await expect(notes.last()).toHaveText(new RegExp(`^${name} is left out: it is not JSON`));
  await expect(page.locator('tr[data-trial]')).toHaveCount(4);
});
