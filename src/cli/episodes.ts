/** `npm run episodes -- PATH… [--flag NAME]`: reads episodes that another tool wrote. See `--help`. */
import { episodesCommand } from './episodes-command.ts';
import { endWith, standardStreams } from './streams.ts';

endWith(await episodesCommand(process.argv.slice(2), standardStreams()));
