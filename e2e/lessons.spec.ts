import type { Locator, Page } from '@playwright/test';
import { thorough } from '../scripts/thorough.mjs';
import { expectAccessible } from './accessible.ts';
import { expect, test } from './lab-page.ts';

const lesson = (page: Page) => page.getByTestId('lesson');

/** Goes on with the Tab key until it has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

test('a lesson is read by keyboard from start to end, and stands where it was after a reload', async ({
  lab,
}) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/');
  await lab.reach(1);
  await page.keyboard.press('l');
  const list = page.getByTestId('lesson-list');
  await tabTo(page, list.getByRole('button').first());
  await page.keyboard.press('Enter');
  await expect(lesson(page).getByRole('heading', { level: 2 }).first()).toBeFocused();

  const choices = lesson(page).getByRole('radio');
  await tabTo(page, choices.first());
  await page.keyboard.press('ArrowDown');
  await expect(choices.nth(1)).toBeChecked();
  await tabTo(page, lesson(page).getByTestId('lesson-begin').nth(1));
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('lesson-standing')).toHaveText(/Iteration \d+: \d+%|<1%/);
  await tabTo(page, page.getByTestId('lesson-outcome').locator('summary'));
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('lesson-outcome')).toContainText('19 of 20');
  await tabTo(page, page.getByTestId('lesson-question').locator('summary'));
  await page.keyboard.press('Enter');
  await expectAccessible(page, 'lesson', '.lesson');

  // A sheet of paper has the text and the answers, and nothing of the lab.
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading', { name: 'Answers' })).toBeVisible();
  await expect(lab.stage).toBeHidden();
  await page.emulateMedia({ media: 'screen' });

  await page.reload();
  await expect(choices.nth(1)).toBeChecked();
  await expect(page.getByTestId('lesson-question')).toBeInViewport();
  const next = lesson(page).getByRole('button', { name: /^Next/ });
  await tabTo(page, next);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/lesson=groups/);
  await expect(lesson(page).getByRole('heading', { level: 2 }).first()).toBeFocused();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, reducedMotion: 'reduce' });

  test('a lesson is done by touch: two agents, the lab, and back to the text', async ({ lab }) => {
    const { page } = lab;
    await page.goto('/?lesson=groups');
    await lesson(page).getByText('There will be no difference').tap();
    await expect(lesson(page).getByRole('radio').nth(2)).toBeChecked();
    const begin = lesson(page).getByTestId('lesson-begin');
    await begin.tap();
    await expect(page.getByTestId('lesson-standing')).toHaveText(
      /Iteration \d+: PPO \S+, GRPO \S+\./,
    );
    await lesson(page).getByRole('button', { name: 'Show the two agents' }).tap();
    await expect(page.getByTestId('twins')).toBeFocused();
    await page.getByRole('button', { name: 'Back to the lesson' }).tap();
    await expect(begin).toBeInViewport();
    await page.getByTestId('lesson-outcome').locator('summary').tap();
    await lesson(page).getByRole('button', { name: /^Next/ }).tap();
    await expect(page).toHaveURL(/lesson=clipping/);
  });
});

if (thorough) {
  test('every lesson can be begun, and scans well', async ({ lab }) => {
    test.setTimeout(900_000);
    const { page } = lab;
    await page.goto('/?lesson=all&language=de');
    const list = page.getByTestId('lesson-list').getByRole('button');
    await expect(list).toHaveCount(8);
    for (let number = 0; number < 8; number++) {
      await list.nth(number).click();
      await expectAccessible(page, `lesson ${number + 1}`, '.lesson');
      const begins = lesson(page).getByTestId('lesson-begin');
      for (let begin = 0; begin < (await begins.count()); begin++) {
        await begins.nth(begin).click();
        await expect(page.getByTestId('lesson-standing')).toBeVisible();
        expect((await lab.state()).error).toBeNull();
      }
      await page.getByRole('button', { name: 'Alle Lektionen' }).first().click();
    }
  });
}
