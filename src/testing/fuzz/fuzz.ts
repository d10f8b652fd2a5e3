/** `npm run fuzz`: runs every reader on randomly mutated inputs. See `--help`. */

import { endWith } from '../../cli/streams.ts';
import { loadEnvironments } from '../../envs/registry.ts';
import { fuzzCommand } from './fuzz-command.ts';
import { readers } from './readers.ts';

// Fuzzed settings may refer to any environment.
await loadEnvironments();

endWith(await fuzzCommand(process.argv.slice(2), readers));
