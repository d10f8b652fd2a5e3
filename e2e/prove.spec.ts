import { expect, small, test } from './lab-page.ts';
import { timeless } from './tiny-run.ts';

/** A run in which nothing moves, since its learning rate is far too low. */
const stuck = {
  ...small,
  device: 'processor',
  'optimizer.learning_rate': 0.0000001,
  // Not over before its forks are begun, and no longer than needed.
  'stopping.iterations': 300,
} as const;

test('a finding is proved by forks beside the run, which goes on undisturbed', async ({ lab }) => {
  const { page } = lab;
  await lab.open(stuck);
  const autopsy = page.getByTestId('autopsy');
  await expect(autopsy).toContainText(/forks of it over \d+ iterations.*iterations, .* at most/);
  await lab.pause();
  await expect(page.getByTestId('headline')).toHaveText(/Nothing moves/);
  await autopsy.getByRole('button', { name: 'Prove it' }).click();
  // The run and its forks at once.
  await lab.button('Continue').click();
  const { iterations: before } = await lab.state();
  await expect(autopsy.getByRole('status')).toContainText(/Fork \d of \d/);
  const text = page.getByTestId('autopsy-text');
  await expect(text).toHaveText(
    /^(Proved|Refuted|Not decided)\. Run on from iteration \d+ to \d+, as it was it solves/,
    { timeout: 200_000 },
  );
  await lab.reach(before + 1);
  const { rows } = await lab.snapshot();

  // The fork as it was is the run, bit for bit: otherwise it would be said.
  await expect(autopsy).not.toContainText('takes another course');
  await expect(autopsy.locator('.autopsy-chart')).toBeVisible();
  const numbers = autopsy.getByRole('row');
  await expect(numbers.nth(1)).toContainText('as it was');
  await expect(numbers.nth(2)).toContainText(
    /optimizer\.learning_rate = 0\.000001.*(lives|helps|fails)/,
  );

  // A run that nothing is proved of has the same numbers.
  await page.reload();
  await lab.reach(8);
  const again = await lab.snapshot();
  expect(timeless(again.rows.slice(0, 8))).toEqual(timeless(rows.slice(0, 8)));
});

test('what is being proved can be left, and another run begins without it', async ({ lab }) => {
  const { page } = lab;
  // Of the preset's size, so that its forks are not over at once.
  await lab.open({ preset: 'maze', device: 'processor', 'optimizer.learning_rate': 0.0000001 });
  await expect(page.getByTestId('autopsy')).toBeVisible();
  await lab.pause();
  const autopsy = page.getByTestId('autopsy');
  await autopsy.getByRole('button', { name: 'Prove it' }).click();
  await expect(autopsy.getByRole('status')).toContainText(/Fork 1/);
  await autopsy.getByRole('button', { name: 'Stop' }).click();
  await expect(autopsy.getByRole('status')).toHaveCount(0);
  await autopsy.getByRole('button', { name: 'Prove it' }).click();
  await expect(autopsy.getByRole('status')).toBeVisible();
  await lab.button(/^Reset/).click();
  await expect(autopsy).toHaveCount(0);
});
