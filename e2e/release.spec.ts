import { test as base, expect, type Page } from '@playwright/test';
import { type Host, openHost } from './host.ts';
import { LabPage, queryOf } from './lab-page.ts';
import { tiny } from './tiny-run.ts';

/** Console errors are expected: files of the page are removed. */
const test = base.extend<{ host: Host }>({
  host: async ({ playwright: _ }, use) => {
    const host = await openHost(['/a/', '/b/', '/']);
    await use(host);
    await host.close();
  },
});

test.use({ serviceWorkers: 'allow', trace: 'off' });

const query = queryOf(tiny);

const controlled = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const { serviceWorker } = navigator;
        const tell = () => {
          if (serviceWorker.controller !== null) resolve(serviceWorker.controller.scriptURL);
        };
        serviceWorker.addEventListener('controllerchange', tell);
        tell();
      }),
  );

test('missing files of an old release are reported once, and the run resumes after the reload', async ({
  page,
  host,
}) => {
  // Without a service worker, as after a hard reload.
  await page.addInitScript(() => {
    Object.defineProperty(ServiceWorkerContainer.prototype, 'register', {
      value: () => Promise.reject(new Error('none here')),
    });
  });
  const lab = new LabPage(page);
  await page.goto(`${host.address}/a/?${query}`);
  await lab.reach(2);
  host.gone = /assets\/(settings|help|gallery)[.-]/;
  await page.keyboard.press('?');
  await lab.button(/^Settings/).click();
  const notice = page.getByTestId('release');
  await expect(notice).toContainText('A newer version of this page is available');
  await expect(notice).toBeInViewport();
  await expect(notice).toHaveCount(1);
  // The page is not blank, and training continues.
  await expect(lab.stage).toBeVisible();
  const before = await lab.snapshot();
  await lab.reach(before.iterations + 1);
  await lab.photograph('newer-version');

  host.gone = null;
  const loaded = page.waitForEvent('load');
  await notice.getByRole('button', { name: 'Reload' }).click();
  await loaded;
  await lab.reach(before.iterations + 2);
  const after = await lab.snapshot();
  expect(after.runId).toBe(before.runId);
  expect(after.rows.slice(0, before.iterations)).toEqual(before.rows);
  await expect(lab.status).toHaveText(/Training|Finished/);
  await expect(notice).toHaveCount(0);
  await lab.button(/^Settings/).click();
  await expect(lab.settings).toBeVisible();
});

test('a new release is announced while training continues and stored runs remain', async ({
  page,
  host,
}) => {
  const lab = new LabPage(page);
  await page.goto(`${host.address}/a/?${query}`);
  await lab.reach(2);
  // Pausing saves the run.
  await lab.pause();
  await expect.poll(async () => (await lab.state()).storage?.state).toBe('kept');
  // A newer release opened in another tab.
  const kept = await page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('palestra /a/', 99);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const count = opening.result.transaction('runs').objectStore('runs').count();
          count.onsuccess = () => resolve(count.result);
        };
      }),
  );
  expect(kept).toBe(1);
  await lab.button(/^Step/).click();
  const notice = page.getByTestId('storage');
  await expect(notice).toContainText('The stored runs belong to a newer version of this page');
  const { iterations } = await lab.state();
  await lab.button('Continue').click();
  await lab.reach(iterations + 1);
  await lab.photograph('older-page');
  await lab.button(/^Runs/).click();
  await expect(page.getByTestId('runs-problem')).toContainText('A newer version of this page');
});

test('the page is not blank if its script is missing', { tag: '@smoke' }, async ({
  page,
  host,
}) => {
  host.gone = /assets\/.*\.js$/;
  await page.goto(`${host.address}/a/`);
  await expect(page.locator('body')).toContainText('could not be loaded as a whole. Reload it');
});

test('the page opens offline as soon as it is cached', async ({ page, host }) => {
  const lab = new LabPage(page);
  await page.goto(`${host.address}/a/?${query}`);
  await lab.reach(1);
  expect(await controlled(page)).toBe(`${host.address}/a/sw.js`);
  await host.close();
  // The page was never reloaded and has not fetched this part.
  await lab.button(/^Settings/).click();
  await expect(lab.settings).toBeVisible();
});

test('two deployments on one host share no data', async ({ page, host }) => {
  const lab = new LabPage(page);
  const visit = async (folder: string, seed: number) => {
    await page.goto(`${host.address}${folder}?${query}&seed=${seed}`);
    await lab.reach(1);
    await lab.pause();
    await expect.poll(async () => (await lab.state()).storage?.state).toBe('kept');
    expect(await controlled(page)).toBe(`${host.address}${folder}sw.js`);
  };
  // Storage keys of versions without the deployment path.
  await page.goto(`${host.address}/a/favicon.svg`);
  await page.evaluate(async () => {
    localStorage.setItem('mantine-color-scheme-value', 'dark');
    await (await caches.open('palestra-0123456789abcdef')).put(
      '/a/index.html',
      new Response('old'),
    );
  });
  await visit('/a/', 1);
  const dark = page.locator('html[data-mantine-color-scheme=dark]');
  await expect(dark).toHaveCount(1);
  const stores = () => page.evaluate(async () => (await caches.keys()).sort());
  expect(await stores()).toEqual([expect.stringMatching(/^palestra \/a\/ [0-9a-f]{16}$/)]);
  await visit('/b/', 2);
  await visit('/', 3);
  expect((await stores()).map((name) => name.slice(0, -17))).toEqual([
    'palestra /',
    'palestra /a/',
    'palestra /b/',
  ]);
  const databases = await page.evaluate(async () =>
    (await indexedDB.databases()).map(({ name }) => name).sort(),
  );
  expect(databases).toEqual(['palestra /', 'palestra /a/', 'palestra /b/']);

  // Choices are not shared between deployments.
  await page.goto(`${host.address}/b/?${query}&seed=2`);
  await expect(dark).toHaveCount(1);
  await page.getByRole('button', { name: /light/i }).first().click();
  await expect(dark).toHaveCount(0);
  await page.goto(`${host.address}/a/`);
  await expect(dark).toHaveCount(1);
  await lab.reach(1);
  await lab.button(/^Runs/).click();
  await expect(page.getByTestId('runs').locator('tr[data-run]')).toHaveCount(1);
  await expect(page.getByTestId('runs-promise')).toContainText('The browser');

  // Offline, each address opens its own deployment, even if one path contains the other.
  await host.close();
  for (const folder of ['/a/', '/']) {
    await page.goto(`${host.address}${folder}?seed=9`);
    expect(await controlled(page)).toBe(`${host.address}${folder}sw.js`);
    await expect(lab.status).toBeVisible();
  }
  await expect(page.goto(`${host.address}/c/`)).rejects.toThrow(/ERR_CONNECTION_REFUSED/);
});
