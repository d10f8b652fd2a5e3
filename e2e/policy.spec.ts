import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, small, test } from './lab-page.ts';

declare global {
  interface Window {
    /** Violations of the content security policy, as `directive: resource`. */
    refused: string[];
  }
}

/** Records violations from the first script on. */
async function noteViolations(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.refused = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      window.refused.push(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
}

const refused = (page: Page) => page.evaluate(() => window.refused);

test('the page’s content security policy contains the hash of every inline script', {
  tag: '@smoke',
}, async ({ request }) => {
  const html = await (await request.get('./')).text();
  const [, policy = ''] =
    /<meta http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
  const directives = new Map(
    policy.split('; ').map((text): [string, string[]] => {
      const [name = '', ...sources] = text.split(' ');
      return [name, sources];
    }),
  );
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  expect(scripts.length).toBeGreaterThan(0);
  const hashes = scripts.map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  expect(Object.fromEntries(directives)).toEqual({
    'default-src': ["'self'"],
    'script-src': ["'self'", "'wasm-unsafe-eval'", ...hashes],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    'connect-src': [
      "'self'",
      'https://huggingface.co',
      'https://*.huggingface.co',
      'https://*.hf.co',
    ],
    'worker-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ['default'],
  });
  // A policy in a meta element applies only to what follows the element.
  expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.search(/<(script|link|style)/));
  expect(html).not.toMatch(/\sstyle="|\son[a-z]+="|<style/);
});

test('the built page is installable and lists the licenses of its packages', async ({
  page,
  request,
}) => {
  const html = await (await request.get('./')).text();
  // The development server injects this script.
  expect(html).not.toContain('@vite/client');
  expect(html).toMatch(/src="\.\/assets\/index-[\w-]+\.js"/);
  expect((await request.get('./assets/none.js')).status()).toBe(404);
  await page.goto('./?stopping.iterations=1');
  const session = await page.context().newCDPSession(page);
  const { errors, data } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { icons, start_url, id } = JSON.parse(data ?? '{}');
  // Relative to the manifest, so two deployments on one host are two applications.
  expect([start_url, id]).toEqual(['./', undefined]);
  for (const { src, sizes, type, purpose } of icons) {
    const response = await request.get(src);
    expect([response.status(), response.headers()['content-type']]).toEqual([200, type]);
    const png = await response.body();
    if (type === 'image/png') expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(sizes);
    expect(['any', 'maskable']).toContain(purpose);
  }
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // Test contexts behave like incognito windows.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);

  await page.getByRole('button', { name: 'More' }).click();
  const licenses = page.getByRole('menuitem', { name: 'Licenses' });
  const text = await (await request.get((await licenses.getAttribute('href')) ?? '')).text();
  for (const name of ['react', '@mantine/core', 'onnxruntime-web', 'recharts', 'zod']) {
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.`, 'm'));
  }
});

test('using the whole lab does not violate the content security policy', async ({ lab }) => {
  const { page } = lab;
  await noteViolations(page);
  // The worker uses WebGPU; play mode in the page falls back to WebAssembly.
  await page.addInitScript(() => {
    Object.defineProperty(GPU.prototype, 'requestAdapter', { value: async () => null });
  });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open({ ...small, 'stopping.iterations': 3 });
  await lab.reach(3);
  await expect(lab.status).toHaveText('Finished');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  const exported = await readFile(await download.path());

  await page.getByRole('button', { name: 'Play mode' }).click();
  const play = page.getByTestId('play-mode');
  const origin = play.getByTestId('play-origin');
  await expect(origin).toContainText('WebAssembly');
  await play.locator('input[type=file]').setInputFiles({
    name: 'exported.zip',
    mimeType: 'application/zip',
    buffer: exported,
  });
  await expect(origin).toContainText('The agent exported.zip');
  await expect(play.getByTestId('prospect').getByRole('listitem').first()).toContainText('%');

  // Saving a chart as an image uses a blob URL.
  await page
    .getByRole('button', { name: /: view and save$/ })
    .first()
    .click();
  await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /PNG/ }).click(),
  ]);

  await lab.button(/^Settings/).click();
  await expect(lab.settings).toBeVisible();
  await page.keyboard.press('Escape');
  await lab.button(/^Runs/).click();
  await expect(page.getByTestId('runs').locator('tr[data-run]')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Gallery/ }).click();
  await expect(page.getByText('Generated 7×7 mazes')).toBeVisible();
  await page.keyboard.press('Escape');
  // Shortcuts are disabled until the gallery has closed.
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');

  await lab.button(/^Reset/).click();
  await expect(lab.status).toHaveText('Paused');
  await lab.button('Walk: step through an iteration, phase by phase').click();
  const steps = page.getByRole('dialog');
  await expect(steps.getByTestId('step-next')).toBeEnabled();
  await steps.getByTestId('step-next').click();
  await expect(
    steps.getByTestId('step-facts').getByRole('heading', { name: 'Roll out' }),
  ).toBeVisible();
  expect(await refused(page)).toEqual([]);
});

test('injected resources are blocked', async ({ page }) => {
  await noteViolations(page);
  await page.goto('./?stopping.iterations=1');
  await expect(page.getByTestId('status')).toBeVisible();
  const outcomes = await page.evaluate(async () => {
    const { document } = window;
    const attempt = (work: () => unknown) => {
      try {
        work();
        return 'done';
      } catch (error) {
        return error instanceof Error ? error.name : String(error);
      }
    };
    const script = document.createElement('script');
    script.append('window.name = "injected"');
    const image = new Image();
    image.src = 'https://elsewhere.invalid/pixel.png';
    const base = document.createElement('base');
    base.href = 'https://elsewhere.invalid/';
    return {
      // evaluate() bypasses the policy; a timer callback does not.
      evaluated: await new Promise((done) => {
        setTimeout(() => done(attempt(() => new Function('return 1')())), 0);
      }),
      markup: attempt(() => {
        document.createElement('div').innerHTML = '<img src=x onerror=alert(1)>';
      }),
      worker: attempt(() => new Worker('https://elsewhere.invalid/worker.js')),
      blob: attempt(() => new Worker(URL.createObjectURL(new Blob(['close()'])))),
      script: attempt(() => document.head.append(script)),
      injected: window.name,
      fetched: await fetch('https://elsewhere.invalid/').then(
        () => 'done',
        (error: Error) => error.name,
      ),
      base: attempt(() => document.head.append(base)),
      address: document.baseURI === location.href,
    };
  });
  expect(outcomes).toEqual({
    evaluated: 'EvalError',
    markup: 'TypeError',
    worker: 'TypeError',
    blob: 'TypeError',
    script: expect.anything(),
    injected: '',
    fetched: 'TypeError',
    base: 'done',
    address: true,
  });
  await expect
    .poll(async () => (await refused(page)).map((text) => text.split(':')[0]))
    .toEqual(
      expect.arrayContaining(['require-trusted-types-for', 'connect-src', 'img-src', 'base-uri']),
    );
});
