import { expect, small, test } from './lab-page.ts';

test.use({ trace: 'off', serviceWorkers: 'allow' });

test('after the first visit the page opens and trains without a network', async ({ lab }) => {
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
  // What play mode and SQL run on is kept when it is used.
  expect(kept.filter((file) => /\.wasm$|\/ort|\/agents\//.test(file))).toEqual([]);

  await lab.page.context().setOffline(true);
  // Another address than the one visited, so that nothing comes from the browser's own cache.
  await lab.open({ ...small, seed: 7 });
  await lab.reach(2);
  // Parts that load when they are asked for are there too.
  await lab.button(/^Settings/).click();
  await expect(lab.settings).toBeVisible();
  await lab.page.keyboard.press('Escape');
  await lab.page.getByRole('button', { name: /^Gallery/ }).click();
  await expect(lab.page.getByText('Generated 7×7 mazes')).toBeVisible();
});
