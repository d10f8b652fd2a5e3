/**
 * `npm run --silent evaluate -- --checkpoint agent.safetensors`: evaluates without a browser.
 * See `--help`.
 */
import { loadEnvironments } from '../envs/registry.ts';
import { evaluateCommand } from './evaluate-command.ts';
import { openMachine } from './machine.node.ts';
import { endWith, standardStreams } from './streams.ts';

// Settings may name any environment.
await loadEnvironments();

endWith(await evaluateCommand(process.argv.slice(2), { ...standardStreams(), open: openMachine }));
