import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import '../envs/testing/load-all.ts';
import { sockets } from '../envs/remote/sockets.ts';
import { createOpenEnvService } from '../serve/openenv/service.ts';
import { startServer } from '../serve/server.node.ts';
import { createService } from '../serve/service.ts';
import { settle } from '../serve/settle.ts';
import { checkedEnvironment, checkServer } from './check-server.ts';

const closed = sockets.open;
const stops: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  sockets.open = (url) => new WebSocket(url);
});

afterEach(async () => {
  sockets.open = closed;
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Serves the double-T maze. */
async function serveMaze(most = 1000): Promise<string> {
  const served = settle({ manner: 'own', environments: ['maze=maze/double-t-v1'], options: [] });
  const limits = { most, idle: 3_600_000 };
  const shared = { served, limits, now: () => performance.now(), log: () => {} };
  const openEnv = createOpenEnvService(shared);
  const server = await startServer(createService({ ...shared, openEnv }), {
    ...{ host: '127.0.0.1', port: 0, token: null, openEnv },
  });
  stops.push(server.stop);
  return `${server.address.replace('http', 'ws')}/openenv/maze`;
}

/** A server without a vocabulary. */
async function serveTexts(text: () => string): Promise<string> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((listening) => server.once('listening', listening));
  server.on('connection', (client) => {
    client.on('message', (message) => {
      const { type } = JSON.parse(message.toString());
      const data = { observation: { text: text() }, reward: null, done: false };
      if (type === 'mcp') client.send('{"type":"error","data":{"code":"UNKNOWN_TYPE"}}');
      else client.send(JSON.stringify({ type: 'observation', data }));
    });
  });
  stops.push(async () => {
    for (const client of server.clients) client.terminate();
    await new Promise((stopped) => server.close(stopped));
  });
  return `ws://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function factsOf(url: string, words = '') {
  const found = await checkServer(url, words);
  if (found.kind === 'failed') throw new Error(found.problem);
  return found.facts;
}

describe('the server check', () => {
  it('measures what the settings of a run depend on', async () => {
    const facts = await factsOf(await serveMaze());
    expect(facts).toMatchObject({ tasks: 25, turns: 50, repeats: true, sessions: 64, unknown: [] });
    expect(facts.actions).toContain('move up');
    expect(facts.actionTokens).toBe(1);
    expect(facts.observationTokens).toBeGreaterThan(5);
    expect(facts.answerMs).toBeGreaterThan(0);
    const { options } = checkedEnvironment('ws://x', ' ', facts);
    expect(options).toEqual({ url: 'ws://x', sessions: 64, patience: 3600 });
  });

  it('counts the episodes that a server plays concurrently', async () => {
    expect((await factsOf(await serveMaze(3))).sessions).toBe(3);
  });

  it('detects a nondeterministic server, even without a vocabulary', async () => {
    let turn = 0;
    const url = await serveTexts(() => `turn ${turn++}`);
    expect(await factsOf(url)).toMatchObject({ repeats: false, words: 0, actions: [] });
    const facts = await factsOf(url, 'turn\ngo');
    expect(facts.words).toBe(2);
    expect(facts.unknown[0]).toMatch(/^\d+$/);
    expect(facts.actionTokens).toBeGreaterThan(1);
  });

  it('describes a failure in one sentence', async () => {
    const problem = async (url: string) => {
      const found = await checkServer(url, '');
      return found.kind === 'failed' ? found.problem : null;
    };
    expect(await problem('ws://127.0.0.1:1')).toBe(
      'The check failed: cannot connect to ws://127.0.0.1:1/ws.',
    );
    expect(await problem('http://x')).toBe('The address must begin with ws:// or wss://.');
  });
});
