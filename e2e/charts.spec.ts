import { readFile } from 'node:fs/promises';
import type { Locator } from '@playwright/test';
import type { Row } from '../src/runs/row.ts';
import { allowed, frameWork, leastFrameWork, MIN_FRAMES } from './frame-work.ts';
import { expect, type LabPage, test } from './lab-page.ts';
import { opening, type StagedMessage, stage, stagedRow } from './staged-run.ts';

/** A run with known numbers: success rises by 0.01 per iteration. */
function staged(iterations: number): readonly StagedMessage[] {
  const messages: StagedMessage[] = [...opening];
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const row: Row = {
      iteration,
      metrics: {
        iteration,
        'rollout/success_rate': iteration / 100,
        'rollout/score': iteration / 200,
        'rollout/horizon': iteration < 20 ? 10 : 30,
        'rollout/turns': 8,
        'policy/entropy': 2 ** -(iteration / 10),
        'policy/skipped_updates': iteration === 33 ? 2 : 0,
        'policy/grad_norm': 1 + (iteration % 2),
        'progress/turns': 100 * iteration,
        'progress/tokens': 120 * iteration,
        'time/seconds': 2 * iteration,
      },
      details: { updates: [], staleness: [] },
      milliseconds: 2000,
      ...(iteration % 10 === 0
        ? { evaluation: { metrics: { 'eval/success_rate': iteration / 80 } } }
        : {}),
    };
    messages.push(stagedRow(row));
  }
  return messages;
}

const crosshairOf = (chart: Locator) => chart.getByRole('slider', { name: /^Crosshair of/ });

async function choose(lab: LabPage, chart: Locator, item: string): Promise<void> {
  await chart.getByRole('button', { name: /: view and save$/ }).click();
  await lab.page
    .getByRole('menuitem', { name: item })
    .or(lab.page.getByRole('menuitemcheckbox', { name: item }))
    .click();
  await lab.page.keyboard.press('Escape');
}

