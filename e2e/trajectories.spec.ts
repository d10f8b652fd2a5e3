import { readFile } from 'node:fs/promises';
import type { Download, Locator } from '@playwright/test';
import type { AgentTrajItem } from '../src/exchange/trajectories/agent-traj.ts';
import type { RolloutLogItem } from '../src/exchange/trajectories/rollout-log.ts';
import { expectAccessible } from './accessible.ts';
import { expect, type LabPage, small, test } from './lab-page.ts';
import { opening, stage } from './staged-run.ts';

const panel = (lab: LabPage): Locator => lab.page.getByTestId('trajectories');
const kinds = (lab: LabPage): Locator =>
  panel(lab).getByRole('radiogroup', { name: 'Kind of episode' });
const bodyRows = (lab: LabPage): Locator => panel(lab).locator('tbody tr[data-kind]');

/** Reads a downloaded file. */
async function saved<Item>(download: Download): Promise<readonly Item[]> {
  return JSON.parse(await readFile(await download.path(), 'utf8'));
}

/** Clicks a button and returns the downloaded file. */
async function exported<Item>(lab: LabPage, name: string): Promise<readonly Item[]> {
  const [download] = await Promise.all([
    lab.page.waitForEvent('download'),
    panel(lab).getByRole('button', { name }).click(),
  ]);
  return saved<Item>(download);
}

async function pick(lab: LabPage, name: string, contents: unknown): Promise<void> {
  const text = typeof contents === 'string' ? contents : JSON.stringify(contents);
  await lab.page
    .getByTestId('trajectories-file')
    .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
}

/** A task of AgentGym's maze in different wording: rules first, walls in another order. */
const elsewhere = [
  {
    item_id: 'lmrlgym_maze_9',
    conversations: [
      { from: 'human', loss: null, value: 'You find your way through mazes.' },
      { from: 'gpt', loss: false, value: 'OK. I will find the way.' },
      {
        from: 'human',
        loss: null,
        value:
          'Reach the goal in few moves.\nThe goal is at position 8, 6. Your current position is at position 6, 6. There are walls to your right, to your left.',
      },
      { from: 'gpt', loss: true, value: 'Thought:\nThe goal is below.\n\nAction:\nmove down' },
      {
        from: 'human',
        loss: null,
        value:
          'The goal is at position 8, 6. Your current position is at position 7, 6. There are walls to your right, to your left.',
      },
      { from: 'gpt', loss: true, value: 'Thought:\nOnce more.\n\nAction:\nmove down' },
      { from: 'human', loss: null, value: 'Success' },
    ],
  },
];

