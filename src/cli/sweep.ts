/** `npm run sweep -- FILE.yaml`: runs a sweep over its trials and seeds. See `--help`. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { loadEnvironments } from '../envs/registry.ts';
import { endWith, standardStreams } from './streams.ts';
import { isChild, serveSweepParent } from './sweep-child.ts';
import { sweepCommand } from './sweep-command.ts';

// Settings may name any environment.
await loadEnvironments();

const args = process.argv.slice(2);
if (isChild(args)) await serveSweepParent(args);
else {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopped.signal.aborted) process.exit(130);
      stopped.abort();
      process.stderr.write('Keeping what is under way; press Ctrl-C again to quit at once.\n');
    });
  }
  endWith(
    await sweepCommand(args, {
      ...standardStreams(),
      stopped: stopped.signal,
      program: fileURLToPath(import.meta.url),
      cores: availableParallelism(),
    }),
  );
}
