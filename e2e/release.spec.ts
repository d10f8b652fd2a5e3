import { test as base, expect, type Page } from '@playwright/test';
import { type Host, openHost } from './host.ts';
import { LabPage, queryOf } from './lab-page.ts';
import { tiny } from './tiny-run.ts';

/** Errors on the console belong to these tests: parts of the page are taken away. */
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

test('a page whose parts have left the host says so once, and the run goes on after the reload', async ({
  page,
  host,
}) => {
  // As where no service worker keeps the parts: a hard reload, or a browser without one.
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
  await expect(notice).toContainText('There is a newer version of this page');
  await expect(notice).toBeInViewport();
  await expect(notice).toHaveCount(1);
  // Nothing is blank, and training goes on.
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

test('a page that a newer one overtakes says so, trains on, and keeps what was kept', async ({
  page,
  host,
}) => {
  const lab = new LabPage(page);
  await page.goto(`${host.address}/a/?${query}`);
  await lab.reach(2);
  // A pause keeps the run at once.
  await lab.pause();
  await expect.poll(async () => (await lab.state()).storage?.state).toBe('kept');
  // What a newer page does when it is opened in another tab.
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
  await expect(notice).toContainText('This page is older than the runs that are kept here', {
    timeout: 60_000,
  });
  const { iterations } = await lab.state();
  await lab.button('Continue').click();
  await lab.reach(iterations + 1);
  await lab.photograph('older-page');
  await lab.button(/^Runs/).click();
  await expect(page.getByTestId('runs-problem')).toContainText('A newer version of this page');
});

test('a page whose own script has left the host is not blank', async ({ page, host }) => {
  host.gone = /assets\/.*\.js$/;
  await page.goto(`${host.address}/a/`);
  await expect(page.locator('body')).toContainText('could not be loaded as a whole. Reload it');
});

test('the first page is served without a network as soon as it is kept', async ({ page, host }) => {
  const lab = new LabPage(page);
  await page.goto(`${host.address}/a/?${query}`);
  await lab.reach(1);
  expect(await controlled(page)).toBe(`${host.address}/a/sw.js`);
  await host.close();
  // It was never reloaded; this part was never fetched by it.
  await lab.button(/^Settings/).click();
  await expect(lab.settings).toBeVisible();
});

test('two pages of one host keep everything apart', async ({ page, host }) => {
  const lab = new LabPage(page);
  const visit = async (folder: string, seed: number) => {
    await page.goto(`${host.address}${folder}?${query}&seed=${seed}`);
    await lab.reach(1);
    await lab.pause();
    await expect.poll(async () => (await lab.state()).storage?.state).toBe('kept');
    expect(await controlled(page)).toBe(`${host.address}${folder}sw.js`);
  };
  // From before pages of one host were told apart.
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

  // A choice made in one is none of the other's.
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

  // Without a network each address opens its own page, also where one lies below the other.
  await host.close();
  for (const folder of ['/a/', '/']) {
    await page.goto(`${host.address}${folder}?seed=9`);
    expect(await controlled(page)).toBe(`${host.address}${folder}sw.js`);
    await expect(lab.status).toBeVisible();
  }
  await expect(page.goto(`${host.address}/c/`)).rejects.toThrow(/ERR_CONNECTION_REFUSED/);
});
