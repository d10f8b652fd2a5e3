/** `npm run reproduce -- NAME`: runs an experiment over its seeds into docs/results/. See `--help`. */
import { loadEnvironments } from '../envs/registry.ts';
import { findExperiment } from '../experiments/catalogue.ts';
import { Code } from './fingerprint.node.ts';
import { openMachine } from './machine.node.ts';
import { reproduceCommand } from './reproduce-command.ts';
import { endWith, standardStreams } from './streams.ts';

// Settings may name any environment.
await loadEnvironments();

const code = await reproduceCommand(process.argv.slice(2), {
  ...standardStreams(),
  readCode: () => Code.read(process.cwd()),
  open: openMachine,
  find: findExperiment,
});
endWith(code);
