import type { MetricKey } from '../src/runs/metrics.ts';
import type { LabSnapshot } from '../src/ui/test-api.ts';
import { expect, small, test } from './lab-page.ts';

// Filming every test would take the processor that stands in for the GPU.
test.use({ trace: { mode: 'retain-on-failure', screenshots: false } });

function mean(rows: LabSnapshot['rows'], key: MetricKey): number {
  const values = rows.flatMap((row) => row[key] ?? []);
  expect(values.length).toBe(rows.length);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

test('trains at once on opening, and the success curve rises from its start', async ({ lab }) => {
  test.setTimeout(360_000);
  // Nothing moves but what training moves: all time for the processor that stands in for the GPU.
  await lab.page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open({
    ...small,
    'rollout.tasks_per_iteration': 16,
    'rollout.group_size': 8,
    'horizon.turns': 50,
    'algorithm.epochs': 4,
    'algorithm.mini_batches': 4,
    'algorithm.entropy_coef': 0.003,
    'optimizer.learning_rate': 0.003,
    'optimizer.warmup_updates': 0,
    'evaluation.interval': 10,
    'evaluation.tasks': 0,
    'evaluation.horizon': 0,
    'stopping.iterations': 40,
  });
  await expect(lab.status).toHaveText('Training', { timeout: 60_000 });
  const { rows, adapter } = await lab.reach(40, 330_000);
  expect(adapter).toBeTruthy();

  const start = mean(rows.slice(0, 8), 'rollout/success_rate');
  const end = mean(rows.slice(-8), 'rollout/success_rate');
  expect(end).toBeGreaterThan(start + 0.1);
  expect(end).toBeGreaterThan(2 * start);
  // The policy has become more certain of its words than pure chance.
  expect(mean(rows.slice(-8), 'policy/entropy')).toBeLessThan(
    mean(rows.slice(0, 8), 'policy/entropy') - 0.1,
  );
  await expect(lab.status).toHaveText('Finished');
  await expect(
    lab.page.getByTestId('chart-success').locator('path.recharts-curve').first(),
  ).toBeVisible();
  await expect(lab.stage.getByRole('img', { name: /^Maze of/ })).toBeVisible();
  await expect(lab.page.getByTestId('dialogue')).toContainText('The goal is at position');
  await lab.photograph('trained');
});

test('pauses after the present iteration, steps, resumes and resets', async ({ lab }) => {
  await lab.open(small);
  await lab.reach(2);

  const paused = await lab.pause();
  await lab.page.waitForTimeout(1500);
  expect((await lab.snapshot()).iterations).toBe(paused.iterations);

  await lab.button(/^Step/).click();
  await lab.reach(paused.iterations + 1);
  await expect(lab.status).toHaveText('Paused');
  expect((await lab.snapshot()).iterations).toBe(paused.iterations + 1);

  await lab.button('Start').click();
  const resumed = await lab.reach(paused.iterations + 3);
  expect(resumed.runId).toBe(paused.runId);

  await lab.button(/^Reset/).click();
  await expect(lab.status).toHaveText('Paused');
  const reset = await lab.snapshot();
  expect(reset.iterations).toBe(0);
  expect(reset.runId).not.toBe(paused.runId);
  await expect(lab.iteration).toContainText('0');

  // The same seed from the same weights: the first iteration comes out as before.
  await lab.button(/^Step/).click();
  const again = await lab.reach(1);
  expect(again.rows[0]?.['rollout/success_rate']).toBe(paused.rows[0]?.['rollout/success_rate']);
  expect(again.rows[0]?.['policy/entropy']).toBe(paused.rows[0]?.['policy/entropy']);
});

test('a changed horizon schedule takes effect', async ({ lab }) => {
  await lab.open(small);
  const before = await lab.reach(1);
  expect(before.rows[0]?.['rollout/horizon']).toBe(10);

  await lab.button(/^Settings/).click();
  await lab.chooseOption('horizon.schedule', 'ScalingInter');
  const rounds = lab.field('horizon.rounds').getByRole('textbox');
  const apply = lab.button('Apply & restart');

  await rounds.fill('6, 4');
  await expect(lab.settings).toContainText('must never decrease');
  await expect(apply).toBeDisabled();

  await rounds.fill('4, 6, 9');
  await lab.field('horizon.interval').getByRole('textbox').fill('2');
  await expect(lab.field('horizon.rounds')).toHaveClass(/field-changed/);
  await apply.click();

  await expect.poll(async () => (await lab.snapshot()).runId).not.toBe(before.runId);
  const after = await lab.reach(5);
  expect(after.rows.slice(0, 5).map((row) => row['rollout/horizon'])).toEqual([4, 4, 6, 6, 9]);
  for (const row of after.rows) {
    expect(row['rollout/turns']).toBeLessThanOrEqual(row['rollout/horizon'] ?? 0);
  }
  // The address carries the run, so that it can be shared.
  expect(decodeURIComponent(new URL(lab.page.url()).search)).toContain('horizon.rounds=4,6,9');
  await expect(
    lab.page.getByTestId('chart-horizon').locator('.recharts-reference-line'),
  ).toHaveCount(2);
});

test('choosing a preset starts it', async ({ lab }) => {
  await lab.open(small);
  await lab.reach(1);
  await lab.page.getByRole('combobox', { name: 'Preset' }).click();
  await lab.page.getByRole('option', { name: /Generated/ }).click();
  await expect.poll(async () => (await lab.snapshot()).preset).toBe('maze-generated');
  expect((await lab.snapshot()).iterations).toBe(0);
  await expect(lab.status).toHaveText('Training', { timeout: 60_000 });
});

test('an address that cannot be used is named, and the default still starts', async ({ lab }) => {
  await lab.open({ 'rollout.group_size': 0 });
  const notice = lab.page.getByTestId('error');
  await expect(notice).toContainText('ConfigError');
  await expect(notice).toContainText('rollout.group_size');
  expect((await lab.snapshot()).iterations).toBe(0);

  await lab.button('Start').click();
  await expect(notice).toBeHidden();
  await expect(lab.status).toHaveText('Training', { timeout: 60_000 });
});

test('the page stays responsive while it trains', async ({ lab }) => {
  await lab.open(small);
  await lab.reach(1);
  const frames = await lab.page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let count = 0;
        const end = performance.now() + 2000;
        const frame = () => {
          count += 1;
          if (performance.now() < end) requestAnimationFrame(frame);
          else resolve(count);
        };
        requestAnimationFrame(frame);
      }),
  );
  // Training itself is in the worker: were it on the page, an iteration would block every frame.
  expect(frames).toBeGreaterThan(10);
});

