import { expectAccessible } from './accessible.ts';
import { expect, LabPage, queryOf, test } from './lab-page.ts';
import { keptTo, timeless, tiny } from './tiny-run.ts';

test('a reload restores the run with its whole curve and resumes it bit-identically', async ({
  lab,
}) => {
  await lab.open(tiny);
  await lab.reach(4);
  await lab.pause();
  const before = await lab.snapshot();
  expect(keptTo(before)).toBe(before.iterations);

  await lab.page.reload();
  await expect(lab.status).toHaveText('Paused');
  const after = await lab.snapshot();
  expect(after.runId).toBe(before.runId);
  expect(after.rows).toEqual(before.rows);
  await lab.button('Continue').click();
  await lab.reach(before.iterations + 4);
  await lab.pause();
  const resumed = await lab.snapshot();

  // The same run without interruption.
  await lab.button(/^Reset/).click();
  await expect.poll(async () => (await lab.state()).runId).not.toBe(before.runId);
  await expect(lab.status).toHaveText('Paused');
  await lab.button('Start').click();
  await lab.reach(resumed.iterations);
  await lab.pause();
  const whole = await lab.snapshot();
  expect(timeless(whole.rows).slice(0, resumed.iterations)).toEqual(timeless(resumed.rows));
});

test('a second tab does not touch the first tab’s run and starts its own', async ({
  lab,
  context,
}) => {
  await lab.open(tiny);
  await lab.reach(2);
  const first = await lab.pause();
  expect(keptTo(first)).toBeGreaterThan(0);

  const second = new LabPage(await context.newPage());
  await second.open(tiny);
  await second.reach(1);
  expect((await second.state()).runId).not.toBe(first.runId);
  await second.page.close();

  expect((await lab.state()).runId).toBe(first.runId);
  await lab.button('Continue').click();
  await lab.reach(first.iterations + 1);
});

test('a lost GPU is replaced, and the run resumes with a notice', async ({ lab }) => {
  await lab.open({ device: 'webgpu', ...tiny });
  const before = await lab.reach(3);
  await lab.page.evaluate(() => window.palestra?.loseGpu());
  await expect(lab.page.getByTestId('recovered')).toBeVisible();
  await lab.reach(before.iterations + 4);
  await expect(lab.page.getByTestId('recovered')).toContainText('resumed after iteration');
  await lab.pause();
  const recovered = await lab.snapshot();
  expect(recovered.error).toBeNull();
  expect(recovered.markers).toHaveLength(1);
  expect(recovered.rows.map(({ iteration }) => iteration)).toEqual(
    recovered.rows.map((_, i) => i + 1),
  );

  await lab.button(/^Reset/).click();
  await expect(lab.status).toHaveText('Paused');
  await lab.button('Start').click();
  await lab.reach(recovered.iterations);
  await lab.pause();
  const whole = await lab.snapshot();
  expect(timeless(whole.rows).slice(0, recovered.iterations)).toEqual(timeless(recovered.rows));
});

