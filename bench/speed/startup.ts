/** Time of the built lab from opening the page to its first iteration, and to a solved maze. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright';
import { build, preview } from 'vite';
import { root } from '../../scripts/install.mjs';
import type {} from '../../src/ui/app/test-api.ts';
import { type Spread, spreadOf } from '../measure.ts';

export interface StartupReport {
  /** Milliseconds from requesting the page, with empty caches. */
  readonly firstIteration: Spread;
  /**
   * Milliseconds until greedy play of the default preset solves 95% of its starts, on the device named by
   * `computes`. Absent from reports made before the device could be chosen.
   */
  readonly solved?: Spread;
  /** The device chosen by the page, according to its header. */
  readonly computes?: string;
  /** Milliseconds until the first paint. */
  readonly firstPaint: Spread;
  /** Bytes downloaded until the first paint, and their size compressed with gzip. */
  readonly bytes: number;
  readonly compressedBytes: number;
}

const VISITS = 3;

/** Builds the lab into a separate folder and visits it. */
export async function measureStartup(browser: Browser): Promise<StartupReport> {
  const outDir = join(root, 'node_modules', '.cache', 'palestra', 'bench-dist');
  const common = { root, logLevel: 'error', build: { outDir, emptyOutDir: true } } as const;
  await build(common);
  const server = await preview({ ...common, preview: { host: '127.0.0.1', port: 0, open: false } });
  try {
    const address = server.resolvedUrls?.local[0];
    if (address === undefined) throw new Error('The built page could not be served.');
    const visits: Visit[] = [];
    for (let i = 0; i < VISITS; i++) visits.push(await visit(browser, address));
    const loaded = new Set(visits.flatMap(({ paths }) => paths));
    let bytes = 0;
    let compressedBytes = 0;
    for (const path of await files(outDir)) {
      if (!loaded.has(`/${path}`) && path !== 'index.html') continue;
      const content = await readFile(join(outDir, path));
      bytes += content.length;
      compressedBytes += gzipSync(content).length;
    }
    return {
      firstIteration: spreadOf(visits.map(({ firstIteration }) => firstIteration)),
      firstPaint: spreadOf(visits.map(({ firstPaint }) => firstPaint)),
      solved: spreadOf(visits.map(({ solved }) => solved)),
      computes: [...new Set(visits.map(({ computes }) => computes))].join(', '),
      bytes,
      compressedBytes,
    };
  } finally {
    await server.close();
  }
}

interface Visit {
  readonly firstIteration: number;
  readonly firstPaint: number;
  readonly solved: number;
  readonly computes: string;
  readonly paths: readonly string[];
}

async function visit(browser: Browser, address: string): Promise<Visit> {
  const context = await browser.newContext();
  const page: Page = await context.newPage();
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  try {
    const started = performance.now();
    await page.goto(address);
    await page.waitForFunction(
      () => (window.palestra?.snapshot().iterations ?? 0) >= 1,
      undefined,
      {
        timeout: 120_000,
        polling: 20,
      },
    );
    const firstIteration = performance.now() - started;
    const firstPaint = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    );
    // Parts that load later, such as help texts, are not part of the start-up.
    const loaded = [...paths];
    await page.waitForFunction(
      () => window.palestra?.snapshot().rows.some((row) => (row['eval/success_rate'] ?? 0) >= 0.95),
      undefined,
      { timeout: 600_000, polling: 50 },
    );
    const solved = performance.now() - started;
    const computes = await page.evaluate(() => window.palestra?.snapshot().adapter ?? 'unknown');
    return { firstIteration, firstPaint, solved, computes, paths: loaded };
  } finally {
    await context.close();
  }
}

async function files(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );
}
