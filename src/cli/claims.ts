/** `npm run claims`: checks that the numbers in the documents match the kept runs. See `--help`. */
import { loadEnvironments } from '../envs/registry.ts';
import { findExperiment } from '../experiments/catalogue.ts';
import { claimsCommand } from './claims-command.ts';
import { Code } from './fingerprint.node.ts';
import { openMachine } from './machine.node.ts';
import { endWith, standardStreams } from './streams.ts';

// Settings may name any environment.
await loadEnvironments();

const code = await claimsCommand(process.argv.slice(2), {
  ...standardStreams(),
  root: process.cwd(),
  readCode: () => Code.read(process.cwd()),
  open: openMachine,
  find: findExperiment,
});
endWith(code);
