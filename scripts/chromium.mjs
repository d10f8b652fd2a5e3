/**
 * Finds a Chromium: for the browser tests, and for the SwiftShader Vulkan driver that ships beside
 * it, which Node's WebGPU uses on machines without a GPU.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './install.mjs';

/** Chromium's library folders on systems whose `chromium` is a shell script. */
const LIBRARY_FOLDERS = [
  '/usr/lib/chromium',
  '/usr/lib64/chromium',
  '/usr/lib/chromium-browser',
  '/usr/lib64/chromium-browser',
  '/opt/google/chrome',
];

/**
 * @param {string[]} names program names
 * @returns {string[]} absolute paths of those on the PATH
 */
export function onPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(existsSync);
}

/** @returns {string[]} installed Chromium programs, preferred first */
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

/** @returns {Promise<string | null>} Playwright's Chromium, if downloaded */
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
 * Finds a Chromium without installing one.
 * @returns {Promise<string | null>} the program's absolute path
 */
export async function findChromium() {
  for (const name of ['PALESTRA_CHROMIUM', 'CHROME_PATH']) {
    const path = process.env[name];
    if (path === undefined || path === '') continue;
    if (existsSync(path)) return path;
    console.error(`${name} is ${path}, which does not exist; trying other locations.`);
  }
  return systemChromiums()[0] ?? (await playwrightChromium());
}

/**
 * Folders that may contain Chromium's libraries (SwiftShader, the Vulkan loader), most likely
 * first.
 * @returns {Promise<string[]>}
 */
export async function chromiumFolders() {
  const program = await findChromium();
  const beside = program === null ? [] : [join(realpathSync(program), '..')];
  const own = await playwrightChromium();
  if (own !== null) beside.push(join(own, '..'));
  return [...beside, ...LIBRARY_FOLDERS].filter(existsSync);
}

/**
 * Shared libraries that a program needs but this Linux system lacks.
 * @param {string} program absolute path
 * @returns {string[]} empty if none is missing or `ldd` cannot tell
 */
function missingLibraries(program) {
  if (process.platform !== 'linux') return [];
  const { status, stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  if (status !== 0) return []; // not a binary (Debian's chromium is a shell script), or no ldd
  return [...stdout.matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1] ?? '');
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {{ minutes: number, env?: Record<string, string> }} options
 * @returns {boolean} whether it succeeded
 */
function succeeds(program, args, { minutes, env = {} }) {
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    timeout: minutes * 60_000,
    killSignal: 'SIGKILL',
    env: { ...process.env, ...env },
  });
  return status === 0;
}

/** @returns {string[] | null} the command prefix that gives root privileges */
function asRoot() {
  if (process.getuid?.() === 0) return [];
  return spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0
    ? ['sudo', '-n']
    : null;
}

/** @param {string[]} args of Playwright's command line @param {number} minutes */
function playwrightCommand(args, minutes) {
  return succeeds(process.execPath, [join(root, 'node_modules', 'playwright', 'cli.js'), ...args], {
    minutes,
    env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000' },
  });
}

/**
 * Installs a Debian or Ubuntu package, unless PALESTRA_INSTALL=no or root privileges are missing.
 * @param {string} name
 * @returns {boolean} whether it is installed now
 */
export function installWithApt(name) {
  if (process.env.PALESTRA_INSTALL === 'no') return false;
  const prefix = asRoot();
  if (prefix === null || onPath(['apt-get']).length === 0) return false;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  /** @param {string[]} args */
  const apt = (args) => {
    const [program = '', ...rest] = [...prefix, 'apt-get', ...args];
    return succeeds(program, rest, { minutes: 10, env });
  };
  console.error(`Installing the system package ${name} (apt-get) …`);
  apt(['update']); // a failing third-party source must not stop the install
  return apt(['install', '-y', '--no-install-recommends', name]);
}

/**
 * Reports missing system libraries of a downloaded Chromium and installs them if permitted.
 * @param {string} program
 * @returns {boolean} whether the program can start
 */
function completeLibraries(program) {
  const missing = missingLibraries(program);
  if (missing.length === 0) return true;
  console.error(`${program} lacks system libraries: ${missing.join(', ')}.`);
  installLibraries('chromium');
  if (missingLibraries(program).length === 0) return true;
  console.error('Install them with: sudo npx playwright install-deps chromium');
  return false;
}

/**
 * Installs the system libraries of a browser, unless PALESTRA_INSTALL=no or root privileges are missing.
 * @param {'chromium' | 'firefox'} browser
 */
export function installLibraries(browser) {
  if (process.env.PALESTRA_INSTALL === 'no' || asRoot() === null) return;
  console.error(`Installing system libraries (playwright install-deps ${browser}) …`);
  playwrightCommand(['install-deps', browser], 10);
}

/**
 * Finds a working Chromium or installs one: first Playwright's download, then, if permitted, the
 * system's package manager.
 * @returns {Promise<string>} the program's absolute path
 * @throws {ChromiumMissingError} if none is found and none can be installed
 */
export async function ensureChromium() {
  const found = await findChromium();
  if (found !== null && missingLibraries(found).length === 0) return found;
  if (found !== null && completeLibraries(found)) return found;

  if (found === null) {
    console.error('No Chromium found. Downloading Playwright’s …');
    playwrightCommand(['install', '--no-shell', 'chromium'], 8);
    const downloaded = await playwrightChromium();
    if (downloaded !== null && completeLibraries(downloaded)) return downloaded;
  }
  if (process.platform === 'linux' && installWithApt('chromium')) {
    const installed = systemChromiums().find((path) => missingLibraries(path).length === 0);
    if (installed !== undefined) return installed;
  }
  throw new ChromiumMissingError();
}

export class ChromiumMissingError extends Error {
  constructor() {
    super(
      'No Chromium was found, and none could be installed. Install Chromium or Google Chrome with ' +
        'your package manager, run `npx playwright install --with-deps chromium`, or set ' +
        'PALESTRA_CHROMIUM to the path of the program.',
    );
    this.name = 'ChromiumMissingError';
  }
}
