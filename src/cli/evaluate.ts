/**
 * `npm run --silent evaluate -- --checkpoint agent.safetensors`: evaluates without a browser.
 * See `--help`.
 */
import { evaluateCommand } from './evaluate-command.ts';
import { openMachine } from './machine.node.ts';
import { endWith, standardStreams } from './streams.ts';

endWith(await evaluateCommand(process.argv.slice(2), { ...standardStreams(), open: openMachine }));
