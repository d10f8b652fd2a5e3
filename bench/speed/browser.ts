/** Runs the benchmark's page in a headless Chromium. */

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright';
import { bundlePage } from '../../scripts/bundle-page.mjs';
import { ensureChromium } from '../../scripts/chromium.mjs';
import { root } from '../../scripts/install.mjs';
import { chromiumArguments } from '../../scripts/vulkan.mjs';
import type { Trainer } from './own-step.ts';
import type { SuiteOptions } from './processor-bench.ts';
import type { PartReports, SuitePart } from './report.ts';
import { measureStartup, type StartupReport } from './startup.ts';
import type { TrainingCase } from './training-case.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/** The open page, with a method for each request. */
export interface BenchPage {
  readonly adapter: { readonly name: string; readonly software: boolean };
  /** Chromium with its version. */
  readonly host: string;
  run<Name extends SuitePart>(part: Name, options: SuiteOptions): Promise<PartReports[Name]>;
  /** Measures the start-up of the lab itself; null without a browser. */
  startup(): Promise<StartupReport | null>;
  close(): Promise<void>;
}

/** Creates the trainers of peers that run outside the browser. */
export type OutsideTrainers = (training: TrainingCase) => Promise<readonly Trainer[]>;

/** Bundles the page, serves it from memory and opens it. */
export async function openBenchPage(outside: OutsideTrainers): Promise<BenchPage> {
  const server = await serve(await bundle());
  const { port } = server.address() as AddressInfo;
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: chromiumArguments(),
  });
  const close = async () => {
    await browser.close();
    server.close();
  };
  try {
    const page = await openPage(browser, `http://127.0.0.1:${port}/`, outside);
    const adapter = await page.evaluate(() => window.bench?.adapter);
    if (adapter === undefined) throw new Error('The benchmark’s page did not start.');
    return {
      adapter,
      host: `Chromium ${browser.version()}`,
      run: (part, options) => runPart(page, part, options),
      startup: () => measureStartup(browser),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPage(
  browser: Browser,
  address: string,
  outside: OutsideTrainers,
): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') process.stderr.write(`page: ${message.text()}\n`);
  });
  let trainers: readonly Trainer[] = [];
  await page.exposeFunction('openOutsideTrainers', async (training: TrainingCase) => {
    trainers = await outside(training);
    return trainers.map(({ name }) => name);
  });
  await page.exposeFunction('stepOutsideTrainer', (i: number) => trainers[i]?.step());
  await page.exposeFunction('closeOutsideTrainer', (i: number) => trainers[i]?.close());
  await page.goto(address);
  const ready = page.waitForFunction(() => window.bench !== undefined, undefined, {
    timeout: 60_000,
  });
  await ready.catch((cause) => {
    throw new Error(problems.join('\n') || 'The benchmark’s page did not start.', { cause });
  });
  return page;
}

async function runPart<Name extends SuitePart>(
  page: Page,
  part: Name,
  options: SuiteOptions,
): Promise<PartReports[Name]> {
  const result = await page.evaluate(
    async ([name, settings]) => {
      if (window.bench === undefined) throw new Error('the page has no benchmark');
      return window.bench.run(name, settings);
    },
    [part, options] as const,
  );
  return result as PartReports[Name];
}

/** The page's files by address. */
async function bundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  const outputFiles = await bundlePage(
    ['page.ts', 'processor-worker.ts'].map((name) => join(root, 'bench', 'speed', name)),
    '/page',
  );
  return new Map(outputFiles.map(({ path, contents }) => [path, contents]));
}

/**
 * Serves the page, and files of packages under `/packages/`, such as their WebAssembly. The page is isolated,
 * so that WebAssembly can use threads and the clock has a fine resolution.
 */
async function serve(files: ReadonlyMap<string, Uint8Array>): Promise<Server> {
  const html =
    '<!doctype html><title>Benchmark</title><link rel="icon" href="data:,"><script type="module" src="/page/page.js"></script>';
  const find = async (path: string): Promise<Uint8Array | string> => {
    if (path === '/') return html;
    if (path.startsWith('/packages/')) {
      return readFile(join(root, 'node_modules', normalize(path.slice('/packages/'.length))));
    }
    const file = files.get(path);
    if (file === undefined) throw new Error(`no file ${path}`);
    return file;
  };
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    try {
      const content = await find(path);
      response.writeHead(200, {
        'Content-Type': types[extname(path) || '.html'] ?? 'application/octet-stream',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}
