/** What three visitors do in their first minutes, each from the bare address. */

import { thorough } from '../scripts/thorough.mjs';
import { expectAccessible } from './accessible.ts';
import { dropFile, verlLog } from './drop.ts';
import { expect, test } from './lab-page.ts';

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

test('a teacher shows a class one iteration, turns a knob, and races the agent', async ({
  lab,
}) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // What a projector has.
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto('/');
  await lab.reach(3);
  await page.keyboard.press('w');
  const dialog = page.getByRole('dialog');
  const next = dialog.getByTestId('step-next');
  for (const phase of ['Roll out', 'Score', 'Advantages', 'Loss', 'Update']) {
    await expect(next).toBeEnabled();
    await next.click();
    await expect(dialog.getByRole('heading', { name: phase, exact: false }).first()).toBeVisible();
    await expect(dialog.getByTestId('step-facts').getByRole('img').first()).toBeVisible();
  }
  await lab.photograph('teacher-update');
  await dialog.getByRole('button', { name: 'End the iteration' }).click();
  await dialog.getByRole('button', { name: /^Turn a knob/ }).click();
  await expect(dialog).toBeHidden();

  const knobs = page.getByTestId('knobs');
  const rate = knobs.getByRole('slider', { name: 'Learning rate' });
  await rate.focus();
  await rate.press('ArrowRight');
  const { iterations } = await lab.state();
  await expect(knobs.getByTestId('knobs-status')).toContainText(
    `From iteration ${iterations + 1} on`,
  );
  await page.getByRole('button', { name: 'Continue' }).click();
  await lab.reach(iterations + 1);
  await lab.photograph('teacher-knobs');

  await lab.stage.getByRole('button', { name: 'Race the agent' }).click();
  await expect(lab.stage.getByTestId('race')).toContainText(/iteration \d+/);
  await lab.photograph('teacher-race');
  if (thorough) await expectAccessible(page, 'race');
});

test('an engineer drops a log on the page, reads its first cause and re-enacts it', async ({
  lab,
}) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/');
  await lab.reach(1);
  await dropFile(page, 'train.log', verlLog);
  const logs = page.getByTestId('logs');
  await expect(logs).toContainText('A log of verl');
  const cause = page.getByTestId('log-findings').locator('[data-mode="learning_rate_too_high"]');
  await expect(cause).toContainText('Began in iteration 6');
  await lab.photograph('engineer-log');
  await cause.getByRole('button', { name: 'Re-enact it' }).click();
  await expect(logs).toHaveCount(0);
  const reenacted = page.getByTestId('reenactment');
  await expect(reenacted).toContainText('optimizer.learning_rate = 0.02');
  await page.getByText('Everything', { exact: true }).click();
  // The log over the charts of the run that fails as it did.
  await expect(page.getByTestId('chart-kl').locator('.foreign-line')).toHaveAttribute('d', /^M/);
  await lab.reach(2);
  await lab.photograph('engineer-reenacted');
  if (thorough) await expectAccessible(page, 're-enacted');
});
