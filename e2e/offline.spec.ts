import { chooseTemplate, QUICK, ready, showEditor } from './code-editor.ts';
import { expect, queryOf, small, test } from './lab-page.ts';

test.use({ trace: 'off', serviceWorkers: 'allow' });

test('the page opens and trains offline after the first visit', async ({ lab }) => {
  await lab.open(small);
  await lab.reach(1);
  await lab.page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  const kept = await lab.page.evaluate(async () => {
    const [name = ''] = await caches.keys();
    return (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname);
  });
  expect(kept).toContain('/index.html');
  // SQLite is cached at once; play mode's runtime and agent are cached on first use.
  expect(kept.filter((file) => /\.wasm$|\/ort|\/agents\//.test(file))).toEqual([
    expect.stringMatching(/\/sql-wasm-browser-[^/]*\.wasm$/),
  ]);

  await lab.page.context().setOffline(true);
  // A new address, so nothing comes from the HTTP cache.
  await lab.open({ ...small, seed: 7 });
  await lab.reach(2);
  // Lazily loaded parts are cached too.
  await lab.button(/^Settings/).click();
  await expect(lab.settings).toBeVisible();
  await lab.page.keyboard.press('Escape');
  await lab.page.getByRole('button', { name: /^Gallery/ }).click();
  await expect(lab.page.getByText('Generated 7×7 mazes')).toBeVisible();
  // Its expert runs queries in SQLite.
  const sql = lab.page.locator('.gallery-card').filter({ hasText: 'SQL queries' });
  await expect(sql.locator('.thumbnail-part')).toBeVisible();
});

test('Python works offline after its first use', { tag: '@alone' }, async ({ lab }) => {
  const { page } = lab;
  const useTemplate = async () => {
    await page.goto(`/?${queryOf(QUICK)}`);
    await lab.reach(1);
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await showEditor(page);
    await chooseTemplate(page, 'Guess the number (Python)');
    await ready(page);
  };
  await useTemplate();
  // The first visit began without the service worker, which caches only what it has served.
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await page.reload();
  await useTemplate();
  await page.context().setOffline(true);
  await useTemplate();
});
