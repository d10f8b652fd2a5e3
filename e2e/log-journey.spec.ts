import { readFile } from 'node:fs/promises';
import { dropFile, dropFiles } from './drop.ts';
import { expect, small, test } from './lab-page.ts';

const ROWS = 60;

/** Interpolates from one value to another between two points of the run, given as shares of its length. */
const ramp = (before: number, after: number, from: number, to: number) => (share: number) =>
  before + (after - before) * Math.min(1, Math.max(0, (share - from) / (to - from)));

/** Reproducible uniform noise. */
const noise = (i: number) => (Math.sin(12.9898 * i) * 43_758.5453) % 1;

type Shapes = Readonly<Record<string, (share: number) => number>>;
const usual: Shapes = {
  'critic/score/mean': ramp(0.1, 0.85, 0, 1),
  'actor/entropy': ramp(0.9, 0.4, 0, 1),
  'actor/grad_norm': () => 0.4,
  'response_length/mean': () => 300,
  'response_length/clip_ratio': () => 0.02,
};

/** A run's console output as verl prints it, one line per step. */
function verlConsole(changed: Shapes): readonly string[] {
  return Array.from({ length: ROWS }, (_, i) => {
    const values = Object.entries({ ...usual, ...changed }).map(([key, shape], place) => {
      const value = shape(i / (ROWS - 1)) * (1 + 0.04 * noise(1 + i * 7 + place * 131));
      return `${key}:${Number.isNaN(value) ? 'nan' : value.toFixed(4)}`;
    });
    return `step:${i + 1} - ${values.join(' - ')}\n`;
  });
}

const rise = ramp(0.25, 0.75, 0, 0.45);
const bad = verlConsole({
  'critic/score/mean': (share) => (share < 0.5 ? rise(share) : ramp(0.75, 0, 0.5, 0.75)(share)),
  'response_length/mean': ramp(300, 1024, 0.42, 0.6),
  'response_length/clip_ratio': ramp(0.02, 0.95, 0.46, 0.62),
});
const good = verlConsole({});
const sound = (rows: number) => good.slice(0, rows).join('');
const lost = (level: number) => (share: number) => (share < 0.49 ? level : Number.NaN);
const nan = verlConsole({
  'critic/score/mean': (share) => (share < 0.5 ? rise(share) : 0),
  'actor/entropy': lost(0.6),
  'actor/grad_norm': lost(0.4),
});

/** Rollouts of three steps; in the last one, responses are repetitive. */
const rollouts = [10, 20, 40].map((step): readonly [string, string] => {
  const rows = Array.from({ length: 4 }, (_, i) => ({
    input: `Task ${i}: open the door.`,
    output:
      step < 40
        ? `I take key ${i} and open the door.`
        : `I look for key ${i}. ${'I go north and look around. '.repeat(20)}`,
    ...{ gts: '', score: step < 40 ? i % 2 : 0, step },
  }));
  return [`${step}.jsonl`, rows.map((row) => `${JSON.stringify(row)}\n`).join('')];
});

