import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { test as labTest, small } from './lab-page.ts';

test('shows a trained agent in play mode without WebGPU, steps it and lets the visitor play', {
  tag: '@smoke',
}, async ({ playwright, launchOptions, baseURL }) => {
  // A browser without WebGPU.
  const args = (launchOptions.args ?? []).filter((argument) => !/webgpu|vulkan/i.test(argument));
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    args: [...args, '--disable-features=WebGPU,WebGPUService', '--disable-gpu'],
  });
  // A separate context, because the accessibility scan opens another page.
  const context = await browser.newContext({
    ...(baseURL === undefined ? {} : { baseURL }),
    viewport: { width: 1440, height: 900 },
    // Disable transitions so that contrast is measured at full opacity.
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));

  // Request a missing GPU, so nothing trains during the test.
  await page.goto('/?device=webgpu');
  await expect(page.getByTestId('cannot-train')).toBeVisible();
  expect(fetched.filter((url) => /\.wasm|\.zip|\/ort/.test(url))).toEqual([]);

  await page.getByRole('button', { name: 'Watch a trained agent' }).click();
  const play = page.getByTestId('play-mode');
  await expect(play.getByTestId('play-origin')).toContainText('WebAssembly');
  const odds = play.getByTestId('prospect').getByRole('listitem');
  await expect(odds.first()).toContainText('%');

  // The agent solves the task.
  await play.getByRole('button', { name: 'One turn' }).click();
  await expect(play.getByTestId('play-origin')).toContainText('1 turn played');
  await play.getByRole('button', { name: 'Play', exact: true }).click();
  const scores = play.getByTestId('scores');
  await expect(scores.getByRole('row', { name: /The agent/ })).toContainText('1 of 1');

  // Take one turn with a button and one with a key; the agent continues.
  await play.getByRole('button', { name: 'Next task' }).click();
  await odds.last().getByRole('button').click();
  await expect(play.getByTestId('play-origin')).toContainText('1 turn played');
  await play.getByRole('application').press('ArrowUp');
  await expect(play.getByTestId('play-origin')).toContainText('2 turns played');
  await play.getByRole('button', { name: 'Play', exact: true }).click();
  await expect(scores.getByRole('row', { name: /Together/ })).toContainText('of 1');

  // An invalid file gives one error, and the episode continues.
  await play.locator('input[type=file]').setInputFiles({
    name: 'lesson.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('PK\u0003\u0004 and nothing more'),
  });
  await expect(play.getByRole('alert')).toContainText('not a zip file, or is cut off');
  await expect(play.getByRole('button', { name: 'Next task' })).toBeEnabled();
  await expectAccessible(page, 'play mode');
  expect(new Set(fetched.map((url) => new URL(url).host)).size).toBe(1);
  expect(faults).toEqual([]);
  await page.screenshot({ path: test.info().outputPath('play.png') });
  await browser.close();
});

labTest('a run’s agent is exported, opened again, and trained on from', async ({ lab }) => {
  await lab.page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open({ ...small, 'stopping.iterations': 2 });
  await lab.reach(2);
  await expect(lab.status).toHaveText('Finished');
  const [download] = await Promise.all([
    lab.page.waitForEvent('download'),
    lab.page.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^palestra-.+\.zip$/);

  await lab.page.getByRole('button', { name: 'Play mode' }).click();
  const play = lab.page.getByTestId('play-mode');
  const origin = play.getByTestId('play-origin');
  await expect(origin).toContainText('WebGPU');
  const odds = play.getByTestId('prospect').getByRole('listitem');
  /** Action probabilities at the start of the first task. */
  const shown = async () => {
    await expect(odds.first()).toContainText('%');
    return odds.allTextContents();
  };
  await play.getByRole('button', { name: 'This run’s agent' }).click();
  await expect(origin).toContainText('This run’s agent');
  const own = await shown();

  // The exported file gives the same probabilities.
  await play.locator('input[type=file]').setInputFiles({
    name: 'exported.zip',
    mimeType: 'application/zip',
    buffer: await readFile(await download.path()),
  });
  await expect(origin).toContainText('The agent exported.zip');
  expect(await shown()).toEqual(own);

  const before = await lab.state();
  await play.getByRole('button', { name: 'Continue training' }).click();
  await expect.poll(async () => (await lab.state()).runId).not.toBe(before.runId);
  await lab.reach(1);
  await lab.photograph('trained-on');
});
