/** Choice of device: without a GPU, in Firefox, without isolation, and by the visitor. */
import puppeteer, { type Page as FirefoxPage } from 'puppeteer-core';
import { findFirefox } from '../scripts/firefox.mjs';
import type { LabState } from '../src/ui/app/test-api.ts';
import { openHost } from './host.ts';
import { expect, test as labTest, queryOf, small } from './lab-page.ts';
import { keptTo, timeless } from './tiny-run.ts';

/** Threads the page may use on this machine. */
const threadsOf = (cores: number) => Math.min(cores, 8);
const threadWords = (threads: number) => (threads === 1 ? '1 thread' : `${threads} threads`);

labTest.describe('without WebGPU', () => {
  const test = labTest.extend({
    // A browser without WebGPU.
    page: async ({ playwright, launchOptions, baseURL }, use) => {
      const args = (launchOptions.args ?? []).filter((text) => !/webgpu|vulkan/i.test(text));
      const browser = await playwright.chromium.launch({
        ...launchOptions,
        args: [...args, '--disable-features=WebGPU,WebGPUService', '--disable-gpu'],
      });
      const context = await browser.newContext({
        ...(baseURL === undefined ? {} : { baseURL }),
        serviceWorkers: 'block',
      });
      await use(await context.newPage());
      await browser.close();
    },
  });

  test('without WebGPU, Chromium trains on all threads and says what would be faster', async ({
    lab,
  }) => {
    const { page } = lab;
    await lab.open(small);
    const { adapter } = await lab.reach(3);
    expect(adapter).toBe('processor');
    const [isolated, cores] = await page.evaluate(() => [
      crossOriginIsolated,
      navigator.hardwareConcurrency,
    ]);
    expect(isolated).toBe(true);
    await expect(page.getByTestId('adapter')).toContainText(
      `Processor, ${threadWords(threadsOf(Number(cores)))}`,
    );
    await page.getByRole('button', { name: 'A GPU would be faster' }).click();
    const card = page.getByTestId('faster-card');
    await expect(card).toContainText(/WebGPU/);
    await expect(card.getByRole('listitem').first()).toBeVisible();
    await lab.photograph('faster');
  });

  test('a missing GPU is reported, and a button switches to the processor', async ({ lab }) => {
    const { page } = lab;
    await lab.open({ ...small, device: 'webgpu' });
    await expect(page.getByTestId('cannot-train')).toContainText('No GPU available');
    await expect(lab.status).toHaveText('Cannot train');
    await page.getByRole('button', { name: 'Train on the processor' }).click();
    await lab.reach(2);
    expect(new URL(page.url()).searchParams.get('device')).toBeNull();
    // The choice survives a reload, and so does the run once it is saved.
    await expect.poll(async () => keptTo(await lab.state())).toBeGreaterThan(0);
    await lab.open(small);
    await lab.button('Continue').click();
    expect((await lab.reach(3)).adapter).toBe('processor');
  });
});

labTest.describe('without isolation', () => {
  labTest.use({ serviceWorkers: 'allow' });

  labTest(
    'Chromium trains on one thread, from the second visit on all, to the same bits',
    async ({ lab }) => {
      const { page } = lab;
      const host = await openHost(['/']);
      const address = `${host.address}/?${queryOf({ ...small, device: 'processor' })}`;
      const isolated = () => page.evaluate(() => crossOriginIsolated);
      const openingRows = async () => timeless((await lab.snapshot()).rows.slice(0, 4));
      try {
        await page.goto(address);
        await lab.reach(4);
        const first = await openingRows();
        expect(await isolated()).toBe(false);
        await expect(page.getByTestId('adapter')).toContainText('Processor, 1 thread');
        const cores = await page.evaluate(() => navigator.hardwareConcurrency);
        if (cores > 1) await expect(page.getByTestId('faster')).toContainText('more threads');
        await page.evaluate(async () => {
          await navigator.serviceWorker.ready;
        });

        await page.goto(`${address}&diagnostics.interval=7`);
        await lab.reach(4);
        const second = await openingRows();
        expect(await isolated()).toBe(true);
        await expect(page.getByTestId('adapter')).toContainText(threadWords(threadsOf(cores)));
        expect(second).toEqual(first);

        // Isolated pages still read files in their worker and work offline.
        await page.context().setOffline(true);
        await page.goto(`${address}&seed=5`);
        await lab.reach(2);
        expect(await isolated()).toBe(true);
      } finally {
        await page.context().setOffline(false);
        await host.close();
      }
    },
  );
});

const firefox = await findFirefox();

