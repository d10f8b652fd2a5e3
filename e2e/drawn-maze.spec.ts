import type { Locator, Page } from '@playwright/test';
import { expect, test } from './lab-page.ts';

const board = (page: Page) => page.getByTestId('maze-board');
const square = (page: Page, row: number, column: number): Locator =>
  page.getByRole('gridcell', { name: new RegExp(`^row ${row}, column ${column}:`) });
const verdict = (page: Page) => page.getByTestId('maze-verdict');

async function openEditor(page: Page): Promise<void> {
  await page.goto('/?seed=3&stopping.success=0.95&evaluation.interval=2');
  await page.getByRole('button', { name: 'Edit: draw your own maze' }).click();
  await expect(board(page)).toBeVisible();
}

async function setSize(page: Page, rows: number, columns: number): Promise<void> {
  await page.getByRole('textbox', { name: 'Rows' }).fill(String(rows));
  await page.getByRole('textbox', { name: 'Columns' }).fill(String(columns));
}

async function template(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Templates' }).click();
  await page.getByRole('menuitem', { name }).click();
}

/** Starts the drawn maze. The run that the page opened with may be finished by now. */
async function trainToEnd(page: Page, start: () => Promise<void>): Promise<void> {
  const earlier = await page.evaluate(() => window.palestra?.state().runId);
  await start();
  await page.waitForFunction((earlier) => {
    const { runId, status, iterations } = window.palestra?.state() ?? {};
    return runId && runId !== earlier && status === 'finished' && (iterations ?? 0) > 0;
  }, earlier);
}

const drawingOf = (page: Page): Promise<string> =>
  board(page).evaluate((table) =>
    [...table.querySelectorAll('tr')]
      .map((row) =>
        [...row.querySelectorAll('td')].map((cell) => cell.dataset.square?.charAt(0)).join(''),
      )
      .join('/'),
  );

test('an agent reaches 95% success in a maze drawn with the mouse, and the link reproduces the run elsewhere', async ({
  lab,
  browser,
}) => {
  const { page } = lab;
  await openEditor(page);
  await template(page, 'Empty room');
  await page.getByRole('textbox', { name: 'Name' }).fill('Corner');
  const from = await square(page, 2, 2).boundingBox();
  const to = await square(page, 2, 5).boundingBox();
  if (from === null || to === null) throw new Error('the board has no squares');
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 12 });
  await page.mouse.up();
  expect(await drawingOf(page)).toBe('fffff/fwwww/fffff/fffff/ffffg');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  expect(await drawingOf(page)).toBe('fffff/fffff/fffff/fffff/ffffg');
  await page.getByRole('button', { name: 'Redo', exact: true }).click();
  await expect(verdict(page)).toContainText('Every free square is a start: 20.');
  await lab.photograph('maze-editor');
  await trainToEnd(page, () => page.getByRole('button', { name: 'Train', exact: true }).click());
  const { rows } = await lab.snapshot();
  const parameters = new URL(page.url()).searchParams;
  expect(parameters.get('env.options.drawing')).toBe('...../.####/...../...../....G');
  expect(parameters.get('env.options.name')).toBe('Corner');
  expect(rows.at(-1)?.['eval/success_rate']).toBeGreaterThanOrEqual(0.95);

  const elsewhere = await browser.newPage();
  await elsewhere.goto(page.url());
  await elsewhere.waitForFunction(
    (count) => (window.palestra?.state().iterations ?? 0) >= count,
    rows.length,
  );
  const again = await elsewhere.evaluate(() => window.palestra?.snapshot().rows);
  const bits = (all: readonly object[] | undefined) =>
    JSON.stringify(
      all?.map((row) => Object.entries(row).filter(([key]) => !key.startsWith('time/'))),
    );
  expect(bits(again)).toBe(bits(rows));
  await elsewhere.close();
});

test('a maze is drawn by keyboard alone, and an unreachable goal is reported', async ({ lab }) => {
  const { page } = lab;
  await openEditor(page);
  await template(page, 'Empty room');
  // The first digit does not crop the maze.
  const side = page.getByRole('textbox', { name: 'Rows' });
  await side.fill('');
  await side.pressSequentially('12');
  await expect.poll(() => drawingOf(page)).toBe(`${'fffff/'.repeat(4)}ffffg${'/fffff'.repeat(7)}`);
  await setSize(page, 3, 3);
  await square(page, 1, 1).focus();
  await page.keyboard.press('s');
  for (const key of ['ArrowRight', 'w', 'ArrowDown', 'w', 'ArrowDown', 'w']) {
    await page.keyboard.press(key);
  }
  expect(await drawingOf(page)).toBe('swf/fwf/fwg');
  await expect(verdict(page)).toHaveText(
    'This maze has a start at row 1, column 1 from which the goal cannot be reached.',
  );
  await expect(page.getByRole('button', { name: 'Train', exact: true })).toBeDisabled();
  await page.keyboard.press('Control+z');
  expect(await drawingOf(page)).toBe('swf/fwf/ffg');
  await expect(verdict(page)).toContainText('The goal is at most 4 moves away.');
  await page.getByRole('button', { name: 'Train', exact: true }).focus();
  await trainToEnd(page, () => page.keyboard.press('Enter'));
  const { rows } = await lab.snapshot();
  expect(rows.at(-1)?.['eval/success_rate']).toBeGreaterThanOrEqual(0.95);
});

test.describe('by touch', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a maze is drawn with a finger', async ({ lab }) => {
    const { page } = lab;
    await openEditor(page);
    await template(page, 'Empty room');
    await page.getByText('Prize').tap();
    await square(page, 3, 3).tap();
    await page.getByText('Trap').tap();
    await square(page, 4, 3).tap();
    expect(await drawingOf(page)).toBe('fffff/fffff/ffpff/fftff/ffffg');
    await lab.photograph('maze-editor-phone');
    await trainToEnd(page, () => page.getByRole('button', { name: 'Train', exact: true }).tap());
    await expect(board(page)).toBeHidden();
    const { rows } = await lab.snapshot();
    expect(rows.at(-1)?.['eval/success_rate']).toBeGreaterThanOrEqual(0.95);
  });
});

test('a file is opened and saved', { tag: '@smoke' }, async ({ lab }) => {
  const { page } = lab;
  await openEditor(page);
  const buffer = Buffer.from('name: Hall\nS....\n.###.\n....G\n');
  await page
    .getByTestId('maze-file')
    .setInputFiles({ name: 'hall.txt', mimeType: 'text/plain', buffer });
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Hall');
  expect(await drawingOf(page)).toBe('sffff/fwwwf/ffffg');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  expect((await saving).suggestedFilename()).toBe('Hall.txt');
  await page
    .getByTestId('maze-file')
    .setInputFiles({ name: 'x.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
  await expect(page.getByRole('alert')).toContainText('x.txt cannot be opened. The drawing has');
});
