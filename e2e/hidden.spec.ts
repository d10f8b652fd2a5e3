/**
 * A tab out of sight. Playwright tells its pages that they are always in sight and keeps the browser from
 * slowing down those that are not, so this browser is started as a visitor starts it.
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
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        ...(launchOptions.args ?? []),
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = once(program, 'exit');
    try {
      const browser = await chromium.connectOverCDP(await addressOf(program), { noDefaults: true });
      const page = browser.contexts()[0]?.pages()[0];
      if (page === undefined) throw new Error('the browser opened no tab');
      await use(page);
      await browser.close();
    } finally {
      program.kill();
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    }
  },
});

/** Where the browser can be spoken to, which is among the first that it says. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('what the browser says is not read');
  for await (const line of createInterface(stderr)) {
    const address = /^DevTools listening on (ws:.*)$/.exec(line)?.[1];
    if (address !== undefined) {
      stderr.resume();
      return address;
    }
  }
  throw new Error('the browser ended before it could be spoken to');
}

/** Frames and ticks of a 10 ms timer that the page got in a second. */
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

/** Some iterations a second, not hundreds, all of which are drawn when the tab is seen again. */
const slow = {
  ...tiny,
  'policy.width': 64,
  'policy.ffn_width': 128,
  'rollout.tasks_per_iteration': 8,
  'rollout.group_size': 8,
  'horizon.turns': 10,
};

test('a hidden tab goes on training and keeping, and shows it all when it is seen again', {
  tag: '@alone',
}, async ({ lab, baseURL }) => {
  const { page } = lab;
  await page.goto(`${baseURL}/?${queryOf(slow)}`);
  const visibility = () => page.evaluate(() => document.visibilityState);
  /** Iterations a second while something is waited for. */
  const rate = async (wait: () => Promise<unknown>) => {
    const before = await lab.state();
    const since = performance.now();
    await wait();
    const { iterations } = await lab.state();
    return (1000 * (iterations - before.iterations)) / (performance.now() - since);
  };
  await lab.reach(3);
  const seen = await rate(() => page.waitForTimeout(4000));
  expect(await visibility()).toBe('visible');
  expect((await alive(page)).frames).toBeGreaterThan(5);

  const other = await page.context().newPage();
  await other.bringToFront();
  await expect.poll(visibility).toBe('hidden');
  // The browser does hold the page back.
  const { frames, ticks } = await alive(page);
  expect(frames).toBe(0);
  expect(ticks).toBeLessThan(5);
  const kept = keptTo(await lab.state());
  const hidden = await rate(() =>
    expect.poll(async () => keptTo(await lab.state())).toBeGreaterThan(kept),
  );
  console.log('iterations a second', { seen, hidden });
  // Without a GPU the browser shares the processor out, a little less of it to what is out of sight.
  expect(hidden).toBeGreaterThan(0.5 * seen);
  expect(await visibility()).toBe('hidden');
  // The tab tells how far it is.
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
