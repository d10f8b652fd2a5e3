/**
 * `npm run --silent export -- --checkpoint agent.safetensors --out agent.zip`: exports an agent.
 * See `--help`.
 */
import { loadEnvironments } from '../envs/registry.ts';
import { exportCommand } from './export-command.ts';
import { openMachine } from './machine.node.ts';
import { endWith, standardStreams } from './streams.ts';

// Settings may name any environment.
await loadEnvironments();

endWith(await exportCommand(process.argv.slice(2), { ...standardStreams(), open: openMachine }));
