/** `npm run suite -- --out DIR`: writes the evaluation suite and the experts' dialogues. See `--help`. */
import { loadEnvironments } from '../envs/registry.ts';
import { endWith, standardStreams } from './streams.ts';
import { suiteCommand } from './suite-command.ts';

await loadEnvironments();

endWith(await suiteCommand(process.argv.slice(2), standardStreams()));
