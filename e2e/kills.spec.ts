import type { Browser, BrowserContext, Page } from '@playwright/test';
import { thorough } from '../scripts/tier.mjs';
import type { LabSnapshot } from '../src/ui/app/test-api.ts';
import { expect, LabPage, queryOf, test } from './lab-page.ts';
import { keptTo, timeless, tiny } from './tiny-run.ts';

// Tracing hundreds of full snapshots would take as long as the test.
test.use({ trace: 'off' });

/** Iterations slow enough that only about a hundred are recomputed. */
const run = {
  ...tiny,
  'rollout.tasks_per_iteration': 4,
  'rollout.group_size': 4,
  'horizon.turns': 10,
};

/** Reproducible numbers in [0, 1). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Number of times the page and its worker are killed; set PALESTRA_KILLS for more. */
const KILLS = Number(process.env.PALESTRA_KILLS ?? (thorough ? 10 : 3));
/** Seed of the kill times. With this seed the first three are a crash, a closed tab and a reload. */
const SEED = Number(process.env.PALESTRA_KILLS_SEED ?? 2);

test(`${KILLS} random kills lose no run, which resumes bit-identically`, async ({ browser }) => {
  test.setTimeout(1_200_000 + KILLS * 20_000);
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
      await expect(lab.status).toHaveText('Paused');
      const opened = await lab.snapshot();
      expect(opened.error).toBeNull();
      expect(opened.runId, `after ${kills} kills`).toBe(runId);
      // Everything reported as saved is there, and rows have no gap.
      expect(opened.iterations).toBeGreaterThanOrEqual(kept);
      expect(opened.rows.map(({ iteration }) => iteration)).toEqual(
        opened.rows.map((_, i) => i + 1),
      );
      await lab.button('Continue').click();
    }
    const begun = await lab.reach(kills === 0 ? 1 : (await lab.state()).iterations + 1);
    runId = begun.runId;
    if (kills % 2 === 0) {
      // Pausing writes a snapshot: the kill comes before, during or after it.
      await lab.button('Pause').click();
      duringSaves++;
    }
    if (kills === 0) {
      // A run that was never saved cannot be reopened.
      await expect.poll(async () => keptTo(await lab.state())).toBeGreaterThan(0);
    }
    await page.waitForTimeout(random() * 160);
    kept = keptTo(await lab.state());
    page = await kill(context, page, random());
  }
  const lab = new LabPage(page);
  await expect(lab.status).toHaveText('Paused');
  const killed = await lab.snapshot();
  await context.close();
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

/** Kills the page and its worker in one of several ways and reopens it. */
async function kill(context: BrowserContext, page: Page, how: number): Promise<Page> {
  if (how < 0.4) {
    await page.reload();
    return page;
  }
  if (how < 0.7) {
    // The renderer process dies, as after a crash or when memory runs out.
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
  await lab.reach(iterations);
  const { rows } = await lab.snapshot();
  await context.close();
  return rows;
}
