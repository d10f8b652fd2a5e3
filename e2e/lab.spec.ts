import type { MetricKey } from '../src/runs/metrics.ts';
import type { LabSnapshot } from '../src/ui/app/test-api.ts';
import { expectAccessible } from './accessible.ts';
import { expect, small, test } from './lab-page.ts';
import { opening, stage, stagedBapo } from './staged-run.ts';

/** Enough episodes and turns for some random successes in nearly every iteration. */
const lucky = {
  ...small,
  'rollout.tasks_per_iteration': 8,
  'rollout.group_size': 8,
  'horizon.turns': 30,
};

function mean(rows: LabSnapshot['rows'], key: MetricKey): number {
  const values = rows.flatMap((row) => row[key] ?? []);
  expect(values.length).toBe(rows.length);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

test('training starts on opening, and the success curve rises', { tag: '@smoke' }, async ({
  lab,
}) => {
  // Reduced motion leaves processor time to the software GPU.
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
  await expect(lab.status).toHaveText('Training');
  await lab.reach(40);
  const { rows, adapter } = await lab.snapshot();
  expect(adapter).toBeTruthy();

  const start = mean(rows.slice(0, 8), 'rollout/success_rate');
  const end = mean(rows.slice(-8), 'rollout/success_rate');
  expect(end).toBeGreaterThan(start + 0.1);
  expect(end).toBeGreaterThan(2 * start);
  // Entropy is below that of a uniform policy.
  expect(mean(rows.slice(-8), 'policy/entropy')).toBeLessThan(
    mean(rows.slice(0, 8), 'policy/entropy') - 0.1,
  );
  await expect(lab.status).toHaveText('Finished');
  await expect(lab.page.getByTestId('chart-success').locator('path.curve').first()).toBeVisible();
  await expect(lab.stage.getByRole('img', { name: /^Maze of/ })).toBeVisible();
  await expect(lab.page.getByTestId('dialogue')).toContainText('The goal is at position');
  await lab.photograph('trained');
});

test('training pauses after the current iteration, steps, resumes and resets', async ({ lab }) => {
  await lab.open(small);
  await lab.reach(2);

  await lab.pause();
  const paused = await lab.snapshot();

  await lab.button(/^Step/).click();
  await lab.reach(paused.iterations + 1);
  await expect(lab.status).toHaveText('Paused');
  expect((await lab.state()).iterations).toBe(paused.iterations + 1);

  await lab.button('Continue').click();
  const resumed = await lab.reach(paused.iterations + 3);
  expect(resumed.runId).toBe(paused.runId);

  await lab.button(/^Reset/).click();
  await expect(lab.status).toHaveText('Paused');
  const reset = await lab.state();
  expect(reset.iterations).toBe(0);
  expect(reset.runId).not.toBe(paused.runId);
  await expect(lab.iteration).toContainText('0');

  // Same seed, same weights: the first iteration repeats.
  await lab.button(/^Step/).click();
  await lab.reach(1);
  const again = await lab.snapshot();
  expect(again.rows[0]?.['rollout/success_rate']).toBe(paused.rows[0]?.['rollout/success_rate']);
  expect(again.rows[0]?.['policy/entropy']).toBe(paused.rows[0]?.['policy/entropy']);
});

test('a changed horizon schedule takes effect', async ({ lab }) => {
  // In a long run, the chart leaves out phase lines less than three pixels from the previous one.
  await lab.open({ ...small, 'stopping.iterations': 8 });
  await lab.reach(1);
  const before = await lab.snapshot();
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

  await expect.poll(async () => (await lab.state()).runId).not.toBe(before.runId);
  await lab.reach(5);
  const after = await lab.snapshot();
  expect(after.rows.slice(0, 5).map((row) => row['rollout/horizon'])).toEqual([4, 4, 6, 6, 9]);
  for (const row of after.rows) {
    expect(row['rollout/turns']).toBeLessThanOrEqual(row['rollout/horizon'] ?? 0);
  }
  // The address holds the settings.
  expect(decodeURIComponent(new URL(lab.page.url()).search)).toContain('horizon.rounds=4,6,9');
  await expect(
    lab.page.getByTestId('chart-horizon').locator('.recharts-reference-line'),
  ).toHaveCount(2);
});

test('choosing a preset from the gallery starts it', async ({ lab }) => {
  // The texts of the lessons arrive after the gallery.
  await lab.page.route(/\/en-[^/]*\.js$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await route.continue();
  });
  await lab.open(small);
  await lab.reach(1);
  const before = await lab.snapshot();
  await lab.page.getByRole('button', { name: /^Gallery/ }).click();
  const card = lab.page.getByRole('listitem').filter({ hasText: 'Generated 7×7 mazes' });
  await card.waitFor();
  expect(await lab.page.getByTestId('lesson-list').count(), 'lessons above the cards').toBe(1);
  await expect(card.getByRole('link', { name: 'AgentGym-RL' })).toHaveAttribute(
    'href',
    'https://arxiv.org/abs/2509.08755',
  );
  await card.getByRole('button', { name: 'Generated 7×7 mazes' }).click();
  await expect.poll(async () => (await lab.state()).preset).toBe('maze-generated');
  await expect(lab.status).toHaveText('Training');
  // The new run may already have rows.
  const after = await lab.snapshot();
  expect(after.runId).not.toBe(before.runId);
  expect(after.rows).not.toContainEqual(before.rows[0]);
});

