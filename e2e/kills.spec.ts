import type { Browser, BrowserContext, Page } from '@playwright/test';
import { thorough } from '../scripts/thorough.mjs';
import type { LabSnapshot } from '../src/ui/test-api.ts';
import { expect, LabPage, queryOf, test } from './lab-page.ts';
import { keptTo, timeless, tiny } from './tiny-run.ts';

// Every snapshot holds every row: a trace of some hundred of them takes as long as the test.
test.use({ trace: 'off' });

/** Iterations long enough that some hundred of them, and not some thousand, are played twice. */
const run = {
  ...tiny,
  'rollout.tasks_per_iteration': 4,
  'rollout.group_size': 4,
  'horizon.turns': 10,
};

/** Numbers in [0, 1) that are the same in every run of the test. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** How many times the page is killed together with its worker; PALESTRA_KILLS asks for more. */
const KILLS = Number(process.env.PALESTRA_KILLS ?? (thorough ? 10 : 3));
/** Other moments, so that many kills can be had in several goes; of this seed the first three are a crash, a closed tab and a reload. */
const SEED = Number(process.env.PALESTRA_KILLS_SEED ?? 2);

test(`${KILLS} kills at random moments lose no run, and it goes on as if never interrupted`, async ({
  browser,
}) => {
  test.setTimeout(60_000 + KILLS * 20_000);
  const context = await browser.newContext();
  const random = chance(SEED);
  let page = await open(context);
  let runId: string | null = null;
  let kept = 0;
  let kills = 0;
  let duringSaves = 0;
  for (; kills < KILLS; kills++) {
    const lab = new LabPage(page);
    if (kills > 0) {
      await expect(lab.status).toHaveText('Paused', { timeout: 60_000 });
      const opened = await lab.snapshot();
      expect(opened.error).toBeNull();
      expect(opened.runId, `after ${kills} kills`).toBe(runId);
      // Nothing that was reported as kept is lost, and the rows are without a gap.
      expect(opened.iterations).toBeGreaterThanOrEqual(kept);
      expect(opened.rows.map(({ iteration }) => iteration)).toEqual(
        opened.rows.map((_, i) => i + 1),
      );
      await lab.button('Continue').click();
    }
    const begun = await lab.reach(kills === 0 ? 1 : (await lab.state()).iterations + 1);
    runId = begun.runId;
    if (kills % 2 === 0) {
      // A pause writes a snapshot: the kill falls before it, into it, or behind it.
      await lab.button('Pause').click();
      duringSaves++;
    }
    if (kills === 0) {
      // What was never kept cannot be opened again.
      await expect.poll(async () => keptTo(await lab.state())).toBeGreaterThan(0);
    }
    await page.waitForTimeout(random() * 160);
    kept = keptTo(await lab.state());
    page = await kill(context, page, random());
  }
  const lab = new LabPage(page);
  await expect(lab.status).toHaveText('Paused', { timeout: 60_000 });
  const killed = await lab.snapshot();
  await context.close();
  expect(duringSaves).toBe(Math.ceil(KILLS / 2));
  console.log(
    `${KILLS} kills of seed ${SEED}, ${duringSaves} around a save; ${killed.iterations} iterations kept`,
  );

  const whole = await uninterrupted(browser, killed.iterations);
  expect(timeless(whole).slice(0, killed.iterations)).toEqual(timeless(killed.rows));
});

async function open(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`/?${queryOf(run)}`);
  await page.waitForFunction(() => window.palestra !== undefined);
  return page;
}

/** Ends the page with its worker, in one of the ways in which pages end, and opens it again. */
async function kill(context: BrowserContext, page: Page, how: number): Promise<Page> {
  if (how < 0.4) {
    await page.reload();
    return page;
  }
  if (how < 0.7) {
    // The renderer's process dies without a word, as with a crash or a lack of memory.
    const crashed = page.waitForEvent('crash');
    void page.goto('chrome://crash').catch(() => {});
    await crashed;
  }
  await page.close();
  return open(context);
}

async function uninterrupted(browser: Browser, iterations: number): Promise<LabSnapshot['rows']> {
  const context = await browser.newContext();
  const lab = new LabPage(await open(context));
  await lab.reach(iterations, 600_000);
  const { rows } = await lab.snapshot();
  await context.close();
  return rows;
}