test('episodes can be listed, replayed, exported and imported again', async ({ lab }) => {
  await lab.page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open({ ...small, 'trajectories.keep': 20 });
  await lab.reach(2);
  await lab.pause();
  await panel(lab).scrollIntoViewIfNeeded();
  // The newest 20 training episodes and the three evaluation episodes.
  await expect(panel(lab).getByTestId('trajectories-page')).toHaveText('Page 1 of 3, 23 episodes');

  await kinds(lab).getByText('Training', { exact: true }).click();
  await expect(panel(lab).getByTestId('trajectories-page')).toHaveText('Page 1 of 2, 20 episodes');
  await panel(lab).getByRole('button', { name: 'Turns' }).click();
  await expect(panel(lab).getByRole('columnheader', { name: 'Turns' })).toHaveAttribute(
    'aria-sort',
    'descending',
  );
  // Folding the group keeps the filter and the order.
  const fold = lab.page.getByTestId('group-episodes').getByRole('button', {
    ...{ name: 'Episodes', exact: true },
  });
  await fold.click();
  await expect(panel(lab)).toHaveCount(0);
  await fold.click();
  await expect(panel(lab).getByTestId('trajectories-page')).toHaveText('Page 1 of 2, 20 episodes');
  await expect(panel(lab).getByRole('columnheader', { name: 'Turns' })).toHaveAttribute(
    'aria-sort',
    'descending',
  );

  const replay = bodyRows(lab)
    .first()
    .getByRole('button', { name: /^Replay/ });
  const task = await bodyRows(lab).first().locator('td').nth(4).innerText();
  await replay.press('Enter');
  await expect(bodyRows(lab).first()).toHaveAttribute('aria-current', 'true');
  await expect(lab.stage.getByRole('img', { name: /^Maze of/ })).toBeVisible();
  await expect(lab.stage).toContainText(`, ${task}`);
  await expect(lab.stage.locator('.transport-turn')).toHaveText('0/10');
  await lab.stage.getByRole('button', { name: 'Next turn' }).click();
  await expect(lab.stage.locator('.transport-turn')).toHaveText('1/10');
  await expect(lab.stage.locator('.token-p').first()).toHaveText(/%/);

  const items = await exported<AgentTrajItem>(lab, 'Export as AgentTraj');
  expect(items).toHaveLength(20);
  for (const item of items) {
    expect(Object.keys(item)).toEqual(['item_id', 'conversations']);
    expect(item.item_id).toMatch(/^maze_\d+$/);
    const messages = item.conversations ?? [];
    expect(messages.length).toBeGreaterThan(4);
    for (const [i, message] of messages.entries()) {
      expect(Object.keys(message)).toEqual(['from', 'loss', 'value']);
      expect([message.from, message.loss]).toEqual(i % 2 === 0 ? ['human', null] : ['gpt', i > 1]);
    }
  }
  expect(items[0]?.item_id).toBe(task);
  const log = await exported<RolloutLogItem>(lab, 'Export as rollout log');
  expect(log).toHaveLength(20);
  expect(Object.keys(log[0] ?? {})).toEqual(['item_id', 'conversations', 'reward']);

  await pick(lab, 'own.json', items);
  await expect(panel(lab).getByTestId('trajectories-done')).toHaveText('20 episodes imported.');
  await kinds(lab).getByText('Imported', { exact: true }).click();
  await expect(panel(lab).getByTestId('trajectories-page')).toHaveText('Page 1 of 2, 20 episodes');
  await bodyRows(lab).first().click();
  await expect(lab.stage).toContainText('Its texts match this environment’s.');
  await expect(lab.stage.getByRole('img', { name: /^Maze of/ })).toBeVisible();
  await lab.photograph('imported');
  await expectAccessible(lab.page, 'trajectories', '[data-testid=trajectories]');

  // Imported episodes remain when a new run starts.
  await lab.button(/^Reset/).click();
  await expect(lab.iteration).toContainText('0');
  await expect(panel(lab).getByTestId('trajectories-page')).toHaveText('Page 1 of 2, 20 episodes');
});

