/**
 * `npm start`: installs what is missing, builds the page if necessary, serves it and opens it. `npm
 * run dev` serves the sources with live reload instead.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isBuilt } from './build.mjs';
import { installPackages, root } from './install.mjs';

const live = process.argv[2] === '--live';
const HELP = `${live ? 'npm run dev' : 'npm start'} -- [--port N] [--host [ADDRESS]] [--no-open]

  --port N     first port to try (5173)
  --host       listen on every network address, or on the one given
  --no-open    do not open a browser`;

/**
 * @param {string} message
 * @returns {never}
 */
function badInput(message) {
  console.error(`${message}\n\n${HELP}`);
  process.exit(2);
}

/** @returns {{ port: number, host: string | boolean, open: boolean }} */
function options() {
  // `--host` may have no value, which parseArgs does not support.
  const argv = process.argv.slice(live ? 3 : 2).flatMap((word, index, all) => {
    const next = all[index + 1];
    const alone = word === '--host' && (next === undefined || next.startsWith('-'));
    return alone ? ['--host', '0.0.0.0'] : [word];
  });
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        port: { type: 'string', default: '5173' },
        host: { type: 'string', default: 'localhost' },
        'no-open': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 1 || port > 65535) {
      badInput(`--port must be a whole number from 1 to 65535, not ${values.port}.`);
    }
    return { port, host: values.host, open: !values['no-open'] };
  } catch (error) {
    return badInput(error instanceof Error ? error.message : String(error));
  }
}

/** Whether this machine can show a window. */
function hasDisplay() {
  if (process.env.CI || process.env.BROWSER === 'none') return false;
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY) || isWindowsSubsystem();
}

function isWindowsSubsystem() {
  try {
    return /microsoft/i.test(readFileSync('/proc/version', 'utf8'));
  } catch {
    return false;
  }
}

/** @param {string} address */
function openBrowser(address) {
  /** @type {[string, string[]]} */
  const [program, args] =
    process.platform === 'darwin'
      ? ['open', [address]]
      : process.platform === 'win32'
        ? ['cmd', ['/c', 'start', '""', address]]
        : isWindowsSubsystem()
          ? ['cmd.exe', ['/c', 'start', address]]
          : ['xdg-open', [address]];
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.on('error', () => console.log(`No browser could be opened; open ${address} yourself.`));
  child.unref();
}

const { port, host, open } = options();
installPackages();

const { createServer, preview } = await import('vite');
const common = { root, configFile: `${root}/vite.config.ts`, clearScreen: false };
const place = { port, host, strictPort: false, open: false };

async function serveSources() {
  const server = await createServer({ ...common, server: place });
  return server.listen();
}

async function servePage() {
  if (!isBuilt()) {
    console.log('Building the page …');
    const { status } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'],
      { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    if (status !== 0) {
      console.error('The page could not be built (see above).');
      process.exit(1);
    }
  }
  // Accept any host name: the server serves only the page, which is public.
  return preview({ ...common, preview: { ...place, allowedHosts: true } });
}

const server = live ? await serveSources() : await servePage();

const address = server.resolvedUrls?.local[0] ?? server.resolvedUrls?.network[0];
if (address === undefined) throw new Error('The server started without an address.');
console.log(`\nPalestra is at ${address}`);
const others = (server.resolvedUrls?.network ?? []).filter((other) => other !== address);
for (const other of others) console.log(`and, for other machines, at ${other}`);
if (others.length > 0) {
  console.log(
    'Other machines train on the processor, because browsers do not give pages served over plain HTTP access to the GPU.',
  );
}
console.log('Press Ctrl-C to stop.\n');
if (open && hasDisplay()) openBrowser(address);

let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, async () => {
    if (stopping) process.exit(0);
    stopping = true;
    await server.close();
    process.exit(0);
  });
}
