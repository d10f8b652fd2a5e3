/**
 * `npm run --silent train -- --preset maze --updates 60 --seed 1 --json`: trains without a browser.
 * See `--help`.
 */
import { loadEnvironments } from '../envs/registry.ts';
import { openMachine } from './machine.node.ts';
import './sockets.node.ts';
import { endWith, standardStreams } from './streams.ts';
import { trainCommand } from './train-command.ts';

// A config may name any environment.
await loadEnvironments();

let interrupted = false;
process.on('SIGINT', () => {
  if (interrupted) process.exit(130);
  interrupted = true;
  process.stderr.write('Stopping; press Ctrl-C again to quit now.\n');
});

const code = await trainCommand(process.argv.slice(2), {
  ...standardStreams(),
  interrupted: () => interrupted,
  open: openMachine,
});
endWith(code);