test.describe('without training', () => {
  test('a maze episode with different wording is replayed, and one of an unknown environment is shown as text', async ({
    lab,
  }) => {
    await lab.page.emulateMedia({ reducedMotion: 'reduce' });
    await stage(lab.page, opening);
    await lab.open();
    await pick(lab, 'elsewhere.json', elsewhere);
    await expect(bodyRows(lab)).toHaveCount(1);
    await expect(bodyRows(lab)).toContainText('lmrlgym_maze_9');
    await expect(bodyRows(lab)).toContainText('Solved');
    await bodyRows(lab).getByRole('button').click();
    const maze = lab.stage.getByRole('img', { name: /^Maze of 10 rows and 13 columns/ });
    await expect(maze).toHaveAttribute('data-row', '6');
    for (const row of ['7', '8']) {
      await lab.stage.getByRole('button', { name: 'Next turn' }).click();
      await expect(maze).toHaveAttribute('data-row', row);
    }
    await expect(maze).toHaveAttribute('data-outcome', 'success');
    await expect(lab.stage.getByTestId('dialogue')).toContainText('Success');

    const [item] = elsewhere;
    await pick(
      lab,
      'shop.json',
      [{ item_id: 'webshop_3', conversations: item?.conversations.slice(0, 4) }].map((shop) =>
        JSON.parse(JSON.stringify(shop).replaceAll('position', 'price')),
      ),
    );
    await expect(bodyRows(lab)).toHaveCount(2);
    await bodyRows(lab).nth(1).click();
    await expect(lab.stage.getByTestId('stage-text')).toContainText('webshop_3');
    await expect(lab.stage.getByTestId('dialogue')).toContainText('price 6, 6');
    await lab.photograph('text');

    await panel(lab).getByRole('button', { name: 'Remove imported' }).click();
    await expect(bodyRows(lab)).toHaveCount(0);
  });

  test('a malformed file gives one error and changes nothing', { tag: '@smoke' }, async ({
    lab,
  }) => {
    await stage(lab.page, opening);
    await lab.open();
    await pick(lab, 'good.json', elsewhere);
    await expect(bodyRows(lab)).toHaveCount(1);
    const problem = panel(lab).getByTestId('trajectories-problem');
    const broken = JSON.parse(JSON.stringify(elsewhere));
    broken[0].conversations[4].from = 'bot';
    await pick(lab, 'broken.json', [...elsewhere, ...broken]);
    await expect(problem).toHaveText(
      'broken.json: Item 1 (lmrlgym_maze_9): conversations[4].from must be "human" or "gpt", got "bot".',
    );
    await expect(bodyRows(lab)).toHaveCount(1);
    await pick(lab, 'cut.json', '[{"item_id": "maze_1", ');
    await expect(problem).toContainText('cut.json: The file is not JSON');
    await expect(problem).toHaveCount(1);
    await expect(bodyRows(lab)).toHaveCount(1);
    await pick(lab, 'good.json', elsewhere);
    await expect(problem).toBeHidden();
    await expect(bodyRows(lab)).toHaveCount(2);
  });

  test('reading a file is cancelled if it takes too long, and the page keeps working', async ({
    lab,
  }) => {
    await stage(lab.page, opening);
    // Use a reader that never returns in place of a file that never ends.
    await lab.page.route(/\/file-worker-.*\.js$/, async (route) =>
      // Keep the server's headers: an isolated page rejects workers without them.
      route.fulfill({ response: await route.fetch(), body: 'for (;;);' }),
    );
    await lab.page.clock.install();
    await lab.open();
    await pick(lab, 'endless.json', elsewhere);
    await expect(panel(lab)).toContainText('Reading the file endless.json …');
    await lab.page.clock.fastForward('02:00');
    await expect(panel(lab).getByTestId('trajectories-problem')).toContainText(
      'endless.json: Reading took longer than 2 minutes and was cancelled.',
    );
    // A handler still waiting for its response must finish before the route is removed.
    await lab.page.unrouteAll({ behavior: 'wait' });
    await pick(lab, 'good.json', elsewhere);
    await expect(bodyRows(lab)).toHaveCount(1);
  });

  test('files can be dropped even if nothing can train', async ({ lab }) => {
    await lab.page.addInitScript(() =>
      Object.defineProperty(navigator, 'gpu', { value: undefined, configurable: true }),
    );
    await lab.open({ device: 'webgpu' });
    await expect(lab.page.getByTestId('cannot-train')).toBeVisible();
    await panel(lab).scrollIntoViewIfNeeded();
    const transfer = await lab.page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'elsewhere.json', { type: 'application/json' }));
      return data;
    }, JSON.stringify(elsewhere));
    await panel(lab).dispatchEvent('dragenter', { dataTransfer: transfer });
    await expect(panel(lab)).toHaveClass(/trajectories-drop/);
    await panel(lab).dispatchEvent('drop', { dataTransfer: transfer });
    await expect(panel(lab)).not.toHaveClass(/trajectories-drop/);
    await expect(bodyRows(lab)).toHaveCount(1);
    await bodyRows(lab).getByRole('button').click();
    await expect(lab.stage.getByRole('img', { name: /^Maze of 10 rows/ })).toBeVisible();
  });
});
