/**
 * `npm test`: installs missing packages and programs and runs the fast checks: unit tests, slow
 * ones at a small size or not at all, and the browser tests tagged `@smoke`, which touch every
 * feature. At the end it lists failed tests; the last line is `N passed, N failed` (`, N skipped` if any). The exit code
 * is 1 on any failure, including a stage without a result.
 *
 * `npm test -- --all` runs every test, as continuous integration does; `--thorough` runs them at
 * full size.
 *
 * `npm test -- --only unit,browser` runs all tests of some stages. Further words select test files by path:
 * `npm test -- --only unit src/policy`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { freePort } from './free-port.mjs';
import { installPackages, root } from './install.mjs';
import { onParentExit } from './parent.mjs';

/**
 * Failures are lines for the summary: file, title and error.
 * @typedef {{
 *   passed: number, failed: number, skipped: number, notes: string[], failures: string[]
 * }} Result
 * `aside`: runs in parallel with other stages, which wait for it only if they need the `whole` machine.
 * With `sources`, it starts before programs are installed. Its output is printed when it ends.
 * `slow`: not among the fast checks.
 * @typedef {{
 *   name: string, title: string, run: (say: Say) => Promise<Result>, aside?: 'sources' | 'programs',
 *   whole?: true, slow?: true
 * }} Stage
 * @typedef {(line: string) => void} Say shows a line
 * @typedef {{ stage: Stage, result: Result, seconds: number }} Outcome
 */

// Parallel runs in one checkout must not read each other's reports.
const results = join(root, 'node_modules', '.cache', 'palestra', `results-${process.pid}`);

/** @type {Stage[]} */
const stages = [
  {
    name: 'bench',
    title: 'Benchmark: times every kernel, compares every peer',
    // The benchmark spends most of its time waiting for the GPU.
    aside: 'programs',
    slow: true,
    run: (say) => check('bench', '../scripts/run.mjs', ['bench/run.ts', '--quick'], say),
  },
  {
    name: 'lint',
    title: 'Format and lint (Biome)',
    aside: 'sources',
    run: (say) =>
      check('lint', '@biomejs/biome/bin/biome', ['ci', '--error-on-warnings', '.'], say),
  },
  {
    name: 'prose',
    title: 'English of texts, comments and commits',
    aside: 'sources',
    run: (say) => check('prose', '../scripts/prose.mjs', ['--strict', '--list'], say),
  },
  {
    name: 'types',
    title: 'Types (TypeScript)',
    aside: 'sources',
    run: (say) => check('types', 'typescript-7/bin/tsc', ['-p', '.'], say),
  },
  {
    name: 'boundaries',
    title: 'Import boundaries (dependency-cruiser)',
    aside: 'sources',
    run: (say) =>
      check(
        'boundaries',
        'dependency-cruiser/bin/dependency-cruise.mjs',
        [
          '--config',
          '.dependency-cruiser.cjs',
          ...['src', 'bench', 'e2e'].filter((folder) => existsSync(join(root, folder))),
        ],
        say,
      ),
  },
  {
    name: 'build',
    title: 'Production build (Vite)',
    aside: 'sources',
    run: (say) => check('build', 'vite/bin/vite.js', ['build'], say),
  },
  { name: 'unit', title: 'Unit and kernel tests (Vitest)', whole: true, run: unitTests },
  { name: 'browser', title: 'Browser tests (Playwright)', whole: true, run: browserTests },
];

const names = stages.map(({ name }) => name);
const { only, filters, tier } = options();
const STAGE_MINUTES = tier === 'thorough' ? 120 : 60;
const chosen = stages.filter(({ name, slow }) =>
  only === null ? tier !== 'fast' || !slow : only.includes(name),
);
// None of the fast checks uses Firefox.
const usesFirefox = tier !== 'fast' && chosen.some(({ name }) => name === 'browser');