test('BAPO moves its clip bounds within an iteration and shows diagnostics', async ({ lab }) => {
  await lab.open({ ...lucky, 'diagnostics.interval': 1 });
  await lab.reach(1);
  const before = await lab.snapshot();
  await expect(lab.page.getByTestId('method-title')).toHaveText('PPO');
  expect(new Set(before.updates.flat().map(({ clipHigh }) => clipHigh)).size).toBe(1);

  await lab.button(/^Settings/).click();
  await lab.chooseMethod('BAPO');
  await expect(lab.settings).toContainText('Moves the clip bounds in every update');
  await expect(lab.field('bapo.target')).toBeVisible();
  // An unreachable target keeps the bound search active.
  await lab.field('bapo.target').getByRole('textbox').fill('0.95');
  await lab.button('Apply & restart').click();

  await expect.poll(async () => (await lab.state()).runId).not.toBe(before.runId);
  await expect(lab.page.getByTestId('method-title')).toHaveText('BAPO');
  expect(new URL(lab.page.url()).searchParams.get('method')).toBe('bapo');
  // Without a success there is no positive weight, so bounds keep their initial values.
  await expect
    .poll(async () => {
      const { updates } = await lab.snapshot();
      return Math.max(...updates.flat().map(({ clipHigh }) => clipHigh));
    })
    .toBeGreaterThan(1.25);

  await lab.pause();
  const paused = await lab.snapshot();
  for (const { clipLow, clipHigh } of paused.updates.flat()) {
    expect(clipLow).toBeGreaterThanOrEqual(0.6 - 1e-6);
    expect(clipLow).toBeLessThanOrEqual(0.9 + 1e-6);
    expect(clipHigh).toBeGreaterThanOrEqual(1.2 - 1e-6);
    expect(clipHigh).toBeLessThanOrEqual(3 + 1e-6);
  }

  const picture = lab.page.getByTestId('chart-quadrants');
  await expect(picture.getByTestId('quadrants-iteration')).toHaveText(
    String(paused.diagnosed.at(-1)),
  );
  await expect.poll(() => picture.locator('svg circle').count()).toBeGreaterThan(10);
  await expect(lab.page.getByTestId('chart-bounds').locator('path.curve').first()).toBeVisible();
  await picture.scrollIntoViewIfNeeded();
  await lab.photograph('bapo');
});

test('a link’s settings override its method', async ({ lab }) => {
  await lab.open({ method: 'gspo', ...lucky, 'algorithm.clip_high': 1.3 });
  await lab.reach(1);
  await expect(lab.page.getByTestId('method-title')).toHaveText('GSPO');
  const search = new URL(lab.page.url()).searchParams;
  expect([search.get('method'), search.get('algorithm.clip_high')]).toEqual(['gspo', '1.3']);
});

