/** `npm run critique-data -- --count N --out FILE.jsonl`: creates a data set of critiques. See `--help`. */
import { loadEnvironments } from '../envs/registry.ts';
import { critiqueDataCommand } from './critique-data-command.ts';
import { openMachine } from './machine.node.ts';
import { endWith, standardStreams } from './streams.ts';

// Settings may name any environment.
await loadEnvironments();

endWith(
  await critiqueDataCommand(process.argv.slice(2), { ...standardStreams(), open: openMachine }),
);
