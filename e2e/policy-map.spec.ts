/** The policy map of the maze: what the network would write in every cell, and moving the agent. */

import { endless, expect, type LabPage, test } from './lab-page.ts';

test.use({ reducedMotion: 'reduce' });

const cell = ({ stage }: LabPage, row: number, column: number) =>
  stage.getByRole('button', { name: `Row ${row}, column ${column}:` });

/** Percentages of a text, as numbers. */
const shares = (text: string) =>
  [...text.matchAll(/([\d.]+)%/g)].map(([, share]) => Number(share) / 100);

async function openPaused(lab: LabPage): Promise<void> {
  await lab.page.goto(endless);
  await lab.reach(2);
  await lab.pause();
  await expect(lab.stage.getByTestId('here')).toContainText(/after iteration \d/);
}

test('pointing at a cell shows what the agent reads there and its ten most likely words', {
  tag: '@smoke',
}, async ({ lab }) => {
  await openPaused(lab);
  const here = lab.stage.getByTestId('here');
  await cell(lab, 7, 6).hover();
  await expect(here).toContainText('Row 7, column 6');
  await expect(here).toContainText('Your current position is at position 7, 6.');
  const words = here.getByTestId('likely').getByRole('listitem');
  await expect(words).toHaveCount(10);
  const listed = shares((await words.allInnerTexts()).join(' '));
  expect(listed).toHaveLength(10);
  expect(listed).toEqual(listed.toSorted((a, b) => b - a));

  // The probabilities of the four moves and of all other words sum to one.
  const told = shares((await cell(lab, 7, 6).getAttribute('aria-label')) ?? '');
  expect(told).toHaveLength(5);
  expect(told.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 1);

  // After the pointer leaves, the agent's own cell is shown again.
  await lab.page.mouse.move(2, 2);
  await expect(here).not.toContainText('Row 7, column 6');
});

test('the agent is moved by dragging and by arrow keys', async ({ lab }) => {
  await openPaused(lab);
  const { page } = lab;
  const center = async (row: number, column: number) => {
    const box = await cell(lab, row, column).boundingBox();
    if (box === null) throw new Error('the cell is not drawn');
    return [box.x + box.width / 2, box.y + box.height / 2] as const;
  };
  await page.mouse.move(...(await center(1, 1)));
  await page.mouse.down();
  await page.mouse.move(...(await center(1, 3)), { steps: 4 });
  await page.mouse.move(...(await center(3, 3)), { steps: 4 });
  await page.mouse.up();
  await expect(cell(lab, 3, 3)).toHaveAttribute('aria-pressed', 'true');
  await page.mouse.move(2, 2);
  const here = lab.stage.getByTestId('here');
  await expect(here).toContainText('Row 3, column 3');

  await cell(lab, 3, 3).focus();
  await page.keyboard.press('ArrowDown');
  await expect(cell(lab, 4, 3)).toBeFocused();
  await expect(cell(lab, 4, 3)).toHaveAttribute('aria-pressed', 'true');
  // A wall stops the agent.
  await page.keyboard.press('ArrowLeft');
  await expect(cell(lab, 4, 3)).toBeFocused();
  await expect(here).toContainText('Row 4, column 3');
});

test('an episode lists the ten most likely actions at the shown turn', async ({ lab }) => {
  await lab.open({ preset: 'wordle', depth: 'watch', 'imitation.epochs': 0 });
  await lab.reach(1);
  await lab.pause();
  await lab.stage.getByRole('button', { name: 'Back to the start' }).click();
  const likeliest = lab.stage.getByTestId('likeliest');
  await expect(likeliest).toContainText(/turn 1 \(after iteration \d+\)/);
  const items = likeliest.getByRole('listitem');
  await expect(items).toHaveCount(10);
  const listed = shares((await items.allInnerTexts()).join(' '));
  expect(listed).toEqual(listed.toSorted((a, b) => b - a));
  await lab.stage.getByRole('button', { name: 'Next turn' }).click();
  await expect(likeliest).toContainText('turn 2');
  await expect(likeliest).not.toHaveClass(/likeliest-old/);
});

test.describe('by touch', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a tap places the agent in a cell and lists the word probabilities below the map', async ({
    lab,
  }) => {
    await openPaused(lab);
    const here = lab.stage.getByTestId('here');
    await expect(here).toBeHidden();
    const before = await lab.stage.locator('svg.maze').boundingBox();
    await cell(lab, 7, 6).tap();
    await expect(here).toContainText('Row 7, column 6');
    await expect(here.getByRole('listitem')).toHaveCount(10);
    // The map does not move under the finger.
    expect(await lab.stage.locator('svg.maze').boundingBox()).toEqual(before);
  });
});
