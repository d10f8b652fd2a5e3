/**
 * `npm start`: installs what is missing, builds the page if necessary, serves it and opens it. `npm
 * run dev` serves the sources with live reload instead.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isBuilt } from './build.mjs';
import { installPackages, root } from './install.mjs';
import { onParentExit } from './parent.mjs';

const live = process.argv[2] === '--live';
// Not `dist`, which `npm test` and `npm run build` empty while this server runs.
const PAGE = 'node_modules/.cache/palestra/page';
const HELP = `${live ? 'npm run dev' : 'npm start'} -- [--port N] [--host [ADDRESS]] [--no-open]${live ? '' : ' [--out DIR]'}

  --port N     port (the first free one from 5173)
  --host       listen on every network address, or on the one given
  --no-open    do not open a browser${live ? '' : `\n  --out DIR    folder of the built page (${PAGE})`}`;

/**
 * @param {string} message
 * @returns {never}
 */
function badInput(message) {
  console.error(`${message}\n\n${HELP}`);
  process.exit(2);
}

/** @returns {{ port: number | null, host: string, open: boolean, out: string }} */
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
        port: { type: 'string' },
        host: { type: 'string', default: 'localhost' },
        'no-open': { type: 'boolean', default: false },
        out: { type: 'string', default: PAGE },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      console.log(HELP);
      process.exit(0);
    }
    const port = values.port === undefined ? null : Number(values.port);
    if (port !== null && (!Number.isInteger(port) || port < 1 || port > 65535)) {
      badInput(`--port must be a whole number from 1 to 65535, not ${values.port}.`);
    }
    return { port, host: values.host, open: !values['no-open'], out: resolve(root, values.out) };
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

const { port, host, open, out } = options();
installPackages();

/** @type {() => unknown} ends the build or the server */
let stop = () => {};
let stopping = false;
async function end() {
  if (stopping) process.exit(0);
  stopping = true;
  await stop();
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
onParentExit(end);

const { createServer, preview } = await import('vite');
const common = { root, configFile: `${root}/vite.config.ts`, clearScreen: false };
const place = { port: port ?? 5173, host, strictPort: port !== null, open: false };

async function serveSources() {
  const server = await createServer({ ...common, server: place });
  return server.listen();
}

async function servePage() {
  if (!isBuilt(out)) await buildPage();
  // Accept any host name: the server serves only the page, which is public.
  return preview({
    ...common,
    build: { outDir: out },
    preview: { ...place, allowedHosts: true },
  });
}

async function buildPage() {
  console.log('Building the page …');
  // In a separate process: a build takes 2 GB, which its process keeps.
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules/vite/bin/vite.js'),
      ...['build', '--logLevel', 'warn', '--outDir', out, '--emptyOutDir'],
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  stop = () => child.kill();
  const [code] = await once(child, 'exit');
  if (code === 0) return;
  if (!stopping) console.error('The page could not be built (see above).');
  process.exit(1);
}

const server = await (live ? serveSources() : servePage()).catch((error) => {
  console.error(error.message); // for example, the port is in use
  process.exit(1);
});
stop = () => server.close();

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
