/** Inside the network: attention, interventions, logit lens, embeddings, and an agent from a file. */

import { readFile } from 'node:fs/promises';
import type { Locator } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, type LabPage, small, test } from './lab-page.ts';

test.use({ reducedMotion: 'reduce' });

/** Percentages of a text, as numbers. */
const shares = (text: string) =>
  [...text.matchAll(/([\d.]+)%/g)].map(([, share]) => Number(share) / 100);

async function openNetwork(lab: LabPage): Promise<Locator> {
  // A large learning rate and a fixed number of iterations, so that the head has an effect.
  await lab.open({
    ...small,
    'policy.layers': 2,
    'optimizer.learning_rate': 0.02,
    'stopping.iterations': 10,
    depth: 'watch',
  });
  await lab.reach(10);
  await lab.page.keyboard.press('n');
  const network = lab.page.getByTestId('network');
  await expect(network.getByText(/After iteration \d+, the newest/)).toBeVisible();
  return network;
}

test('a head can be selected and switched off, and a word replaced, by keyboard alone', async ({
  lab,
}) => {
  const network = await openNetwork(lab);
  const { page } = lab;
  const effect = network.getByTestId('net-effect');
  await expect(effect.getByRole('row')).toHaveCount(5);
  const before = shares(await effect.innerText());
  expect(before).toHaveLength(4);

  const head = network.getByRole('button', { name: 'Layer 2, head 2' });
  await head.focus();
  await page.keyboard.press('Enter');
  await expect(head).toHaveAttribute('aria-pressed', 'true');
  await network.getByRole('button', { name: 'Switch this head off' }).focus();
  await page.keyboard.press('Enter');
  await expect(effect.getByRole('columnheader', { name: 'Changed', exact: true })).toBeVisible();
  await expect(network.getByRole('button', { name: 'Layer 2, head 2, off' })).toBeVisible();
  const off = shares(await effect.locator('tbody').innerText());
  expect(off).toHaveLength(8);
  expect(off.filter((_, i) => i % 2 === 0)).toEqual(before);
  expect(off.filter((_, i) => i % 2 === 1)).not.toEqual(before);

  // The arrow keys move the attending token; a table lists the tokens it attends to.
  const tokens = network.getByRole('group', { name: /^The sentence/ }).getByRole('button');
  const count = await tokens.count();
  await tokens.nth(count - 1).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(tokens.nth(count - 2)).toBeFocused();
  const reads = network.getByTestId('net-reads').locator('tbody');
  const read = shares(await reads.innerText());
  expect(read.length).toBeGreaterThan(1);
  expect(read).toEqual(read.toSorted((a, b) => b - a));

  const replace = network.getByRole('combobox', { name: /^Replace/ });
  await replace.focus();
  await replace.fill('up');
  await page.getByRole('option', { name: 'move up', exact: true }).click();
  await expect(tokens.nth(count - 2)).toHaveAccessibleName(/^move up/);
  await network.getByRole('button', { name: 'Undo all changes' }).click();
  await expect(effect.getByRole('columnheader', { name: 'Changed', exact: true })).toBeHidden();
  expect(shares(await effect.innerText())).toEqual(before);
  await expectAccessible(page, 'inside the network', '[data-testid="network"]');
});

test('logit lens and update are shown, and the embeddings are those of the selected iteration', {
  tag: '@smoke',
}, async ({ lab }) => {
  const network = await openNetwork(lab);
  const view = (name: string) => network.getByText(name, { exact: true }).click();
  await view('By layer');
  const lens = network.getByTestId('net-lens');
  await expect(lens.getByRole('columnheader')).toHaveText([
    'Rank',
    'Embedding',
    'Layer 1',
    'Layer 2: output',
  ]);
  await lab.photograph('network-lens');
  await view('This update');
  const update = network.getByTestId('net-update');
  await expect(update.getByRole('table')).toHaveCount(2);
  await lab.photograph('network-update');
  await view('Embeddings');
  const plane = network.getByTestId('net-embeddings');
  await expect(plane).toBeVisible();
  const newest = await plane.locator('tbody').innerText();
  await lab.photograph('network-embeddings');
  // Home selects the first kept iteration: random weights.
  await network.getByRole('slider', { name: 'Iteration of the weights' }).press('Home');
  await expect(network.getByText('Random weights')).toBeVisible();
  await expect(plane.getByText('Coordinates after iteration 0')).toBeVisible();
  expect(await plane.locator('tbody').innerText()).not.toBe(newest);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' });

  test('an agent from a file can be inspected, and taps select tokens', async ({ lab }) => {
    const network = await openNetwork(lab);
    const { page } = lab;
    await network.locator('input[type=file]').setInputFiles({
      name: 'maze.zip',
      mimeType: 'application/zip',
      buffer: await readFile('public/agents/maze.zip'),
    });
    await expect(network.getByTestId('net-origin')).toHaveText('maze.zip');
    const tokens = network.getByRole('group', { name: /^The sentence/ }).getByRole('button');
    await tokens.nth(2).tap();
    await expect(tokens.nth(2)).toHaveAttribute('aria-pressed', 'true');
    await network.getByRole('button', { name: 'Switch this head off' }).tap();
    await expect(
      network.getByTestId('net-effect').getByRole('columnheader', { name: 'Changed', exact: true }),
    ).toBeVisible();
    // Nothing is wider than the page.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await lab.photograph('network-phone');
    await expectAccessible(page, 'inside the network', '[data-testid="network"]');
  });
});