async function save(lab: LabPage, chart: Locator, item: string) {
  const waiting = lab.page.waitForEvent('download');
  await choose(lab, chart, item);
  const file = await waiting;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

test.describe('in the charts of a staged run', () => {
  test.beforeEach(async ({ lab }) => {
    await stage(lab.page, staged(60));
    await lab.page.emulateMedia({ reducedMotion: 'reduce' });
    await lab.open();
    await expect(lab.page.getByTestId('chart-success').locator('.curve').first()).toBeVisible();
    // The card of the finding loads later and moves the charts away from the mouse.
    await expect(lab.page.getByTestId('autopsy').first()).toBeAttached();
  });

  test('one crosshair shows the values of every series in all charts, by keyboard and pointer', {
    tag: '@smoke',
  }, async ({ lab }) => {
    const success = lab.page.getByTestId('chart-success');
    const entropy = lab.page.getByTestId('chart-entropy');
    const crosshair = crosshairOf(success);
    await crosshair.focus();
    await crosshair.press('Home');
    await expect(crosshair).toHaveAttribute('aria-valuenow', '1');
    await crosshair.press('ArrowRight');
    await crosshair.press('Shift+ArrowRight');
    const readout = success.getByTestId('readout');
    await expect(readout).toContainText('Iteration 12');
    await expect(readout.getByRole('row', { name: /Training/ })).toContainText('12%');
    // The last evaluation before iteration 12 was at iteration 10: 10/80.
    await expect(readout.getByRole('row', { name: /Evaluation/ })).toContainText('13%');
    await expect(crosshair).toHaveAttribute('aria-valuetext', /Iteration 12, Training 12%/);
    await expect(entropy.locator('.crosshair-line')).toBeVisible();
    await expect(entropy.getByTestId('readout')).toHaveCount(0);
    // The header of the next chart shows the value at the crosshair, 2^−1.2.
    await expect(entropy.locator('.chart-values dd')).toContainText('0.435');
    await crosshair.press('Escape');
    await expect(entropy.locator('.crosshair-line')).toHaveCount(0);

    const box = await crosshair.boundingBox();
    if (box === null) throw new Error('the crosshair is not visible');
    // Iteration 33 on an axis from 1 to 60.
    await lab.page.mouse.move(box.x + (box.width * 32) / 59, box.y + 40);
    await expect(readout).toContainText('Iteration 33');
    await expect(readout).toContainText('2 updates were skipped');
  });

  test('smoothing, axes, series and tables can be switched; a drag zooms, a double click resets the zoom', async ({
    lab,
  }) => {
    const success = lab.page.getByTestId('chart-success');
    const crosshair = crosshairOf(success);
    const training = success.locator('[data-series="Training"] .curve');
    const smoothing = lab.page.getByRole('slider', { name: /^Smoothing/ });
    await smoothing.press('Home');
    await expect(success.locator('.curve-raw')).toHaveCount(0);
    const plain = await training.getAttribute('d');
    await smoothing.press('End');
    // Solid lines are drawn above dashed ones and above raw values.
    await expect(success.locator('.curve-raw').last()).toHaveAttribute('d', plain ?? '');
    await expect(training).not.toHaveAttribute('d', plain ?? '');

    const toolbar = lab.page.getByTestId('chart-toolbar');
    const over = async (axis: string) => toolbar.getByText(axis, { exact: true }).click();
    await over('Turns');
    await crosshair.press('Home');
    await expect(crosshair).toHaveAttribute('aria-valuetext', /^100 turns, Training 1%/);
    await over('Tokens');
    await crosshair.press('End');
    await expect(crosshair).toHaveAttribute('aria-valuetext', /^7,200 tokens, Training 60%/);
    await over('Time');
    await expect(crosshair).toHaveAttribute('aria-valuemax', '120');
    await over('Iterations');

    const entropy = lab.page.getByTestId('chart-entropy');
    const ticks = entropy.locator('.recharts-yAxis-tick-labels');
    await expect(ticks).toContainText('0');
    await expect(ticks).not.toContainText('0.1');
    await choose(lab, entropy, 'Logarithmic y axis');
    await expect(ticks).toContainText('0.1');
    // On a logarithmic axis, halving every ten iterations is a straight line.
    await smoothing.press('Home');
    const path = (await entropy.locator('.curve').getAttribute('d')) ?? '';
    const tops = [...path.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(([, , y]) => Number(y));
    expect(tops).toHaveLength(60);
    const slope = ((tops[59] ?? 0) - (tops[0] ?? 0)) / 59;
    for (const [i, top] of tops.entries()) {
      expect(Math.abs(top - (tops[0] ?? 0) - i * slope)).toBeLessThan(0.2);
    }

    await success.getByRole('button', { name: 'Evaluation', exact: true }).first().click();
    await expect(success.locator('[data-series="Evaluation"]')).toHaveCount(0);
    await success.getByRole('button', { name: 'Evaluation', exact: true }).first().click();
    await expect(success.locator('[data-series="Evaluation"]')).toHaveCount(1);

    await crosshair.scrollIntoViewIfNeeded();
    const box = await crosshair.boundingBox();
    if (box === null) throw new Error('the crosshair is not visible');
    const at = (iteration: number) => box.x + (box.width * (iteration - 1)) / 59;
    await lab.page.mouse.move(at(20), box.y + 60);
    await lab.page.mouse.down();
    await lab.page.mouse.move(at(30), box.y + 60, { steps: 4 });
    const brush = success.locator('.brush');
    await expect(brush).toBeVisible();
    await lab.page.mouse.move(at(40), box.y + 60, { steps: 4 });
    // On release, the chart zooms to the brush as drawn, which may lag behind the pointer.
    const missing = async () => at(40) - at(20) - ((await brush.boundingBox())?.width ?? 0);
    await expect.poll(missing).toBeLessThan(2);
    await lab.page.mouse.up();
    const zoomed = lab.page.getByRole('button', { name: /^Iterations 20 to 40: show all/ });
    await expect(zoomed).toBeVisible();
    // All charts show the same range.
    await expect(crosshairOf(entropy)).toHaveAttribute('aria-valuemin', /^(20|21)$/);
    await expect(crosshairOf(entropy)).toHaveAttribute('aria-valuemax', /^(39|40)$/);
    await crosshair.dblclick();
    await expect(zoomed).toBeHidden();
    await expect(crosshair).toHaveAttribute('aria-valuemax', '60');
    await crosshair.press('+');
    const partly = lab.page.getByRole('button', { name: /: show all$/ });
    await expect(partly).toBeVisible();
    // Zooming out as many times as zooming in restores the full range.
    for (let presses = 0; presses < 30; presses++) await crosshair.press('+');
    await expect(partly).toBeVisible();
    for (let presses = 0; presses < 30; presses++) await crosshair.press('-');
    await expect(partly).toBeHidden();
    await crosshair.press('+');
    await expect(partly).toBeVisible();
    // The browser's own zoom.
    await crosshair.press('Control+0');
    await expect(partly).toBeVisible();
    await crosshair.press('0');
    await expect(crosshair).toHaveAttribute('aria-valuemin', '1');

    await choose(lab, success, 'Values as a table');
    const table = success.getByRole('table');
    await expect(table.getByRole('row')).toHaveCount(61);
    await expect(table.getByRole('row').nth(1)).toHaveText(/^60\s*60%\s*75%$/);
    await choose(lab, success, 'Values as a table');
    await expect(table).toBeHidden();
  });

  test.describe('by touch', () => {
    test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

    test('one finger moves the crosshair, two fingers zoom in and out', async ({ lab }) => {
      const { page } = lab;
      const crosshair = crosshairOf(page.getByTestId('chart-success'));
      await crosshair.scrollIntoViewIfNeeded();
      const session = await page.context().newCDPSession(page);
      const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', ...places: number[]) => {
        // A tap elsewhere may have scrolled the page, and cards above may have grown.
        if (type === 'touchStart') await crosshair.scrollIntoViewIfNeeded();
        const box = await crosshair.boundingBox();
        if (box === null) throw new Error('the crosshair is not visible');
        const y = box.y + 60;
        const at = (iteration: number) => box.x + (box.width * (iteration - 1)) / 59;
        const touchPoints = places.map((iteration, id) => ({ x: at(iteration), y, id }));
        await session.send('Input.dispatchTouchEvent', { type, touchPoints });
      };

      // A card that grows above the chart during a gesture moves the chart away from the fingers.
      const readout = page.getByTestId('readout');
      await expect(async () => {
        await touch('touchStart', 12);
        await touch('touchMove', 20);
        await touch('touchEnd');
        await expect(readout).toContainText('Iteration 20', { timeout: 10_000 });
      }).toPass();
      await page.getByRole('heading', { name: 'Success' }).tap();
      await expect(readout).toHaveCount(0);

      // The value under each finger stays under it: 25 where 15 was, 35 where 45 was.
      const zoomed = page.getByRole('button', { name: /: show all$/ });
      await expect(async () => {
        await touch('touchStart', 25);
        await touch('touchStart', 25, 35);
        for (const share of [0.5, 1]) await touch('touchMove', 25 - 10 * share, 35 + 10 * share);
        await touch('touchEnd');
        await expect(zoomed).toBeVisible({ timeout: 10_000 });
      }).toPass();
      await expect(zoomed).toHaveText(/^Iterations 20(\.\d)? to 40: show all$/);
      await touch('touchStart', 5);
      await touch('touchStart', 5, 55);
      await touch('touchMove', 25, 35);
      await touch('touchEnd');
      await expect(zoomed).toBeHidden();
      await expect(crosshair).toHaveAttribute('aria-valuemax', '60');

      await touch('touchStart', 25);
      await touch('touchStart', 25, 35);
      await touch('touchMove', 15, 45);
      await touch('touchEnd');
      await zoomed.tap();
      await expect(zoomed).toBeHidden();
    });
  });

  test('a chart can be pinned beside the stage, and unpinned at another depth', async ({ lab }) => {
    const { page } = lab;
    // This chart is shown because its numbers differ from the success rate.
    await choose(lab, page.getByTestId('chart-reward'), 'Pin beside the stage');
    const pinned = page.locator('.first-charts').getByTestId('chart-reward');
    await expect(pinned).toBeVisible();
    await page.getByText('Understand', { exact: true }).click();
    await choose(lab, pinned, 'Pin beside the stage');
    await expect(pinned).toHaveCount(0);
  });

  test('a chart exports as CSV, JSON, SVG and PNG', { tag: '@smoke' }, async ({ lab }) => {
    const success = lab.page.getByTestId('chart-success');
    const csv = await save(lab, success, 'CSV table');
    expect(csv.name).toBe('reward-and-success.csv');
    const lines = csv.bytes.toString().trimEnd().split('\r\n');
    expect(lines).toHaveLength(61);
    expect(lines[0]).toBe('run,seed,iteration,turns,tokens,seconds,Training,Evaluation');
    expect(lines[10]).toMatch(/^"?.*seed 1"?,1,10,1000,1200,20,0\.1,0\.125$/);
    expect(lines[11]).toMatch(/,11,1100,1320,22,0\.11,$/);

    const json = await save(lab, success, 'JSON');
    const file: unknown = JSON.parse(json.bytes.toString());
    expect(file).toMatchObject({
      format: 'palestra-chart',
      version: 1,
      chart: 'Reward and success',
    });
    expect(file).toHaveProperty('runs.0.columns.Training.59', 0.6);

    const svg = (await save(lab, success, 'SVG image')).bytes.toString();
    expect(svg).toContain('<title>Reward and success</title>');
    expect(svg).toContain('Evaluation');
    // The SVG renders without a style sheet.
    expect(svg).not.toContain('var(');
    // A separate page, because the lab's Trusted Types reject markup from strings.
    const blank = await lab.page.context().newPage();
    const faults = await blank.evaluate(
      (text) =>
        new DOMParser().parseFromString(text, 'image/svg+xml').querySelectorAll('parsererror')
          .length,
      svg,
    );
    await blank.close();
    expect(faults).toBe(0);

    const png = await save(lab, success, 'PNG image');
    expect(png.name).toBe('reward-and-success.png');
    expect([...png.bytes.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
    // Three image pixels per page pixel.
    const width = Number(/^<svg[^>]* width="(\d+)/.exec(svg)?.[1]);
    expect(png.bytes.readUInt32BE(16)).toBe(3 * width);
  });

  test('overlaid runs share the charts, and seeds of one config are averaged', async ({ lab }) => {
    await lab.page.evaluate(() => {
      const rows = (shift: number, length: number) =>
        Array.from({ length }, (_, i) => ({
          iteration: i + 1,
          'rollout/success_rate': 0.3 + shift,
          'policy/entropy': 1 + shift,
        }));
      const run = (seed: number, length: number) => ({
        id: `other-${seed}`,
        name: `Other, seed ${seed}`,
        seed,
        configKey: 'other',
        rows: rows(seed / 10, length),
        markers: [],
      });
      window.palestra?.overlay([run(1, 60), run(3, 30)]);
    });
    const runs = lab.page.getByRole('list', { name: 'Runs' });
    await expect(runs.getByRole('button')).toHaveCount(2);
    const success = lab.page.getByTestId('chart-success');
    await expect(success.locator('[data-series="Training"] .curve')).toHaveCount(2);
    await expect(success.locator('.curve-band')).not.toHaveCount(0);
    const crosshair = crosshairOf(success);
    await crosshair.focus();
    await crosshair.press('Home');
    const readout = success.getByTestId('readout');
    await expect(readout).toContainText('Other, 2 seeds');
    // The mean of 0.4 and 0.6, and the band's ends.
    await expect(readout).toContainText('50%');
    await expect(readout).toContainText('40% to 60%, 2 seeds');
    await crosshair.press('End');
    await expect(readout).toContainText('40% to 40%, 1 of 2 seeds');
    await lab.photograph('two-configs');
    await runs.getByRole('button', { name: 'Other, 2 seeds' }).click();
    await expect(success.locator('[data-series="Training"] .curve')).toHaveCount(1);
  });
});

test('frames stay short with 19 overlaid runs of 100,000 points and a moving crosshair', {
  tag: '@alone',
}, async ({ browser, lab }) => {
  await stage(lab.page, staged(60));
  await lab.open();
  await expect(lab.page.getByTestId('chart-success').locator('.curve').first()).toBeVisible();
  await lab.page.evaluate(() => {
    window.palestra?.overlay(
      Array.from({ length: 19 }, (_, run) => ({
        id: `long-${run}`,
        name: `Long ${run}`,
        seed: 1,
        configKey: `long-${run}`,
        markers: [],
        rows: Array.from({ length: 100_000 }, (_, i) => ({
          iteration: i + 1,
          'rollout/success_rate': 0.4 + 0.02 * run + 0.1 * Math.sin(i * (run + 1)),
        })),
      })),
    );
  });
  const success = lab.page.getByTestId('chart-success');
  await expect(success.locator('[data-series="Training"] .curve')).toHaveCount(20);
  const crosshair = crosshairOf(success);
  const box = await crosshair.boundingBox();
  if (box === null) throw new Error('the crosshair is not visible');
  const { frames, cpu, wall } = await leastFrameWork(allowed(20), async () => {
    const measured = frameWork(browser, lab.page, 3000);
    for (let step = 0; step < 60; step++) {
      await lab.page.mouse.move(box.x + (box.width * step) / 60, box.y + 40);
      await lab.page.waitForTimeout(30);
    }
    return measured;
  });
  console.log(`19 × 100,000 points, crosshair moving: ${frames} frames`, { cpu, wall });
  expect(frames).toBeGreaterThan(MIN_FRAMES);
  expect(cpu.p95).toBeLessThan(allowed(20));
});

test('frames stay short while the default preset trains', { tag: '@alone' }, async ({
  browser,
  lab,
}) => {
  // The run outlasts all windows.
  await lab.open({ 'stopping.success': 0, 'stopping.iterations': 10_000 });
  await lab.reach(2);
  const { frames, cpu, wall } = await leastFrameWork(allowed(20), async () => {
    const measured = await frameWork(browser, lab.page, 4000);
    await expect(lab.status).toHaveText('Training');
    return measured;
  });
  console.log(`default preset: ${frames} frames`, { cpu, wall });
  expect(frames).toBeGreaterThan(MIN_FRAMES);
  expect(cpu.p95).toBeLessThan(allowed(20));
});
