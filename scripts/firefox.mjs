/**
 * Finds a Firefox for the browser tests: the system's, or one downloaded or installed by
 * `npm test`. Playwright only drives its own build, so the tests use `puppeteer-core`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installWithApt, onPath } from './chromium.mjs';
import { root } from './install.mjs';

/** Folder of downloaded Firefox builds. */
const cache = join(root, 'node_modules', '.cache', 'firefox');

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

/** @returns {Promise<string | null>} a previously downloaded Firefox */
async function downloadedFirefox() {
  const { getInstalledBrowsers } = await import('@puppeteer/browsers');
  const found = await getInstalledBrowsers({ cacheDir: cache });
  return found.map(({ executablePath }) => executablePath).find(existsSync) ?? null;
}

/**
 * Finds a Firefox without installing one.
 * @returns {Promise<string | null>} the program's absolute path
 */
export async function findFirefox() {
  const named = process.env.PALESTRA_FIREFOX;
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    console.error(`PALESTRA_FIREFOX is ${named}, which does not exist; trying other locations.`);
  }
  return systemFirefoxes()[0] ?? (await downloadedFirefox());
}

/** @returns {Promise<string | null>} */
async function download() {
  const { Browser, detectBrowserPlatform, install, resolveBuildId } = await import(
    '@puppeteer/browsers'
  );
  const platform = detectBrowserPlatform();
  if (platform === undefined) return null;
  console.error('No Firefox found. Downloading one …');
  try {
    const buildId = await resolveBuildId(Browser.FIREFOX, platform, 'stable');
    const { executablePath } = await install({
      browser: Browser.FIREFOX,
      buildId,
      cacheDir: cache,
    });
    return executablePath;
  } catch (error) {
    console.error(
      `Firefox cannot be downloaded: ${error instanceof Error ? error.message : error}`,
    );
    return null;
  }
}

/**
 * Finds a Firefox or installs one: first a download, then, if permitted, the system's package
 * manager.
 * @returns {Promise<string | null>} null if there is none; its tests are skipped
 */
export async function ensureFirefox() {
  const found = (await findFirefox()) ?? (await download());
  if (found !== null) return found;
  if (process.platform === 'linux' && installWithApt('firefox-esr')) {
    const [installed] = systemFirefoxes();
    if (installed !== undefined) return installed;
  }
  console.error(
    'No Firefox found; its browser test is skipped. Install Firefox or set PALESTRA_FIREFOX.',
  );
  return null;
}
