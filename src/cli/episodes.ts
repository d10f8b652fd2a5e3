/** `npm run episodes -- PATH… [--flag NAME]`: reads episodes written by another tool. See `--help`. */
import { episodesCommand } from './episodes-command.ts';
import { endWith, standardStreams } from './streams.ts';

endWith(await episodesCommand(process.argv.slice(2), standardStreams()));
