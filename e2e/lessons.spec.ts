import type { Locator, Page } from '@playwright/test';
import { thorough } from '../scripts/tier.mjs';
import { expectAccessible } from './accessible.ts';
import { expect, type LabPage, test } from './lab-page.ts';

const lesson = (page: Page) => page.getByTestId('lesson');
const title = (page: Page) => lesson(page).getByRole('heading', { level: 2 }).first();

const order: readonly string[] = [
  ...['maze', 'groups', 'clipping', 'stale'],
  ...['horizon', 'imitation', 'critics', 'autopsy'],
  ...['heads', 'mismatch'],
];

/** Supervised warm starts take over a minute. */
const taughtFirst = ['imitation', 'critics'];

/** Input by keyboard only, or by touch only. */
interface Visitor {
  press(target: Locator): Promise<void>;
  /** Chooses the second answer of a prediction. */
  answer(choices: Locator): Promise<void>;
  turn(thumb: Locator): Promise<void>;
  /** Draws a curve in the prediction card. */
  draw(card: Locator): Promise<void>;
  /** Closes the step-through. */
  closeWalk(): Promise<void>;
  /** Returns from the lab to the lesson. */
  comeBack(pressed: Locator): Promise<void>;
}

/** Presses Tab until the element has focus. */
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
      await press(card.getByRole('button', { name: 'Start the run' }));
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

/** Drags a finger slowly enough for the page to redraw. */
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
      if (before === null || knob === null) throw new Error('the knob is not visible');
      const y = before.y + before.height / 2;
      // Halfway to the left end of the knob.
      await drag(page, { x: before.x + before.width / 2, y }, { x: (knob.x + before.x) / 2, y });
    },
    async draw(card) {
      await card.getByRole('group').tap();
      await card.getByRole('button', { name: 'Start the run' }).tap();
    },
    closeWalk: () => page.getByRole('button', { name: 'Close the step-through' }).tap(),
    async comeBack(pressed) {
      await page.locator('.lesson-back').tap();
      await expect(pressed).toBeInViewport();
    },
  };
}

/** Completes every exercise of the open lesson in order. */
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
    else if (await holds('[data-testid=lesson-draw]')) await openMazeEditor(page, visitor, block);
    else if (await holds('.lesson-look')) await look(page, visitor, block);
    else if (await holds('.lesson-knob')) await turn(lab, visitor, block);
    else if (await holds('details')) await unfold(visitor, block);
    // A knob or chart is marked as missing if its run has not started.
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
  // Ignore the print-only axes.
  const drawn = await block.evaluate((one) => one.nextElementSibling?.matches('.lesson-axes'));
  if (drawn === true) {
    await expect(card).toBeVisible();
    const show = standing.locator('.lesson-look');
    await visitor.press(show);
    await visitor.draw(card);
    await visitor.comeBack(show);
  }
  if (taughtFirst.includes(name)) await expect(lab.status).toHaveText('Training');
  else await expect(standing).toHaveText(/Iteration \d+: |^Ready\./);
}

async function openMazeEditor(page: Page, visitor: Visitor, block: Locator): Promise<void> {
  await visitor.press(block.getByTestId('lesson-draw'));
  await expect(page.getByTestId('maze-board')).toBeVisible();
  await visitor.press(page.getByRole('button', { name: 'Close the maze editor' }));
  await expect(page.getByTestId('maze-board')).toBeHidden();
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
  // A missing target is announced; an existing one receives focus.
  const shown = page.locator('main :focus');
  await expect(shown.or(block.getByRole('status'))).toBeVisible();
  if (await shown.isVisible()) await visitor.comeBack(button);
}

async function turn(lab: LabPage, visitor: Visitor, block: Locator): Promise<void> {
  // A scheduled value has no slider until it is fixed.
  const fix = block.getByRole('button', { name: /^Fix at/ });
  if ((await fix.count()) > 0) await visitor.press(fix);
  const thumb = block.getByRole('slider').first();
  const before = await thumb.getAttribute('aria-valuenow');
  const { changes } = await lab.state();
  await visitor.turn(thumb);
  const focused = await thumb.evaluate((element) => element === document.activeElement);
  await expect(thumb).not.toHaveAttribute('aria-valuenow', before ?? '');
  await expect.poll(async () => (await lab.state()).changes).not.toBe(changes);
  // The run has applied the value; the next key continues from it.
  if (focused) await expect(thumb).toBeFocused();
}