test('a method can be used with its published settings, and settings that differ from the paper are listed', async ({
  lab,
}) => {
  await lab.open({ ...small, 'stopping.iterations': 1 });
  await lab.button(/^Settings/).click();
  const method = lab.page.getByTestId('method');
  // The preset's bound is neither the published nor the adapted one.
  await expect(method.getByRole('radio', { checked: true })).toHaveCount(0);
  await method.getByText('4 settings differ from the paper').click();
  await expect(method).toContainText('1.5 here, 1.2 published (§6.1, the best of Table 1).');
  await lab.chooseMethod('GRPO Compares');
  await expect(method.getByRole('radio', { name: 'Adapted to small agents' })).toBeChecked();
  await expect(method).toContainText('0 here, 0.04 published (§4.2).');
  await lab.photograph('method-adapted');
  await method.getByText('As published', { exact: true }).click();
  await expect(method.getByRole('radio', { name: 'As published' })).toBeChecked();
  await expect(method).toContainText('All settings of the method are as in its paper.');
  await lab.photograph('method-published');
  await lab.button('Apply & restart').click();
  await expect
    .poll(() => new URL(lab.page.url()).search)
    .toContain('method=grpo&settings=published');
  await lab.reach(1);
});

test('PPO shows value-head charts', async ({ lab }) => {
  await lab.open(lucky);
  // Value metrics exist from the first success on.
  await expect
    .poll(async () => (await lab.snapshot()).rows.at(-1)?.['value/loss'])
    .toBeGreaterThan(0);
  await expect(lab.page.getByTestId('chart-explained')).toContainText('value head');
});

test('unknown preset and method names are reported, and the default run starts', async ({
  lab,
}) => {
  await lab.open({ ...small, preset: 'labyrinth', method: 'ppo2' });
  const notice = lab.page.getByTestId('address-notes');
  await expect(notice).toContainText('Unknown preset “labyrinth” in the address');
  await expect(notice).toContainText('Unknown method “ppo2” in the address');
  await expect(lab.status).toHaveText('Training');
  expect((await lab.state()).preset).toBe('maze');
});

