import { deviceChoices } from '../device/index.ts';
import { isListed, runCount, runName } from '../sweep/plan.ts';
import { Child, UselessChildError, whatOf } from '../workers/child-process.node.ts';
import { QueueError } from '../workers/queue-server.node.ts';
import { workOnQueue } from '../workers/remote-worker.node.ts';
import { SweepFolder, SweepFolderError } from '../workers/sweep-folder.node.ts';
import { deviceFlags, readDeviceWish } from './device-options.ts';
import type { DeviceWish } from './machine.node.ts';
import { childProgram } from './sweep-child.ts';
import type { SweepSurroundings } from './sweep-command.ts';
import {
  DEFAULT_LOCK,
  DEFAULT_SAVE_EVERY,
  readLock,
  readQueue,
  readSaveEvery,
  readWorkers,
  threaded,
} from './sweep-options.ts';
import {
  calledBy,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_USAGE,
  parseFlags,
  readWhole,
  UsageError,
} from './usage.ts';

const flags = {
  ...deviceFlags,
  queue: { type: 'string' },
  run: { type: 'string' },
  out: { type: 'string' },
  workers: { type: 'string' },
  'save-every': { type: 'string' },
  lock: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const help = () => `Computes runs of a sweep that was begun with ${calledBy('sweep')}.

  ${calledBy('work')} --out DIR (--queue URL | --run N) [--workers N] [--save-every SECONDS]
                  [--lock SECONDS] [--device NAME] [--threads N]

  --out DIR       the sweep's folder, on storage that all machines share
  --queue URL     take segments of runs from this Redis or PostgreSQL server until the sweep
                  has come to its end
  --run N         play one run of the list to its end, counted from 0, as a Kubernetes Indexed Job
                  or a Slurm array has it; grid and random sweeps without early_terminate only
  --workers N     processes that compute; if not given, as many as the machine runs at once on the
                  processor, 1 on a GPU
  --save-every SECONDS
                  how often a run is kept on its way; ${DEFAULT_SAVE_EVERY} if not given
  --lock SECONDS  a worker that says nothing for so long has lost its runs; ${DEFAULT_LOCK} if not given.
                  All workers of a queue should have the same
  --device NAME   ${deviceChoices.join(', ')}: what computes; processor if not given
  --threads N     of the processor, in each process
  --help          print this and end

Ctrl-C keeps what is under way, gives it back and ends with exit code 130.
`;

/** Computes for a sweep. Resolves with the exit code. */
export async function workCommand(
  args: readonly string[],
  surroundings: SweepSurroundings,
): Promise<number> {
  const { out, log } = surroundings;
  try {
    const values = parseFlags(args, flags);
    if (values.help === true) {
      out(help().trimEnd());
      return 0;
    }
    if (values.out === undefined) throw new UsageError('--out DIR is missing: the sweep’s folder');
    const folder = SweepFolder.open(values.out);
    const wish = readDeviceWish({ ...values, device: values.device ?? 'processor' });
    const saveEvery = readSaveEvery(values['save-every']);
    if (values.run !== undefined) {
      const number = readWhole('--run', values.run, 0, 1_000_000) ?? 0;
      return await playOne(folder, number, { wish, saveEvery }, surroundings);
    }
    const { queue: url } = values;
    if (url === undefined) throw new UsageError('--queue URL is missing, or --run N');
    const workers = readWorkers(values.workers, wish, surroundings.cores);
    const ended = await workOnQueue({
      ...{ folder, workers, log, url: readQueue(url), lock: readLock(values.lock) },
      stopped: surroundings.stopped,
      program: childProgram(
        surroundings.program,
        folder.path,
        threaded(wish, workers, surroundings.cores),
        saveEvery,
      ),
    });
    if (ended === 'stopped') return EXIT_INTERRUPTED;
    out('The sweep has come to its end.');
    return 0;
  } catch (error) {
    if (!isOfUser(error)) throw error;
    log(error.message);
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  }
}

const isOfUser = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof SweepFolderError ||
  error instanceof QueueError ||
  error instanceof UselessChildError;

/** Plays the run of a place in the list. */
async function playOne(
  folder: SweepFolder,
  number: number,
  { wish, saveEvery }: { readonly wish: DeviceWish; readonly saveEvery: number },
  { log, program, stopped, cores }: SweepSurroundings,
): Promise<number> {
  const { sweep } = folder.kept();
  const { seeds } = sweep;
  const runs = runCount(sweep);
  if (!isListed(sweep)) {
    throw new UsageError(
      '--run is for grid and random sweeps without early_terminate: the others are decided on the way',
    );
  }
  if (number >= runs) {
    throw new UsageError(`--run ${number}: the list has ${runs} runs, counted from 0`);
  }
  const trial = Math.floor(number / seeds.length) + 1;
  const seed = seeds[number % seeds.length] ?? 1;
  const run = runName(trial, seed);
  const child = new Child(childProgram(program, folder.path, threaded(wish, 1, cores), saveEvery), {
    log,
    onIteration() {},
  });
  stopped.addEventListener('abort', () => child.stop(), { once: true });
  for (;;) {
    if (folder.hasRecord(run)) break;
    const end = await child.play({ run, trial, seed, rung: null });
    const line = whatOf(run, end);
    if (line !== null) log(line);
    if (end.kind === 'interrupted') return EXIT_INTERRUPTED;
    // Whoever started this starts it again, elsewhere perhaps.
    if (end.kind === 'blocked' || end.kind === 'died') return EXIT_FAILED;
  }
  child.close();
  log(`${run} is in ${folder.path}`);
  return 0;
}
