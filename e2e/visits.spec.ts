import { expect, type LabPage, test } from './lab-page.ts';
import { keptTo, tiny } from './tiny-run.ts';

/** Waits until the current run is stored and returns its id. */
async function stored(lab: LabPage): Promise<string | null> {
  await expect.poll(async () => keptTo(await lab.state())).toBeGreaterThan(0);
  return (await lab.state()).runId;
}

/** Opens a run, pauses it and returns its id once it is stored. */
async function pausedRun(lab: LabPage): Promise<string | null> {
  await lab.open(tiny);
  await lab.reach(2);
  await lab.pause();
  return stored(lab);
}

test('Back returns from the start page to the previous run, and from a lesson to the lab', async ({
  lab,
}) => {
  const { page } = lab;
  const runId = await pausedRun(lab);

  await page.getByRole('link', { name: 'Palestra, start page' }).click();
  await expect.poll(async () => (await lab.state()).runId).not.toBe(runId);
  expect((await lab.state()).preset).toBe('maze');
  expect(new URL(page.url()).search).not.toContain('stopping');
  const home = await stored(lab);

  await page.keyboard.press('l');
  await expect(page.getByTestId('lesson-list')).toBeVisible();
  await page.goBack();
  await expect(page.getByTestId('lesson-list')).toBeHidden();
  expect((await lab.state()).runId).toBe(home);

  await page.goBack();
  await expect.poll(async () => (await lab.state()).runId).toBe(runId);
  await expect(lab.status).toHaveText('Paused');
  await page.goForward();
  await expect.poll(async () => (await lab.state()).runId).toBe(home);
});

test('Forward restarts a run that ended before its first iteration', { tag: '@smoke' }, async ({
  lab,
}) => {
  const { page } = lab;
  const runId = await pausedRun(lab);

  // Paused in the same task, the new run waits before its first iteration.
  const home = await page
    .getByRole('link', { name: 'Palestra, start page' })
    .evaluate((link: HTMLElement) => {
      link.click();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }));
      history.back();
      return window.palestra?.state().runId;
    });
  expect(home).not.toBe(runId);
  await expect.poll(async () => (await lab.state()).runId).toBe(runId);
  await page.goForward();
  await expect.poll(async () => (await lab.state()).runId).not.toBe(runId);
  const { preset, runId: restarted } = await lab.state();
  expect(preset).toBe('maze');
  expect(restarted).not.toBe(home);
  expect(new URL(page.url()).search).not.toContain('stopping');
  await lab.reach(1);
});

test('Back and Forward in quick succession show the newest run again', async ({ lab }) => {
  const { page } = lab;
  const runId = await pausedRun(lab);
  await page.getByRole('link', { name: 'Palestra, start page' }).click();
  await lab.reach(1);
  const home = await stored(lab);

  // Forward arrives while Back still loads its run.
  await page.evaluate(async () => {
    const arrived = () =>
      new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
    const back = arrived();
    history.back();
    await back;
    const forward = arrived();
    history.forward();
    await forward;
  });
  await expect.poll(async () => (await lab.state()).runId).toBe(home);
  // The list of runs is read from storage after the run that Back has loaded.
  await lab.button('Runs: compare and open stored runs').click();
  await expect(page.locator(`tr[data-run="${home}"]`)).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect((await lab.state()).runId).toBe(home);
  expect(new URL(page.url()).search).not.toContain('stopping');
  await page.goBack();
  await expect.poll(async () => (await lab.state()).runId).toBe(runId);
});
