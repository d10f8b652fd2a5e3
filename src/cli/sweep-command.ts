import { basename, join } from 'node:path';
import { deviceChoices } from '../device/index.ts';
import { jsonLimits } from '../files/limits.ts';
import { SweepError } from '../sweep/error.ts';
import { type ReadSweep, readSweep } from '../sweep/file.ts';
import { DEFAULT_AHEAD } from '../sweep/plan.ts';
import { RecordError } from '../sweep/record.ts';
import type { SweepSummary } from '../sweep/summary.ts';
import { UselessChildError } from '../workers/child-process.node.ts';
import { lead, step, writeResults } from '../workers/coordinator.node.ts';
import { LocalQueue } from '../workers/local-queue.node.ts';
import { QueueError, shownAddress } from '../workers/queue-server.node.ts';
import { SharedQueue } from '../workers/shared-queue.node.ts';
import { SweepFolder, SweepFolderError } from '../workers/sweep-folder.node.ts';
import { deviceFlags, readDeviceWish } from './device-options.ts';
import { readGivenFile } from './files.ts';
import type { DeviceWish } from './machine.node.ts';
import type { Streams } from './streams.ts';
import { childProgram } from './sweep-child.ts';
import {
  DEFAULT_SAVE_EVERY,
  readLock,
  readQueue,
  readSaveEvery,
  readWorkers,
  threaded,
} from './sweep-options.ts';
import { type Cluster, printed, readCluster } from './sweep-print.ts';
import { ProgressLines } from './sweep-progress.ts';
import {
  calledBy,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_USAGE,
  parseWords,
  readWhole,
  UsageError,
} from './usage.ts';

const DEFAULT_FOLDER = 'sweeps';
/** Milliseconds between looks at what workers elsewhere have done. */
const LOOK = 1000;

const flags = {
  ...deviceFlags,
  out: { type: 'string' },
  workers: { type: 'string' },
  ahead: { type: 'string' },
  'save-every': { type: 'string' },
  page: { type: 'boolean' },
  queue: { type: 'string' },
  lock: { type: 'string' },
  print: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const usage = () => `Runs a sweep: trials of a search over settings, each with several seeds.

  ${calledBy('sweep')} FILE.yaml [--out DIR] [--workers N] [--ahead N] [--save-every SECONDS]
                   [--device NAME] [--threads N] [--page]
                   [--queue URL [--lock SECONDS]] [--print k8s|slurm]

  FILE.yaml       a sweep file in W&B's format; examples/sweeps has some, docs/SWEEPS.md all keys
  --out DIR       where the results go; ${DEFAULT_FOLDER}/FILE if not given. Started again, the sweep
                  in DIR goes on where it was
  --workers N     processes that compute; if not given, as many as the machine runs at once on the
                  processor, 1 on a GPU
  --ahead N       trials that bayes may have under way at once, ${DEFAULT_AHEAD} if not given; it says what
                  the sweep tries, so that it holds for the sweep's whole life
  --save-every SECONDS
                  how often a run is kept on its way; ${DEFAULT_SAVE_EVERY} if not given
  --device NAME   ${deviceChoices.join(', ')}: what computes; processor if not given
  --threads N     of the processor, in each process; all of them together take the machine if not
                  given. The number of threads changes no bit of a run; the device does
  --queue URL     lead the sweep and compute nothing: the command work on any machine takes segments of
                  runs from this server, Redis or PostgreSQL, such as
                  redis://localhost:6379 or postgres://localhost/DATABASE
  --lock SECONDS  as npm run work has it
  --print NAME    k8s or slurm: run nothing, but print what plays every run as a Kubernetes Indexed
                  Job or a Slurm array; grid and random sweeps without early_terminate only
  --page          run nothing; only write the page and the table anew from the records that are there
  --help          print this and end

Ctrl-C keeps what is under way and ends with exit code 130.
`;

export interface SweepSurroundings extends Streams {
  /** Ends the sweep where it is. */
  readonly stopped: AbortSignal;
  /** The bundled program whose processes compute. */
  readonly program: string;
  /** Of this machine. */
  readonly cores: number;
}

/** Runs a sweep to its end. Resolves with the exit code. */
export async function sweepCommand(
  args: readonly string[],
  surroundings: SweepSurroundings,
): Promise<number> {
  const { out, log } = surroundings;
  try {
    const asked = readArguments(args, surroundings.cores);
    if (asked === 'help') {
      out(usage().trimEnd());
      return 0;
    }
    const { sweep, notes } = readSweepFile(asked.file);
    for (const note of notes) log(note);
    const folder = SweepFolder.begin(asked.out, sweep, asked.ahead);
    if (asked.print !== null) {
      step(folder);
      out(printed(asked.print, sweep, asked.out));
      return 0;
    }
    if (asked.page) {
      writeResults(folder);
      out(`${join(asked.out, 'README.md')} is written from ${folder.records().size} records`);
      return 0;
    }
    const ended = await run(folder, asked, surroundings);
    const summary = writeResults(folder);
    if (!ended) {
      log(`The sweep goes on when it is started again; what there is stands in ${asked.out}.`);
      return EXIT_INTERRUPTED;
    }
    for (const line of verdict(asked.out, summary)) out(line);
    return summary.trials.every(({ standing }) => standing === 'failed') ? EXIT_FAILED : 0;
  } catch (error) {
    if (!isOfUser(error)) throw error;
    log(error.message);
    return error instanceof UselessChildError || error instanceof QueueError
      ? EXIT_FAILED
      : EXIT_USAGE;
  }
}

const isOfUser = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof SweepError ||
  error instanceof SweepFolderError ||
  error instanceof RecordError ||
  error instanceof QueueError ||
  error instanceof UselessChildError;

/** @throws {UsageError} naming the file and the key at fault */
function readSweepFile(file: string): ReadSweep {
  const bytes = readGivenFile('the sweep file', file, jsonLimits.config.bytes);
  try {
    return readSweep(bytes.toString('utf8'), nameOf(file));
  } catch (error) {
    if (!(error instanceof SweepError)) throw error;
    throw new UsageError(`${file}: ${error.message}`);
  }
}

const nameOf = (file: string) => basename(file).replace(/[.]ya?ml$|[.]json$/i, '');

interface Asked {
  readonly file: string;
  readonly out: string;
  readonly workers: number;
  readonly ahead: number;
  readonly saveEvery: number;
  readonly wish: DeviceWish;
  readonly page: boolean;
  readonly queue: string | null;
  readonly lock: number;
  readonly print: Cluster | null;
}

function readArguments(args: readonly string[], cores: number): Asked | 'help' {
  const { values, positionals } = parseWords(args, flags);
  if (values.help === true) return 'help';
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) {
    throw new UsageError(`name one sweep file: ${calledBy('sweep')} FILE.yaml; --help tells more`);
  }
  const wish = readDeviceWish({ ...values, device: values.device ?? 'processor' });
  const workers = readWorkers(values.workers, wish, cores);
  return {
    file,
    workers,
    out: values.out ?? join(DEFAULT_FOLDER, nameOf(file)),
    ahead: readWhole('--ahead', values.ahead, 1, 1000) ?? DEFAULT_AHEAD,
    saveEvery: readSaveEvery(values['save-every']),
    wish: threaded(wish, workers, cores),
    page: values.page === true,
    queue: values.queue === undefined ? null : readQueue(values.queue),
    lock: readLock(values.lock),
    print: values.print === undefined ? null : readCluster(values.print),
  };
}

