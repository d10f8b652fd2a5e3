import { expect, type LabPage, test } from './lab-page.ts';
import { stage, stagedBapo } from './staged-run.ts';
import { tiny } from './tiny-run.ts';

test.use({ reducedMotion: 'reduce' });

/** Tests that pause, step or restart use a real training run, the others a staged one. */
const staged = async (lab: LabPage) => {
  await stage(lab.page, stagedBapo(30));
  await lab.open({ method: 'bapo', seed: 5 });
  await expect(lab.iteration).toContainText('30');
};

test('keyboard shortcuts control training', async ({ lab }) => {
  const { page } = lab;
  await lab.open(tiny);
  await lab.reach(1);
  await page.keyboard.press(' ');
  await expect(lab.status).toHaveText('Paused');
  await expect(page).toHaveTitle(/ · Paused · Palestra$/);
  const { iterations } = await lab.state();
  await page.keyboard.press('s');
  await lab.reach(iterations + 1);
  await expect(lab.status).toHaveText('Paused');
  expect((await lab.state()).iterations).toBe(iterations + 1);
  await page.keyboard.press(' ');
  await lab.reach(iterations + 3);
  await page.keyboard.press('r');
  await expect(lab.status).toHaveText('Paused');
  await expect.poll(async () => (await lab.state()).iterations).toBe(0);
});

test('shortcuts open panels and are ignored in fields and dialogs', async ({ lab }) => {
  const { page } = lab;
  await page.emulateMedia({ colorScheme: 'light' });
  await staged(lab);
  // The first Tab stop skips the header.
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Skip to the run' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('#run')).toBeFocused();

  const turn = lab.stage.locator('.transport-turn');
  await page.keyboard.press('ArrowRight');
  await expect(turn).toHaveText(/^1\//);
  await page.keyboard.press('ArrowLeft');
  await expect(turn).toHaveText(/^0\//);
  const html = page.locator('html');
  await page.keyboard.press('d');
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.keyboard.press('d');
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'light');

  const dialog = page.getByRole('dialog');
  await page.keyboard.press('g');
  await expect(dialog).toContainText('Choose what to train');
  // An open dialog disables the page's shortcuts.
  await page.keyboard.press('d');
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'light');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  await page.keyboard.press('/');
  const search = page.getByRole('textbox', { name: 'Search runs' });
  await expect(search).toBeFocused();
  // In a text field, shortcut keys type their letters.
  await page.keyboard.type('g/d');
  await expect(search).toHaveValue('g/d');
  await page.getByRole('button', { name: 'Close runs' }).focus();
  await page.keyboard.press('/');
  await expect(search).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  // With shortcuts off, only the key of the help sheet works; the sheet can switch them on again.
  const keys = page.getByRole('switch', { name: 'Single-key shortcuts' });
  await page.keyboard.press('?');
  await keys.click();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('help')).toBeHidden();
  await page.keyboard.press('d');
  await page.keyboard.press('g');
  await expect(dialog).toHaveCount(0);
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'light');
  await page.reload();
  await expect(lab.iteration).toContainText('30');
  await page.keyboard.press('?');
  await expect(keys).not.toBeChecked();
  await keys.click();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('help')).toBeHidden();
  await page.keyboard.press(',');
  await expect(lab.settings).toBeVisible();
});

test('progress is shown in the tab title and announced to screen readers, and the link can be copied', {
  tag: '@smoke',
}, async ({ lab, context }) => {
  const { page } = lab;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await staged(lab);
  await expect(page).toHaveTitle(/^\d+% · Training · Palestra$/);
  const told = page.getByTestId('milestone');
  await expect(told).toHaveRole('status');
  await expect(told).toHaveText(/^Iteration \d+ of \d+\. \d+% of the episodes succeed\.$/);

  await page.getByRole('button', { name: 'More' }).click();
  await lab.copyLink();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(page.url());
  expect(new URL(link).searchParams.get('seed')).toBe('5');
});

test('chart settings survive a reload', async ({ lab }) => {
  const { page } = lab;
  await staged(lab);
  const toolbar = page.getByTestId('chart-toolbar');
  await toolbar.getByText('Turns', { exact: true }).click();
  const smoothing = page.getByRole('slider', { name: /^Smoothing/ });
  await smoothing.press('Home');
  const entropy = page.getByTestId('chart-entropy');
  await entropy.getByRole('button', { name: /: view and save$/ }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Logarithmic y axis' }).click();
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(toolbar.getByRole('radio', { name: 'Turns' })).toBeChecked();
  await expect(smoothing).toHaveAttribute('aria-valuenow', '0');
  await entropy.getByRole('button', { name: /: view and save$/ }).click();
  const logarithmic = page.getByRole('menuitemcheckbox', { name: 'Logarithmic y axis' });
  await expect(logarithmic).toBeChecked();
});
