/**
 * `npm run --silent serve -- --port 8000`: serves the environments. See `--help`.
 */
import { loadEnvironments } from '../envs/registry.ts';
import { serveCommand } from './serve-command.ts';
import { endWith, standardStreams } from './streams.ts';

// Any environment may be served.
await loadEnvironments();

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopped.signal.aborted) process.exit(130);
    stopped.abort();
  });
}

endWith(
  await serveCommand(process.argv.slice(2), { ...standardStreams(), stopped: stopped.signal }),
);