async function unfold(visitor: Visitor, block: Locator): Promise<void> {
  const summary = block.locator('summary');
  await visitor.press(summary);
  await expect(summary.locator('..')).toHaveAttribute('open', '');
}

/** Opens a lesson from the list. */
async function choose(page: Page, visitor: Visitor, name: string): Promise<void> {
  const choices = page.getByTestId('lesson-list').getByRole('button');
  await expect(choices).toHaveCount(order.length);
  await visitor.press(choices.nth(order.indexOf(name)));
}

/** Opens the next lesson, or the list after the last one. */
async function goOn(page: Page, visitor: Visitor, name: string): Promise<void> {
  await visitor.press(page.locator('.lesson-on'));
  const next = order[order.indexOf(name) + 1];
  await expect(page).toHaveURL(new RegExp(`lesson=${next ?? 'all'}(&|$)`));
  if (next === undefined) await expect(page.getByTestId('lesson-list')).toBeVisible();
  else await expect(title(page)).toBeFocused();
}

test.use({ reducedMotion: 'reduce' });

/** Lessons tested by default: one with two agents and a detour to the lab. */
const some = thorough ? order : ['groups'];

for (const name of some) {
  test(`the lesson ${name} can be completed by keyboard and keeps its progress after a reload`, async ({
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

    // The print view contains text and answers only.
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
    test(`the lesson ${name} can be completed by touch, with a detour to the lab`, async ({
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

test('a lesson shows only its own run, names both agents, and reveals the correct choice', {
  tag: '@smoke',
}, async ({ lab }) => {
  const { page } = lab;
  await page.goto('/?lesson=clipping&language=en');
  await lab.reach(2);
  const own = lesson(page);
  // The run of the page is not the lesson's.
  await expect(own.getByTestId('lesson-entropy')).toHaveCount(0);
  await expect(own.getByText('The chart appears here when you start the run above.')).toHaveCount(
    2,
  );

  const choices = own.getByRole('radio');
  await choices.first().check();
  await expect(own.getByTestId('lesson-verdict')).toHaveText(/^Saved\./);
  await own.getByTestId('lesson-begin').first().click();
  const chart = own.locator('.lesson-chart').first();
  await expect(chart.getByRole('list', { name: 'Agents' }).getByRole('listitem')).toHaveText([
    /0\.5/,
    /0\.98/,
  ]);

  await own.getByTestId('lesson-outcome').locator('summary').click();
  await expect(own.getByTestId('lesson-verdict')).toHaveText(/^Your prediction was wrong/);
  await expect(own.locator('.lesson-option-right')).toContainText('The one with 0.98');
  await choices.last().check();
  await expect(own.getByTestId('lesson-verdict')).toHaveText('Your prediction was correct.');
});

test('terms are defined in the language of the page, which can be switched in a lesson', async ({
  lab,
}) => {
  const { page } = lab;
  await page.goto('/?lesson=maze&language=de');
  const card = page.getByTestId('term-card');
  await lesson(page).getByRole('button', { name: 'Belohnung' }).click();
  await expect(card).toHaveRole('dialog');
  await expect(card).toHaveAccessibleName('Belohnung (Reward)');
  await expect(card).toContainText('Siehe auch Vorteil (Advantage), Episode');
  await expectAccessible(page, 'German term', '[data-testid=term-card]');
  await card.getByRole('button', { name: 'Alle Begriffe' }).click();
  const glossary = page.getByRole('dialog', { name: 'Begriffe' });
  await expect(glossary).toContainText('Strategie (Policy)');
  await glossary.getByRole('button', { name: 'Begriffe schließen' }).click();

  await page.locator('.lesson-bar').getByText('English').click();
  await expect(title(page)).toHaveText('What is reinforcement learning?');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Terms' }).click();
  await expect(page.getByRole('dialog', { name: 'Terms' })).toContainText('Policy');
});
