/**
 * Decides which Vulkan driver Node's WebGPU (Dawn, the `webgpu` package) uses on Linux.
 *
 * With a GPU: the system's. Without one: SwiftShader, the software driver that ships with Chromium,
 * or a recent Mesa lavapipe. Older lavapipes do not run Dawn.
 *
 * The environment variable PALESTRA_VULKAN overrides the choice: `system` (leave everything as it
 * is), `swiftshader`, or the path of a driver's JSON file. VK_DRIVER_FILES and VK_ICD_FILENAMES,
 * when set, are respected too.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { chromiumFolders } from './chromium.mjs';

const MINIMUM_LAVAPIPE = 25;
const SWIFTSHADER = 'vk_swiftshader_icd.json';

const DRIVER_FOLDERS = [
  '/etc/vulkan/icd.d',
  '/usr/local/share/vulkan/icd.d',
  '/usr/share/vulkan/icd.d',
  '/run/opengl-driver/share/vulkan/icd.d',
];

/** PCI vendor ids by the name of the driver's JSON file. */
const VENDORS = [
  { file: /^(radeon|amd)/, vendor: '0x1002' },
  { file: /^intel/, vendor: '0x8086' },
  { file: /^(nvidia|nouveau)/, vendor: '0x10de' },
  { file: /^virtio/, vendor: '0x1af4' },
];

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** @returns {string[]} absolute paths of the system's driver files */
function systemDrivers() {
  return DRIVER_FOLDERS.flatMap((folder) =>
    list(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name)),
  );
}

/** Whether the system's loader finds a shared library. @param {string} library */
function isLoadable(library) {
  const paths = (process.env.LD_LIBRARY_PATH ?? '').split(':').filter(Boolean);
  if (paths.some((folder) => existsSync(join(folder, library)))) return true;
  for (const program of ['ldconfig', '/sbin/ldconfig', '/usr/sbin/ldconfig']) {
    const { stdout, status } = spawnSync(program, ['-p'], { encoding: 'utf8' });
    if (status === 0) return stdout.includes(`${library} `);
  }
  return false;
}

/**
 * Whether a driver file matches hardware in this machine. Mesa installs the files of all its
 * drivers everywhere, so the file alone proves nothing.
 * @param {string} file
 */
function drivesHardware(file) {
  const name = basename(file);
  if (/^(lvp|vk_swiftshader|gfxstream)/.test(name)) return false;
  if (/^(dzn|microsoft)/.test(name)) return existsSync('/dev/dxg');
  if (/^nvidia/.test(name) && existsSync('/dev/nvidia0')) return true;
  const cards = list('/dev/dri').filter((card) => card.startsWith('renderD'));
  const known = VENDORS.find(({ file: pattern }) => pattern.test(name));
  if (known === undefined) return cards.length > 0;
  return cards.some((card) => read(`/sys/class/drm/${card}/device/vendor`).trim() === known.vendor);
}

/**
 * Mesa's major version, read from the text in the driver library.
 * @param {string} file lavapipe's driver file
 * @returns {number} 0 if it is unknown
 */
function lavapipeVersion(file) {
  let library;
  try {
    library = JSON.parse(readFileSync(file, 'utf8')).ICD.library_path;
  } catch {
    return 0;
  }
  if (typeof library !== 'string') return 0;
  const candidates = library.includes('/')
    ? [isAbsolute(library) ? library : resolve(dirname(file), library)]
    : ['x86_64-linux-gnu', 'aarch64-linux-gnu', '../lib64', '.'].map((folder) =>
        join('/usr/lib', folder, library),
      );
  const found = candidates.find(existsSync);
  const version = found === undefined ? null : /Mesa (\d+)\.\d+\.\d+/.exec(read(found));
  return Number(version?.[1] ?? 0);
}

/** Whether this machine has a GPU that Dawn can use; assumed on macOS and Windows. */
export function hasGpu() {
  if (process.platform !== 'linux') return true; // Metal and Direct3D 12 need no driver choice.
  return isLoadable('libvulkan.so.1') && systemDrivers().some(drivesHardware);
}

function hasRecentLavapipe() {
  if (!isLoadable('libvulkan.so.1')) return false;
  return systemDrivers()
    .filter((file) => basename(file).startsWith('lvp_'))
    .some((file) => lavapipeVersion(file) >= MINIMUM_LAVAPIPE);
}

/** @returns {Promise<Record<string, string> | null>} null if SwiftShader is missing */
async function swiftShader() {
  const folder = (await chromiumFolders()).find((path) => existsSync(join(path, SWIFTSHADER)));
  return folder === undefined ? null : useDriver(join(folder, SWIFTSHADER));
}

/**
 * @param {string} file the driver's JSON file
 * @returns {Record<string, string>}
 */
function useDriver(file) {
  /** @type {Record<string, string>} */
  const variables = { VK_DRIVER_FILES: file, VK_ICD_FILENAMES: file }; // the second for old loaders
  const folder = dirname(file);
  if (!isLoadable('libvulkan.so.1') && existsSync(join(folder, 'libvulkan.so.1'))) {
    const paths = [process.env.LD_LIBRARY_PATH, folder].filter(Boolean);
    variables.LD_LIBRARY_PATH = paths.join(':');
  }
  return variables;
}

/**
 * The environment variables to add for a Node process that uses WebGPU.
 * @param {{ deterministic?: boolean }} [options] deterministic: without a GPU, use SwiftShader even
 * if the system has a usable lavapipe, so that results are the same everywhere
 * @returns {Promise<Record<string, string>>} empty if the system's own choice is suitable
 */
export async function vulkanEnvironment({ deterministic = false } = {}) {
  if (process.platform !== 'linux') return {};
  const wanted = process.env.PALESTRA_VULKAN ?? '';
  if (wanted === 'system') return {};
  if (wanted !== '' && wanted !== 'swiftshader') {
    const file = resolve(wanted);
    if (!existsSync(file)) throw new VulkanDriverError(wanted);
    return useDriver(file);
  }
  if (wanted === '') {
    if (process.env.VK_DRIVER_FILES || process.env.VK_ICD_FILENAMES) return {};
    if (hasGpu()) return {};
    if (!deterministic && hasRecentLavapipe()) return {};
  }
  const variables = await swiftShader();
  if (variables !== null) return variables;
  console.error(
    'No GPU, and no SwiftShader driver beside a Chromium: WebGPU may find no adapter. ' +
      'Install Chromium (npm test does so if permitted), or name a driver with PALESTRA_VULKAN.',
  );
  return {};
}

/** @returns {string[]} arguments that enable WebGPU in headless Chromium */
export function chromiumArguments() {
  const args = [
    '--enable-unsafe-webgpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ];
  const software = process.env.PALESTRA_VULKAN === 'swiftshader' || !hasGpu();
  if (software) args.push('--use-webgpu-adapter=swiftshader');
  else if (process.platform === 'linux') args.push('--enable-features=Vulkan');
  // Chromium's sandbox refuses to run as root, as in a container.
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  return args;
}

export class VulkanDriverError extends Error {
  /** @param {string} wanted the value of PALESTRA_VULKAN */
  constructor(wanted) {
    super(
      `PALESTRA_VULKAN is ${wanted}, which does not exist; use system, swiftshader or the path ` +
        "of a driver's JSON file.",
    );
    this.name = 'VulkanDriverError';
  }
}
