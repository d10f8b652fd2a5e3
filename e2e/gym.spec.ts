import type { Locator } from '@playwright/test';
import { thorough } from '../scripts/tier.mjs';
import { expect, type LabPage, test } from './lab-page.ts';
import { stage, stagedMixture } from './staged-run.ts';

/** Titles of one environment per kind; tool environments are one kind. */
const kinds = [
  'Double-T maze, partially observed',
  'Wordle',
  'BabyAI: go to an object',
  'TextCraft',
  'Question answering by search',
  'Reasoning: column addition',
  'Tools: films',
  'Tools: spreadsheet',
  'BIRD: SQL queries',
  ...(thorough ? ['Tools: to-do list', 'Tools: weather', 'Tools: papers and authors'] : []),
];

/** Two environments with separate training and evaluation tasks. */
const mixed = ['maze/double-t-v1', 'wordle/wordle-v1'];

/** Request a missing GPU, so nothing trains during the test. */
async function withoutGpu(lab: LabPage): Promise<void> {
  await lab.page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
  });
}

/** Selects an environment by title from the list. */
async function chooseTitle(lab: LabPage, list: Locator, title: string): Promise<void> {
  await list.click();
  // One title may be a prefix of another; the explanation starts with a capital letter.
  const option = lab.page
    .getByRole('option')
    .filter({ has: lab.page.getByText(title, { exact: true }) });
  await option.click();
}

