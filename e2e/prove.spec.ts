import { expect, small, test } from './lab-page.ts';
import { timeless } from './tiny-run.ts';

/** A run with a learning rate far too low to learn. */
const stuck = {
  ...small,
  device: 'processor',
  // Several forks train on at most two processors.
  'rollout.tasks_per_iteration': 2,
  'horizon.turns': 6,
  'optimizer.learning_rate': 0.0000001,
} as const;

test('“Prove it” runs forks without disturbing the run', async ({ lab }) => {
  const { page } = lab;
  await lab.open(stuck);
  // Later iterations may add findings, also above this one.
  const finding = page.getByRole('listitem').filter({ hasText: /hardly moves/ });
  const autopsy = finding.getByTestId('autopsy');
  await expect(autopsy).toContainText(/forks for \d+ iterations.*at most .* iterations, /);
  await lab.pause();
  await autopsy.getByRole('button', { name: 'Prove it' }).click();
  // The run and its forks train at the same time.
  await lab.button('Continue').click();
  const { iterations: before } = await lab.state();
  await lab.reach(before + 3);
  await lab.pause();
  const text = page.getByTestId('autopsy-text');
  await expect(text).toHaveText(
    /^(Proved|Refuted|Not decided)\. Continued from iteration \d+ to \d+, the unchanged run solves/,
    { timeout: 500_000 },
  );
  const { rows } = await lab.snapshot();

  // The unchanged fork equals the run bit for bit; otherwise a notice appears.
  await expect(autopsy).not.toContainText('differs from the run');
  await expect(autopsy.locator('.autopsy-chart')).toBeVisible();
  const numbers = autopsy.getByRole('row');
  await expect(numbers.nth(1)).toContainText('unchanged');
  await expect(numbers.nth(2)).toContainText(
    /optimizer\.learning_rate = 0\.000001.*(gains most|gains less|little or no gain)/,
  );

  // The same run without *Prove it* has the same numbers.
  const { runId } = await lab.state();
  await lab.button(/^Reset/).click();
  await page.waitForFunction((old) => window.palestra?.state().runId !== old, runId);
  await lab.button('Start').click();
  await lab.reach(8);
  const again = await lab.snapshot();
  expect(timeless(again.rows.slice(0, 8))).toEqual(timeless(rows.slice(0, 8)));
});

test('“Prove it” can be cancelled, and its results disappear when a new run starts', {
  tag: '@smoke',
}, async ({ lab }) => {
  const { page } = lab;
  // Large enough that the forks do not end immediately.
  await lab.open({ preset: 'maze', device: 'processor', 'optimizer.learning_rate': 0.0000001 });
  await expect(page.getByTestId('autopsy')).toBeVisible();
  await lab.pause();
  const autopsy = page.getByTestId('autopsy');
  await autopsy.getByRole('button', { name: 'Prove it' }).click();
  await expect(autopsy.getByRole('status')).toContainText(/fork 1/);
  // The table is the legend of the curves while they are computed.
  await expect(autopsy.getByRole('row').nth(1)).toHaveText(/^unchanged–/);
  await autopsy.getByRole('button', { name: 'Stop' }).click();
  await expect(autopsy.getByRole('status')).toHaveCount(0);
  await autopsy.getByRole('button', { name: 'Prove it' }).click();
  await expect(autopsy.getByRole('status')).toBeVisible();
  await lab.button(/^Reset/).click();
  await expect(autopsy).toHaveCount(0);
});