test('a narrow dark page shows everything without scrolling sideways', async ({ browser, lab }) => {
  await lab.open(small);
  const address = lab.page.url();
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByTestId('chart-success').waitFor();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect
    .poll(() => page.evaluate(() => window.palestra?.snapshot().iterations ?? 0), {
      timeout: 120_000,
    })
    .toBeGreaterThanOrEqual(2);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - window.innerWidth,
  );
  expect(overflow).toBeLessThanOrEqual(0);
  const path = test.info().outputPath('narrow-dark.png');
  await page.screenshot({ path, fullPage: true });
  await test.info().attach('narrow-dark', { path, contentType: 'image/png' });
  await context.close();
});

test.describe('without WebGPU', () => {
  test.beforeEach(async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
    });
  });

  test('the page says what to do, and the maze can be watched and walked', async ({ lab }) => {
    await lab.open();
    const notice = lab.page.getByTestId('without-webgpu');
    await expect(notice).toContainText('offers no WebGPU');
    await expect(notice.getByRole('listitem').first()).toBeVisible();
    await expect(lab.status).toHaveText('No WebGPU');
    expect((await lab.snapshot()).withoutGpu).toBe(true);
    await expect(lab.page.getByTestId('dialogue')).toContainText('move');
    await lab.photograph('without-webgpu');

    // The expert's film reaches the goal by itself.
    const maze = lab.stage.getByRole('img', { name: /^Maze of/ });
    await expect(maze).toHaveAttribute('data-outcome', 'success', { timeout: 30_000 });

    // A visitor walks with the keys: the first task starts in the second row's leftmost arm.
    await lab.stage.getByText('You', { exact: true }).click();
    await expect(maze).toHaveAttribute('data-outcome', 'running');
    const before = Number(await maze.getAttribute('data-column'));
    const row = Number(await maze.getAttribute('data-row'));
    await lab.page.keyboard.press('ArrowRight');
    await lab.page.keyboard.press('ArrowLeft');
    await expect(lab.page.getByTestId('dialogue').getByRole('listitem')).toHaveCount(3);
    expect(Number(await maze.getAttribute('data-column'))).toBeLessThanOrEqual(before);
    expect(Number(await maze.getAttribute('data-row'))).toBe(row);
  });

  test('the settings can be tried out', async ({ lab }) => {
    await lab.open();
    await lab.button(/^Settings/).click();
    await lab.page.getByRole('button', { name: /^Environment/ }).click();
    await lab.chooseOption('env.id', 'Generated');
    await lab.button('Apply & restart').click();
    await expect(lab.stage.getByRole('img', { name: /^Maze of 9 rows/ })).toBeVisible();
  });
});
