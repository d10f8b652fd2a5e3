import { thorough } from '../scripts/tier.mjs';
import { expect, test } from './lab-page.ts';

declare global {
  interface Window {
    /** Layout shifts since the page opened (CLS), each with the elements that moved. */
    shifts?: { readonly value: number; readonly what: string }[];
    /** Milliseconds from opening until the stage is drawn, the agent moves and the success curve rises. */
    firsts?: Partial<Record<'picture' | 'movement' | 'rise', number>>;
  }
}

const sizes = [
  { width: 1920, height: 1080 },
  { width: 1366, height: 768 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
  ...(thorough ? [{ width: 1280, height: 720 }] : []),
];

/** Pixels by which the success curve must have risen. */
const RISE_PX = 15;
const ITERATIONS = 12;

/** Runs in the page from the start: records layout shifts and first occurrences. */
function watch(rise: number): void {
  const shifts: { value: number; what: string }[] = [];
  const firsts: NonNullable<Window['firsts']> = {};
  Object.assign(window, { shifts, firsts });
  const named = (node: Node | null) =>
    node instanceof Element ? `${node.tagName} ${node.getAttribute('class')}` : 'text';
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput, sources } = entry as PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: { node: Node | null }[];
      };
      if (hadRecentInput) continue;
      shifts.push({ value, what: sources.map(({ node }) => named(node)).join(', ') });
    }
  }).observe({ type: 'layout-shift', buffered: true });
  let before: string | null = null;
  const look = () => {
    // The agent walks, and the policy in each cell changes.
    const drawn = [
      ...document.querySelectorAll<SVGElement>('.stage :is(.maze-agent, .maze-petal)'),
    ];
    const now = drawn.map(({ style }) => style.transform).join(' ');
    if (now !== '') firsts.picture ??= performance.now();
    if (before !== null && before !== '' && now !== before) firsts.movement ??= performance.now();
    before = now;
    // Scroll to the curve if it is below the first screen.
    if (firsts.movement !== undefined && firsts.rise === undefined) {
      document
        .querySelector('[data-testid="chart-success"]')
        ?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    }
    const curve = document.querySelector('[data-testid="chart-success"] path.curve');
    if ((curve?.getBoundingClientRect().height ?? 0) >= rise) firsts.rise ??= performance.now();
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

for (const size of sizes) {
  const phone = size.width < 500;
  test.describe(`at ${size.width} × ${size.height}`, () => {
    test.use({ viewport: size, hasTouch: phone, isMobile: phone });

    test('the agent moves without input, and the layout does not shift', async ({ lab }) => {
      const { page } = lab;
      await page.addInitScript(watch, RISE_PX);
      await page.goto('/');
      await lab.reach(ITERATIONS);
      await page.waitForFunction(
        () => window.firsts?.movement !== undefined && window.firsts.rise !== undefined,
      );
      const { shifts, firsts } = await page.evaluate(() => ({
        shifts: window.shifts ?? [],
        firsts: window.firsts ?? {},
      }));
      const total = shifts.reduce((sum, { value }) => sum + value, 0);
      const times = Object.entries(firsts).map(
        ([what, ms]) => `${what} ${(ms / 1000).toFixed(1)} s`,
      );
      const description = `layout shift ${total.toFixed(4)}, ${times.join(', ')}`;
      test.info().annotations.push({ type: 'first seconds', description });
      console.log(`${size.width} × ${size.height}: ${description}`);
      const worst = shifts.toSorted((a, b) => b.value - a.value).slice(0, 4);
      expect(total, JSON.stringify(worst)).toBeLessThan(0.02);

      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow).toBe(0);
      // Only system fonts are used, so none loads late and shifts the layout.
      expect(await page.evaluate(() => document.fonts.size)).toBe(0);
      const edges = async (selector: string) => {
        const box = await page.locator(selector).boundingBox();
        return { left: box?.x ?? Number.NaN, right: (box?.x ?? 0) + (box?.width ?? Number.NaN) };
      };
      const content = await edges('.overview');
      expect((await edges('.brand')).left).toBeCloseTo(content.left, 0);
      // On a phone the last icon's box extends into the margin to align its glyph with the text.
      const last = await edges('.aside');
      expect(last.right - content.right).toBeGreaterThanOrEqual(-1);
      expect(last.right - content.right).toBeLessThanOrEqual(6);
      for (const button of await page.locator('.top button:visible').all()) {
        const box = await button.boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? Number.NaN)).toBeLessThanOrEqual(size.width);
      }
      await lab.photograph('first-seconds');
    });

    if (thorough || size.width < 800) {
      test('the layout does not shift with the processor throttled six-fold', async ({ lab }) => {
        const { page } = lab;
        await page.addInitScript(watch, RISE_PX);
        const session = await page.context().newCDPSession(page);
        await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
        await page.goto('/');
        await lab.reach(ITERATIONS);
        const shifts = await page.evaluate(() => window.shifts ?? []);
        const total = shifts.reduce((sum, { value }) => sum + value, 0);
        console.log(`${size.width} × ${size.height}, throttled: layout shift ${total.toFixed(4)}`);
        const worst = shifts.toSorted((a, b) => b.value - a.value).slice(0, 4);
        expect(total, JSON.stringify(worst)).toBeLessThanOrEqual(0.02);
      });
    }

    test('the stage and live charts of reward, entropy and horizon need no scrolling', async ({
      lab,
    }) => {
      const { page } = lab;
      await page.goto('/');
      await lab.reach(3);
      for (const name of ['success', 'entropy', 'horizon']) {
        const chart = page.getByTestId(`chart-${name}`);
        await expect(chart.locator('path.curve').first()).toHaveAttribute('d', /[HL]/);
        await expect(chart).toBeInViewport({ ratio: 1 });
      }
      await expect(lab.stage).toBeInViewport({ ratio: 1 });
      if (!phone) {
        await expect(page.locator('.story-detail')).toBeInViewport({ ratio: 1 });
        const headline = page.getByTestId('headline');
        // The current headline, and one of the longest.
        for (const text of [null, 'It solves about half of its tasks but has stopped improving.']) {
          const { height, line, cut } = await headline.evaluate((h1, text) => {
            const copy = document.createElement('h1');
            copy.textContent = text ?? h1.textContent;
            h1.after(copy);
            const measured = {
              height: copy.clientHeight,
              line: Number.parseFloat(getComputedStyle(copy).lineHeight),
              cut: copy.scrollWidth > copy.clientWidth,
            };
            copy.remove();
            return measured;
          }, text);
          expect(height).toBeLessThan(1.5 * line);
          expect(cut, text ?? 'the current headline').toBe(false);
        }
      }
      expect(await page.evaluate(() => scrollY)).toBe(0);
    });

    if (phone) {
      test('the stage is above the overview and mentions no keyboard shortcut', {
        tag: '@smoke',
      }, async ({ lab }) => {
        await lab.page.goto('/');
        const top = async (selector: string) =>
          (await lab.page.locator(selector).boundingBox())?.y ?? Number.NaN;
        await expect(lab.stage).toBeVisible();
        expect(await top('.stage')).toBeLessThan(await top('.overview'));
        await lab.stage.getByRole('button', { name: 'Play against the agent' }).click();
        await expect(lab.stage.getByTestId('play-hint')).toHaveText(/^Use the buttons\./);
        await expect(lab.stage.locator('.pad-key').first()).toBeHidden();
      });
    }
  });
}
