import { defineConfig } from '@playwright/test';
import { findChromium } from './scripts/chromium.mjs';
import { chromiumArguments } from './scripts/vulkan.mjs';

const port = Number(process.env.PALESTRA_PREVIEW_PORT ?? 4180);
const address = `http://127.0.0.1:${port}`;

const executablePath = await findChromium();
if (executablePath === null) {
  throw new Error(
    'No Chromium found. `npm test` installs one where it may; or set PALESTRA_CHROMIUM.',
  );
}

/** Browser tests run against what `npm start` serves. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // The tests share one machine's GPU, or its processor in a GPU's place; `npm test` runs all but
  // those tagged @alone three at a time.
  workers: 1,
  // Whichever is next goes to whoever is free: files take very different times.
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  timeout: 240_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  use: {
    baseURL: address,
    // Every test opens a fresh browser, which would fetch the whole page a second time to keep it.
    serviceWorkers: 'block',
    viewport: { width: 1440, height: 900 },
    // Filming every test, or keeping the page at every step, would take a fifth of the processor that
    // stands in for the GPU; `npx playwright test FILE --trace on` does for one.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
    launchOptions: { executablePath, args: chromiumArguments() },
  },
  webServer: {
    // What visitors use is what is tested; it builds the page where that is to be done.
    command: `node scripts/start.mjs --no-open --host 127.0.0.1 --port ${port}`,
    url: address,
    reuseExistingServer: false,
    timeout: 300_000,
  },
});