test.describe('in a staged run', () => {
  test('update diagnostics can be browsed, and clipped zones follow the bounds', async ({
    lab,
  }) => {
    await stage(lab.page, stagedBapo(60));
    await lab.open({ method: 'bapo' });
    const picture = lab.page.getByTestId('chart-quadrants');
    const iteration = picture.getByTestId('quadrants-iteration');
    await expect(iteration).toHaveText('60');
    const drawing = picture.getByRole('img', { name: /^256 tokens by ratio and advantage/ });
    await expect(drawing.locator('circle')).toHaveCount(256);
    const clipHigh = async () => Number(await drawing.getAttribute('data-clip-high'));
    const zone = async () => (await drawing.locator('[data-zone="high"]').boundingBox())?.x ?? 0;
    const newest = { bound: await clipHigh(), zone: await zone() };

    const slider = picture.getByRole('slider', { name: 'Diagnosed iteration' });
    await slider.press('Home');
    await expect(iteration).toHaveText('5');
    const first = await clipHigh();
    expect(first).not.toBe(newest.bound);
    await expect
      .poll(async () => Math.sign((await zone()) - newest.zone))
      .toBe(Math.sign(first - newest.bound));
    await slider.press('End');
    await expect(iteration).toHaveText('60');

    await expect(lab.page.getByTestId('chart-entropy-change')).toContainText('correlation');
    await expect(
      lab.page.getByTestId('chart-staleness').getByRole('img', { name: /17–32: / }),
    ).toBeVisible();
    await expect(lab.page.getByTestId('skipped')).toBeHidden();
  });

  test('skipped updates are counted with their cause while the run continues', async ({ lab }) => {
    const messages = stagedBapo(6).map((message) => {
      if (message.type !== 'row') return message;
      const { row } = message;
      const { updates } = row.details;
      const skipped = updates.map((update, i) =>
        i === 0 ? { ...update, skipped: true, cause: 'ratios' } : update,
      );
      return { ...message, row: { ...row, details: { ...row.details, updates: skipped } } };
    });
    await stage(lab.page, messages);
    await lab.open();
    const notice = lab.page.getByTestId('skipped');
    await expect(notice).toContainText('6 updates were skipped');
    await expect(notice).toContainText('ratios');
    await expect(lab.status).toHaveText('Training');
  });

  test('the warm start shows progress, and a list says when the charts appear', async ({ lab }) => {
    await stage(lab.page, [...opening, { type: 'progress', phase: 'imitate', fraction: 0.4 }]);
    await lab.open({ 'imitation.epochs': 3, 'diagnostics.interval': 7 });
    await expect(lab.page.getByTestId('headline')).toContainText('expert');
    await expect(lab.page.getByText('copying the expert')).toBeVisible();
    await expect(lab.page.getByTestId('preparation')).toContainText('40%');
    await expect(lab.page.getByTestId('trajectories')).toContainText('The agent copies the expert');
    const later = lab.page.getByTestId('charts-later');
    await expect(later.first()).toHaveText(
      'Charts appear with the first iteration, after imitation.',
    );
    await expect(later.last()).toContainText('The tokens of one update: Appears after iteration 7');
    await expect(lab.page.locator('.group .chart')).toHaveCount(0);
  });

  test('the first update after imitation shows progress without its loss', async ({ lab }) => {
    // The loss of an update is not in nats per token.
    const update = { type: 'progress', phase: 'update' } as const;
    await stage(lab.page, [
      ...opening,
      { ...update, fraction: 0.25, loss: 0.3 },
      { ...update, fraction: 0.5, loss: -0.1 },
    ]);
    await lab.open({ 'imitation.epochs': 3 });
    const preparation = lab.page.getByTestId('preparation');
    await expect(preparation.getByRole('heading')).toHaveText('Step 2: the first iteration');
    await expect(preparation).toContainText('50%');
    await expect(preparation).not.toContainText('Loss');
  });

  test('during imitation, the stage plays the expert and progress replaces the charts', async ({
    lab,
  }) => {
    const losses = Array.from({ length: 41 }, (_, i) => ({
      type: 'progress' as const,
      phase: 'imitate' as const,
      fraction: i / 100,
      loss: 0.4 + 3 * Math.exp(-i / 8),
    }));
    await stage(lab.page, [...opening, ...losses]);
    await lab.open({ 'imitation.epochs': 3, depth: 'watch' });
    const preparation = lab.page.getByTestId('preparation');
    await expect(preparation.getByRole('heading')).toHaveText('Step 1: copying an expert');
    await expect(preparation).toContainText('40%');
    await expect(preparation).toContainText('Loss 0.42 nats per token');
    await expect(preparation).toContainText('a probability of 66%');
    await lab.photograph('copying-loss');
    await expect(lab.stage.getByRole('heading', { name: 'Expert' })).toBeVisible();
    for (const depth of ['Understand', 'Everything', 'Watch']) {
      await lab.page.getByText(depth, { exact: true }).click();
      await expect(preparation).toContainText('40%');
      await expect(lab.page.locator('.chart')).toHaveCount(0);
    }
    await expectAccessible(lab.page, 'preparation', '[data-testid=preparation]');
    // The user's choice takes precedence.
    await lab.stage.getByText('Latest', { exact: true }).click();
    await expect(lab.stage).toContainText('The agent copies the expert');
  });
});

test('while the agent copies an expert, each token of the expert shows the agent’s probability', async ({
  lab,
}) => {
  // Long enough to be still running at the end of this test.
  await lab.open({ preset: 'wordle', depth: 'watch', 'imitation.epochs': 500 });
  const preparation = lab.page.getByTestId('preparation');
  const accuracy = lab.stage.getByText(
    /^The agent’s most probable token matches \d+% of the expert’s/,
  );
  await expect(accuracy).toBeVisible();
  await expect(preparation).toContainText(/Accuracy on the episode shown: \d+% of the tokens\./);
  const token = lab.stage.locator('.dialogue .token[title^="The agent’s probability"]').first();
  const before = await token.getAttribute('title');
  await expect(token).not.toHaveAttribute('title', before ?? '');
  expect((await lab.state()).iterations).toBe(0);
  await expectAccessible(lab.page, 'imitation', '[data-testid=stage]');
  await lab.stage.getByText('Latest', { exact: true }).click();
  await expect(accuracy).toBeHidden();
});

