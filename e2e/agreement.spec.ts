import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { bundlePage } from '../scripts/bundle-page.mjs';
import { thorough } from '../scripts/tier.mjs';
import type {} from '../src/exchange/testing/page.ts';

/**
 * Dialogues per environment. By default, checks one environment per family, and one environment on WebGPU
 * (two with --thorough). To check more dialogues in the environments whose id contains a given text:
 * PALESTRA_DIALOGUES=1000 PALESTRA_ENVIRONMENTS= npx playwright test e2e/agreement -g webgpu
 */
const DIALOGUES = Number(process.env.PALESTRA_DIALOGUES ?? 2);
const WANTED = process.env.PALESTRA_ENVIRONMENTS;

test.use({ trace: 'off', screenshot: 'off' });

const QUICKJS = '@jitl/quickjs-wasmfile-release-sync';

/** Bundles a page with the trainer and both play-mode runtimes, served beside the lab. */
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
      // The path tells SQLite's WebAssembly, the file name QuickJS's; all else is onnxruntime-web's.
      const [, named = 'onnxruntime-web'] = /\/(sql\.js)\//.exec(pathname) ?? [];
      const library = name.startsWith('emscripten-module') ? QUICKJS : named;
      const body = await readFile(join(root, 'node_modules', library, 'dist', name));
      await route.fulfill({ contentType: 'application/wasm', body });
    }
  });
  await page.goto('/agreement/index.html');
  await page.waitForFunction(() => window.exchange !== undefined, null);
}

/** On a software GPU, compiling onnxruntime's shaders takes most of the time, once per family. */
const QUICK_ON_GPU = thorough ? /^(maze|textcraft)\// : /^maze\//;

/** The requested environments, or the first of each family. */
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
  test(`onnxruntime-web (${provider}) gives the trainer’s probabilities in the browser`, async ({
    page,
  }) => {
    test.setTimeout(1_200_000 + DIALOGUES * 18 * 2_000);
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
