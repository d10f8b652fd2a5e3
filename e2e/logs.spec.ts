import { readFile } from 'node:fs/promises';
import { dropFile, verlLog } from './drop.ts';
import { expect, small, test } from './lab-page.ts';

test('a dropped log is diagnosed, charted and kept', async ({ lab }) => {
  const { page } = lab;
  await lab.open(small);
  await lab.reach(1);
  await lab.pause();
  await dropFile(page, 'train.log', verlLog);
  const logs = page.getByTestId('logs');
  await expect(logs).toContainText('A log of verl, from verl’s console');
  await expect(logs).toContainText('20 rows up to 20 iterations');
  const found = page.getByTestId('log-findings');
  await expect(found.locator('[data-mode="learning_rate_too_high"]')).toContainText('iteration 6');
  await expect(logs.locator('figure[data-series="actor/ppo_kl"] path.curve')).toHaveAttribute(
    'd',
    /^M/,
  );
  await expect(logs.locator('figure[data-series="actor/ppo_kl"]')).toContainText('may be negative');
  // Columns that map to no metric are drawn when selected.
  const least = logs.locator('figure[data-series="critic/score/min"]');
  await expect(least).toHaveCount(0);
  await page.getByRole('button', { name: 'critic/score/min' }).click();
  await expect(least.locator('path.curve')).toHaveAttribute('d', /^M/);
  // A known quantity is charted at once, even if it maps to no metric.
  await expect(logs.locator('figure[data-series="response_length/mean"]')).toContainText(
    'Response length',
  );
  await page.screenshot({ path: test.info().outputPath('log.png') });

  await page.reload();
  await lab.reach(1);
  await lab.button('Runs: compare and open stored runs').click();
  const row = page.locator('tr[data-log="verl"]');
  await expect(row).toContainText('train.log');
  await expect(row).toContainText('Log of verl');
  await page.screenshot({ path: test.info().outputPath('runs.png') });
  const open = row.getByRole('button', { name: 'Open' });
  await open.click();
  await expect(logs.locator('figure[data-series="actor/entropy"] path.curve')).toHaveAttribute(
    'd',
    /^M/,
  );

  // The log replaces the runs and returns the focus to the button that opened them, also once it is loaded.
  const runs = lab.button('Runs: compare and open stored runs');
  for (const isLoaded of [false, true]) {
    if (isLoaded) {
      await runs.click();
      await open.click();
      await expect(logs).toBeVisible();
    }
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(runs).toBeFocused();
  }
});

test('columns of an unknown table can be assigned', { tag: '@smoke' }, async ({ lab }) => {
  const { page } = lab;
  await lab.open(small);
  await lab.reach(1);
  await lab.pause();
  await lab.button('Runs: compare and open stored runs').click();
  const csv = `t,S,E\n${Array.from({ length: 12 }, (_, i) => `${10 * i},${i / 12},${1 - i / 24}`).join('\n')}\n`;
  await page
    .getByTestId('logs-file')
    .first()
    .setInputFiles({ name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  const dialog = page.getByTestId('log-columns');
  await expect(dialog).toBeVisible();
  // Escape closes only the topmost panel.
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await page.getByTestId('logs').getByRole('button', { name: 'Assign columns' }).click();
  for (const [label, column] of [
    ['Axis', 't'],
    ['Success rate', 'S'],
    ['Entropy', 'E'],
  ] as const) {
    await dialog.getByRole('combobox', { name: label, exact: true }).selectOption(column);
  }
  await page.screenshot({ path: test.info().outputPath('columns.png') });
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByTestId('logs')).toContainText('12 rows up to 110 t');
  await expect(page.locator('figure[data-series="S"]')).toContainText('Success rate');
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a run’s metrics export as a table', async ({ lab }) => {
  const { page } = lab;
  await lab.open(small);
  await lab.reach(2);
  await lab.pause();
  await lab.button('Runs: compare and open stored runs').click();
  await page.locator('tr[data-run] input[type="checkbox"]').first().check();
  await page.getByRole('button', { name: 'Save metrics' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toMatch(/\.csv$/);
  const [head = '', ...rows] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
  const columns = head.split(',');
  expect(columns.slice(0, 1)).toEqual(['iteration']);
  const { rows: shown } = await lab.snapshot();
  expect(rows.length).toBeGreaterThan(0);
  rows.forEach((line, place) => {
    const cells = line.split(',');
    for (const [key, value] of Object.entries(shown[place] ?? {})) {
      const cell = cells[columns.indexOf(key)];
      if (Number.isFinite(value)) expect(Number(cell), key).toBe(value);
    }
  });
});
