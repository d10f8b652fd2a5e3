import { basename, join } from 'node:path';
import { jsonLimits } from '../files/limits.ts';
import { SweepError } from '../sweep/error.ts';
import { type ReadSweep, readSweep } from '../sweep/file.ts';
import { DEFAULT_AHEAD } from '../sweep/plan.ts';
import { RecordError } from '../sweep/record.ts';
import { shellQuoted } from '../sweep/settings.ts';
import type { SweepSummary } from '../sweep/summary.ts';
import { lead, step, writeResults } from '../workers/coordinator.node.ts';
import { LocalQueue } from '../workers/local-queue.node.ts';
import { shownAddress } from '../workers/queue-server.node.ts';
import { SharedQueue } from '../workers/shared-queue.node.ts';
import { SweepFolder, SweepFolderError } from '../workers/sweep-folder.node.ts';
import { deviceRequest } from './device-options.ts';
import { readGivenFile } from './files.ts';
import { Command, calledBy, oneOf, optional, toggle, whole } from './flags.ts';
import { plural } from './report.ts';
import type { Streams } from './streams.ts';
import { childProgram } from './sweep-child.ts';
import {
  queueAddress,
  threaded,
  workArguments,
  workerCount,
  workerFlags,
} from './sweep-options.ts';
import { clusters, printed } from './sweep-print.ts';
import { ProgressLines } from './sweep-progress.ts';
import { EXIT_FAILED, EXIT_INTERRUPTED, exitCode, UsageError } from './usage.ts';

const DEFAULT_FOLDER = 'sweeps';
/** Milliseconds between polls for results of other workers. */
const LOOK = 1000;

const sweeper = new Command({
  name: 'sweep',
  about: 'Runs a sweep: trials of a search over settings, each with several seeds.',
  operands: {
    placeholder: 'FILE.yaml',
    help: 'a sweep file in W&B’s format; see examples/sweeps and docs/SWEEPS.md',
    most: 1,
  },
  flags: {
    out: optional(
      'DIR',
      `the results folder (default: ${DEFAULT_FOLDER}/FILE); a stopped sweep resumes from it`,
    ),
    ahead: optional(
      'N',
      `maximum number of bayes trials that run at the same time; it affects which trials are proposed, so it is fixed for the whole sweep (default: ${DEFAULT_AHEAD})`,
      whole(1, 1000),
    ),
    ...workerFlags,
    queue: optional(
      'URL',
      'coordinate the sweep without computing: the work command on any machine takes segments of runs from this Redis or PostgreSQL server, such as redis://localhost:6379 or postgres://localhost/DATABASE',
      queueAddress,
    ),
    print: optional(
      'NAME',
      'k8s or slurm: run nothing; print a Kubernetes Indexed Job or a Slurm array that computes every run (grid and random sweeps without early_terminate only)',
      oneOf(clusters),
    ),
    page: toggle('run nothing; rewrite the page and the table from existing records'),
  },
  notes: () => 'Ctrl-C saves the runs in progress and exits with code 130.',
});

export interface SweepContext extends Streams {
  /** Aborted to stop the sweep. */
  readonly stopped: AbortSignal;
  /** The bundled program that worker processes run. */
  readonly program: string;
  /** Hardware threads of this machine. */
  readonly cores: number;
}