installPackages();
const { ensureChromium, findChromium } = await import('./chromium.mjs');
const { ensureFirefox, findFirefox } = await import('./firefox.mjs');
const { ensureLlamaCpp } = await import('./llama-cpp.mjs');
const { ensureNativeOnnxRuntime } = await import('./native-onnxruntime.mjs');
const { ensureOnnxChecker } = await import('./onnx-checker.mjs');
const { ensureRealTokenizers } = await import('./real-tokenizers.mjs');
const { ensureRedis, findRedis } = await import('./redis.mjs');
const { vulkanEnvironment } = await import('./vulkan.mjs');

const colors = process.stdout.isTTY && process.env.CI !== 'true' && !process.env.NO_COLOR;
const environment = childEnvironment();
if (!colors) environment.NO_COLOR = '1';
environment.PALESTRA_TIER = tier;

await announceInstalls();

process.on('exit', () => rmSync(results, { recursive: true, force: true }));
mkdirSync(results, { recursive: true });

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @type {Set<ChildProcess>} running tools */
const running = new Set();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
onParentExit(interrupt);

let buildFailed = false;
/** @type {Outcome[]} */
const outcomes = [];
/** @type {Promise<void>[]} */
const asides = [];
startAsides('sources');

/** @type {string | null} why no Chromium could be found or installed */
let chromiumProblem = null;
if (chosen.some(({ name }) => name === 'unit' || name === 'browser')) {
  try {
    environment.PALESTRA_CHROMIUM = await ensureChromium();
    Object.assign(environment, await vulkanEnvironment({ deterministic: true }));
  } catch (error) {
    chromiumProblem = error instanceof Error ? error.message : String(error);
    console.error(chromiumProblem);
  }
}

if (usesFirefox) {
  const firefox = await ensureFirefox();
  if (firefox !== null) environment.PALESTRA_FIREFOX = firefox;
}

if (chosen.some(({ name }) => name === 'unit')) {
  const redis = ensureRedis();
  if (redis !== null) environment.PALESTRA_REDIS = redis;
  const [native, checker] = await Promise.all([
    ensureNativeOnnxRuntime(),
    ensureOnnxChecker(),
    ensureLlamaCpp(),
    tier === 'thorough' && ensureRealTokenizers(),
  ]);
  if (native !== null) environment.PALESTRA_ONNXRUNTIME = native;
  if (checker !== null) {
    environment.PALESTRA_PYTHON = checker.python;
    environment.PALESTRA_PYTHON_PACKAGES = checker.packages;
  }
}

startAsides('programs');
for (const stage of chosen.filter(({ aside }) => aside === undefined)) {
  if (stage.whole) await Promise.all(asides);
  console.log(`\n── ${stage.title} ──`);
  note(await perform(stage, console.log));
}
await Promise.all(asides);

console.log('\n── Summary ──');
for (const { stage, result, seconds } of outcomes) {
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  console.log(`${stage.name.padEnd(11)}${time}   ${counts(result)}`);
}
const failures = outcomes.flatMap(({ result }) => result.failures);
if (failures.length > 0) console.log(`\n${failures.map((line) => `FAILED ${line}`).join('\n')}`);
const total = outcomes.reduce(
  (sum, { result }) => ({
    passed: sum.passed + result.passed,
    failed: sum.failed + result.failed,
    skipped: sum.skipped + result.skipped,
  }),
  { passed: 0, failed: 0, skipped: 0 },
);
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(`\n${counts(total)}`);

/** @param {Stage['aside']} needs */
function startAsides(needs) {
  for (const stage of chosen.filter(({ aside }) => aside === needs)) {
    /** @type {string[]} */
    const lines = [];
    asides.push(
      perform(stage, (line) => lines.push(line)).then((outcome) => {
        console.log(`\n── ${stage.title} ──`);
        for (const line of lines) console.log(line);
        note(outcome);
      }),
    );
  }
}

/** @param {Stage} stage @param {Say} say @returns {Promise<Outcome>} */
async function perform(stage, say) {
  const started = performance.now();
  const result = await stage.run(say).catch((error) => failure(String(error)));
  return { stage, result, seconds: (performance.now() - started) / 1000 };
}

