/** `npm run bench`: measures the speed of training, or of the environments, and prints tables. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { root } from '../scripts/install.mjs';
import { openMachine } from '../src/cli/machine.node.ts';
import { loadEnvironments } from '../src/envs/registry.ts';
import {
  type EnvironmentRow,
  environmentPage,
  environmentRows,
  environmentTable,
} from './environments.ts';
import { measureHost } from './host.ts';
import { type PresetCost, presetRows } from './presets.ts';
import { heapRows, type ServeRow, serveRows, serveTable } from './serve.ts';
import { sharesOverLimit } from './speed/kernels.ts';
import { writePages } from './speed/pages.ts';
import { type PartName, partNames, quickParts, type SpeedReport } from './speed/report.ts';
import { measureSpeed } from './speed/run.ts';
import { reportTables } from './speed/tables.ts';
import { sweepTable, sweepTimes } from './sweep.ts';

await loadEnvironments();

const usage = `npm run bench [-- options]: training on the GPU, compared with other libraries
  --json FILE        write the report as JSON as well
  --quick            only check that everything runs and agrees, in less than a minute
  --node             run in Node on Dawn instead of a headless Chromium
  --python FILE      a Python with PyTorch 2, to measure PyTorch as well (default: python3)
  --only PARTS       only some parts, separated by commas: ${partNames.join(', ')};
                     FILE keeps its other parts if adapter and browser are the same

npm run bench -- page: regenerates docs/SPEED.md from the reports in bench/results/

npm run bench -- environments [options]: turns per second of each environment
  --out FILE.md      also write the page of results, such as docs/results/environments.md, and
                     the measurements to FILE.json
  --repetitions N    measurements of each rate (default: 7)
  --milliseconds N   minimum duration of a measurement (default: 300)

npm run bench -- serve [options]: turns per second of the environment server, over HTTP
  --episodes N       instead, measure the server's memory while N episodes are played
  --repetitions N, --milliseconds N
                     as for environments

npm run bench -- sweep [options]: the same runs with one and two queue workers, and without a queue
  --runs N           number of runs (default: 16)
  --seconds N        approximate duration of a run (default: 8)

npm run bench -- host [options]: host CPU time per maze turn, with a table as policy
  --runs N           iterations (default: 16)

npm run bench -- presets [options]: the cost of each preset, for the times in the lab's gallery
  --json FILE        write the costs; src/runs/preset-costs.json updates the gallery`;

const processor = cpus()[0]?.model.trim() || 'an unknown CPU';
const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');

const { values, what } = readArguments();
if (what === 'environments') measureEnvironments();
else if (what === 'presets') await measurePresets();
else if (what === 'serve') await measureServing();
else if (what === 'sweep') await measureSweep();
else if (what === 'host') await measureHostTime();
else if (what === 'page') writePages(root);
else await measureTraining();

function readTiming() {
  return {
    repetitions: positive('repetitions', values.repetitions),
    milliseconds: positive('milliseconds', values.milliseconds),
  };
}

async function measureServing(): Promise<void> {
  if (values.episodes !== undefined) {
    for (const { episode, megabytes, open } of heapRows(positive('episodes', values.episodes))) {
      process.stdout.write(
        `${episode} episodes: heap ${megabytes.toFixed(1)} MB, ${open} environments open\n`,
      );
    }
    return;
  }
  const rows: ServeRow[] = [];
  for await (const row of serveRows(readTiming())) {
    rows.push(row);
    process.stderr.write(`${row.path}, ${row.connections}\n`);
  }
  process.stdout.write(`${serveTable(rows)}\n`);
}

function measureEnvironments(): void {
  const timing = readTiming();
  const rows: EnvironmentRow[] = [];
  for (const row of environmentRows(timing)) {
    rows.push(row);
    process.stderr.write(`${row.id}\n`);
  }
  process.stdout.write(`${environmentTable(rows)}\n`);
  if (values.out !== undefined) {
    const machine = `${processor} with Node ${process.versions.node}`;
    const report = { rows, timing, machine, command };
    // Stored beside the page, so that the page can be regenerated from the measurements.
    const kept = values.out.replace(/(\.md)?$/, '.json');
    writeFileSync(kept, `${JSON.stringify(report, null, 1)}\n`);
    writeFileSync(values.out, environmentPage(report));
  }
}

async function measureHostTime(): Promise<void> {
  const { turns, iterations, wall, processor } = await measureHost(positive('runs', values.runs));
  process.stdout.write(
    `${wall.toFixed(2)} µs per maze turn, ${processor.toFixed(2)} µs of CPU time in all threads ` +
      `(${turns} turns, ${iterations} iterations)\n`,
  );
}

async function measureSweep(): Promise<void> {
  const timing = {
    runs: positive('runs', values.runs),
    seconds: positive('seconds', values.seconds),
  };
  const times = await sweepTimes(timing, (line) => process.stderr.write(`${line}\n`));
  process.stdout.write(`${sweepTable(times)}\n`);
  if (!times.same) process.exitCode = 1;
}

async function measurePresets(): Promise<void> {
  const { adapter, createPolicy, close } = await openMachine({ device: 'processor' });
  const costs: Record<string, PresetCost> = {};
  for await (const { name, startSeconds, iterationSeconds } of presetRows(createPolicy)) {
    costs[name] = { startSeconds, iterationSeconds };
    process.stdout.write(
      `${name}: ${startSeconds} s to the first iteration, ${iterationSeconds} s each\n`,
    );
  }
  close();
  if (values.json === undefined) return;
  writeFileSync(values.json, `${JSON.stringify({ adapter, presets: costs }, null, 2)}\n`);
}

async function measureTraining(): Promise<void> {
  const { quick, node, json } = values;
  const kept = json !== undefined && values.only !== undefined ? earlier(json) : null;
  const report = await measureSpeed({
    kept,
    quick,
    node,
    python: values.python,
    parts: parts(values.only, quick),
    about: { processor, cores: cpus().length, ...card() },
    commit: commit(),
    progress: (text) => process.stderr.write(`${text}\n`),
    onPart: (report) => {
      if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 1)}\n`);
    },
  }).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    // Playwright appends the browser's output.
    process.stderr.write(`${message.split('\nBrowser logs:')[0]}\n`);
    process.exit(1);
  });
  process.stdout.write(`${reportTables(report)}\n`);
  const over = [report, ...(report.onProcessor ?? [])].flatMap(({ kernels }) =>
    kernels ? sharesOverLimit([...kernels.linear, ...kernels.all]) : [],
  );
  // A quick run is too short to measure limits.
  if (quick || over.length === 0) return;
  process.stderr.write(
    `These kernels exceed the measured limits, so the limits are too low; measure again on an idle machine:\n${over.join('\n')}\n`,
  );
  process.exitCode = 1;
}

/** The report that a file already contains. */
function earlier(file: string): SpeedReport | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SpeedReport) : null;
}

