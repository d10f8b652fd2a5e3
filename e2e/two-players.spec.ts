import { readFile } from 'node:fs/promises';
import type { Download } from '@playwright/test';
import type { CritiqueItem } from '../src/runs/critique-item.ts';
import { expectAccessible } from './accessible.ts';
import { expect, test } from './lab-page.ts';
import { keptTo } from './tiny-run.ts';

/** Barely trained actor and critic, so that every kind of mistake occurs. */
const players = {
  preset: 'critique-rl',
  'env.options.steps': 3,
  'policy.layers': 1,
  'policy.width': 32,
  'policy.ffn_width': 64,
  'imitation.epochs': 2,
  'imitation.most_tasks': 200,
  'critique.refinements': 100,
  'critique.refinement_epochs': 1,
  'critique.critiques': 60,
  'critique.critique_epochs': 2,
  'critique.enough_discrimination': 0,
  'critique.discrimination': 0.2,
  'critique.first_stage': 1,
  'critique.second_stage': 1000,
  'rollout.tasks_per_iteration': 4,
  'rollout.group_size': 4,
  'evaluation.interval': 0,
  'stopping.iterations': 10_000,
} as const;

async function lines(download: Download): Promise<readonly CritiqueItem[]> {
  const text = await readFile(await download.path(), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('conversations can be read, answers critiqued, and data sets created and opened', {
  tag: '@smoke',
}, async ({ lab }) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open(players);
  await lab.reach(2);
  await lab.pause();
  const panel = page.getByTestId('two-players');
  await panel.scrollIntoViewIfNeeded();
  const conversation = panel.getByTestId('conversation');

  // The newest iteration belongs to the second stage.
  await expect(conversation).toBeVisible();
  await expect(conversation.getByRole('heading')).toHaveText([
    ...['The answer', 'The refinement', 'The critique’s reward'],
  ]);
  const worth = conversation.locator('.conv-worth dd');
  await expect(worth).toHaveCount(4);
  const number = (text: string) => Number(text.replace('−', '-'));
  const [told, refined, reward] = (await worth.allInnerTexts()).map(number);
  expect(reward).toBeCloseTo((refined ?? Number.NaN) + 0.2 * (told ?? Number.NaN), 6);
  const group = conversation.locator('.conv-group button');
  await expect(group).toHaveCount(4);
  await group.nth(2).click();
  await expect(group.nth(2)).toHaveAttribute('aria-pressed', 'true');
  // An untrained actor may write a long line, which must not push the judgments out of the page.
  await conversation
    .locator('.reasoning-text')
    .first()
    .evaluate((cell) => cell.append(' 2 ='.repeat(60)));
  await expectAccessible(page, 'conversations', '[data-testid="two-players"]');

  // The filter applies, and first-stage conversations have no refinement.
  const choose = async (label: string, option: string) => {
    await panel.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Iteration', 'Iteration 1');
  await expect(conversation.getByRole('heading')).toHaveText([
    ...['The answer', 'The critique’s reward'],
  ]);
  await choose('Iteration', 'All iterations');
  await choose('Change in the answer', 'Wrong → wrong');
  await expect(conversation).toHaveAttribute('data-flip', 'wrong-wrong');

  // Act as the critic.
  await conversation.getByRole('button', { name: 'Play its critic' }).click();
  const critic = panel.getByTestId('critic');
  const see = critic.getByRole('button', { name: 'Show the actor’s refinement' });
  await critic.locator('.conv-mine').first().getByText('wrong', { exact: true }).click();
  await see.click();
  await expect(critic.getByRole('alert')).toContainText(
    'Enter the correct value of the step that you call wrong',
  );
  await critic.getByRole('combobox', { name: 'Correct value' }).fill('99');
  await page.keyboard.press('Escape');
  await see.click();
  await expect(critic.getByRole('alert')).toContainText('not a possible value of this step');
  await critic.getByRole('combobox', { name: 'Correct value' }).fill('3');
  await page.keyboard.press('Escape');
  await see.click();
  await expect(critic.locator('.conv-one')).toHaveCount(3);
  await expect(critic.locator('.conv-one h4')).toContainText(['You', 'The critic', 'The oracle']);
  await expect(critic.locator('.conv-one[data-author="oracle"]')).toContainText(
    'says wrong; the verdict is true',
  );
  await expectAccessible(page, 'critiques weighed', '[data-testid="two-players"]');
  await critic.getByRole('button', { name: 'Request an answer' }).click();
  await expect(critic.getByRole('heading', { name: 'Your critique' })).toBeVisible();

  // Create a data set, save it and open the file.
  await panel.getByText('Data set', { exact: true }).click();
  const data = panel.getByTestId('dataset');
  await data.getByRole('textbox', { name: 'Critiques' }).fill('40');
  await data.getByRole('button', { name: 'Create' }).click();
  const name = data.getByTestId('dataset-name');
  await expect(name).toContainText(/critiques-\d+-seed-1\.jsonl/);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    data.getByRole('button', { name: 'Download' }).click(),
  ]);
  const items = await lines(download);
  expect(items.length).toBeGreaterThan(10);
  const right = items.filter((item) => item.right).length;
  const open = (text: string) =>
    data.getByTestId('dataset-file').setInputFiles({
      ...{ name: 'mine.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) },
    });
  await open(items.map((item) => JSON.stringify(item)).join('\n'));
  await expect(name).toContainText(`mine.jsonl: ${items.length} critiques`);
  await expect(data.locator('[data-aspect="answer"] button').last().locator('b')).toHaveText(
    String(items.length - right),
  );
  await data.locator('[data-aspect="answer"] button').last().click();
  const item = data.getByTestId('dataset-item');
  await expect(item).toContainText(`Item 1 of ${items.length - right}`);
  await expect(item.getByTestId('verdict')).toContainText('The answer is wrong.');
  await item.getByRole('button', { name: 'Random item' }).click();
  await expectAccessible(page, 'data set', '[data-testid="two-players"]');
  await open(`${JSON.stringify(items[0])}\n{"task": 1}`);
  await expect(data.getByRole('alert')).toContainText('mine.jsonl: Line 2: task must be');
  await expect(name).toContainText('mine.jsonl');

  // Test-time samples with and without the critic.
  await panel.getByText('Test time', { exact: true }).click();
  const testTime = panel.getByTestId('test-time');
  await testTime.getByRole('textbox', { name: 'Evaluation tasks' }).fill('3');
  await testTime.getByRole('combobox', { name: 'Maximum samples per task' }).click();
  await page.getByRole('option', { name: '4', exact: true }).click();
  await testTime.getByRole('button', { name: 'Draw samples' }).click();
  const numbers = testTime.getByTestId('test-time-table').locator('tbody tr');
  await expect(numbers).toHaveCount(4);
  const tokens = async (how: string) =>
    Number(await testTime.locator(`tr[data-draw="${how}"] td`).first().innerText());
  const [atFirst, chains] = [await tokens('answers'), await tokens('chains')];
  expect(chains).toBeGreaterThan(atFirst);
  const k = testTime.getByTestId('test-time-k');
  await expect(k).toHaveText('1');
  await testTime.getByRole('slider', { name: 'Samples per task' }).press('End');
  await expect(k).toHaveText('4');
  expect(await tokens('answers')).toBeGreaterThan(2 * atFirst);
  const dots = testTime.getByTestId('test-time-tasks').locator('li').first().locator('i');
  await expect(dots).toHaveCount(4);
  await expectAccessible(page, 'test time', '[data-testid="two-players"]');

  // Step through one iteration, from the answer to the critic's update.
  await lab.button('Walk: step through an iteration, phase by phase').click();
  const walk = page.getByRole('dialog');
  const facts = walk.getByTestId('step-facts');
  for (const title of [
    'Answer',
    'Critique',
    'Refine',
    'Reward',
    'Advantages',
    'Loss of',
    'Update',
  ]) {
    await walk.getByTestId('step-next').click();
    await expect(facts.getByRole('heading', { name: title }).first()).toBeVisible();
  }
  await walk.getByTestId('step-next').click();
  await expect(walk.getByTestId('step-next')).toHaveText(/^Start iteration/);
  await walk.getByRole('button', { name: 'Close the step-through' }).click();

  // Conversations survive a reload.
  const { iterations } = await lab.state();
  await expect.poll(async () => keptTo(await lab.state())).toBe(iterations);
  await page.reload();
  await expect(lab.status).toHaveText('Paused');
  await panel.scrollIntoViewIfNeeded();
  await expect(conversation).toBeVisible();
  await expect(conversation).toContainText(`Iteration ${iterations}`);
});
