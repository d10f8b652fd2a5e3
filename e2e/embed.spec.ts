import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type FrameLocator, test } from '@playwright/test';
import { type Host, openHost } from './host.ts';
import { queryOf } from './lab-page.ts';
import { tiny } from './tiny-run.ts';

/** A page on another host that embeds the lab. */
let host: Host;
let folder = '';
const parent = () => host.address.replace('127.0.0.1', 'localhost');

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palestra-'));
  host = await openHost(['/'], folder);
});
test.afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

const addressOf = (base: string, settings: Readonly<Record<string, string | number>>) =>
  `${base}/?${queryOf(settings)}`;

const curveOf = (frame: FrameLocator) =>
  frame.getByTestId('chart-success').locator('path.curve').first();

test('an embedded frame shows parts of a run and trains once it is visible', {
  tag: '@smoke',
}, async ({ page, baseURL }) => {
  const run = { ...tiny, depth: 'watch' };
  const first = addressOf(baseURL ?? '', { ...run, embed: 'headline,success,entropy' });
  const below = addressOf(baseURL ?? '', {
    ...run,
    'stopping.iterations': 2,
    embed: 'success,stages',
  });
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><link rel="icon" href="data:,"><title>A lesson</title><h1>A lesson</h1>
    <iframe id="first" title="A run" width="1000" height="640" src="${first}"></iframe>
    <div style="height: 4000px">Much text</div>
    <iframe id="below" title="Another run" width="600" height="500" src="${below}"></iframe>`,
  );
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(parent());
  const frame = page.frameLocator('#first');
  const curve = curveOf(frame);
  await expect(curve).toHaveAttribute('d', /L/);
  const before = await curve.getAttribute('d');
  await expect(curve).not.toHaveAttribute('d', before ?? '');
  await expect(frame.getByTestId('embedded-iteration')).not.toHaveText('iteration 0');
  await expect(frame.getByTestId('embedded').locator('> *')).toHaveCount(3);
  await expect(frame.getByTestId('chart-entropy').locator('path.curve')).toHaveAttribute('d', /L/);
  await expect(frame.getByRole('button', { name: /^Settings/ })).toHaveCount(0);

  // The link opens the same run in the full lab.
  const lab = frame.getByRole('link', { name: 'Open in Palestra' });
  const address = new URL((await lab.getAttribute('href')) ?? '', baseURL ?? '');
  expect(address.searchParams.get('rollout.group_size')).toBe('2');
  expect(address.searchParams.has('embed')).toBe(false);
  // The frame shows the same parts after a reload.
  const shown = page.frames().find((one) => one.url().includes('embed=headline'));
  expect(new URL(shown?.url() ?? '').searchParams.get('embed')).toBe('headline,success,entropy');
  await page.locator('#first').screenshot({ path: test.info().outputPath('embedded.png') });

  const other = page.frameLocator('#below');
  await expect(other.getByRole('alert')).toHaveText(
    /^Unknown parts: stages\. Available parts: headline, figures, stage, success, entropy, .*\.$/,
  );
  await expect(other.getByTestId('embedded-iteration')).toHaveText('iteration 0');
  await page.locator('#below').scrollIntoViewIfNeeded();
  await expect(other.getByTestId('embedded-iteration')).toHaveText('iteration 2');
  await expect(other.getByTestId('status')).toHaveText('Finished');
  expect(faults).toEqual([]);
});