labTest.describe('Firefox', () => {
  labTest.skip(firefox === null, 'No Firefox: `npm test` installs one where it may.');

  // On a busy machine, Firefox's page threads get less processor time than other programs.
  labTest('opens the page and trains on all threads', { tag: '@alone' }, async ({ baseURL }) => {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: firefox ?? '',
      // Containers offer no user namespaces for Firefox's sandbox.
      env: { ...process.env, MOZ_DISABLE_CONTENT_SANDBOX: '1' },
      timeout: 400_000,
      protocolTimeout: 0,
    });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(400_000);
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      await page.goto(`${baseURL}/?device=processor&${queryOf(small)}`);
      const { iterations, error, adapter } = await reach(page, 3);
      expect(error).toBeNull();
      expect(iterations).toBeGreaterThanOrEqual(3);
      expect(adapter).toBe('processor');
      // The page may draw the device after the iterations have arrived.
      await page.waitForFunction(
        () => document.querySelector('[data-testid=adapter]')?.textContent?.includes('Processor'),
        { polling: 200 },
      );
      const [isolated, cores, told] = await page.evaluate(() => [
        crossOriginIsolated,
        navigator.hardwareConcurrency,
        document.querySelector('[data-testid=adapter]')?.textContent ?? '',
      ]);
      expect(isolated).toBe(true);
      expect(told).toContain(`Processor, ${threadWords(threadsOf(Number(cores)))}`);

      // The service worker takes over while the threads compute, and then serves the page's files.
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null, {
        polling: 200,
      });
      const served = await page.evaluate(async (asset) => {
        const response = await fetch(asset, { signal: AbortSignal.timeout(300_000) });
        return response.ok && window.palestra?.state().status;
      }, 'favicon.svg');
      expect(served).toBe('running');
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

/** Waits until at least `wanted` iterations have finished, or the run has ended. */
async function reach(page: FirefoxPage, wanted: number): Promise<LabState> {
  await page.waitForFunction(
    (least: number) => {
      const state = window.palestra?.state();
      return state !== undefined && (state.iterations >= least || state.error !== null);
    },
    { polling: 200 },
    wanted,
  );
  return page.evaluate(() => {
    if (window.palestra === undefined) throw new Error('the page offers no window.palestra');
    return window.palestra.state();
  });
}

labTest('a run moves to another device and back, continues there, and says so', async ({ lab }) => {
  const { page } = lab;
  await lab.open({ ...small, device: 'webgpu' });
  const before = await lab.reach(2);
  expect(before.adapter).not.toBe('processor');

  const choose = async (name: string) => {
    await lab.button(/^Settings/).click();
    await lab.settings.getByText(name, { exact: true }).click();
    await page.keyboard.press('Escape');
    await expect(lab.settings).toBeHidden();
  };
  await choose('Processor');
  const moved = page.getByTestId('moved');
  await expect(moved).toContainText(`It moved from ${before.adapter} to processor.`);
  await expect(page.getByTestId('adapter')).toContainText('Processor');
  expect(new URL(page.url()).searchParams.get('device')).toBeNull();
  const there = await lab.state();
  await lab.reach(there.iterations + 3);
  const went = await lab.snapshot();
  expect(went.runId).toBe(before.runId);
  expect(went.rows.map(({ iteration }) => iteration)).toEqual(went.rows.map((_, i) => i + 1));
  expect(went.markers.map(({ text }) => text)).toEqual(['moved to processor']);
  await moved.getByRole('button', { name: 'Close this notice' }).click();

  await lab.pause();
  await choose('GPU');
  // Compiling shaders for a software GPU is slow.
  await expect(moved).toContainText(`It moved from processor to ${before.adapter}.`);
  await expect(lab.status).toHaveText('Paused');
  await lab.button('Continue').click();
  const back = await lab.reach((await lab.state()).iterations + 1);
  expect(back.markers).toHaveLength(2);

  // The stored run names its device after a reload.
  await lab.pause();
  await expect.poll(async () => (await lab.state()).storage?.state).toBe('kept');
  await page.reload();
  await expect.poll(async () => (await lab.state()).markers.length).toBe(2);
});

labTest('the page reacts immediately while the processor computes', async ({ lab }) => {
  const { page } = lab;
  await lab.open({ device: 'processor', 'stopping.success': 0, 'evaluation.interval': 0 });
  await lab.reach(2);
  // Events are handled during an iteration, not only after it.
  await page.evaluate(async () => {
    const iterations = () => window.palestra?.state().iterations;
    for (let [before, events] = [iterations(), 0]; events < 4; ) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      events = iterations() === before ? events + 1 : 0;
      before = iterations();
    }
  });
  await lab.pause();
});

labTest(
  'an unknown device in the address is reported, and the default is used',
  { tag: '@smoke' },
  async ({ lab }) => {
    await lab.open({ ...small, device: 'abacus' });
    await expect(lab.page.getByTestId('address-notes')).toContainText(
      'The address has device=“abacus”, which is not auto, webgpu or processor; auto is used.',
    );
    await lab.reach(1);
  },
);
