/**
 * Finds a Firefox for the browser tests: the system's, or one that `npm test` has downloaded or installed.
 * Playwright's own build is none that people use, so `puppeteer-core` drives these.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installWithApt, onPath } from './chromium.mjs';
import { root } from './install.mjs';

/** Where a downloaded Firefox lies, with what else the tests fetch. */
const cache = join(root, 'node_modules', '.cache', 'firefox');

/** @returns {string[]} Firefox programs that the system has */
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
  // One in a snap cannot read the profile that a test gives it.
  return existsSync('/snap/bin/firefox') ? [] : onPath(['firefox', 'firefox-esr']);
}

/** @returns {Promise<string | null>} the newest Firefox that was downloaded here before */
async function downloadedFirefox() {
  const { getInstalledBrowsers } = await import('@puppeteer/browsers');
  const found = await getInstalledBrowsers({ cacheDir: cache });
  return found.map(({ executablePath }) => executablePath).find(existsSync) ?? null;
}

/**
 * Looks for a Firefox and installs nothing.
 * @returns {Promise<string | null>} the program's absolute path
 */
export async function findFirefox() {
  const named = process.env.PALESTRA_FIREFOX;
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    console.error(`PALESTRA_FIREFOX names ${named}, which does not exist; looking elsewhere.`);
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
 * Finds a Firefox, or installs one: a download first, then the system's package manager where that is
 * permitted.
 * @returns {Promise<string | null>} null where none can be had; the tests that need one are then skipped
 */
export async function ensureFirefox() {
  const found = (await findFirefox()) ?? (await download());
  if (found !== null) return found;
  if (process.platform === 'linux' && installWithApt('firefox-esr')) {
    const [installed] = systemFirefoxes();
    if (installed !== undefined) return installed;
  }
  console.error(
    'No Firefox could be had: its browser tests are skipped. Install it, or name it in PALESTRA_FIREFOX.',
  );
  return null;
}
