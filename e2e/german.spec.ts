import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, queryOf, small, test } from './lab-page.ts';

test.use({ locale: 'de-DE' });

/** Visible texts and labels that contain English-only words, except texts of an environment or agent. */
const englishTexts = (page: Page) =>
  page.evaluate(() => {
    const words =
      /\b(?:the|of|and|are|with|from|its|it|have|this|that|not|by|each|every|which|than|or|were|will|can|your|you|is|to|has)\b/i;
    const kept =
      '[translate="no"]:not(html), [role="img"], code, pre, kbd, noscript, script, style';
    const found: string[] = [];
    const look = (text: string | null, element: Element | null) => {
      if (text !== null && words.test(text) && element?.closest(kept) === null) found.push(text);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      look(walker.currentNode.textContent, walker.currentNode.parentElement);
    }
    for (const name of ['aria-label', 'title', 'placeholder', 'aria-valuetext']) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        look(element.getAttribute(name), element);
      }
    }
    return found;
  });

test('the page is in German for a German browser', { tag: '@smoke' }, async ({ lab }) => {
  const { page } = lab;
  await page.goto(`/?${queryOf({ ...small, 'stopping.iterations': 2 })}`);
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect.poll(async () => (await lab.state()).status).toBe('finished');
  await expect(page.getByTestId('chart-entropy')).toContainText('Entropie');
  expect(await englishTexts(page)).toEqual([]);
  await expectAccessible(page, 'German page');

  for (const [key, name] of [
    [',', 'Einstellungen'],
    ['/', 'Läufe'],
    ['?', 'Tastenkürzel'],
  ] as const) {
    await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name });
    await expect(dialog).toBeVisible();
    expect(await englishTexts(page), name).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }
});

test('the language can be switched and is kept while the run continues', async ({ lab }) => {
  const { page } = lab;
  await page.goto(`/?${queryOf(small)}`);
  await lab.reach(1);
  const { runId } = await lab.state();
  await page.getByRole('button', { name: 'Mehr' }).click();
  await page.getByRole('menuitem', { name: 'In English' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page.getByTestId('chart-entropy')).toContainText('Entropy');
  await expect(lab.button('Settings')).toBeVisible();
  expect((await lab.state()).runId).toBe(runId);
  await page.reload();
  await expect(lab.button('Settings')).toBeVisible();
});

test('the header fits at every width', async ({ lab }) => {
  const { page } = lab;
  await page.goto(`/?${queryOf({ ...small, 'stopping.iterations': 1 })}`);
  await lab.reach(1);
  for (const width of [1440, 1366, 1280, 1024, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    // Charts take their new width some frames after the page does.
    const beyond = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    await expect.poll(beyond, { message: `${width} px` }).toBeLessThanOrEqual(0);
  }
});
