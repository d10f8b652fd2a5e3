import { expectAccessible } from './accessible.ts';
import { expect, test } from './lab-page.ts';

/** What a student does in the first minutes, from the bare address. */
test('a student watches, asks what a word means, and looks deeper', async ({ lab }) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/');
  const lapse = lab.stage.getByTestId('lapse');
  // The double-T maze has 25 starts; what nobody moves shows the newest iteration at its end.
  await expect(lapse).toContainText(/\d+ of 25/, { timeout: 60_000 });
  await expect(lab.stage.locator('.maze-dot')).toHaveCount(25);
  await expect(page.getByTestId('chart-success')).toBeVisible();
  await expect(page.getByTestId('chart-entropy')).toHaveCount(0);
  await expect(lab.status).toHaveText('Finished', { timeout: 120_000 });
  // Whoever learned it comes to the goal from nearly everywhere.
  const count = lapse.locator('strong');
  await expect.poll(async () => Number(await count.innerText())).toBeGreaterThan(20);
  const arrived = Number(await lab.stage.locator('svg.maze').getAttribute('data-arrived'));
  expect(arrived).toBe(Number(await count.innerText()));
  await expectAccessible(page, 'watch');

  // The first iteration of the time-lapse knew nothing.
  const slider = lab.stage.getByRole('slider', { name: 'Iteration of the time-lapse' });
  await slider.press('Home');
  await expect(lapse).toContainText('Iteration 1');
  expect(Number(await count.innerText())).toBeLessThan(5);

  // What it does where: in the end an arrow in every cell but the goal.
  await slider.press('End');
  await lab.stage.getByText('What it does where').click();
  await expect(lab.stage.locator('.maze-place')).toHaveCount(25);
  // Eleven of them are above the goal or in the stems of the two T.
  const down = lab.stage.locator('.maze-place title', { hasText: '“move down”' });
  await expect.poll(() => down.count()).toBeGreaterThan(7);

  await page.getByText('Understand', { exact: true }).click();
  const entropy = page.getByTestId('chart-entropy');
  await expect(entropy).toBeVisible();
  await expect(page.locator('.detail-charts > *')).toHaveCount(3);
  await expect(page.getByTestId('chart-toolbar')).toHaveCount(0);
  await entropy.getByRole('button', { name: 'policy' }).first().click();
  const card = page.getByTestId('term-card');
  await expect(card).toContainText('a probability for every token');
  await expectAccessible(page, 'term', '[data-testid=term-card]');
  await card.getByRole('button', { name: 'entropy' }).click();
  await expect(card.getByRole('heading')).toHaveText('Entropy');
  await page.keyboard.press('Escape');
  await expect(card).toHaveCount(0);

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Terms' }).click();
  const glossary = page.getByTestId('glossary');
  await expect(glossary.getByRole('heading', { name: 'Clipping' })).toBeVisible();
  await expect(glossary.getByRole('img')).toHaveCount(await glossary.locator('article').count());
  await expectAccessible(page, 'terms', '[role=dialog]');
  await page.keyboard.press('Escape');

  // The choice holds for the next visit, and all there is is one press away.
  await page.reload();
  await expect(entropy).toBeVisible();
  await page.getByText('Everything', { exact: true }).click();
  await expect(page.getByTestId('chart-toolbar')).toBeVisible();
  await expect(page.getByTestId('trajectories')).toBeVisible();
});