test('the log of a collapsed run leads to the cause, the episodes, a comparison and a report', async ({
  lab,
}) => {
  const { page } = lab;
  await lab.open(small);
  await lab.reach(1);
  await lab.pause();
  await dropFile(page, 'good.log', good.join(''));
  const logs = page.getByTestId('logs');
  await expect(page.getByTestId('log-summary')).toContainText('Score rose from');
  await expect(page.getByTestId('log-findings')).toContainText('No findings.');

  await dropFile(page, 'bad.log', bad.join(''));
  await expect(page.getByTestId('log-summary')).toContainText('then fell to 0');
  await expect(page.getByTestId('log-findings').locator('[data-mode="length_cap"]')).toBeVisible();
  // The first log stays open.
  const bar = logs.getByRole('navigation', { name: 'Open logs' });
  await expect(bar.getByRole('button', { name: 'good.log' })).toBeVisible();
  // The score comes first.
  const charts = logs.locator('figure.log-chart');
  await expect(charts.first()).toHaveAttribute('data-series', 'critic/score/mean');
  await expect(charts.first().locator('path.curve')).toHaveAttribute('d', /^M/);

  await dropFiles(page, rollouts);
  const episodes = page.getByTestId('episodes');
  await expect(episodes).toContainText('12 episodes of verl, from 3 files');
  // A click on the collapse lists the episodes of the nearest step.
  const slider = charts.first().getByRole('slider');
  const box = await slider.boundingBox();
  if (box === null) throw new Error('the chart is not drawn');
  await slider.click({ position: { x: 0.68 * box.width, y: box.height / 2 } });
  await expect(episodes.getByRole('combobox', { name: 'Step' })).toHaveValue('40');
  const rows = episodes.locator('[data-episode]');
  await expect(rows).toHaveCount(4);
  await expect(rows.first()).toContainText('repeats itself');
  await rows.nth(0).click();
  await rows.nth(1).click();
  await expect(episodes.locator('article')).toHaveCount(2);
  await expect(episodes.locator('article').first()).toContainText('I go north and look around.');
  await page.screenshot({ path: test.info().outputPath('episodes.png') });

  await logs.getByRole('combobox', { name: 'Compare with' }).selectOption({ label: 'good.log' });
  const comparison = page.getByTestId('log-comparison');
  await expect(comparison).toContainText('Compared with good.log');
  await expect(comparison.locator('tbody tr').first()).toContainText('score');
  await expect(charts.first().locator('path.curve')).toHaveCount(2);
  await page.screenshot({ path: test.info().outputPath('compared.png') });

  // Zoom and back.
  await slider.scrollIntoViewIfNeeded();
  const place = await slider.boundingBox();
  if (place === null) throw new Error('the chart is not drawn');
  await page.mouse.move(place.x + 0.3 * place.width, place.y + 20);
  await page.mouse.down();
  await page.mouse.move(place.x + 0.6 * place.width, place.y + 20, { steps: 4 });
  await page.mouse.up();
  await expect(logs.getByRole('button', { name: 'Show all', exact: true })).toBeVisible();
  await logs.getByRole('button', { name: 'Show all', exact: true }).click();
  // By keyboard, away from a pointer that would move the crosshair.
  await page.mouse.move(0, 0);
  await expect(slider).toHaveAccessibleName(/^Crosshair of ./);
  await slider.press('Home');
  await expect(slider).toHaveAttribute(
    'aria-valuetext',
    /^1 iterations, 0\.\d+.*, other log 0\.\d+$/,
  );
  await slider.press('End');
  await expect(slider).toHaveAttribute('aria-valuetext', /^60 iterations, /);
  await slider.press('+');
  await expect(logs.getByRole('button', { name: 'Show all', exact: true })).toBeVisible();
  await slider.press('0');
  await expect(logs.getByRole('button', { name: 'Show all', exact: true })).toHaveCount(0);

  const saving = page.waitForEvent('download');
  await logs.getByRole('button', { name: 'Save report' }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe('bad.log.md');
  const report = await readFile(await file.path(), 'utf8');
  expect(report).toMatch(/^# bad\.log\n/);
  expect(report).toContain('## Responses reach the length limit.');
  expect(report).toContain('## Compared with good.log');
  expect(report).toContain('- Repeats itself: 4');
});

test('a followed log is read again as it grows, and a new finding is announced', async ({
  lab,
}) => {
  const { page } = lab;
  // A file handle like the picker's, backed by a text that the test changes; null means no file.
  await page.addInitScript(() => {
    const state = { text: '' as string | null, at: 1, missed: 0 };
    Object.assign(globalThis, {
      grown: state,
      showOpenFilePicker: async () => [
        {
          name: 'live.log',
          getFile: async () => {
            if (state.text !== null) {
              return new File([state.text], 'live.log', { lastModified: state.at });
            }
            state.missed += 1;
            throw new DOMException('no such file', 'NotFoundError');
          },
        },
      ],
    });
  });
  const write = (text: string | null) =>
    page.evaluate((now) => {
      const state = Reflect.get(globalThis, 'grown') as { text: string | null; at: number };
      state.text = now;
      state.at += 1;
    }, text);
  await lab.open(small);
  await lab.reach(1);
  await lab.pause();
  await write(nan.slice(0, 20).join(''));
  await lab.button('Runs: compare and open stored runs').click();
  await page.getByRole('button', { name: 'Follow a log' }).first().click();
  const logs = page.getByTestId('logs');
  await expect(logs).toContainText('20 rows up to 20 iterations');
  await expect(page.getByTestId('log-following')).toBeVisible();
  await expect(page.getByTestId('log-alert')).toHaveCount(0);
  await write(nan.slice(0, 40).join(''));
  await expect(logs).toContainText('40 rows up to 40 iterations');
  await expect(page.getByTestId('log-alert')).toContainText('Numbers are not finite');
  await page.screenshot({ path: test.info().outputPath('alert.png') });
  // Truncated, then replaced by the same number of bytes.
  const whole = good.slice(0, 30).join('');
  await write(whole);
  await expect(logs).toContainText('30 rows up to 30 iterations');
  await expect(page.getByTestId('log-summary')).toContainText('Score rose from');
  await write(whole.replaceAll('critic/score/mean:0', 'critic/score/mean:9'));
  await expect(page.getByTestId('log-summary')).toContainText(' 9.');
  // Rotated: for a while there is no file.
  await write(null);
  await page.waitForFunction(
    () => (Reflect.get(globalThis, 'grown') as { missed: number }).missed > 0,
  );
  await expect(page.getByTestId('log-following')).toBeVisible();
  await write(nan.slice(0, 36).join(''));
  await expect(logs).toContainText('36 rows up to 36 iterations');
  await expect(page.getByTestId('log-alert')).toHaveCount(2);
  await page.screenshot({ path: test.info().outputPath('followed.png') });
  await page.getByTestId('log-following').getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByTestId('log-following')).toHaveCount(0);
});

test('a log at an address is followed, and a wrong address is reported in one sentence', async ({
  lab,
}) => {
  const { page } = lab;
  let text = sound(20);
  await page.route('**/train.log', (route) => route.fulfill({ body: text }));
  await lab.open(small);
  await lab.reach(1);
  await lab.pause();
  await lab.button('Runs: compare and open stored runs').click();
  // Escape closes the form and not the drawer below.
  await page.getByRole('button', { name: 'Follow an address' }).click();
  const address = page.getByRole('textbox', { name: 'Address of the log' });
  await address.press('Escape');
  await expect(address).toHaveCount(0);
  await expect(page.getByTestId('runs')).toBeVisible();
  const follow = async (address: string) => {
    await page.getByRole('button', { name: 'Follow an address' }).last().click();
    await page.getByRole('textbox', { name: 'Address of the log' }).fill(address);
    await page.getByRole('button', { name: 'Follow', exact: true }).click();
  };
  await follow('ftp://host/train.log');
  await expect(page.getByTestId('log-problem')).toHaveText(
    'ftp://host/train.log is not an http or https URL.',
  );
  await expect(page.getByTestId('log-following')).toHaveCount(0);
  await follow('train.log');
  const logs = page.getByTestId('logs');
  await expect(logs).toContainText('20 rows up to 20 iterations');
  text = sound(45);
  await expect(logs).toContainText('45 rows up to 45 iterations');
  // Replaced by a failing run.
  text = nan.slice(0, 50).join('');
  await expect(logs).toContainText('50 rows up to 50 iterations');
  await expect(page.getByTestId('log-alert')).toContainText('Numbers are not finite');
});