/** Plays the current task to its end with the expert's advice. */
async function playAsAdvised(lab: LabPage): Promise<void> {
  const hint = lab.stage.getByTestId('play-hint');
  const dialogue = lab.stage.getByTestId('dialogue');
  await expect(hint).toContainText('The agent sees only the text');
  for (let turns = 1; turns <= 60; turns++) {
    await lab.stage.getByRole('button', { name: 'Ask the expert' }).click();
    await expect(lab.stage.getByTestId('advice')).toContainText(/[a-z0-9"\]]\./);
    await lab.stage.getByRole('button', { name: /^Take the expert’s action/ }).click();
    const over = await lab.stage.getByRole('button', { name: 'Same task again' }).isVisible();
    if (over) {
      await expect(dialogue).toContainText(`Solved in ${turns} turn`);
      await expect(hint).toHaveText(
        `You took ${turns} ${turns === 1 ? 'turn' : 'turns'}; the expert took ${turns}.`,
      );
      return;
    }
  }
  throw new Error('the task was not over after 60 turns');
}

/** Plays the environment on the stage and reads its description. */
async function playedAndExplained(lab: LabPage, title: string): Promise<void> {
  await lab.stage.getByRole('button', { name: 'Play it yourself' }).click();
  await expect(lab.stage.locator('[data-outcome]')).toBeVisible();
  const about = lab.stage.getByRole('button', { name: `About ${title}` });
  await about.click();
  await expect(lab.page.getByTestId('about')).toContainText('Evaluation tasks');
  await about.click();
  await expect(lab.page.getByTestId('about')).toBeHidden();
  await playAsAdvised(lab);
  await lab.photograph(`played-${title}`);

  await lab.stage.getByRole('button', { name: 'Another task' }).click();
  await expect(lab.stage.getByTestId('dialogue').getByRole('listitem')).toHaveCount(1);
  await lab.stage.getByText('Expert', { exact: true }).click();
}

test.describe('without training', () => {
  for (let first = 0; first < kinds.length; first += 3) {
    const titles = kinds.slice(first, first + 3);
    test(`${titles.join('; ')}: can be selected, explained and solved by hand`, async ({ lab }) => {
      await withoutGpu(lab);
      await lab.page.emulateMedia({ reducedMotion: 'reduce' });
      await lab.open({ device: 'webgpu' });
      for (const title of titles) {
        await test.step(title, async () => {
          await lab.openSettings(/^Environment/);
          await chooseTitle(lab, lab.field('env.id').getByRole('combobox'), title);
          await lab.button('Apply & restart').click();
          await expect(lab.stage.getByTestId('where')).toHaveText(title);
          await expect(lab.stage.locator('.thought').first()).toHaveText(/\.$/);
          await playedAndExplained(lab, title);
        });
      }
    });
  }

  test('actions can be typed, and tasks chosen by name', { tag: '@smoke' }, async ({ lab }) => {
    await withoutGpu(lab);
    await lab.open({ device: 'webgpu', 'env.id': 'wordle/wordle-v1' });
    await lab.stage.getByRole('button', { name: 'Play it yourself' }).click();
    const line = lab.stage.getByRole('combobox', { name: 'Your action' });
    await line.fill('Apple');
    await line.press('Enter');
    const dialogue = lab.stage.getByTestId('dialogue');
    await expect(dialogue.getByText('a p p l e', { exact: true })).toBeVisible();
    await expect(dialogue.getByText('not an action')).toBeHidden();
    await expect(line).toHaveValue('');
    await line.fill('sing a song');
    await line.press('Enter');
    await expect(dialogue.getByText('not an action')).toBeVisible();
    // The list filters by the typed text and accepts an action.
    await line.fill('brea');
    await lab.page.getByRole('option', { name: 'b r e a d' }).click();
    await expect(dialogue.getByRole('listitem')).toHaveCount(4);

    const task = lab.stage.getByRole('combobox', { name: 'Task' });
    await task.click();
    await task.fill('wordle_5');
    await lab.page.getByRole('option', { name: 'wordle_5', exact: true }).click();
    await expect(lab.stage.locator('.stage-foot')).toContainText('wordle_5');
    await expect(dialogue.getByRole('listitem')).toHaveCount(1);
  });

  test('a word list from a file is checked, used and stored in the link', async ({ lab }) => {
    await withoutGpu(lab);
    await lab.open({ device: 'webgpu', 'env.id': 'wordle/wordle-v1' });
    await lab.openSettings(/^Environment/);
    const field = lab.field('env.options.words');
    const pick = (text: string) =>
      field
        .getByTestId('option-file')
        .setInputFiles({ name: 'words.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await pick('crane\nslate\ntoolong\n');
    await expect(field).toContainText('toolong');
    await expect(lab.button('Apply & restart')).toBeDisabled();
    const words = 'crane slate brick jumpy vozhd waltz fibre nymph';
    await pick(words);
    await expect(field.getByRole('textbox')).toHaveValue(words);
    await lab.button('Apply & restart').click();
    await expect
      .poll(() => new URL(lab.page.url()).searchParams.get('env.options.words'))
      .toBe(words);
    await lab.page.reload();
    await expect(lab.stage).toContainText('The list has 8');
  });
});

test.describe('a mixture', () => {
  test('can be composed in the settings and is charted per environment', async ({ lab }) => {
    await stage(lab.page, stagedMixture(mixed, 40));
    await lab.page.emulateMedia({ reducedMotion: 'reduce' });
    await lab.open();
    await expect(lab.page.getByTestId('chart-environments')).toBeHidden();
    await lab.openSettings(/^Environment/);
    const editor = lab.page.getByTestId('mixture');
    await editor.getByText('A mixture', { exact: true }).click();
    await expect(lab.field('env.id')).toBeHidden();
    const parts = editor.locator('[data-part]');
    await expect(parts).toHaveCount(2);
    await expect(editor).toContainText('50% of the tasks');

    const add = editor.getByRole('combobox', { name: 'Add an environment' });
    await chooseTitle(lab, add, 'Generated mazes');
    await expect(parts).toHaveCount(3);
    await editor.locator('[data-part="maze/generated-v2"] summary').click();
    const size = editor.locator('[data-path="env.mixture.2.options.size"]').getByRole('textbox');
    await size.fill('6');
    await expect(lab.settings).toContainText('steps of 2');
    await expect(lab.button('Apply & restart')).toBeDisabled();
    await size.fill('9');
    await editor.getByRole('slider', { name: 'Share of Generated mazes in percent' }).press('End');
    await expect(editor).toContainText('98% of the tasks');
    await editor.getByRole('button', { name: 'Remove Generated mazes' }).click();
    await expect(parts).toHaveCount(2);
    await lab.button('Apply & restart').click();

    const chart = lab.page.getByTestId('chart-environments');
    await expect(chart).toContainText('Double-T maze');
    await expect(chart).toContainText('Wordle');
    // Two lines per environment, and a mark per evaluation.
    await expect(chart.locator('.curves .curve')).toHaveCount(4);
    await expect(chart.locator('.plot .marker')).toHaveCount(16);
    await expect(chart.locator('.chart-why')).toContainText('Double-T maze is solved most often');
    await expect(lab.page.getByTestId('chart-success')).toContainText('after imitation 31%');

    const words = lab.stage.locator('.turn').first();
    await expect(words.locator('.thought')).toHaveText('The agent thinks: The goal is below.');
    await expect(words.locator('.token-text')).toHaveText(['move down', '<end>']);

    await lab.stage.getByText('Expert', { exact: true }).click();
    await lab.stage.getByRole('combobox', { name: 'Environment to show' }).click();
    await lab.page.getByRole('option', { name: 'Wordle' }).click();
    await expect(lab.stage.locator('[data-outcome]')).toHaveAttribute('data-outcome', 'success');
    await expect(lab.stage.getByTestId('dialogue')).toContainText('hidden word');
    await lab.photograph('mixture');

    // The link restores the mixture.
    await lab.page.reload();
    await expect(chart).toContainText('Wordle');
    const mixture: unknown = JSON.parse(
      new URL(lab.page.url()).searchParams.get('env.mixture') ?? '',
    );
    expect(mixture).toEqual(
      mixed.map((id) => ({ id, options: {}, share: 1, imitation_weight: 1 })),
    );
  });
});
