/**
 * `npm run --silent pretrain -- --out DIR`: trains a small language model on experts' dialogues.
 * See `--help`.
 */
import { loadEnvironments } from '../envs/registry.ts';
import { openMachine } from './machine.node.ts';
import { pretrainCommand } from './pretrain-command.ts';
import { endWith, standardStreams } from './streams.ts';

await loadEnvironments();

endWith(await pretrainCommand(process.argv.slice(2), { ...standardStreams(), open: openMachine }));
