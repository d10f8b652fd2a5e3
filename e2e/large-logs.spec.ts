import { closeSync, openSync, writeSync } from 'node:fs';
import type { Browser, Page } from '@playwright/test';
import { thorough } from '../scripts/tier.mjs';
import { eventHead, eventRow } from './event-file.ts';
import { allowed, frameWork, leastFrameWork, MIN_FRAMES } from './frame-work.ts';
import { expect, small, test } from './lab-page.ts';

// A trace of a page with a large file is as large as the file.
test.use({ trace: 'off' });

/**
 * Size of the event file and length of the table; by default a tenth of the events, and no table.
 */
const MEGABYTES = thorough ? 200 : 20;
const ROWS = 500_000;

/** Size of a file of episodes. */
const EPISODE_MEGABYTES = thorough ? 1000 : 20;
/** Time limit for indexing it on two cores, in milliseconds. */
const INDEXING_MS = thorough ? 150_000 : 8_000;

/** Time limit to read and draw the largest file on two cores. */
const READING_MS = thorough ? 45_000 : 8_000;

/** Limit of main-thread work between two frames. */
const MOST_MS = allowed(50);

/** Seconds since 1970. */
const STARTED = 1_700_000_000;

const keys = [
  'actor/entropy',
  'actor/ppo_kl',
  'actor/pg_clipfrac',
  'actor/grad_norm',
  'critic/score/mean',
  'critic/rewards/mean',
  'response_length/mean',
  'perf/throughput',
];

/** Reproducible noise around 0.5. */
const scattered = (step: number, key: number) =>
  0.5 + 0.3 * Math.sin(step / 4000 + key) + 0.1 * Math.sin(step * (key + 2));

/** Writes a file in chunks. */
function written(path: string, pieces: Iterable<Uint8Array | string>): string {
  const file = openSync(path, 'w');
  for (const piece of pieces) {
    if (typeof piece === 'string') writeSync(file, piece);
    else writeSync(file, piece);
  }
  closeSync(file);
  return path;
}

function* events(): Iterable<Uint8Array> {
  yield eventHead(STARTED);
  let bytes = 0;
  for (let step = 1; bytes < MEGABYTES * 1e6; step++) {
    const numbers = keys.map((key, k) => [key, scattered(step, k)] as const);
    const row = eventRow(STARTED + step, step, numbers);
    bytes += row.length;
    yield row;
  }
}

function* table(): Iterable<string> {
  yield 'step,reward,entropy,kl,success_rate\n';
  for (let step = 1; step <= ROWS; step += 1000) {
    yield Array.from({ length: Math.min(1000, ROWS - step + 1) }, (_, i) => {
      const at = step + i;
      return `${at},${[0, 1, 2, 3].map((key) => scattered(at, key).toFixed(6)).join(',')}\n`;
    }).join('');
  }
}

const EPISODES_A_STEP = 512;

/** Episodes as verl dumps them, about 2 kB each; in the last steps, responses are repetitive. */
function* episodes(): Iterable<string> {
  let bytes = 0;
  for (let step = 1; bytes < EPISODE_MEGABYTES * 1e6; step++) {
    const late = bytes > EPISODE_MEGABYTES * 0.9e6;
    const rows = Array.from({ length: EPISODES_A_STEP }, (_, i) => {
      const words = Array.from({ length: 220 }, (_, k) =>
        late ? 'north again' : `place${(step * 31 + i * 7 + k * k) % 4099}`,
      );
      const output = `I walk from ${words.join(' ')}.`;
      return `${JSON.stringify({ input: `Task ${i}: open door ${step}.`, output, score: i % 2, step })}\n`;
    });
    const text = rows.join('');
    bytes += text.length;
    yield text;
  }
}

/** Opens a file and measures main-thread work while reading, drawing and moving the crosshair. */
async function opened(browser: Browser, page: Page, path: string, series: string) {
  const chart = page.getByTestId('logs').locator(`figure[data-series="${series}"]`);
  const measured = frameWork(browser, page, READING_MS);
  await page.waitForTimeout(500);
  await page.getByTestId('logs-file').first().setInputFiles(path);
  // Querying the page earlier would add main-thread work.
  const reading = await measured;
  await expect(chart.locator('path.curve')).toHaveAttribute('d', /^M/);
  await expect(page.getByTestId('log-reading')).toHaveCount(0);
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  if (box === null) throw new Error('the chart is not visible');
  const moving = await leastFrameWork(MOST_MS / 2, async () => {
    const measured = frameWork(browser, page, 2000);
    for (let step = 0; step < 40; step++) {
      await page.mouse.move(box.x + (box.width * (step + 1)) / 42, box.y + box.height / 2);
      await page.waitForTimeout(25);
    }
    return measured;
  });
  return { reading, moving };
}

const files = [
  [`${MEGABYTES} MB of events`, `events.out.tfevents.${STARTED}.here.1.0`, events, 'actor/ppo_kl'],
  // Once read, it is drawn like the event files.
  ...(thorough ? ([[`a table of ${ROWS} rows`, 'large.csv', table, 'reward']] as const) : []),
] as const;

for (const [what, name, content, series] of files) {
  test(
    `${what} open, and the page stays responsive`,
    { tag: '@alone' },
    async ({ browser, lab }, info) => {
      const path = written(info.outputPath(name), content());
      const { page } = lab;
      await lab.open(small);
      await lab.reach(1);
      await lab.pause();
      await lab.button('Runs: compare and open stored runs').click();
      const { reading, moving } = await opened(browser, page, path, series);
      console.log(what, { reading, moving });
      expect(reading.cpu.most).toBeLessThan(MOST_MS);
      expect(moving.frames).toBeGreaterThan(MIN_FRAMES);
      expect(moving.cpu.p95).toBeLessThan(MOST_MS / 2);
    },
  );
}

test(
  `${EPISODE_MEGABYTES} MB of episodes open, and the page stays responsive`,
  { tag: '@alone' },
  async ({ browser, lab }, info) => {
    test.setTimeout(INDEXING_MS + 600_000);
    const path = written(info.outputPath('rollouts.jsonl'), episodes());
    const { page } = lab;
    await lab.open(small);
    await lab.reach(1);
    await lab.pause();
    await lab.button('Runs: compare and open stored runs').click();
    const measured = frameWork(browser, page, INDEXING_MS);
    await page.waitForTimeout(500);
    await page.getByTestId('logs-file').first().setInputFiles(path);
    const reading = await measured;
    const shown = page.getByTestId('episodes');
    await expect(shown).toContainText(/of verl/);
    await expect(shown).toContainText(/Repeats itself/);
    const searching = frameWork(browser, page, 2000);
    const search = shown.getByRole('textbox', { name: 'Search the text' });
    await search.fill('open door 3');
    await search.press('Enter');
    const searched = await searching;
    await expect(shown.locator('[data-episode]').first()).toBeVisible();
    console.log(`${EPISODE_MEGABYTES} MB of episodes`, { reading, searched });
    expect(reading.cpu.most).toBeLessThan(MOST_MS);
    expect(searched.cpu.most).toBeLessThan(MOST_MS);
  },
);
