import type { Locator, Page } from '@playwright/test';
import { thorough } from '../scripts/thorough.mjs';
import { expectAccessible } from './accessible.ts';
import { expect, type LabPage, test } from './lab-page.ts';

const lesson = (page: Page) => page.getByTestId('lesson');
const title = (page: Page) => lesson(page).getByRole('heading', { level: 2 }).first();

const order: readonly string[] = [
  ...['maze', 'groups', 'clipping', 'stale'],
  ...['horizon', 'imitation', 'critics', 'autopsy'],
];

/** Agents are taught for a minute and more before their first iteration. */
const taughtFirst = ['imitation', 'critics'];

/** What a visitor does who has nothing but keys, or nothing but a finger. */
interface Visitor {
  press(target: Locator): Promise<void>;
  /** Chooses the second answer of a prediction. */
  answer(choices: Locator): Promise<void>;
  turn(thumb: Locator): Promise<void>;
  /** Draws in the card of the prediction. */
  draw(card: Locator): Promise<void>;
  /** Closes the walk through an iteration. */
  closeWalk(): Promise<void>;
  /** Goes back from the lab to what was pressed in the lesson. */
  comeBack(pressed: Locator): Promise<void>;
}

/** Goes on with the Tab key until it has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

function withKeys(page: Page): Visitor {
  const press = async (target: Locator) => {
    await tabTo(page, target);
    await page.keyboard.press('Enter');
  };
  return {
    press,
    async answer(choices) {
      await tabTo(page, choices.first());
      await page.keyboard.press('ArrowDown');
    },
    async turn(thumb) {
      await tabTo(page, thumb);
      await page.keyboard.press('ArrowLeft');
    },
    async draw(card) {
      await expect(card).toBeFocused();
      await tabTo(page, card.getByRole('slider').first());
      await page.keyboard.press('End');
      await press(card.getByRole('button', { name: 'See what it does' }));
    },
    closeWalk: () => page.keyboard.press('Escape'),
    async comeBack(pressed) {
      await page.keyboard.press('Escape');
      await expect(pressed).toBeFocused();
    },
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A finger goes from one point to another; it is slower than the page draws. */
async function drag(page: Page, from: Point, to: Point): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const steps = [
    { type: 'touchStart', touchPoints: [from] },
    { type: 'touchMove', touchPoints: [to] },
    { type: 'touchEnd', touchPoints: [] },
  ] as const;
  for (const { type, touchPoints } of steps) {
    await session.send('Input.dispatchTouchEvent', { type, touchPoints: [...touchPoints] });
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
  }
  await session.detach();
}

function withFinger(page: Page): Visitor {
  return {
    press: (target) => target.tap(),
    answer: (choices) => choices.nth(1).tap(),
    async turn(thumb) {
      await thumb.scrollIntoViewIfNeeded();
      const before = await thumb.boundingBox();
      const knob = await page.locator('.lesson-knob').boundingBox();
      if (before === null || knob === null) throw new Error('the knob is not to be seen');
      const y = before.y + before.height / 2;
      // Half of the way down.
      await drag(page, { x: before.x + before.width / 2, y }, { x: (knob.x + before.x) / 2, y });
    },
    async draw(card) {
      await card.getByRole('group').tap();
      await card.getByRole('button', { name: 'See what it does' }).tap();
    },
    closeWalk: () => page.getByRole('button', { name: 'Close the walk' }).tap(),
    async comeBack(pressed) {
      await page.locator('.lesson-back').tap();
      await expect(pressed).toBeInViewport();
    },
  };
}

/** Does all that the open lesson asks for, from its first line to its last. */
async function goThrough(lab: LabPage, visitor: Visitor, name: string): Promise<void> {
  const { page } = lab;
  await expect(lesson(page)).toHaveAttribute('data-lesson', name);
  await expect(title(page)).toBeFocused();
  await expect(page.locator('.lesson-fault')).toHaveCount(0);
  const blocks = lesson(page).locator('.lesson-text > *');
  for (let place = 0; place < (await blocks.count()); place++) {
    const block = blocks.nth(place);
    if (await block.evaluate((element) => element.matches('.lesson-in-print, .lesson-axes')))
      continue;
    const holds = async (part: string) =>
      (await block.locator(part).count()) > 0 ||
      (await block.evaluate((element, selector) => element.matches(selector), part));
    if (await holds('[data-testid=lesson-predict]')) await answer(block, visitor);
    else if (await holds('[data-testid=lesson-begin]')) await begin(lab, visitor, block, name);
    else if (await holds('[data-testid=lesson-walk]')) await walk(page, visitor, block);
    else if (await holds('.lesson-look')) await look(page, visitor, block);
    else if (await holds('.lesson-knob')) await turn(lab, visitor, block);
    else if (await holds('details')) await unfold(visitor, block);
    // A knob or a chart for which the run is missing.
    else await expect(block, `${name}, part ${place}`).not.toHaveClass(/lesson-missing/);
  }
  expect((await lab.state()).error).toBeNull();
}

async function answer(block: Locator, visitor: Visitor): Promise<void> {
  const choices = block.getByRole('radio');
  await visitor.answer(choices);
  await expect(choices.nth(1)).toBeChecked();
}