/** @param {Outcome} outcome */
function note(outcome) {
  const { stage, result, seconds } = outcome;
  if (stage.name === 'build') buildFailed = result.failed > 0;
  for (const line of result.notes) console.log(line);
  console.log(`${result.failed === 0 ? 'ok' : 'FAILED'} in ${seconds.toFixed(1)} s`);
  outcomes.push(outcome);
}

/** Lists what the chosen stages will install. */
async function announceInstalls() {
  const unit = chosen.some(({ name }) => name === 'unit');
  const browser = chosen.some(({ name }) => name === 'browser');
  const missing = [
    (unit || browser) && (await findChromium()) === null && 'a Chromium',
    usesFirefox && (await findFirefox()) === null && 'a Firefox',
    unit && findRedis() === null && 'redis-server',
  ].filter((name) => name !== false);
  if (missing.length === 0) return;
  console.error(
    process.env.PALESTRA_INSTALL === 'no'
      ? `Missing: ${missing.join(', ')}. No system package is installed because PALESTRA_INSTALL=no.`
      : `Missing: ${missing.join(', ')}. Each is downloaded, or installed with apt-get if permitted. ` +
          'Set PALESTRA_INSTALL=no to install no system packages.',
  );
}

/** @param {{ passed: number, failed: number, skipped: number }} result */
function counts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** @param {string} note @returns {Result} */
function failure(note) {
  return { passed: 0, failed: 1, skipped: 0, notes: [note], failures: [note] };
}

/**
 * A line of the summary: the error's first line, and what was expected and received.
 * @param {string} file
 * @param {string} title
 * @param {string | undefined} message of the error
 */
function failed(file, title, message = '') {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const told = lines.filter(
    (line, index) => index === 0 || /^(Locator|Expected\b.*|Received\b.*|Error):/.test(line),
  );
  const place = isAbsolute(file) ? relative(root, file) : file;
  return [place, title, told.map((line) => line.slice(0, 200)).join(' | ')]
    .filter(Boolean)
    .join(': ');
}

/** @returns {{ only: string[] | null, filters: string[], tier: 'fast' | 'full' | 'thorough' }} */
function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        only: { type: 'string' },
        all: { type: 'boolean', default: false },
        thorough: { type: 'boolean', default: false },
      },
    });
    const full = values.all || values.only !== undefined ? 'full' : 'fast';
    const tier = values.thorough ? 'thorough' : full;
    if (values.only === undefined) {
      if (positionals.length > 0) throw new Error('File names need --only unit or --only browser.');
      return { only: null, filters: [], tier };
    }
    const wanted = values.only.split(',').filter(Boolean);
    const unknown = wanted.find((name) => !names.includes(name));
    if (unknown !== undefined || wanted.length === 0) {
      throw new Error(`--only ${values.only}: the stages are ${names.join(', ')}.`);
    }
    // Browser tests must run on the current build, never on an older one.
    if (wanted.includes('browser')) wanted.push('build');
    return { only: wanted, filters: positionals, tier };
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

/**
 * @returns {NodeJS.ProcessEnv} this process's environment without variables that color the output
 */
function childEnvironment() {
  const { FORCE_COLOR: _, ...rest } = process.env;
  return colors ? { ...process.env } : rest;
}

/** Ends all tools and then this program. Called twice on Ctrl-C, because npm passes it on. */
function interrupt() {
  if (running.size === 0) process.exit(130);
  if (!interrupted) for (const child of running) stop(child);
  interrupted = true;
}

/**
 * Interrupts a tool, so that Playwright ends its browsers and its server, which are in other process
 * groups. Kills it after 30 s.
 * @param {ChildProcess} child
 */
function stop(child) {
  send(child, 'SIGINT');
  setTimeout(() => running.has(child) && kill(child), 30_000).unref();
}

