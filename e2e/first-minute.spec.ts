import { thorough } from '../scripts/tier.mjs';
import { expect, type LabPage, test } from './lab-page.ts';

declare global {
  interface Window {
    /** What a visitor has seen of a run so far. */
    minute?: {
      /** Milliseconds from opening to the first change of a number; null before it. */
      firstNumber: number | null;
      /** Longest time in milliseconds with more empty cards than `MOST_EMPTY`. */
      emptyFor: number;
      /** Most empty cards at once during imitation. */
      mostEmpty: number;
    };
  }
}

const MOST_EMPTY = 2;
/** Documented time to the first moving number, in milliseconds on two idle cores. */
const FIRST_NUMBER_MS = 3000;
/** One preset of each kind of recipe. */
const some = ['maze', 'alfworld', 'agentevol', 'critique-rl'];
/** By default, the test stops when numbers move. */
const WATCHED_MS = thorough ? 60_000 : 0;

/** Runs in the page from the start. */
function observe(most: number): void {
  const minute: NonNullable<Window['minute']> = { firstNumber: null, emptyFor: 0, mostEmpty: 0 };
  window.minute = minute;
  let before = '';
  let since: number | null = null;
  const look = () => {
    const now = performance.now();
    const numbers = document.querySelectorAll('.first-charts dd, .preparation b, .overview dd');
    const text = [...numbers].map((number) => number.textContent?.replace(/\D/g, '')).join(' ');
    if (/\d/.test(before) && /\d/.test(text) && text !== before) minute.firstNumber ??= now;
    before = text;
    const cards = [...document.querySelectorAll('.first-charts > .chart')];
    const curve = 'path.curve[d^="M"], [data-series] > :not(.curve)';
    const empty = cards.filter((card) => card.querySelector(curve) === null).length;
    const headline = document.querySelector('[data-testid="headline"]')?.textContent ?? '';
    if (headline.startsWith('Step 1')) minute.mostEmpty = Math.max(minute.mostEmpty, empty);
    since = empty > most ? (since ?? now) : null;
    if (since !== null) minute.emptyFor = Math.max(minute.emptyFor, now - since);
    setTimeout(look, 50);
  };
  addEventListener('DOMContentLoaded', look);
}

/** Names of all presets in the gallery. */
async function allPresets(lab: LabPage): Promise<readonly string[]> {
  await lab.page.goto('/');
  const gallery = lab.page.getByRole('button', { name: /^Gallery/ });
  const cards = lab.page.locator('.gallery-choose');
  const names: string[] = [];
  for (let i = 0, count = 1; i < count; i++) {
    await gallery.click();
    await cards.first().waitFor();
    count = await cards.count();
    await cards.nth(i).click();
    await expect(cards).toHaveCount(0);
    names.push((await lab.state()).preset);
  }
  return names;
}

test('every preset shows moving numbers, and at most two empty cards during imitation', async ({
  lab,
}) => {
  const { page } = lab;
  if (thorough) test.setTimeout(3_600_000);
  await page.addInitScript(observe, MOST_EMPTY);
  for (const preset of thorough ? await allPresets(lab) : some) {
    await page.goto(`/?preset=${preset}&depth=watch`);
    await page.waitForFunction(() => (window.minute?.firstNumber ?? null) !== null);
    await page.waitForTimeout(WATCHED_MS);
    const { firstNumber, emptyFor, mostEmpty } = await page.evaluate(() => {
      if (window.minute === undefined) throw new Error('the page was not observed');
      return window.minute;
    });
    console.log(`${preset}: first moving number after ${Math.round(firstNumber ?? Number.NaN)} ms`);
    expect.soft(mostEmpty, preset).toBeLessThanOrEqual(MOST_EMPTY);
    if (!thorough) continue;
    expect.soft(firstNumber, preset).toBeLessThanOrEqual(FIRST_NUMBER_MS);
    expect.soft(emptyFor, preset).toBeLessThanOrEqual(FIRST_NUMBER_MS);
  }
});
