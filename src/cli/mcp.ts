/**
 * `npm run --silent mcp`: a Model Context Protocol server on standard input and output, with tools
 * that read training logs and episodes.
 */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { loadEnvironments } from '../envs/registry.ts';
import { logServer } from './mcp-server.ts';

// A run's settings may name any environment.
await loadEnvironments();

// Standard output is reserved for the protocol.
await logServer().connect(new StdioServerTransport());
