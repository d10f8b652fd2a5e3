import type { LabSnapshot } from '../src/ui/test-api.ts';
import { expect, small, test } from './lab-page.ts';

test.use({ trace: { mode: 'retain-on-failure', screenshots: false } });

/** As small as a run can be, so that it can be killed many times. */
const tiny = {
  ...small,
  'rollout.tasks_per_iteration': 2,
  'rollout.group_size': 2,
  'horizon.turns': 3,
  'evaluation.interval': 3,
  'evaluation.tasks': 1,
  'evaluation.horizon': 2,
  'replay.share': 0.25,
  'replay.capacity': 2,
  'rollout.partial_turns': 2,
  'stopping.iterations': 400,
} as const;

/** Rows without the wall clock. */
function timeless(rows: LabSnapshot['rows']): object[] {
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([key]) => !key.startsWith('time/'))),
  );
}

/** The iteration up to which a run is kept. */
const keptTo = ({ storage }: LabSnapshot) => (storage?.state === 'kept' ? storage.iteration : 0);

test('a reloaded page shows its run with the whole curve, and goes on as if nothing had been', async ({
  lab,
}) => {
  await lab.open(tiny);
  await lab.reach(6);
  const before = await lab.pause();
  expect(keptTo(before)).toBe(before.iterations);

  await lab.page.reload();
  await expect(lab.status).toHaveText('Paused');
  const after = await lab.snapshot();
  expect(after.runId).toBe(before.runId);
  expect(after.rows).toEqual(before.rows);
  await lab.button('Continue').click();
  await lab.reach(before.iterations + 6);
  const resumed = await lab.pause();

  // The same settings from random weights, never interrupted.
  await lab.button(/^Reset/).click();
  await expect.poll(async () => (await lab.snapshot()).runId).not.toBe(before.runId);
  await expect(lab.status).toHaveText('Paused');
  await lab.button('Start').click();
  await lab.reach(resumed.iterations);
  const whole = await lab.pause();
  expect(timeless(whole.rows).slice(0, resumed.iterations)).toEqual(timeless(resumed.rows));
});

test('a lost GPU is replaced, and the run goes on by itself and says so', async ({ lab }) => {
  await lab.open(tiny);
  const before = await lab.reach(5);
  await lab.page.evaluate(() => window.palestra?.loseGpu());
  await expect(lab.page.getByTestId('recovered')).toBeVisible();
  await lab.reach(before.iterations + 5);
  await expect(lab.page.getByTestId('recovered')).toContainText('went on after iteration');
  const recovered = await lab.pause();
  expect(recovered.error).toBeNull();
  expect(recovered.markers).toHaveLength(1);
  expect(recovered.rows.map(({ iteration }) => iteration)).toEqual(
    recovered.rows.map((_, i) => i + 1),
  );

  await lab.button(/^Reset/).click();
  await expect(lab.status).toHaveText('Paused');
  await lab.button('Start').click();
  await lab.reach(recovered.iterations);
  const whole = await lab.pause();
  expect(timeless(whole.rows).slice(0, recovered.iterations)).toEqual(timeless(recovered.rows));
});

test('without storage the run trains, and the page says that it is not kept', async ({ lab }) => {
  const refuse = `Object.defineProperty(IDBFactory.prototype, 'open', {
    value: () => { throw new DOMException('denied', 'SecurityError'); },
  });`;
  await lab.page.addInitScript(refuse);
  await lab.page.route(/worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${refuse}\n${await response.text()}` });
  });
  await lab.open(tiny);
  await lab.reach(2);
  await expect(lab.page.getByTestId('storage')).toContainText('This run is not kept');
  // What would be lost is asked for before the page is left.
  const asked = lab.page.waitForEvent('dialog');
  await lab.page.mouse.click(5, 5);
  void lab.page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await lab.reach(3);
});