/** @returns whether the sweep came to its end */
async function run(
  folder: SweepFolder,
  asked: Asked,
  surroundings: SweepSurroundings,
): Promise<boolean> {
  const { log, stopped } = surroundings;
  const wakers = new Set<() => void>();
  const wake = () => {
    for (const waker of wakers) waker();
    wakers.clear();
  };
  stopped.addEventListener('abort', wake, { once: true });
  const { all, ended } = step(folder).runs;
  log(`${all} runs, ${ended} of them done, into ${asked.out}`);
  const queue = await openQueue(folder, asked, surroundings, wake);
  const lines = new ProgressLines(folder, queue, log);
  const tick = setInterval(() => lines.tick(), 1000);
  const look = setInterval(wake, LOOK);
  try {
    const done = await lead({
      folder,
      queue,
      awaken: () => new Promise((resolve) => (stopped.aborted ? resolve() : wakers.add(resolve))),
      interrupted: () => stopped.aborted,
      onProgress: (now) => lines.show(now),
      log,
    });
    if (done && queue instanceof SharedQueue) await queue.clear();
    return done;
  } finally {
    clearInterval(tick);
    clearInterval(look);
    await queue.close();
  }
}

async function openQueue(
  folder: SweepFolder,
  { out, workers, wish, saveEvery, queue: url, lock }: Asked,
  { log, program }: SweepSurroundings,
  onEnd: () => void,
): Promise<LocalQueue | SharedQueue> {
  if (url === null) {
    log(`${workers} processes compute`);
    return new LocalQueue({
      program: childProgram(program, out, wish, saveEvery),
      workers,
      log,
      onEnd,
    });
  }
  const { id } = folder.kept();
  log(`workers are started with ${calledBy('work')} --queue ${shownAddress(url)} --out ${out}`);
  return await SharedQueue.open({ url, id, lock, log });
}

/** The end in a few lines; the page has the rest. */
function verdict(out: string, { trials, metric }: SweepSummary): readonly string[] {
  const [best] = trials;
  const failed = trials.filter(({ standing }) => standing === 'failed').length;
  return [
    ...(best?.estimate == null
      ? ['No trial came to a value.']
      : [`Best: trial ${best.number}, ${metric.title} ${best.estimate.mean.toPrecision(4)}.`]),
    ...(failed === 0 ? [] : [`${failed} of ${trials.length} trials failed.`]),
    `The table is in ${join(out, 'README.md')} and ${join(out, 'trials.csv')}.`,
  ];
}
