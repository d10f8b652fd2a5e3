/**
 * `npm run --silent mcp`: a server of the Model Context Protocol on standard input and output, with tools
 * that read training logs and episodes.
 */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { loadEnvironments } from '../envs/registry.ts';
import { logServer } from './mcp-server.ts';

// A run's settings may name any environment.
await loadEnvironments();

// Standard output belongs to the protocol.
await logServer().connect(new StdioServerTransport());
