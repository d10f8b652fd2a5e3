import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { thorough } from '../scripts/tier.mjs';

/**
 * Color schemes and widths to scan: all combinations with --thorough. By default, parts of a page are scanned
 * only in a narrow, dark window, the combination that developers see least.
 */
const looks = [
  { width: 'wide', colorScheme: 'light', rules: 'all', parts: thorough },
  { width: 'narrow', colorScheme: 'dark', rules: 'all', parts: true },
  ...(thorough
    ? ([
        // The scans above check every rule; in the other combinations only contrast can differ.
        { width: 'wide', colorScheme: 'dark', rules: 'colors', parts: true },
        { width: 'narrow', colorScheme: 'light', rules: 'colors', parts: true },
      ] as const)
    : []),
] as const;

const viewports = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 390, height: 844 },
} as const;

/**
 * Scans a screen in each look and restores it. Fails on a serious or critical violation,
 * on a target that is too small, and if the page scrolls sideways.
 *
 * @param screen name for the failure message
 * @param within selector of a part of the page; the whole page by default
 */
export async function expectAccessible(page: Page, screen: string, within = 'body'): Promise<void> {
  const html = page.locator('html');
  const scheme = await html.getAttribute('data-mantine-color-scheme');
  const viewport = page.viewportSize();
  for (const { width, colorScheme, rules, parts } of looks) {
    await page.setViewportSize(viewports[width]);
    await expect(async () => {
      // Under load, Chromium sometimes misses the change of the color scheme.
      await page.emulateMedia({ colorScheme: null });
      await page.emulateMedia({ colorScheme });
      await expect(html).toHaveAttribute('data-mantine-color-scheme', colorScheme, {
        timeout: 10_000,
      });
    }).toPass();
    // A target scrolled half under the header would count as too small.
    await page.evaluate(() => scrollTo(0, 0));
    const where = `${screen}, ${width}, ${colorScheme}`;
    // Charts take their new width some frames after the page does.
    const sideways = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    await expect.soft
      .poll(sideways, { message: `${where}: horizontal overflow in pixels` })
      .toBeLessThanOrEqual(0);
    if (parts || within === 'body') {
      // A color in transition between two schemes may lack contrast.
      await page.evaluate(async () => {
        const changing = document.getAnimations().filter((one) => one instanceof CSSTransition);
        await Promise.allSettled(changing.map(({ finished }) => finished));
      });
      expect.soft(await findings(page, within, rules), where).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: scheme === 'dark' ? 'dark' : 'light' });
  if (viewport !== null) await page.setViewportSize(viewport);
}

/** Violations found by axe, one line per element. */
async function findings(
  page: Page,
  within: string,
  rules: 'all' | 'colors',
): Promise<readonly string[]> {
  // The page has no frames; legacy mode avoids opening another page per scan.
  const axe = new AxeBuilder({ page }).setLegacyMode().include(within);
  axe.options({
    // Omit the details of passed rules.
    resultTypes: ['violations'],
    ...(rules === 'colors'
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