/** @param {ChildProcess} child */
function kill(child) {
  send(child, 'SIGKILL');
  // Do not wait for output of processes in other groups.
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/**
 * Sends a signal to a tool and its children. Windows has none, so it ends them.
 * @param {ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function send({ pid, exitCode }, signal) {
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    if (exitCode === null) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // All have ended.
  }
}

/**
 * Runs a package's program and shows its output live.
 * @param {string} program path inside node_modules
 * @param {string[]} args
 * @param {Say} say
 * @param {Record<string, string>} [extra] environment variables
 * @param {number} [until] time at which it is stopped, in milliseconds since the epoch
 * @returns {Promise<{ ok: boolean, notes: string[] }>}
 */
function tool(program, args, say, extra = {}, until = Date.now() + STAGE_MINUTES * 60_000) {
  // Inherit the terminal only if output is shown live.
  const output = colors && say === console.log ? 'inherit' : 'pipe';
  return new Promise((done) => {
    if (interrupted) return;
    const child = spawn(process.execPath, [join(root, 'node_modules', program), ...args], {
      cwd: root,
      stdio: ['ignore', output, output],
      env: { ...environment, ...extra },
      // A process group, so that its children are ended with it.
      detached: process.platform !== 'win32',
    });
    running.add(child);
    if (child.stdout !== null) printPlain(child.stdout, say);
    if (child.stderr !== null) printPlain(child.stderr, say);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      stop(child);
    }, until - Date.now());

    /** @param {boolean} ok @param {string[]} notes */
    const end = (ok, notes) => {
      clearTimeout(timer);
      running.delete(child);
      if (!interrupted) done({ ok, notes });
      else if (running.size === 0) process.exit(130);
    };
    child.on('error', (error) => end(false, [`${program} could not be started: ${error.message}`]));
    child.on('exit', () => send(child, 'SIGKILL'));
    child.on('close', (code, signal) => {
      if (late) end(false, [`Stopped: still running after ${STAGE_MINUTES} minutes.`]);
      else if (signal !== null) end(false, [`Ended by ${signal}.`]);
      else end(code === 0, []);
    });
  });
}

/**
 * Prints a tool's output without colors, because not every tool respects NO_COLOR.
 * @param {NodeJS.ReadableStream} stream
 * @param {Say} say
 */
function printPlain(stream, say) {
  createInterface({ input: stream }).on('line', (line) => {
    say(stripVTControlCharacters(line));
  });
}

/**
 * A stage that counts as one test.
 * @param {string} name
 * @param {string} program
 * @param {string[]} args
 * @param {Say} say
 * @returns {Promise<Result>}
 */
async function check(name, program, args, say) {
  const { ok, notes } = await tool(program, args, say);
  const failures = ok ? [] : [failed('', name, notes[0] ?? 'see its output')];
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, notes, failures };
}

