/**
 * `npm run --silent train -- --preset maze --updates 60 --seed 1 --json`: trains without a browser.
 * See `--help`.
 */
import { openMachine } from './machine.node.ts';
import { trainCommand } from './train-command.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read the output has gone (`| head`): there is nobody left to train for.
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

let interrupted = false;
process.on('SIGINT', () => {
  if (interrupted) process.exit(130);
  interrupted = true;
  process.stderr.write('Finishing this iteration; press Ctrl-C again to quit at once.\n');
});

const code = await trainCommand(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  log: (line) => process.stderr.write(`${line}\n`),
  interrupted: () => interrupted,
  open: openMachine,
});
// What was written must have left before the process ends, also through a slow pipe.
process.stdout.write('', () => process.exit(code));