async function begin(lab: LabPage, visitor: Visitor, block: Locator, name: string): Promise<void> {
  const { page } = lab;
  const { runId } = await lab.state();
  await visitor.press(block.getByTestId('lesson-begin'));
  const standing = block.getByTestId('lesson-standing');
  await expect(standing).toBeVisible();
  expect((await lab.state()).runId).not.toBe(runId);
  const card = page.getByTestId('predict');
  // Of the axes to draw on, which are for paper.
  const drawn = await block.evaluate((one) => one.nextElementSibling?.matches('.lesson-axes'));
  if (drawn === true) {
    await expect(card).toBeVisible();
    const show = standing.locator('.lesson-look');
    await visitor.press(show);
    await visitor.draw(card);
    await visitor.comeBack(show);
  }
  if (taughtFirst.includes(name)) await expect(lab.status).toHaveText('Training');
  else await expect(standing).toHaveText(/Iteration \d+: /);
}

async function walk(page: Page, visitor: Visitor, block: Locator): Promise<void> {
  const button = block.getByTestId('lesson-walk');
  await visitor.press(button);
  await expect(page.getByTestId('step-next')).toBeVisible();
  await visitor.closeWalk();
  await expect(page.getByTestId('step-next')).toBeHidden();
  await expect(button).toBeFocused();
}

async function look(page: Page, visitor: Visitor, block: Locator): Promise<void> {
  const button = block.locator('.lesson-look');
  await visitor.press(button);
  // What is not there yet is told; the rest has the focus.
  const shown = page.locator('main :focus');
  await expect(shown.or(block.getByRole('status'))).toBeVisible();
  if (await shown.isVisible()) await visitor.comeBack(button);
}

async function turn(lab: LabPage, visitor: Visitor, block: Locator): Promise<void> {
  const thumb = block.getByRole('slider').first();
  const before = await thumb.getAttribute('aria-valuenow');
  const { changes } = await lab.state();
  await visitor.turn(thumb);
  const focused = await thumb.evaluate((element) => element === document.activeElement);
  await expect(thumb).not.toHaveAttribute('aria-valuenow', before ?? '');
  await expect.poll(async () => (await lab.state()).changes).not.toBe(changes);
  // The run has taken it, and the next key turns on from there.
  if (focused) await expect(thumb).toBeFocused();
}

async function unfold(visitor: Visitor, block: Locator): Promise<void> {
  const summary = block.locator('summary');
  await visitor.press(summary);
  await expect(summary.locator('..')).toHaveAttribute('open', '');
}

/** Chooses a lesson from the list of all. */
async function choose(page: Page, visitor: Visitor, name: string): Promise<void> {
  const choices = page.getByTestId('lesson-list').getByRole('button');
  await expect(choices).toHaveCount(order.length);
  await visitor.press(choices.nth(order.indexOf(name)));
}

/** Goes on to the lesson after this one, after the last to the list. */
async function goOn(page: Page, visitor: Visitor, name: string): Promise<void> {
  await visitor.press(page.locator('.lesson-on'));
  const next = order[order.indexOf(name) + 1];
  await expect(page).toHaveURL(new RegExp(`lesson=${next ?? 'all'}(&|$)`));
  if (next === undefined) await expect(page.getByTestId('lesson-list')).toBeVisible();
  else await expect(title(page)).toBeFocused();
}

test.use({ reducedMotion: 'reduce' });

/** Those that are gone through by default: one with two agents and a way to the lab and back. */
const some = thorough ? order : ['groups'];

for (const name of some) {
  test(`the lesson ${name} is gone through by keyboard, and stands where it was after a reload`, async ({
    lab,
  }) => {
    const { page } = lab;
    const visitor = withKeys(page);
    await page.goto('/');
    await expect(lab.stage).toBeVisible();
    await page.keyboard.press('l');
    await choose(page, visitor, name);
    await goThrough(lab, visitor, name);
    await lab.photograph('lesson');

    await page.reload();
    await expect(lesson(page).getByRole('radio').nth(1)).toBeChecked();
    const question = page.getByTestId('lesson-question');
    await expect(question).toBeInViewport();
    await visitor.press(question.locator('summary'));

    // A sheet of paper has the text and the answers, and nothing of the lab.
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByRole('heading', { name: 'Answers' })).toBeVisible();
    await expect(lab.stage).toBeHidden();
    await page.emulateMedia({ media: 'screen' });
    await expectAccessible(page, 'lesson', '.lesson');
    await goOn(page, visitor, name);
  });
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  for (const name of some) {
    test(`the lesson ${name} is gone through by touch, and back from the lab to the text`, async ({
      lab,
    }) => {
      const { page } = lab;
      const visitor = withFinger(page);
      await page.goto(`/?lesson=all&language=${thorough ? 'de' : 'en'}`);
      await choose(page, visitor, name);
      await goThrough(lab, visitor, name);
      await lab.photograph('lesson');
      if (thorough) await expectAccessible(page, 'lesson', '.lesson');
      await goOn(page, visitor, name);
    });
  }
});
