import { expect, small, test } from './lab-page.ts';

test('the benchmark measures every device and copies its table', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/bench.html?quick');
  await expect(page.getByRole('heading', { name: 'Benchmark' })).toBeVisible();
  await page.getByRole('button', { name: 'Measure this machine' }).click();
  await expect(page.getByRole('button', { name: 'Measure again' })).toBeEnabled({
    timeout: 500_000,
  });
  const cells = page.getByRole('row', { name: /maze loop/ }).getByRole('cell');
  await expect(cells).toHaveText([/^[\d,.]+$/, /^[\d,.]+$/]);
  await expect(page.getByRole('row')).toHaveCount(8);
  await test.info().attach('benchmark', { body: await page.screenshot({ fullPage: true }) });

  await page.getByRole('button', { name: 'Copy as Markdown' }).click();
  await expect(page.getByRole('status')).toHaveText('Copy as Markdown: copied.');
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  expect(markdown).toMatch(/^\| measured \| .* \| .* \|\n\| --- \| ---: \| ---: \|\n/);
  expect(markdown).toContain('| training step XS, ms |');

  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  await expect(page.getByRole('status')).toHaveText('Copy as JSON: copied.');
  const report = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  expect(report.devices).toHaveLength(2);
  for (const { measurements } of report.devices) {
    expect(measurements).toHaveLength(7);
    for (const { value } of measurements) expect(value).toBeGreaterThan(0);
  }
});

test('the menu links to the benchmark', { tag: '@smoke' }, async ({ lab }) => {
  await lab.open({ ...small, 'stopping.iterations': 1 });
  await lab.page.getByRole('button', { name: 'More' }).click();
  const link = lab.page.getByRole('menuitem', { name: 'Benchmark' });
  await expect(link).toHaveAttribute('href', './bench.html');
});
