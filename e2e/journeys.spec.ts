/** The first minutes of three visitors, each starting from the plain address. */

import { thorough } from '../scripts/tier.mjs';
import { expectAccessible } from './accessible.ts';
import { dropFile, verlLog } from './drop.ts';
import { endless, expect, test } from './lab-page.ts';

test('a student watches, looks up a term and switches to more detail', async ({ lab }) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/');
  const lapse = lab.stage.getByTestId('lapse');
  // Without input, the stage shows the network's policy map, starting with random weights.
  await expect(lab.stage.locator('.maze-rose')).toHaveCount(25);
  await expect(lapse.getByTestId('likely').getByRole('listitem')).toHaveCount(10);
  await expect(lapse).toContainText(/\d+ of 25/);
  await expect(page.getByTestId('chart-success')).toBeVisible();
  await expect(page.getByTestId('chart-entropy')).toBeVisible();
  await expect(page.getByTestId('chart-horizon')).toBeVisible();
  // The whole run may take longer than an assertion waits.
  await page.waitForFunction(() => window.palestra?.state().status === 'finished');
  await expect(lab.status).toHaveText('Finished');
  // A trained agent reaches the goal from nearly every start.
  const count = lapse.locator('strong');
  await expect.poll(async () => Number(await count.innerText())).toBeGreaterThan(20);
  await expectAccessible(page, 'watch');

  // In eleven cells, above the goal or in the stems of the two Ts, the best move is down.
  await expect(lapse.getByTestId('here')).toContainText(/after iteration \d+/);
  const down = lab.stage.getByRole('button', { name: /^Row \d+, column \d+: down/ });
  await expect.poll(() => down.count()).toBeGreaterThan(7);

  // The time-lapse starts with an untrained agent.
  const slider = lab.stage.getByRole('slider', { name: 'Iteration of the time-lapse' });
  await slider.press('Home');
  await expect(lapse).toContainText('Iteration 1');
  expect(Number(await count.innerText())).toBeLessThan(5);
  await slider.press('End');
  await lab.stage.getByText('Agents', { exact: true }).click();
  await expect(lab.stage.locator('.maze-dot')).toHaveCount(25);
  const arrived = () => lab.stage.locator('svg.maze').getAttribute('data-arrived');
  await expect.poll(async () => Number(await arrived())).toBe(Number(await count.innerText()));

  await page.getByText('Understand', { exact: true }).click();
  const entropy = page.getByTestId('chart-entropy');
  await expect(entropy).toBeVisible();
  await expect(page.locator('.detail-charts > *')).toHaveCount(3);
  await expect(page.getByTestId('chart-toolbar')).toHaveCount(0);
  await entropy.getByRole('button', { name: 'policy' }).first().click();
  const card = page.getByTestId('term-card');
  await expect(card).toContainText('a probability for every possible next token');
  await expectAccessible(page, 'term', '[data-testid=term-card]');
  await card.getByRole('button', { name: 'entropy' }).click();
  await expect(card.getByRole('heading')).toHaveText('Entropy');
  await expect(card).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(card).toHaveCount(0);
  await expect(entropy.getByRole('button', { name: 'policy' }).first()).toBeFocused();

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Terms' }).click();
  const glossary = page.getByTestId('glossary');
  await expect(glossary.getByRole('heading', { name: 'Clipping' })).toBeVisible();
  await expect(glossary.getByRole('img')).toHaveCount(await glossary.locator('article').count());
  await expectAccessible(page, 'terms', '[role=dialog]');
  await page.keyboard.press('Escape');

  // The choice survives a reload, and *Everything* is one click away.
  await page.reload();
  await expect(entropy).toBeVisible();
  await page.getByText('Everything', { exact: true }).click();
  await expect(page.getByTestId('chart-toolbar')).toBeVisible();
  await expect(page.getByTestId('trajectories')).toHaveCount(0);
  // Even with everything shown, the page is only a few screens long.
  await expect(page.getByTestId('group-updates').locator('.chart')).toHaveCount(7);
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(
    2200,
  );
  await page.getByRole('navigation', { name: 'Groups' }).getByText('Episodes').click();
  await expect(page.getByTestId('trajectories')).toBeVisible();
  // A folded group stays folded.
  const learning = page.getByTestId('group-learning').getByRole('button', { name: 'Learning' });
  await learning.click();
  await page.reload();
  await expect(learning).toHaveAttribute('aria-expanded', 'false');
  await expect(page.getByTestId('trajectories')).toBeVisible();

  // At the end of a run the page proposes what to try: here, a learning rate that is too high.
  await page.setViewportSize({ width: 800, height: 1000 });
  await page.getByRole('button', { name: 'Break it' }).click();
  await expect(page.getByTestId('knobs')).toBeVisible();
  await expect.poll(() => page.url()).toContain('optimizer.learning_rate=0.03');
  await expect(page.getByRole('button', { name: 'Break it' })).toHaveCount(0);
});

test('a teacher steps through an iteration, turns a knob and races the agent', {
  tag: '@smoke',
}, async ({ lab }) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // Projector size.
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(endless);
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
  await dialog.getByRole('button', { name: 'Finish the iteration' }).click();
  await dialog.getByRole('button', { name: /^Change a setting/ }).click();
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

  await lab.stage.getByRole('button', { name: 'Play against the agent' }).click();
  await expect(lab.stage.getByTestId('race')).toContainText(/iteration \d+/);
  await lab.photograph('teacher-race');
  if (thorough) await expectAccessible(page, 'race');
});

test('an engineer drops a log, reads the first cause and re-enacts it', async ({ lab }) => {
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
  await cause.getByRole('button', { name: 'Reproduce it' }).click();
  await expect(logs).toHaveCount(0);
  const reenacted = page.getByTestId('reenactment');
  await expect(reenacted).toContainText('optimizer.learning_rate = 0.02');
  await page.getByText('Everything', { exact: true }).click();
  // The log is overlaid on the charts of the re-enacted failure.
  await expect(page.getByTestId('chart-kl').locator('.foreign-line')).toHaveAttribute('d', /^M/);
  await lab.reach(2);
  await lab.photograph('engineer-reenacted');
  if (thorough) await expectAccessible(page, 're-enacted');
});
