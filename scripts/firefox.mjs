/**
 * Finds a Firefox for the browser tests: the system's, or one downloaded or installed by
 * `npm test`. Playwright only drives its own build, so the tests use `puppeteer-core`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installLibraries, installWithApt, onPath } from './chromium.mjs';
import { root } from './install.mjs';

/** Folder of downloaded Firefox builds. */
const cache = join(root, 'node_modules', '.cache', 'palestra', 'firefox');

/** @returns {string[]} installed Firefox programs */
function systemFirefoxes() {
  if (process.platform === 'darwin') {
    return ['/Applications/Firefox.app/Contents/MacOS/firefox'].filter(existsSync);
  }
  if (process.platform === 'win32') {
    return [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)']]
      .filter((folder) => folder !== undefined)
      .map((folder) => join(folder, 'Mozilla Firefox', 'firefox.exe'))
      .filter(existsSync);
  }
  // A snap's Firefox cannot read the test's profile folder.
  return existsSync('/snap/bin/firefox') ? [] : onPath(['firefox', 'firefox-esr']);
}

/** @returns {Promise<string[]>} previously downloaded Firefox programs */
async function downloadedFirefoxes() {
  const { getInstalledBrowsers } = await import('@puppeteer/browsers');
  const found = await getInstalledBrowsers({ cacheDir: cache });
  return found.map(({ executablePath }) => executablePath).filter(existsSync);
}

/** @param {string} program @returns {boolean} whether it exists and has its system libraries */
function starts(program) {
  return spawnSync(program, ['--version'], { timeout: 60_000 }).status === 0;
}

/**
 * Finds a Firefox that starts, without installing one.
 * @returns {Promise<string | null>} the program's absolute path
 */
export async function findFirefox() {
  const named = process.env.PALESTRA_FIREFOX;
  if (named !== undefined && named !== '') {
    if (starts(named)) return named;
    console.error(`PALESTRA_FIREFOX is ${named}, which does not start; trying other locations.`);
  }
  return [...systemFirefoxes(), ...(await downloadedFirefoxes())].find(starts) ?? null;
}

async function download() {
  const { Browser, detectBrowserPlatform, install, resolveBuildId } = await import(
    '@puppeteer/browsers'
  );
  const platform = detectBrowserPlatform();
  if (platform === undefined) return;
  console.error('No Firefox found. Downloading one …');
  try {
    const buildId = await resolveBuildId(Browser.FIREFOX, platform, 'stable');
    // Into another folder first, so that an interrupted download is not used.
    const partial = `${cache}-partial`;
    rmSync(partial, { recursive: true, force: true });
    await install({ browser: Browser.FIREFOX, buildId, cacheDir: partial });
    rmSync(cache, { recursive: true, force: true });
    renameSync(partial, cache);
  } catch (error) {
    console.error(
      `Firefox cannot be downloaded: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/**
 * Finds a Firefox or installs one: first a download, then, if permitted, the system's package
 * manager.
 * @returns {Promise<string | null>} null if there is none; its tests are skipped
 */
export async function ensureFirefox() {
  let found = await findFirefox();
  if (found === null && (await downloadedFirefoxes()).length === 0) {
    await download();
    found = await findFirefox();
  }
  if (found === null && process.platform === 'linux') {
    if ((await downloadedFirefoxes()).length > 0) installLibraries('firefox');
    else installWithApt('firefox-esr');
    found = await findFirefox();
  }
  if (found === null) {
    console.error(
      'No Firefox starts; its browser test is skipped. Install Firefox, set PALESTRA_FIREFOX, or ' +
        'install the system libraries of a downloaded one: sudo npx playwright install-deps firefox',
    );
  }
  return found;
}
