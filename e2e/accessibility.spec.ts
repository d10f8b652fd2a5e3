/**
 * Screens that need no trained agent. Other tests scan the screens they open:
 * inspector, step-through, evaluation, trajectories, runs and play mode.
 */

import { expectAccessible } from './accessible.ts';
import { expect, test } from './lab-page.ts';
import { opening, type StagedMessage, stage, stagedBapo } from './staged-run.ts';

test.use({ reducedMotion: 'reduce' });

/** Every notice the page can show during a run. */
function troubled(): readonly StagedMessage[] {
  const messages: StagedMessage[] = stagedBapo(20).map((message) => {
    if (message.type !== 'row') return message;
    const { row } = message;
    const [first, ...others] = row.details.updates;
    if (first === undefined) return message;
    const updates = [{ ...first, skipped: true, cause: 'ratios' } as const, ...others];
    return { ...message, row: { ...row, details: { ...row.details, updates } } };
  });
  return [
    ...messages,
    { type: 'restored', iteration: 20, reason: 'gpu-lost' },
    { type: 'storage', storage: { state: 'full', message: 'There is no room left.' } },
  ];
}

test('the lab is accessible while it trains, with every chart and notice', async ({ lab }) => {
  const { page } = lab;
  await stage(page, troubled());
  await lab.open({ method: 'bapo', seed: -1 });
  for (const notice of ['address-notes', 'skipped', 'recovered', 'storage']) {
    await expect(page.getByTestId(notice)).toBeVisible();
  }
  await page.evaluate(() => {
    const rows = [1, 2, 3].map((iteration) => ({ iteration, 'rollout/success_rate': 0.3 }));
    const other = { id: 'other', name: 'Other', seed: 1, configKey: 'other', rows, markers: [] };
    window.palestra?.overlay([other]);
  });
  await expect(page.getByRole('list', { name: 'Runs' })).toBeVisible();
  const success = page.getByTestId('chart-success');
  await success.getByRole('button', { name: /: view and save$/ }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Values as a table' }).click();
  await page.keyboard.press('Escape');
  await expect(success.getByRole('table')).toBeVisible();
  const entropy = page.getByTestId('chart-entropy');
  await entropy.getByRole('slider', { name: /^Crosshair of/ }).press('Home');
  await expect(entropy.getByTestId('readout')).toBeVisible();
  await expectAccessible(page, 'lab');
});

test('gallery, settings, shortcuts and menu are accessible', async ({ lab }) => {
  const { page } = lab;
  await stage(page, stagedBapo(5));
  await lab.open({ method: 'bapo' });
  await expect(page.getByTestId('chart-success').locator('.curve').first()).toBeVisible();
  const close = async () => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };
  await page.keyboard.press('g');
  await expect(page.getByRole('dialog')).toContainText('Generated 7×7 mazes');
  // On a fresh load the lessons panel was never opened, so the list must load its own style sheet.
  const lesson = page.getByTestId('lesson-list').getByRole('button').first();
  await expect(lesson).toHaveCSS('border-top-width', '0px');
  await expectAccessible(page, 'gallery', '[role=dialog]');
  await close();

  await page.keyboard.press(',');
  await expect(lab.settings).toBeVisible();
  for (const section of [/^Environment/, /^Optimizer/]) {
    await lab.settings.getByRole('button', { name: section }).click();
  }
  await expectAccessible(page, 'settings', '[role=dialog]');
  await close();

  await page.keyboard.press('?');
  await expect(page.getByTestId('help')).toBeVisible();
  await expectAccessible(page, 'shortcuts', '[role=dialog]');
  await close();

  const menu = page.getByRole('menu');
  await page.getByRole('button', { name: 'More' }).click();
  await expect(menu).toBeVisible();
  await expectAccessible(page, 'menu', '[role=menu]');
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);

  const success = page.getByTestId('chart-success');
  await success.getByRole('button', { name: /: view and save$/ }).click();
  await expect(menu).toBeVisible();
  await expectAccessible(page, 'chart menu', '[role=menu]');
});

test('the page is accessible with an invalid link and before the first iteration', async ({
  lab,
}) => {
  const { page } = lab;
  await stage(page, [...opening, { type: 'progress', phase: 'imitate', fraction: 0.4 }]);
  await lab.open({ method: 'ppo2' });
  await expect(page.getByTestId('address-notes')).toBeVisible();
  await expectAccessible(page, 'address notes', '[data-testid=address-notes]');
  await expectAccessible(page, 'first iteration', '.overview');
});

test('the page and play mode are accessible without a training device', {
  tag: '@smoke',
}, async ({ lab }) => {
  const { page } = lab;
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
  });
  await lab.open({ device: 'webgpu' });
  await expect(page.getByTestId('cannot-train')).toBeVisible();
  await lab.stage.getByRole('button', { name: 'Play it yourself' }).click();
  await expect(page.getByRole('application')).toBeVisible();
  await expectAccessible(page, 'where nothing can train');
});