test('invalid values in a link are reported and replaced by the nearest valid ones', async ({
  lab,
}) => {
  await lab.open({ ...small, 'rollout.group_size': 0, 'rollout.nothing': 1 });
  const notice = lab.page.getByTestId('address-notes');
  await expect(notice).toContainText('rollout.group_size was 0 in the address; the minimum is 1');
  await expect(notice).toContainText('“rollout.nothing” is not a setting');
  await expect(lab.status).toHaveText('Training');
  // The address now holds the corrected values.
  expect(new URL(lab.page.url()).searchParams.get('rollout.group_size')).toBe('1');
  expect(new URL(lab.page.url()).searchParams.has('rollout.nothing')).toBe(false);
  await notice.getByRole('button', { name: 'Close this notice' }).click();
  await expect(notice).toBeHidden();
});

test('the page stays responsive while it trains', { tag: '@alone' }, async ({ lab }) => {
  await lab.open(small);
  await lab.reach(1);
  // Training on the main thread would block frames for a whole iteration.
  await lab.page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let [iteration, frames] = [-1, 0];
        const frame = () => {
          const { iterations = -1 } = window.palestra?.state() ?? {};
          frames = iterations === iteration ? frames + 1 : 1;
          iteration = iterations;
          if (frames < 4) requestAnimationFrame(frame);
          else resolve();
        };
        requestAnimationFrame(frame);
      }),
  );
});

test.describe('a narrow dark page', () => {
  test.use({
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    contextOptions: { reducedMotion: 'reduce' },
  });

  test('shows everything without horizontal scrolling', async ({ lab }) => {
    await lab.open(small);
    const { page } = lab;
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
    await expect(page.getByTestId('chart-success')).toBeVisible();
    await lab.reach(2);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    const path = test.info().outputPath('narrow-dark.png');
    await page.screenshot({ path, fullPage: true });
    await test.info().attach('narrow-dark', { path, contentType: 'image/png' });
  });
});

test.describe('without the requested GPU', () => {
  test.beforeEach(async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
    });
  });

  test('the page says what to do, and the maze can be watched and played', async ({ lab }) => {
    await lab.open({ device: 'webgpu' });
    const notice = lab.page.getByTestId('cannot-train');
    await expect(notice).toContainText('No GPU available');
    await expect(notice.getByRole('listitem').first()).toBeVisible();
    await expect(lab.status).toHaveText('Cannot train');
    expect((await lab.state()).cannotTrain).toBe(true);
    await expect(lab.page.getByTestId('dialogue')).toContainText('move');
    await lab.photograph('cannot-train');

    // The expert's replay reaches the goal.
    const maze = lab.stage.getByRole('img', { name: /^Maze of/ });
    await expect(maze).toHaveAttribute('data-outcome', 'success');

    // Play with the arrow keys: the first task starts in the leftmost arm of the second row.
    await lab.stage.getByRole('button', { name: 'Play it yourself' }).click();
    await expect(maze).toHaveAttribute('data-outcome', 'running');
    const before = Number(await maze.getAttribute('data-column'));
    const row = Number(await maze.getAttribute('data-row'));
    await lab.page.keyboard.press('ArrowRight');
    await lab.page.keyboard.press('ArrowLeft');
    await expect(lab.page.getByTestId('dialogue').getByRole('listitem')).toHaveCount(3);
    expect(Number(await maze.getAttribute('data-column'))).toBeLessThanOrEqual(before);
    expect(Number(await maze.getAttribute('data-row'))).toBe(row);
  });

  test('settings can be changed', async ({ lab }) => {
    await lab.open();
    await lab.button(/^Settings/).click();
    await lab.settings.getByRole('button', { name: /^Environment/ }).click();
    await lab.chooseOption('env.id', 'Generated');
    await lab.button('Apply & restart').click();
    await expect(lab.stage.getByRole('img', { name: /^Maze of 9 rows/ })).toBeVisible();
  });
});
