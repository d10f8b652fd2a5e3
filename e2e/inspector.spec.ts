import { expectAccessible } from './accessible.ts';
import { expect, type LabPage, small, test } from './lab-page.ts';

/** Opens the first listed training episode in the inspector. */
async function inspectFirst(lab: LabPage): Promise<void> {
  const panel = lab.page.getByTestId('trajectories');
  await panel.scrollIntoViewIfNeeded();
  // Within the radio group, because rows of the list contain the same words.
  await panel.getByRole('radiogroup').getByText('Training', { exact: true }).click();
  await panel
    .getByRole('button', { name: /^Inspect/ })
    .first()
    .click();
  await expect(lab.page.getByRole('dialog')).toBeVisible();
}

test('an episode can be inspected token by token, in its group and next to another one', async ({
  lab,
}) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open({ ...small, 'agent.max_action_tokens': 2, 'algorithm.advantage': 'grpo' });
  await lab.reach(2);
  await lab.pause();
  await inspectFirst(lab);
  const dialog = page.getByRole('dialog');
  const details = dialog.getByTestId('token-details');
  const turns = dialog.getByTestId('inspected-turns');

  // Alternatives under the current policy.
  await expect(details.locator('.choices tr').first()).toBeVisible();
  await expect(details).toContainText(/Under the current policy, version \d+: \d+ updates? after/);
  const shares = await details.locator('.choice-p').allInnerTexts();
  expect(shares.length).toBeGreaterThanOrEqual(6);
  await expect(details).toContainText('Its advantage');
  await expect(details).toContainText(/Its loss in update \d+/);

  // Arrow keys move between tokens and turns.
  const chosen = turns.locator('[aria-pressed=true]');
  await chosen.focus();
  await page.keyboard.press('ArrowRight');
  await expect(details).toContainText(/token 2 of \d+/);
  await page.keyboard.press('ArrowDown');
  await expect(details).toContainText(/turn [23]/);
  await expect(chosen).toBeFocused();
  await page.keyboard.press('End');
  const last = (await details.locator('h3 small').innerText()).match(/token (\d+) of (\d+)/);
  expect(last?.[1]).toBe(last?.[2]);

  // Each coloring has a value for every token of a training episode.
  const told = async () => {
    const measures: string[][] = [];
    for (const name of ['Entropy', 'Advantage', 'Ratio', 'Clipped', 'Probability']) {
      await dialog.getByText(name, { exact: true }).first().click();
      const labels = await turns
        .locator('.itoken')
        .evaluateAll((tokens) => tokens.map((token) => token.getAttribute('aria-label') ?? ''));
      expect(labels.length).toBeGreaterThan(1);
      for (const label of labels) {
        expect(label).toContain(`, ${name.toLowerCase()} `);
        expect(label).not.toContain('not recorded');
      }
      await expect(dialog.getByTestId('legend')).toBeVisible();
      measures.push(labels);
    }
    await turns.locator('.itoken').first().click();
    await expect(details).toContainText('token 1 of');
    return { measures, working: await details.locator('.working').allInnerTexts() };
  };
  const before = await told();
  expect(before.working.length).toBeGreaterThan(1);
  await expectAccessible(page, 'inspected episode', '[role=dialog]');
  await lab.photograph('episode');

  await dialog.getByText('Group', { exact: true }).click();
  const sheet = dialog.getByTestId('group-sheet');
  await expect(sheet.locator('tbody tr')).toHaveCount(4);
  await expect(sheet.locator('.sheet-actions')).toHaveCount(4);
  // The displayed mean equals the mean of the displayed rewards.
  const rewards = await sheet.locator('tbody .amount').allInnerTexts();
  const mean = rewards.reduce((sum, reward) => sum + Number(reward.replace('−', '-')), 0) / 4;
  const working = await dialog.locator('.working b').first().innerText();
  expect(Number(working.replace('−', '-'))).toBeCloseTo(mean, 3);
  await expectAccessible(page, 'inspected group', '[role=dialog]');
  await lab.photograph('group');

  await sheet
    .getByRole('button', { name: /^Compare with/ })
    .first()
    .click();
  await expect(dialog.getByTestId('difference')).toHaveText(/differ|the same/);
  await expect(dialog.getByTestId('inspected-turns')).toHaveCount(2);
  // Each side has one Tab stop, and its arrow keys start at the current turn.
  const beside = dialog.getByTestId('inspected-turns').first();
  await beside.locator('.itoken[tabindex="0"]').focus();
  await page.keyboard.press('Home');
  await expect(beside.locator('.itoken').first()).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(beside.locator('.itoken').nth(1)).toBeFocused();
  await expectAccessible(page, 'compared episodes', '[role=dialog]');
  await lab.photograph('compare');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  // Everything survives a reload.
  await page.reload();
  await expect(lab.status).toHaveText('Paused');
  await inspectFirst(lab);
  expect(await told()).toEqual(before);
});

test('an evaluation episode shows no training measures', { tag: '@smoke' }, async ({ lab }) => {
  await lab.page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
  await lab.open(small);
  await lab.reach(2);
  await lab.pause();
  const panel = lab.page.getByTestId('trajectories');
  await panel.scrollIntoViewIfNeeded();
  await panel.getByRole('radiogroup').getByText('Evaluation', { exact: true }).click();
  await panel
    .getByRole('button', { name: /^Inspect/ })
    .first()
    .click();
  const dialog = lab.page.getByRole('dialog');
  await expect(dialog.getByTestId('token-details')).toContainText('belongs to an evaluation');
  await expect(dialog.getByRole('radio', { name: 'Group' })).toBeDisabled();
  await dialog.getByText('Ratio', { exact: true }).first().click();
  await expect(dialog.locator('.itoken').first()).toHaveAttribute('aria-label', /not recorded/);
  await expectAccessible(lab.page, 'inspected evaluation', '[role=dialog]');
  await lab.photograph('evaluation');
});
