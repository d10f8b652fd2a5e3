/** `npm run diagnose -- PATH… [--json]`: finds the first cause of a failing run. See `--help`. */
import { loadEnvironments } from '../envs/registry.ts';
import { diagnoseCommand } from './diagnose-command.ts';
import { openMachine } from './machine.node.ts';
import { endWith, standardStreams } from './streams.ts';

// A run's settings may name any environment.
await loadEnvironments();

endWith(await diagnoseCommand(process.argv.slice(2), { ...standardStreams(), open: openMachine }));
