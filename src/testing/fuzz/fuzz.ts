/** `npm run fuzz`: gives every reader inputs that were changed at random. See `--help`. */
import { endWith } from '../../cli/streams.ts';
import { fuzzCommand } from './fuzz-command.ts';
import { readers } from './readers.ts';

endWith(await fuzzCommand(process.argv.slice(2), readers));
