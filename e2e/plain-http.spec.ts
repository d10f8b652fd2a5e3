/**
 * The page over plain HTTP from another machine: an insecure context without GPU, locks, clipboard and
 * service worker.
 */
import type { Page } from '@playwright/test';
import { chromiumArguments } from '../scripts/vulkan.mjs';
import { expect, LabPage, test as labTest, queryOf } from './lab-page.ts';
import { tiny } from './tiny-run.ts';

const NAME = 'teacher.test';

const test = labTest.extend<{ address: string }>({
  address: async ({ baseURL }, use) => {
    const address = new URL(baseURL ?? '');
    address.hostname = NAME;
    await use(address.href);
  },
});

test.use({
  // Chromium logs this for pages it does not isolate.
  expected: /Cross-Origin-Opener-Policy header has been ignored/,
  launchOptions: async ({ launchOptions }, use) => {
    const rule = `--host-resolver-rules=MAP ${NAME} 127.0.0.1`;
    await use({ ...launchOptions, args: [...(launchOptions.args ?? chromiumArguments()), rule] });
  },
});

/** Pastes into a field with Ctrl+V. */
async function pasted(page: Page): Promise<string> {
  await page.evaluate(() => {
    const field = document.createElement('textarea');
    field.id = 'pasted';
    document.body.append(field);
    field.focus();
  });
  await page.keyboard.press('ControlOrMeta+v');
  const field = page.locator('#pasted');
  await expect(field).not.toHaveValue('');
  const text = await field.inputValue();
  await field.evaluate((element) => element.remove());
  return text;
}

test('over plain HTTP the page trains on the processor, lists what is missing, saves its run and copies its link', async ({
  lab,
  address,
}) => {
  const { page } = lab;
  await page.goto(`${address}?${queryOf(tiny)}`);
  await lab.reach(2);
  expect(await page.evaluate(() => [isSecureContext, 'locks' in navigator])).toEqual([
    false,
    false,
  ]);
  expect((await lab.state()).adapter).toBe('processor');
  await page.getByTestId('faster').click();
  await expect(page.getByTestId('faster-card')).toContainText('over https, or from localhost');
  await page.keyboard.press('Escape');

  await lab.pause();
  await expect.poll(async () => (await lab.state()).storage?.state).toBe('kept');
  const before = await lab.snapshot();
  await page.reload();
  await expect(lab.status).toHaveText('Paused');
  const after = await lab.snapshot();
  expect(after.runId).toBe(before.runId);
  expect(after.rows).toEqual(before.rows);
  await lab.button('Continue').click();
  await lab.reach(before.iterations + 1);

  await lab.button('More').click();
  await lab.copyLink();
  await page.keyboard.press('Escape');
  const link = new URL(await pasted(page));
  expect(link.origin).toBe(new URL(address).origin);
  expect(link.searchParams.get('policy.width')).toBe(String(tiny['policy.width']));
});

test('over plain HTTP a second tab does not touch the first tab’s run, and lessons open', async ({
  lab,
  address,
  context,
}) => {
  await lab.page.goto(`${address}?${queryOf(tiny)}`);
  await lab.reach(2);
  const { runId, iterations } = await lab.pause();

  const second = new LabPage(await context.newPage());
  await second.page.goto(`${address}?${queryOf(tiny)}`);
  await second.reach(1);
  expect((await second.state()).runId).not.toBe(runId);
  // Opening it by hand reports that another tab has it open.
  await second.button(/^Runs/).click();
  const first = second.page.locator(`tr[data-run="${runId}"]`);
  await first.getByRole('button', { name: 'Open' }).click();
  await expect(second.page.getByTestId('error')).toContainText('open in another tab');
  await second.page.goto(`${address}?lesson=maze`);
  await second.page.getByTestId('lesson-begin').last().click();
  await expect(second.page.getByTestId('lesson-standing')).toHaveText(/Iteration \d+/);
  await second.page.close();

  await lab.button('Continue').click();
  await lab.reach(iterations + 1);
  await expect(lab.page.getByTestId('storage')).toHaveCount(0);
});
