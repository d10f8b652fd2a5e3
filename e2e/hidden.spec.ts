/**
 * A hidden tab. Playwright reports every page as visible and disables background
 * throttling, so this test starts its own browser.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Page } from '@playwright/test';
import { expect, test as labTest, queryOf } from './lab-page.ts';
import { keptTo, tiny } from './tiny-run.ts';

const test = labTest.extend({
  page: async ({ launchOptions }, use) => {
    const profile = await mkdtemp(join(tmpdir(), 'palestra-hidden-'));
    const program = spawn(
      launchOptions.executablePath ?? chromium.executablePath(),
      [
        '--headless=new',
        // Playwright, which starts the other tests' browsers, adds it too.
        '--no-sandbox',
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        ...(launchOptions.args ?? []),
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = once(program, 'exit');
    try {
      const address = await addressOf(program);
      const browser = await chromium.connectOverCDP(address, {
        noDefaults: true,
        timeout: 300_000,
      });
      const page = browser.contexts()[0]?.pages()[0];
      if (page === undefined) throw new Error('the browser opened no tab');
      await use(page);
      await browser.close();
    } finally {
      program.kill();
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 20 });
    }
  },
});

/** The DevTools endpoint, which the browser prints at startup. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('the output of the browser cannot be read');
  for await (const line of createInterface(stderr)) {
    const address = /^DevTools listening on (ws:.*)$/.exec(line)?.[1];
    if (address !== undefined) {
      stderr.resume();
      return address;
    }
  }
  throw new Error('the browser exited before it could be controlled');
}

/** Frames and 10 ms timer ticks in one second. */
function alive(page: Page): Promise<{ readonly frames: number; readonly ticks: number }> {
  return page.evaluate(async () => {
    let [frames, ticks] = [0, 0];
    const frame = () => {
      frames += 1;
      handle = requestAnimationFrame(frame);
    };
    let handle = requestAnimationFrame(frame);
    const timer = setInterval(() => {
      ticks += 1;
    }, 10);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    clearInterval(timer);
    cancelAnimationFrame(handle);
    return { frames, ticks };
  });
}

/** A run with a few iterations per second, all of which are drawn once the tab is visible. */
const slow = {
  ...tiny,
  'policy.width': 64,
  'policy.ffn_width': 128,
  'rollout.tasks_per_iteration': 8,
  'rollout.group_size': 8,
  'horizon.turns': 10,
};

test('a hidden tab keeps training and saving, and shows everything when it is visible again', {
  tag: '@alone',
}, async ({ lab, baseURL }) => {
  const { page } = lab;
  await page.goto(`${baseURL}/?${queryOf(slow)}`);
  const visibility = () => page.evaluate(() => document.visibilityState);
  /** Iterations per second while waiting. */
  const rate = async (wait: () => Promise<unknown>) => {
    const before = await lab.state();
    const since = performance.now();
    await wait();
    const { iterations } = await lab.state();
    return (1000 * (iterations - before.iterations)) / (performance.now() - since);
  };
  const { iterations: first } = await lab.reach(3);
  const seen = await rate(() => Promise.all([page.waitForTimeout(4000), lab.reach(first + 4)]));
  expect(await visibility()).toBe('visible');
  await expect.poll(async () => (await alive(page)).frames).toBeGreaterThan(5);

  const other = await page.context().newPage();
  await other.bringToFront();
  await expect.poll(visibility).toBe('hidden');
  // Check that the browser does throttle the page.
  await expect(async () => {
    const { frames, ticks } = await alive(page);
    expect(frames).toBe(0);
    expect(ticks).toBeLessThan(5);
  }).toPass();
  const kept = keptTo(await lab.state());
  await expect.poll(async () => keptTo(await lab.state())).toBeGreaterThan(kept);
  // Without a GPU the browser gives hidden pages slightly less processor time, and other load may come and go.
  const shares: number[] = [];
  const share = async () => {
    shares.push((await rate(() => page.waitForTimeout(2000))) / seen);
    return Math.max(...shares);
  };
  await expect.poll(share).toBeGreaterThan(0.5);
  console.log('iterations a second in a hidden tab, as shares of those in a visible one', shares);
  expect(await visibility()).toBe('hidden');
  // The tab title shows progress.
  expect(await page.title()).toMatch(/% · Training · Palestra$/);

  const { iterations } = await lab.state();
  await page.bringToFront();
  await expect.poll(visibility).toBe('visible');
  const crosshair = page.getByTestId('chart-success').getByRole('slider', { name: /^Crosshair/ });
  await expect
    .poll(async () => Number(await crosshair.getAttribute('aria-valuemax')))
    .toBeGreaterThanOrEqual(iterations);
  await expect
    .poll(async () => Number.parseInt((await lab.iteration.textContent()) ?? '', 10))
    .toBeGreaterThanOrEqual(iterations);
});
