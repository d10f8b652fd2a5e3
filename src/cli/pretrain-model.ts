/**
 * `npm run --silent pretrain-model -- --out DIR`: trains a small language model on experts' dialogues.
 * See `--help`.
 */
import { loadEnvironments } from '../envs/registry.ts';
import { openMachine } from './machine.node.ts';
import { pretrainModelCommand } from './pretrain-model-command.ts';
import { endWith, standardStreams } from './streams.ts';

await loadEnvironments();

endWith(
  await pretrainModelCommand(process.argv.slice(2), { ...standardStreams(), open: openMachine }),
);