/** Runs a sweep to its end. Resolves with the exit code. */
export function sweepCommand(args: readonly string[], context: SweepContext): Promise<number> {
  const { out, log } = context;
  return exitCode(context, [SweepError, SweepFolderError, RecordError], async () => {
    const parsed = sweeper.parse(args);
    if (parsed === null) {
      out(sweeper.help());
      return 0;
    }
    const options = readOptions(parsed, context.cores);
    const { sweep, notes } = readSweepFile(options.file);
    for (const note of notes) log(note);
    // A mistyped folder must not become a new sweep.
    if (options.page) SweepFolder.open(options.out);
    const folder = SweepFolder.begin(options.out, sweep, options.ahead);
    const train = calledBy('train');
    if (options.print !== undefined) {
      step(folder);
      out(printed(options.print, sweep, options.out, options.job));
      return 0;
    }
    if (options.page) {
      writeResults(folder, train);
      out(
        `wrote ${join(options.out, 'README.md')} from ${plural(folder.records().size, 'record')}`,
      );
      return 0;
    }
    const ended = await run(folder, options, context);
    const summary = writeResults(folder, train);
    if (!ended) {
      log(`Run the same command again to resume the sweep. Results so far are in ${options.out}.`);
      return EXIT_INTERRUPTED;
    }
    for (const line of verdict(options.out, summary)) out(line);
    return summary.trials.every(({ standing }) => standing === 'failed') ? EXIT_FAILED : 0;
  });
}

/** @throws {UsageError} naming the file and the invalid key */
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

type Options = ReturnType<typeof readOptions>;

function readOptions(
  { values, operands }: NonNullable<ReturnType<typeof sweeper.parse>>,
  cores: number,
) {
  const [file = ''] = operands;
  const { out, queue, print, page, ahead, lock, 'save-every': saveEvery } = values;
  const request = deviceRequest(values);
  const workers = workerCount(values.workers, request, cores);
  const { device, threads } = values;
  return {
    ...{ file, workers, ahead, saveEvery, page, queue, lock, print },
    /** Options that a worker on another machine takes too. */
    work: workArguments({
      workers: values.workers,
      'save-every': saveEvery,
      lock,
      device,
      threads,
    }),
    job: { ...request, 'save-every': saveEvery },
    out: out ?? join(DEFAULT_FOLDER, nameOf(file)),
    request: threaded(request, workers, cores),
  };
}

/** @returns false if the sweep was interrupted */
async function run(folder: SweepFolder, options: Options, context: SweepContext): Promise<boolean> {
  const { log, stopped } = context;
  const wakers = new Set<() => void>();
  const wake = () => {
    for (const waker of wakers) waker();
    wakers.clear();
  };
  stopped.addEventListener('abort', wake, { once: true });
  const { all, ended } = step(folder).runs;
  log(`${plural(all, 'run')}, ${ended} done; results are in ${options.out}`);
  const queue = await openQueue(folder, options, context, wake);
  const lines = new ProgressLines(queue, log);
  const tick = setInterval(() => lines.tick(), 1000);
  const look = setInterval(wake, LOOK);
  try {
    const done = await lead({
      folder,
      queue,
      train: calledBy('train'),
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
  { out, workers, request, saveEvery, queue: url, lock, work }: Options,
  { log, program }: SweepContext,
  onEnd: () => void,
): Promise<LocalQueue | SharedQueue> {
  if (url === undefined) {
    log(`computing in ${workers === 1 ? '1 process' : `${workers} processes`}`);
    return new LocalQueue({
      ...{ folder, saveEvery },
      program: childProgram(program, out, request, saveEvery),
      workers,
      log,
      onEnd,
    });
  }
  const { id } = folder.kept();
  const places = `--queue ${shellQuoted(shownAddress(url))} --out ${shellQuoted(out)}`;
  log(`start workers with: ${[calledBy('work'), places, ...work].join(' ')}`);
  return await SharedQueue.open({ url, id, lock, log });
}

/** A short summary; the page has the details. */
function verdict(out: string, { trials, metric }: SweepSummary): readonly string[] {
  const [best] = trials;
  const failed = trials.filter(({ standing }) => standing === 'failed').length;
  return [
    ...(best?.standing !== 'finished' || best.estimate === null
      ? ['No trial finished with a result.']
      : [`Best: trial ${best.number}, ${metric.title} ${best.estimate.mean.toPrecision(4)}.`]),
    ...(failed === 0 ? [] : [`${failed} of ${plural(trials.length, 'trial')} failed.`]),
    `The table is in ${join(out, 'README.md')} and ${join(out, 'trials.csv')}.`,
  ];
}
