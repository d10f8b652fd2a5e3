/**
 * Installs the npm packages if they are missing or older than package-lock.json. Uses only Node
 * itself, because it runs before any package is installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The least minor version of each supported major version; later major versions are supported too. */
const MINIMUM_NODE = new Map([
  [20, 19],
  [22, 12],
  [24, 0],
]);

/** Ends the program with a message if the tools do not support this version of Node. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const least = major > 24 ? 0 : MINIMUM_NODE.get(major);
  if (least !== undefined && minor >= least) return;
  console.error(
    `Palestra needs Node.js 20.19, 22.12, 24 or newer, but this is ${process.versions.node}. ` +
      'Install a current version from https://nodejs.org and run the command again.',
  );
  process.exit(1);
}

/**
 * @typedef {{
 *   version?: string, optional?: boolean, devOptional?: boolean,
 *   os?: string[], cpu?: string[], libc?: string[]
 * }} Package
 */

/**
 * @param {string} file a lock file, or npm's record of what it has installed
 * @returns {Record<string, Package> | null}
 */
function lockedPackages(file) {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null;
  } catch {
    return null; // A half-written record means an interrupted install.
  }
}

/** @param {Package} entry @returns {boolean} whether it contains native code for this system */
function isNativeHere({ os, cpu, libc }) {
  return (
    (os !== undefined || cpu !== undefined) &&
    os?.includes(process.platform) !== false &&
    cpu?.includes(process.arch) !== false &&
    (libc === undefined || libc.includes(usesGlibc() ? 'glibc' : 'musl'))
  );
}

/** Whether this Linux system has the GNU C library; otherwise it has musl. */
function usesGlibc() {
  const report = /** @type {any} */ (process.report);
  report.excludeNetwork = true; // resolving host names takes seconds
  return report.getReport().header.glibcVersionRuntime !== undefined;
}

/**
 * Whether node_modules contains every package at the version in package-lock.json, and the native
 * packages for this system, which are missing if another system has installed it.
 */
export function isInstalled(folder = root) {
  const wanted = lockedPackages(join(folder, 'package-lock.json'));
  const have = lockedPackages(join(folder, 'node_modules', '.package-lock.json'));
  if (wanted === null || have === null) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const installed = have[path];
    if (installed === undefined) {
      return (entry.optional === true || entry.devOptional === true) && !isNativeHere(entry);
    }
    return installed.version === entry.version;
  });
}

/**
 * npm is npm.cmd on Windows, which only a shell can run, and arguments with spaces need quotes there.
 * @param {readonly string[]} args
 * @returns {[program: string, args: readonly string[], shell: boolean]}
 */
function npmCommand(args) {
  if (process.platform !== 'win32') return ['npm', args, false];
  return [`npm ${args.map((arg) => `"${arg}"`).join(' ')}`, [], true];
}

/**
 * Runs `npm ci` when needed. npm's own output goes to standard error, so that it does not mix with
 * data on standard output. Ends the program with exit code 1 when npm fails.
 */
export function installPackages() {
  requireNode();
  if (isInstalled()) return;
  console.error('Installing packages (npm ci) …');
  const [program, args, shell] = npmCommand(['ci', '--no-audit', '--no-fund']);
  const result = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
  if (result.status === 0) return;
  console.error(
    'npm ci failed (see above). Check the network connection and run the command again.',
  );
  process.exit(1);
}

/**
 * Installs npm packages into a separate folder, without their install scripts.
 * @param {string} folder
 * @param {readonly string[]} packages as `name@version`, and further options of `npm install`
 * @returns {Promise<boolean>} whether npm succeeded
 */
export function installApart(folder, packages) {
  const [program, args, shell] = npmCommand([
    ...['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts'],
    ...['--no-audit', '--no-fund', ...packages],
  ]);
  return succeeds(program, args, shell);
}

/**
 * Runs a program with its output on standard error.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {boolean} [shell] whether `program` is a shell's command line
 * @returns {Promise<boolean>} whether it exited with code 0
 */
export function succeeds(program, args, shell = false) {
  return new Promise((done) => {
    spawn(program, args, { cwd: root, stdio: ['ignore', 2, 2], shell })
      .on('error', () => done(false))
      .on('close', (code) => done(code === 0));
  });
}
