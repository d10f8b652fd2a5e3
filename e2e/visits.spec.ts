import { expect, test } from './lab-page.ts';
import { tiny } from './tiny-run.ts';

test('Back returns from the start page to the previous run, and from a lesson to the lab', async ({
  lab,
}) => {
  const { page } = lab;
  await lab.open(tiny);
  await lab.reach(2);
  const { runId } = await lab.pause();

  await page.getByRole('link', { name: 'Palestra, start page' }).click();
  await expect.poll(async () => (await lab.state()).runId).not.toBe(runId);
  expect((await lab.state()).preset).toBe('maze');
  expect(new URL(page.url()).search).not.toContain('stopping');
  const { runId: home } = await lab.state();

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
