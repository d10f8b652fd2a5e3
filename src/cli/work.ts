/**
 * `npm run work -- --queue redis://… --out DIR`: computes runs of a sweep that another machine
 * coordinates. See `--help`.
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { endWith, standardStreams } from './streams.ts';
import { isChild, serveSweepParent } from './sweep-child.ts';
import { stopSignal } from './sweep-stop.ts';
import { workCommand } from './work-command.ts';

const args = process.argv.slice(2);
if (isChild(args)) await serveSweepParent(args);
else {
  endWith(
    await workCommand(args, {
      ...standardStreams(),
      stopped: stopSignal(),
      program: fileURLToPath(import.meta.url),
      cores: availableParallelism(),
    }),
  );
}
