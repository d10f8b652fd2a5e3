/**
 * `npm run --silent mcp`: a Model Context Protocol server on standard input and output, with tools
 * that read training logs and episodes.
 */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { loadEnvironments } from '../envs/registry.ts';
import { Command } from './flags.ts';
import { logServer } from './mcp-server.ts';
import { endWith, standardStreams } from './streams.ts';
import { EXIT_USAGE, UsageError } from './usage.ts';

const command = new Command({
  name: 'mcp',
  about: 'Answers questions about training logs as a Model Context Protocol server on stdio.',
  flags: {},
});

const { out, log } = standardStreams();
try {
  if (command.parse(process.argv.slice(2)) === null) {
    out(command.help());
    endWith(0);
  } else {
    await serve();
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  log(error.message);
  endWith(EXIT_USAGE);
}

async function serve(): Promise<void> {
  const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
  // `npm --prefix` changes the working directory, which the client's relative paths refer to.
  if (script === 'mcp' && folder !== undefined) process.chdir(folder);
  // A run's settings may name any environment.
  await loadEnvironments();
  // Standard output is reserved for the protocol.
  await logServer().connect(new StdioServerTransport());
}
