/** `npm run sweep -- FILE.yaml`: runs a sweep over its trials and seeds. See `--help`. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { loadEnvironments } from '../envs/registry.ts';
import { endWith, standardStreams } from './streams.ts';
import { isChild, serveSweepParent } from './sweep-child.ts';
import { sweepCommand } from './sweep-command.ts';
import { stopSignal } from './sweep-stop.ts';

const args = process.argv.slice(2);
if (isChild(args)) await serveSweepParent(args);
else {
  // Settings may name any environment. A process that computes loads only the environments of its
  // runs.
  await loadEnvironments();
  endWith(
    await sweepCommand(args, {
      ...standardStreams(),
      stopped: stopSignal(),
      program: fileURLToPath(import.meta.url),
      cores: availableParallelism(),
    }),
  );
}