/** @param {string} file @returns {any} the test runner's report, or null */
function report(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** @param {Result} result @param {string} note a failure outside any test */
function fail(result, note) {
  result.failed += 1;
  result.notes.push(note);
  result.failures.push(note);
}

/**
 * Counts an empty run and a failure outside of any test as failures.
 * @param {Result} result
 * @param {{ ok: boolean, notes: string[] }} run
 * @returns {Result}
 */
function complete(result, run) {
  result.notes.push(...run.notes);
  if (result.passed + result.failed + result.skipped === 0) {
    fail(result, 'Found no tests.');
  } else if (!run.ok && result.failed === 0) {
    fail(result, 'The test runner failed outside of any test (see above).');
  }
  return result;
}

/** @param {Say} say @returns {Promise<Result>} */
async function unitTests(say) {
  const file = join(results, 'unit.json');
  const unhandled = join(results, 'unhandled.jsonl');
  const reporters = ['default', 'json', './scripts/unhandled-errors.mjs'];
  const run = await tool(
    'vitest/vitest.mjs',
    [
      'run',
      ...filters,
      ...reporters.map((name) => `--reporter=${name}`),
      `--outputFile.json=${file}`,
    ],
    say,
    { PALESTRA_UNHANDLED_ERRORS: unhandled },
  );
  const found = report(file);
  if (found === null)
    return failure(['The unit tests produced no report.', ...run.notes].join(' '));
  /** @type {Result} */
  const result = { passed: 0, failed: 0, skipped: 0, notes: [], failures: [] };
  for (const suite of found.testResults) {
    for (const { status, fullName, failureMessages } of suite.assertionResults) {
      if (status === 'passed') result.passed += 1;
      else if (status === 'failed') {
        result.failed += 1;
        result.failures.push(failed(suite.name, fullName, failureMessages?.[0]));
      } else if (status === 'pending') {
        // Its process ended before the test did.
        result.failed += 1;
        result.failures.push(failed(suite.name, fullName, 'The test did not finish.'));
      } else {
        result.skipped += 1;
        result.notes.push(`skipped: ${fullName}`);
      }
    }
    const named = suite.assertionResults.some(
      (/** @type {{ status: string }} */ { status }) => status === 'failed',
    );
    // A file that cannot be loaded, or whose hook fails, lists no failed test.
    if (suite.status === 'failed' && !named) {
      result.failed += 1;
      result.failures.push(failed(suite.name, '', suite.message));
    }
  }
  for (const line of existsSync(unhandled) ? readFileSync(unhandled, 'utf8').split('\n') : []) {
    if (line !== '') fail(result, `Error outside of any test: ${JSON.parse(line).split('\n')[0]}`);
  }
  return complete(result, run);
}

/**
 * Runs most tests three at a time, because they mostly wait; then, one by one, tests that measure time. The
 * fast checks run only the first part, with the tests tagged `@smoke`.
 * @param {Say} say
 * @returns {Promise<Result>}
 */
async function browserTests(say) {
  if (buildFailed) return failure('Not run, because the production build failed.');
  if (chromiumProblem !== null) return failure(chromiumProblem);
  /** @type {Result} */
  const result = { passed: 0, failed: 0, skipped: 0, notes: [], failures: [] };
  let ok = true;
  const parts =
    tier === 'fast'
      ? [['--grep', '@smoke', '--workers', '3']]
      : [
          ['--grep-invert', '@alone', '--workers', '3'],
          // Playwright empties the output folder at its start.
          ['--grep', '@alone', '--workers', '1', '--output', 'test-results/alone'],
        ];
  const until = Date.now() + STAGE_MINUTES * 60_000;
  for (const which of parts) {
    const file = join(results, 'browser.json');
    rmSync(file, { force: true });
    const args = ['test', ...filters, ...which, '--pass-with-no-tests', '--reporter=list,json'];
    const run = await tool(
      '@playwright/test/cli.js',
      args,
      say,
      {
        PLAYWRIGHT_JSON_OUTPUT_NAME: file,
        PALESTRA_PREVIEW_PORT: String(await freePort()),
      },
      until,
    );
    const found = report(file);
    if (found?.stats === undefined) {
      fail(result, ['The browser tests produced no report.', ...run.notes].join(' '));
      continue;
    }
    const { stats, suites } = found;
    result.passed += stats.expected;
    result.failed += stats.unexpected + stats.flaky;
    result.skipped += stats.skipped;
    result.failures.push(...browserFailures(suites, []));
    result.notes.push(...run.notes);
    ok &&= run.ok;
  }
  return complete(result, { ok, notes: [] });
}

/**
 * @param {any[]} suites of Playwright's report
 * @param {string[]} above titles of the enclosing suites, without the file's
 * @returns {string[]}
 */
function browserFailures(suites, above) {
  return suites.flatMap(({ title, file, specs = [], suites: inner = [] }) => {
    const titles = title === file ? above : [...above, title];
    const own = specs
      .filter((/** @type {any} */ { ok }) => !ok)
      .map((/** @type {any} */ spec) => {
        const errors = spec.tests.flatMap((/** @type {any} */ { results }) =>
          results.flatMap((/** @type {any} */ one) => one.errors),
        );
        const line = errors[0]?.location?.line;
        return failed(
          join('e2e', spec.file) + (line === undefined ? '' : `:${line}`),
          [...titles, spec.title].join(' › '),
          errors[0]?.message,
        );
      });
    return [...own, ...browserFailures(inner, titles)];
  });
}
