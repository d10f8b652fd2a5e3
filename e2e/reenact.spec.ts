import { dropFile, verlLog } from './drop.ts';
import { expect, small, test } from './lab-page.ts';

/** The log's curve in the success chart. */
const overSuccess = '[data-testid="chart-success"] [data-testid="foreign-curve"]';

test('a failure in a log can be examined, re-enacted beside its remedy, proved and compared', async ({
  lab,
}) => {
  const { page } = lab;
  await lab.open({ ...small, device: 'processor' });
  await lab.reach(1);
  await lab.pause();
  await dropFile(page, 'train.log', verlLog);

  const found = page.getByTestId('log-findings').locator('[data-mode="learning_rate_too_high"]');
  await expect(found).toContainText('Began in iteration 6');
  // Evidence highlights its chart on hover and on focus.
  const evidence = found.getByRole('list', { name: 'Evidence' }).getByRole('button');
  await evidence.first().focus();
  const lit = page.getByTestId('logs').locator('figure[data-lit]');
  await expect(lit).toHaveAttribute('data-series', 'actor/ppo_kl');
  await expect(lit.locator('.evidence-span')).toBeVisible();
  await evidence.nth(1).hover();
  await expect(lit).toHaveAttribute('data-series', 'actor/pg_clipfrac');
  await lab.photograph('log');

  // Open its card by keyboard.
  await found.getByRole('button', { name: 'What is this?' }).focus();
  await page.keyboard.press('Enter');
  const card = page.getByTestId('mode-card');
  await expect(card).toContainText('Each update moves the policy farther');
  await expect(
    card.getByRole('img', { name: /^KL to the behavior policy: .* in iteration 1/ }),
  ).toBeVisible();
  await expect(card.getByRole('link')).not.toHaveCount(0);
  await lab.photograph('card');
  await page.keyboard.press('Escape');
  await expect(card).toHaveCount(0);

  await found.getByRole('button', { name: 'Reproduce it' }).click();
  await expect(page.getByTestId('logs')).toHaveCount(0);
  const reenacted = page.getByTestId('reenactment');
  await expect(reenacted).toContainText('optimizer.learning_rate = 0.02');
  await expect(reenacted).toContainText('With the remedy: optimizer.learning_rate = 0.002');
  await lab.reach(3);
  // The run with the remedy also trains.
  await expect(reenacted.locator('dd').nth(1)).toContainText(/iteration \d+ of at most 40, solves/);
  const findings = page.getByTestId('findings');
  await expect(findings.locator('[data-mode="learning_rate_too_high"]')).toBeVisible();
  // Both runs share axes; the log has its own.
  await expect(page.getByTestId('chart-toolbar').getByRole('list', { name: 'Runs' })).toContainText(
    'With optimizer.learning_rate = 0.002',
  );
  await expect(page.locator(overSuccess)).toContainText('train.log: 1 to 20 iterations');
  const kl = page.getByTestId('chart-kl');
  await expect(kl.locator('.foreign-line')).toHaveAttribute('d', /^M/);
  await expect(kl.locator('path.curve')).toHaveCount(2);

  const autopsy = page.getByTestId('autopsy').first();
  await autopsy.getByRole('button', { name: 'Prove it' }).click();
  await expect(autopsy.getByRole('status')).toContainText(/fork 1 of \d/);
  await lab.photograph('reenacted');
  await autopsy.getByRole('button', { name: 'Stop' }).click();

  // The crosshair readout contains both. A page that shifts below the mouse hides the crosshair.
  const plot = page.getByTestId('chart-success').getByRole('slider');
  await expect(async () => {
    await plot.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await expect(page.getByTestId('readout')).toContainText('With optimizer.learning_rate', {
      timeout: 5000,
    });
  }).toPass();

  await reenacted.getByRole('button', { name: 'End the re-enactment' }).click();
  await expect(reenacted).toHaveCount(0);
  await expect(page.locator(overSuccess)).toHaveCount(0);
  await expect(kl.locator('path.curve')).toHaveCount(1);
});
