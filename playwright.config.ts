import { defineConfig } from '@playwright/test';
import { findChromium } from './scripts/chromium.mjs';
import { chromiumArguments } from './scripts/vulkan.mjs';

const port = Number(process.env.PALESTRA_PREVIEW_PORT ?? 4180);
const address = `http://127.0.0.1:${port}`;

const executablePath = await findChromium();
if (executablePath === null) {
  throw new Error(
    'No Chromium found. Run `npm test`, which can install one, or set PALESTRA_CHROMIUM.',
  );
}

// With a shell in between, the server would not notice that Playwright was killed.
const exec = process.platform === 'win32' ? '' : 'exec ';

/** Browser tests run against the built page, served as `npm start` does. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Tests share one GPU or software GPU. `npm test` uses three workers, except for tests tagged @alone.
  workers: 1,
  // Files differ greatly in duration.
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  // Long enough for a slow and busy machine; no test waits for a timeout.
  timeout: 1_200_000,
  expect: { timeout: 300_000 },
  reporter: 'list',
  use: {
    baseURL: address,
    // Each test opens a fresh browser; its service worker would fetch the whole page again.
    serviceWorkers: 'block',
    viewport: { width: 1440, height: 900 },
    // Screenshots and snapshots in traces cost a fifth of the processor. For one test use
    // `npx playwright test FILE --trace on`.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
    launchOptions: { executablePath, args: chromiumArguments() },
  },
  webServer: {
    // Builds the page if sources changed.
    command: `${exec}node scripts/start.mjs --no-open --host 127.0.0.1 --port ${port} --out dist`,
    url: address,
    reuseExistingServer: false,
    timeout: 300_000,
  },
});
