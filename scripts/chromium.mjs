/**
 * Finds a Chromium: for the browser tests, and for the SwiftShader Vulkan driver that ships beside
 * it, which Node's WebGPU uses on machines without a GPU.
 */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Chromium keeps its libraries when the program on the PATH is only a shell script. */
const LIBRARY_FOLDERS = [
  '/usr/lib/chromium',
  '/usr/lib64/chromium',
  '/usr/lib/chromium-browser',
  '/usr/lib64/chromium-browser',
  '/opt/google/chrome',
];

/**
 * @param {string[]} names program names
 * @returns {string[]} those that exist on the PATH, as absolute paths
 */
function onPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(existsSync);
}

/** @returns {string[]} Chromium programs that the system has, the preferred one first */
function systemChromiums() {
  if (process.platform === 'darwin') {
    return [
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
    ].filter(existsSync);
  }
  if (process.platform === 'win32') {
    return [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA]
      .filter((folder) => folder !== undefined)
      .map((folder) => join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'))
      .filter(existsSync);
  }
  return onPath([
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'google-chrome-beta',
  ]);
}

/** @returns {Promise<string | null>} Playwright's own Chromium, when it has been downloaded */
async function playwrightChromium() {
  try {
    const { chromium } = await import('playwright');
    const path = chromium.executablePath();
    return existsSync(path) ? path : null;
  } catch {
    return null; // The packages are not installed yet.
  }
}

/**
 * Looks for a Chromium and installs nothing.
 * @returns {Promise<string | null>} the program's absolute path
 */
export async function findChromium() {
  for (const name of ['PALESTRA_CHROMIUM', 'CHROME_PATH']) {
    const path = process.env[name];
    if (path === undefined || path === '') continue;
    if (existsSync(path)) return path;
    console.error(`${name} names ${path}, which does not exist; looking elsewhere.`);
  }
  return systemChromiums()[0] ?? (await playwrightChromium());
}

/**
 * Folders that may hold Chromium's libraries (SwiftShader, the Vulkan loader), the likeliest first.
 * @returns {Promise<string[]>}
 */
export async function chromiumFolders() {
  const program = await findChromium();
  const beside = program === null ? [] : [join(realpathSync(program), '..')];
  const own = await playwrightChromium();
  if (own !== null) beside.push(join(own, '..'));
  return [...beside, ...LIBRARY_FOLDERS].filter(existsSync);
}