/**
 * The NVIDIA card, according to its driver's tool, because WebGPU in Node only reports the driver's version.
 */
function card(): { card?: string } {
  try {
    const query = ['--query-gpu=name', '--format=csv,noheader'];
    const [name] = execFileSync('nvidia-smi', query, { encoding: 'utf8', stdio: 'pipe' }).split(
      '\n',
    );
    return name ? { card: name.trim() } : {};
  } catch {
    return {};
  }
}

/** The measured commit, if git knows it. */
function commit(): string | null {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        quick: { type: 'boolean', default: false },
        node: { type: 'boolean', default: false },
        only: { type: 'string' },
        python: { type: 'string', default: 'python3' },
        out: { type: 'string' },
        repetitions: { type: 'string', default: '7' },
        milliseconds: { type: 'string', default: '300' },
        episodes: { type: 'string' },
        runs: { type: 'string', default: '16' },
        seconds: { type: 'string', default: '8' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(`${usage}\n`);
      process.exit(0);
    }
    const [what, ...more] = positionals;
    const known = ['environments', 'serve', 'sweep', 'presets', 'host', 'page'];
    if (more.length > 0 || (what !== undefined && !known.includes(what))) {
      throw new Error(`Omit the name to measure training, or use one of: ${known.join(', ')}.`);
    }
    return { values, what };
  } catch (error) {
    return refuse(error);
  }
}

function parts(only: string | undefined, quick: boolean): readonly PartName[] {
  if (only === undefined) return quick ? quickParts : partNames;
  const wanted = only.split(',');
  const unknown = wanted.find((name) => !partNames.some((part) => part === name));
  if (unknown !== undefined) {
    return refuse(new Error(`--only ${only}: the parts are ${partNames.join(', ')}.`));
  }
  return partNames.filter((name) => wanted.includes(name));
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  return refuse(new Error(`--${name} must be a whole number above 0; it is ${text}.`));
}

function refuse(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}\n`);
  process.exit(2);
}
