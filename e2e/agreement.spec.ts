import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { bundlePage } from '../scripts/bundle-page.mjs';
import { thorough } from '../scripts/thorough.mjs';
import type {} from '../src/exchange/testing/page.ts';

/**
 * Dialogues of each environment. A quick test reads a few, of one environment of each family, and of one
 * of them on the GPU, two for a thorough test; more of those whose id holds a text, all if it is empty, are read by
 * PALESTRA_DIALOGUES=1000 PALESTRA_ENVIRONMENTS= npx playwright test e2e/agreement -g webgpu
 */
const DIALOGUES = Number(process.env.PALESTRA_DIALOGUES ?? 2);
const WANTED = process.env.PALESTRA_ENVIRONMENTS;

test.use({ trace: 'off', screenshot: 'off' });

/** A page of the trainer and both of play mode's runtimes, served where the lab is. */
async function openPage(page: Page, root: string): Promise<void> {
  const entry = join(root, 'src', 'exchange', 'testing', 'page.ts');
  const outputFiles = await bundlePage(entry, '/agreement');
  const scripts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  await page.route('**/agreement/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    const name = basename(pathname);
    const script = scripts.get(name);
    if (name === 'index.html') {
      const body = '<!doctype html><script type="module" src="page.js"></script>';
      await route.fulfill({ contentType: 'text/html', body });
    } else if (script !== undefined) {
      await route.fulfill({ contentType: 'text/javascript', body: script });
    } else {
      // onnxruntime-web looks for its WebAssembly beside itself, SQLite is asked for by its package.
      const [, library = 'onnxruntime-web'] = /\/(sql\.js)\//.exec(pathname) ?? [];
      const body = await readFile(join(root, 'node_modules', library, 'dist', name));
      await route.fulfill({ contentType: 'application/wasm', body });
    }
  });
  await page.goto('/agreement/index.html');
  await page.waitForFunction(() => window.exchange !== undefined, null, { timeout: 60_000 });
}

/** On a software GPU most of the time is the compilation of onnxruntime’s shaders, for every family anew. */
const QUICK_ON_GPU = thorough ? /^(maze|textcraft)\// : /^maze\//;

/** The environments asked for, or the first of each family. */
function isWanted(
  provider: 'wasm' | 'webgpu',
  id: string,
  index: number,
  all: readonly string[],
): boolean {
  if (WANTED !== undefined) return id.includes(WANTED);
  if (provider === 'webgpu' && !QUICK_ON_GPU.test(id)) return false;
  const family = (one: string) => one.split('/')[0];
  return all.findIndex((one) => family(one) === family(id)) === index;
}

for (const provider of ['wasm', 'webgpu'] as const) {
  test(`onnxruntime-web in the browser gives the trainer’s probabilities: ${provider}`, async ({
    page,
  }) => {
    test.setTimeout(600_000 + DIALOGUES * 18 * 2_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await openPage(page, join(import.meta.dirname, '..'));
    const environments = await page.evaluate(() => window.exchange?.environments ?? []);
    expect(environments.length).toBeGreaterThan(10);
    for (const id of environments.filter((...one) => isWanted(provider, ...one))) {
      const found = await page.evaluate(
        async ([environment, chosen, dialogues]) =>
          window.exchange?.agreement(environment, chosen, dialogues),
        [id, provider, DIALOGUES] as const,
      );
      if (DIALOGUES >= 20) console.log(provider, id, JSON.stringify(found));
      expect(found?.sure).toBeGreaterThan(0.05);
      for (const difference of ['plain', 'cached', 'between', 'player'] as const) {
        expect(found?.[difference], `${id}, ${difference}`).toBeLessThan(1e-4);
      }
    }
    expect(faults).toEqual([]);
  });
}
