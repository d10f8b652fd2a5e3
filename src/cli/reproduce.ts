/** `npm run reproduce -- NAME`: runs an experiment over its seeds into docs/results/. See `--help`. */
import { findExperiment } from '../runs/experiments.ts';
import { openMachine } from './machine.node.ts';
import { reproduceCommand } from './reproduce-command.ts';
import { endWith, standardStreams } from './streams.ts';

const code = await reproduceCommand(process.argv.slice(2), {
  ...standardStreams(),
  root: process.cwd(),
  open: openMachine,
  find: findExperiment,
});
endWith(code);
