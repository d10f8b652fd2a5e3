import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { thorough } from '../scripts/thorough.mjs';

/**
 * The colours of both schemes and the layouts of both widths, each with each for a thorough test. By default a
 * part of the page is scanned in the one look that is seen least while it is made.
 */
const looks = [
  { width: 'wide', colorScheme: 'light', rules: 'all', parts: thorough },
  { width: 'narrow', colorScheme: 'dark', rules: 'all', parts: true },
  ...(thorough
    ? ([
        // What is no colour was found above.
        { width: 'wide', colorScheme: 'dark', rules: 'colours', parts: true },
        { width: 'narrow', colorScheme: 'light', rules: 'colours', parts: true },
      ] as const)
    : []),
] as const;

const viewports = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 390, height: 844 },
} as const;

/**
 * Scans a screen in these looks, and leaves it as it was. Nothing serious or critical may
 * be found, no target may be too small to hit, and the page may not scroll sideways.
 *
 * @param screen names it in the failure
 * @param within a part of the page, as a selector; left out, all of it
 */
export async function expectAccessible(page: Page, screen: string, within = 'body'): Promise<void> {
  const html = page.locator('html');
  const scheme = await html.getAttribute('data-mantine-color-scheme');
  const viewport = page.viewportSize();
  for (const { width, colorScheme, rules, parts } of looks) {
    await page.setViewportSize(viewports[width]);
    await page.emulateMedia({ colorScheme });
    // What has scrolled half under the bar is no target that is too small.
    await page.evaluate(() => scrollTo(0, 0));
    await expect(html).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    const where = `${screen}, ${width}, ${colorScheme}`;
    if (parts || within === 'body') {
      expect.soft(await findings(page, within, rules), where).toEqual([]);
    }
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect.soft(sideways, `${where}: pixels scrolled sideways`).toBeLessThanOrEqual(0);
  }
  await page.emulateMedia({ colorScheme: scheme === 'dark' ? 'dark' : 'light' });
  if (viewport !== null) await page.setViewportSize(viewport);
}

/** What axe finds, one line for each element, so that a failure says where to look. */
async function findings(
  page: Page,
  within: string,
  rules: 'all' | 'colours',
): Promise<readonly string[]> {
  // There are no frames in it, for which every scan would otherwise open another page.
  const axe = new AxeBuilder({ page }).setLegacyMode().include(within);
  axe.options({
    // What passes is not told in full.
    resultTypes: ['violations'],
    ...(rules === 'colours'
      ? { runOnly: { type: 'rule', values: ['color-contrast'] } }
      : { rules: { 'target-size': { enabled: true } } }),
  });
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
    );
}
