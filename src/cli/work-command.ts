import { isListed, runCount, runName } from '../sweep/plan.ts';
import { Child, whatOf } from '../workers/child-process.node.ts';
import { workOnQueue } from '../workers/remote-worker.node.ts';
import { SweepFolder, SweepFolderError } from '../workers/sweep-folder.node.ts';
import { waitForOwner } from '../workers/waiting.node.ts';
import { deviceRequest } from './device-options.ts';
import { Command, optional, required, whole } from './flags.ts';
import type { DeviceRequest } from './machine.node.ts';
import { plural } from './report.ts';
import { childProgram } from './sweep-child.ts';
import type { SweepContext } from './sweep-command.ts';
import { queueAddress, threaded, workerCount, workerFlags } from './sweep-options.ts';
import { EXIT_FAILED, EXIT_INTERRUPTED, exitCode, UsageError } from './usage.ts';

const worker = new Command({
  name: 'work',
  about: 'Computes runs of a sweep that another machine coordinates.',
  flags: {
    out: required('DIR', 'the folder of the sweep, on storage that all machines share'),
    queue: optional(
      'URL',
      'take segments of runs from this Redis or PostgreSQL server until the sweep is done',
      queueAddress,
    ),
    run: optional(
      'N',
      'compute only the run with this index, from 0, for a Kubernetes Indexed Job or a Slurm array; grid and random sweeps without early_terminate only',
      whole(0, 1_000_000),
    ),
    ...workerFlags,
  },
  notes: () => 'Ctrl-C saves the runs in progress, returns them and exits with code 130.',
});

/** Computes for a sweep. Resolves with the exit code. */
export function workCommand(args: readonly string[], context: SweepContext): Promise<number> {
  const { out, log } = context;
  return exitCode(context, [SweepFolderError], async () => {
    const parsed = worker.parse(args);
    if (parsed === null) {
      out(worker.help());
      return 0;
    }
    const { values } = parsed;
    const { queue: url, run, lock, 'save-every': saveEvery } = values;
    const folder = SweepFolder.open(values.out);
    const request = deviceRequest(values);
    if (run !== undefined) return await playOne(folder, run, { request, saveEvery }, context);
    if (url === undefined) throw new UsageError('--queue URL or --run N is required');
    const workers = workerCount(values.workers, request, context.cores);
    const ended = await workOnQueue({
      ...{ folder, workers, log, url, lock },
      stopped: context.stopped,
      program: childProgram(
        context.program,
        folder.path,
        threaded(request, workers, context.cores),
        saveEvery,
      ),
    });
    if (ended === 'stopped') return EXIT_INTERRUPTED;
    out('The sweep is done.');
    return 0;
  });
}

/** Computes the run with the given number. */
async function playOne(
  folder: SweepFolder,
  number: number,
  { request, saveEvery }: { readonly request: DeviceRequest; readonly saveEvery: number },
  { log, program, stopped, cores }: SweepContext,
): Promise<number> {
  const { sweep } = folder.kept();
  const { seeds } = sweep;
  const runs = runCount(sweep);
  if (!isListed(sweep)) {
    throw new UsageError(
      '--run needs a grid or random sweep without early_terminate, whose runs are known in advance; use --queue',
    );
  }
  if (number >= runs) {
    throw new UsageError(`--run ${number}: the sweep has ${plural(runs, 'run')}, numbered from 0`);
  }
  const trial = Math.floor(number / seeds.length) + 1;
  const seed = seeds[number % seeds.length] ?? 1;
  const run = runName(trial, seed);
  const child = new Child(
    childProgram(program, folder.path, threaded(request, 1, cores), saveEvery),
    {
      log,
      onIteration() {},
    },
  );
  stopped.addEventListener('abort', () => child.stop(), { once: true });
  for (;;) {
    if (folder.hasRecord(run)) break;
    const end = await child.play({ run, trial, seed, rung: null });
    const line = whatOf(run, end);
    if (line !== null) log(line);
    if (end.kind === 'interrupted') return EXIT_INTERRUPTED;
    if (end.kind === 'superseded') {
      await waitForOwner(folder, run, stopped, saveEvery);
      if (stopped.aborted) return EXIT_INTERRUPTED;
    }
    // The scheduler restarts the run, possibly on another node.
    if (end.kind === 'blocked' || end.kind === 'died') return EXIT_FAILED;
  }
  child.close();
  log(`${run} is in ${folder.path}`);
  return 0;
}
