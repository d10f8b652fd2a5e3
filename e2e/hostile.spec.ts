import { test as base, expect } from '@playwright/test';
import type { PalestraApi } from '../src/ui/app/test-api.ts';
import { expectAccessible } from './accessible.ts';
import { LabPage, test } from './lab-page.ts';
import { stage, stagedBapo } from './staged-run.ts';

const recipe = (result: string, from: string) => ({
  type: 'crafting_shapeless',
  ingredients: [from],
  result,
});

/** Each value is valid; together they leave no goals, so the environment cannot be created. */
const impossible = {
  'env.id': 'textcraft/textcraft-v1',
  'env.options.recipes': JSON.stringify([recipe('b', 'a'), recipe('c', 'b')]),
  'env.options.depth': 4,
  'env.options.goals': 'exact-depth',
} as const;

test('a link to an impossible environment opens the nearest possible one and says so', async ({
  lab,
}) => {
  await stage(lab.page, stagedBapo(5));
  for (let visit = 0; visit < 2; visit++) {
    await lab.open(impossible);
    const notice = lab.page.getByTestId('address-notes');
    await expect(notice).toContainText('env.options.goals was “exact-depth” in the address');
    await expect(notice).toContainText('choose another depth, or goals up to it, or add recipes');
    await expect(lab.stage).toContainText('Agent');
    await expect(lab.page.getByTestId('fault')).toHaveCount(0);
  }
  // The address now holds the corrected settings and reloads without a notice.
  await expect(lab.page).not.toHaveURL(/exact-depth/);
  await lab.page.reload();
  await expect(lab.stage).toBeVisible();
  await expect(lab.page.getByTestId('address-notes')).toBeHidden();
});

test('impossible environment settings are rejected at their field', async ({ lab }) => {
  await stage(lab.page, stagedBapo(5));
  const { 'env.options.goals': _, ...possible } = impossible;
  await lab.open(possible);
  await lab.openSettings(/^Environment/);
  await lab.chooseOption('env.options.goals', 'exact-depth');
  await expect(lab.field('env.options.depth')).toContainText('leaves fewer than two goals');
  await expect(lab.button('Apply & restart')).toBeDisabled();
  await lab.chooseOption('env.options.goals', 'up-to-depth');
  await expect(lab.field('env.options.depth')).not.toContainText('leaves fewer');
});

const large = {
  'policy.layers': 16,
  'policy.width': 1024,
  'policy.heads': 16,
  'policy.kv_heads': 16,
  'policy.ffn_width': 4096,
} as const;

test('a link to a costly run fills in the settings and asks before it starts', async ({ lab }) => {
  await stage(lab.page, stagedBapo(5));
  await lab.open(large);
  const card = lab.page.getByTestId('large-run');
  await expect(card).toContainText('This address asks for a large run');
  await expect(card).toContainText('270 million');
  await expect(card).toContainText(/\d GB/);
  await expect(card).toContainText(/trains 30 thousand parameters in 7\d MB/);
  expect((await lab.state()).runId).toBeNull();
  await expect(lab.status).toHaveText('Not started');
  await expectAccessible(lab.page, 'large run', '[data-testid=large-run]');
  for (const [name, width] of [
    ['wide', 1440],
    ['narrow', 390],
  ] as const) {
    await lab.page.setViewportSize({ width, height: 900 });
    for (const scheme of ['light', 'dark'] as const) {
      await lab.page.emulateMedia({ colorScheme: scheme });
      await card.scrollIntoViewIfNeeded();
      await lab.photograph(`large-run-${name}-${scheme}`);
    }
  }
  await lab.page.setViewportSize({ width: 1440, height: 900 });
  await lab.openSettings(/^Policy/);
  await expect(lab.field('policy.width').getByRole('textbox')).toHaveValue('1024');
  await lab.page.keyboard.press('Escape');
  await card.getByRole('button', { name: 'Start anyway' }).click();
  await expect(lab.status).toHaveText('Training');
  await expect(card).toBeHidden();

  await lab.open(large);
  await card.getByRole('button', { name: 'Use the default instead' }).click();
  await expect(lab.status).toHaveText('Training');
  await expect(card).toBeHidden();
  expect(new URL(lab.page.url()).search).toBe('');
});

// React logs errors caught by a boundary to the console, so these tests ignore the console.
base(
  'a failing chart leaves the rest of the page intact, and one click restores it',
  { tag: '@smoke' },
  async ({ page }) => {
    const lab = new LabPage(page);
    await stage(page, stagedBapo(5));
    await lab.open();
    await expect(page.getByTestId('chart-entropy')).toBeVisible();
    await page.evaluate(() => {
      const broken = [{ id: 'x', name: 'Broken', seed: 1, configKey: '', rows: null, markers: [] }];
      window.palestra?.overlay(broken as unknown as Parameters<PalestraApi['overlay']>[0]);
    });
    const faults = page.getByTestId('fault');
    await expect(faults.first()).toContainText('could not be shown');
    await expect(lab.stage).toBeVisible();
    await expect(lab.status).toBeVisible();
    await lab.photograph('fault');
    await faults.first().getByRole('button', { name: 'Back to the default view' }).click();
    // Charts that load later fail later.
    await expect(async () => {
      const again = faults.getByRole('button', { name: 'Try again' });
      if ((await again.count()) > 0) await again.first().click({ timeout: 5000 });
      await expect(faults).toHaveCount(0, { timeout: 2000 });
    }).toPass();
    await expect(page.getByTestId('chart-entropy')).toBeVisible();
  },
);

base('a page that fails to render says why, and one click opens the default', async ({ page }) => {
  const lab = new LabPage(page);
  await stage(page, stagedBapo(5));
  // A shared dependency fails until the button is pressed.
  await page.addInitScript(() => {
    const sound = window.matchMedia.bind(window);
    let broken = !sessionStorage.getItem('mended');
    addEventListener(
      'click',
      () => {
        broken = false;
        sessionStorage.setItem('mended', 'yes');
      },
      true,
    );
    window.matchMedia = (query) => {
      // Fail from the first render on.
      if (broken && window.palestra !== undefined) throw new Error('No media here');
      return sound(query);
    };
    localStorage.setItem('palestra-charts', '{"axis":"turns"}');
  });
  await lab.open({ preset: 'wordle' });
  const fault = page.getByTestId('fault-page');
  await expect(fault).toContainText('The lab could not be shown.');
  await expect(fault).toContainText('No media here.');
  await lab.photograph('fault-page');
  await fault.getByRole('button', { name: 'Back to the default' }).click();
  await expect(lab.stage).toBeVisible();
  expect((await lab.state()).preset).toBe('maze');
  expect(new URL(page.url()).search).toBe('');
  expect(await page.evaluate(() => localStorage.getItem('palestra-charts'))).toBeNull();
});

test('the page opts out of browser translation, which would break React’s updates', async ({
  lab,
}) => {
  await lab.page.goto('/');
  await expect(lab.page.locator('html')).toHaveAttribute('translate', 'no');
});