test('without storage the run trains, and the page says it is not saved', {
  tag: '@smoke',
}, async ({ lab }) => {
  const refuse = `Object.defineProperty(IDBFactory.prototype, 'open', {
    value: () => { throw new DOMException('denied', 'SecurityError'); },
  });`;
  await lab.page.addInitScript(refuse);
  await lab.page.route(/worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${refuse}\n${await response.text()}` });
  });
  await lab.open(tiny);
  await lab.reach(2);
  await expect(lab.page.getByTestId('storage')).toContainText('This run is not saved');
  // Leaving the page asks for confirmation.
  const asked = lab.page.waitForEvent('dialog');
  await lab.page.mouse.click(5, 5);
  void lab.page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await lab.reach(3);
});

test('runs can be listed, named, searched, compared, deleted, restored, exported and imported', async ({
  lab,
}) => {
  await lab.open(tiny);
  await lab.reach(2);
  await lab.pause();
  await lab.open({ ...tiny, seed: 7 });
  await lab.reach(2);
  const present = await lab.pause();
  const { page } = lab;
  const panel = page.getByTestId('runs');
  const runs = panel.locator('tr[data-run]');
  await lab.button(/^Runs/).click();
  await expect(runs).toHaveCount(2);
  await expect(runs.first()).toHaveAttribute('data-run', present.runId ?? '');

  await runs
    .nth(1)
    .getByRole('button', { name: /name, tags and notes/ })
    .click();
  await panel.getByRole('textbox', { name: 'Name' }).fill('The first one');
  await panel.getByRole('textbox', { name: 'Notes' }).fill('Two iterations.');
  await panel.getByRole('textbox', { name: 'Notes' }).blur();
  await expect(runs.nth(1)).toContainText('The first one');
  await panel.getByRole('textbox', { name: 'Search runs' }).fill('first');
  await expect(runs).toHaveCount(1);
  await panel.getByRole('textbox', { name: 'Search runs' }).fill('');
  await lab.photograph('runs-labels');
  await runs
    .nth(1)
    .getByRole('button', { name: /name, tags and notes/ })
    .click();

  for (const box of await panel.getByRole('checkbox').all()) await box.check();
  await expect(panel.getByTestId('runs-differences')).toContainText('Seed');
  await panel.getByRole('button', { name: 'Show on charts' }).click();
  await expect(page).toHaveURL(/[?&]over=.*[?&]over=/);
  await expect(panel).toContainText('2 runs are on the charts.');
  await lab.photograph('runs-compare');
  const session = await page.context().newCDPSession(page);
  /** Numbers of tables, rows, cells and row headers in the accessibility tree. */
  const cells = async () => {
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const roles = nodes.flatMap(({ ignored, role }) => (ignored ? [] : [role?.value]));
    return ['table', 'row', 'cell', 'rowheader'].map(
      (wanted) => roles.filter((role) => role === wanted).length,
    );
  };
  const wide = await cells();
  expect(Math.min(...wide)).toBeGreaterThan(0);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await lab.photograph('runs-narrow-dark');
  // On a phone a run takes two lines but remains a table row.
  await expect.poll(cells).toEqual(wide);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });

  await panel.getByRole('checkbox', { name: /seed 7/ }).uncheck();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Export' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('The-first-one.palestra.zip');
  const file = await download.path();

  await panel.getByRole('button', { name: 'Delete' }).press('Enter');
  await expect(runs).toHaveCount(1);
  await expect(panel.getByRole('button', { name: 'Undo' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(runs).toHaveCount(2);

  await panel.getByTestId('runs-file').setInputFiles(file);
  await expect(runs).toHaveCount(3);
  await panel.getByTestId('runs-file').setInputFiles({
    name: 'broken.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('not a zip'),
  });
  await expect(panel.getByTestId('runs-problem')).toContainText('This run file cannot be used');
  await expect(runs).toHaveCount(3);

  // The imported run resumes.
  await runs
    .filter({ hasText: 'The first one' })
    .first()
    .getByRole('button', { name: 'Open' })
    .click();
  await expect.poll(async () => (await lab.state()).runId).not.toBe(present.runId);
  await expect(lab.status).toHaveText('Paused');
  const opened = await lab.state();
  await lab.button('Continue').click();
  await lab.reach(opened.iterations + 2);

  // Open the labels, the queue and the comparison for the accessibility scan.
  await lab.button(/^Runs/).click();
  // The panel shows its content one frame after the click.
  await expect(runs).toHaveCount(3);
  const choose = async () => {
    for (const box of await panel.getByRole('checkbox').all()) await box.check();
  };
  await choose();
  await panel.getByRole('button', { name: 'Train again, one by one' }).click();
  await expect(panel.getByTestId('runs-queue').getByRole('listitem')).toHaveCount(3);
  await choose();
  await panel
    .getByRole('button', { name: /name, tags and notes/ })
    .first()
    .click();
  await expect(panel.getByTestId('runs-differences')).toBeVisible();
  await expectAccessible(page, 'runs', '[data-testid=runs]');

  // A link overlays stored runs and reports missing ones.
  const over = ['name=The first one', 'name=A run of somebody else'];
  await page.goto(`/?${queryOf(tiny)}&${new URLSearchParams(over.map((one) => ['over', one]))}`);
  await expect(page.getByTestId('address-notes')).toContainText(
    'not stored in this browser: A run of somebody else.',
  );
  await expect(page).toHaveURL(/over=name%3DThe.*over=name%3DA/);
  await lab.button(/^Runs/).click();
  await expect(panel).toContainText('1 run is on the charts');
});
