import { expect, small, test } from './lab-page.ts';

/** A constant learning rate that only the knob changes. */
const steady = {
  ...small,
  'optimizer.schedule': 'constant',
  'optimizer.warmup_updates': 0,
  'evaluation.interval': 0,
} as const;

/** A row without wall-clock metrics. */
const timeless = (metrics: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(metrics).filter(([key]) => !key.startsWith('time/')));

test('a knob acts from the next iteration, and the run’s link replays the change', async ({
  lab,
}) => {
  await lab.open(steady);
  await lab.reach(2);
  await lab.page.keyboard.press('k');
  const knobs = lab.page.getByTestId('knobs');
  await lab.pause();
  const { iterations: turnedAfter } = await lab.state();
  const rate = knobs.getByRole('slider', { name: 'Learning rate' });
  await rate.focus();
  await rate.press('ArrowRight');
  await expect(knobs.getByTestId('knobs-status')).toContainText(
    `From iteration ${turnedAfter + 1} on: Learning rate`,
  );
  await expect(knobs.getByRole('button', { name: 'Restart with 1 change' })).toBeEnabled();
  await lab.button('Continue').click();
  await lab.reach(turnedAfter + 2);
  await lab.pause();
  const { rows, changes } = await lab.snapshot();
  const rates = rows.map((metrics) => metrics['policy/learning_rate']);
  const [first] = rates;
  expect(rates.slice(0, turnedAfter)).toEqual(rates.slice(0, turnedAfter).map(() => first));
  expect(new Set(rates.slice(turnedAfter))).toEqual(
    new Set([Number(/=(\S+)$/.exec(changes)?.[1])]),
  );
  expect(rates.at(-1)).not.toBe(first);

  // A different length makes it a different run, so the stored one is not resumed.
  await lab.open({
    ...steady,
    'stopping.iterations': 9_999,
    changes,
  });
  await lab.reach(turnedAfter + 1);
  const again = (await lab.snapshot()).rows.slice(0, turnedAfter + 1);
  expect(again.map(timeless)).toEqual(rows.slice(0, again.length).map(timeless));
});
