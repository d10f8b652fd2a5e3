/**
 * Builds the contents of the npm package into `lib/`: `palestra.js` and the library for Node, with
 * external packages; the library for browsers, with everything bundled; and their types.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, root } from './install.mjs';

const OUT = join(root, 'lib');
const LIBRARY = ['index', 'environments', 'algorithms', 'agents'];
/** @param {string} name */
const sourceOf = (name) => join(root, 'src', 'library', `${name}.ts`);

async function packForNode() {
  const { build } = await import('esbuild');
  const { wgslForEsbuild } = await import('./wgsl.mjs');
  await build({
    entryPoints: [
      { in: join(root, 'src/cli/palestra.ts'), out: 'palestra' },
      ...LIBRARY.map((name) => ({ in: sourceOf(name), out: `node/${name}` })),
    ],
    outdir: OUT,
    chunkNames: 'node/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    // Keep names: without sources, the stack trace is the only information in a bug report.
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [wgslForEsbuild()],
    logLevel: 'error',
  });
}

async function packForBrowsers() {
  const { build } = await import('vite');
  const { licenses } = await import('./licenses.mjs');
  const { wgslForVite } = await import('./wgsl.mjs');
  const { page, worker } = licenses();
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    base: './',
    publicDir: false,
    plugins: [wgslForVite(), page],
    worker: { format: 'es', plugins: () => [worker] },
    build: {
      target: 'es2022',
      outDir: join(OUT, 'browser'),
      modulePreload: false,
      rolldownOptions: {
        input: Object.fromEntries(LIBRARY.map((name) => [name, sourceOf(name)])),
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

/** The declarations that the library's entries refer to. */
async function packTypes() {
  const { default: ts } = await import('typescript');
  const file = join(root, 'tsconfig.json');
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const entries = LIBRARY.map(sourceOf);
  const program = ts.createProgram([...entries, join(root, 'scripts', 'wgsl-modules.d.ts')], {
    ...options,
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, incremental: false },
    ...{ outDir: join(OUT, 'types'), rootDir: join(root, 'src') },
  });
  /** @type {Map<string, string>} by their paths in the package's folder of types */
  const made = new Map();
  const { diagnostics } = program.emit(undefined, (path, text) => {
    made.set(relative(join(OUT, 'types'), path).split(sep).join('/'), text);
  });
  if (diagnostics.length > 0) {
    const host = {
      getCanonicalFileName: (/** @type {string} */ name) => name,
      getCurrentDirectory: () => root,
      getNewLine: () => '\n',
    };
    throw new Error(ts.formatDiagnostics(diagnostics, host));
  }
  for (const name of reachedFrom(
    LIBRARY.map((entry) => `library/${entry}.d.ts`),
    made,
  )) {
    const place = join(OUT, 'types', name);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, (made.get(name) ?? '').replaceAll(RELATIVE, '$1$2.js$3'));
  }
}

/** Matches a relative import in a declaration. */
const RELATIVE = /(\bfrom ['"]|\bimport\(['"]|\bimport ['"])(\.[^'"]*)\.ts(['"])/g;

/**
 * @param {readonly string[]} entries
 * @param {ReadonlyMap<string, string>} made
 * @returns {ReadonlySet<string>}
 */
function reachedFrom(entries, made) {
  /** @type {Set<string>} */
  const reached = new Set();
  const waiting = [...entries];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reached.has(name)) continue;
    const text = made.get(name);
    if (text === undefined) throw new Error(`no declarations were generated for ${name}`);
    reached.add(name);
    for (const [, , path = ''] of text.matchAll(RELATIVE)) {
      waiting.push(posix.join(posix.dirname(name), `${path}.d.ts`));
    }
  }
  return reached;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  installPackages();
  rmSync(OUT, { recursive: true, force: true });
  await packForNode();
  await packForBrowsers();
  await packTypes();
}
