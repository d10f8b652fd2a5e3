import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { diagnose } from '../diagnosis/diagnose.ts';
import '../envs/testing/load-all.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import { disconnect, sockets } from '../envs/remote/sockets.ts';
import type { Environment } from '../envs/types.ts';
import { createOpenEnvService } from '../serve/openenv/service.ts';
import { type RunningServer, startServer } from '../serve/server.node.ts';
import { createService } from '../serve/service.ts';
import { settle } from '../serve/settle.ts';
import { corridorRun, timeless } from './testing/corridor-run.ts';

const closed = sockets.open;
beforeEach(() => {
  sockets.open = (url) => new WebSocket(url);
});

// Two starts, three and two moves from the goal.
const served = settle({
  manner: 'own',
  environments: ['maze=maze/drawn-v1'],
  options: ['maze.drawing=S.../###S/..G.'],
});
const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  sockets.open = closed;
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

interface KillableServer {
  readonly url: string;
  /** Number of frames answered. */
  readonly answered: () => number;
  /** Drops every connection without a closing handshake and stops listening. */
  kill(): Promise<void>;
}

/** Our server behind a proxy that can be killed: connections are dropped in the middle of a turn. */
async function serve(port = 0, most = 1000): Promise<KillableServer> {
  const limits = { most, idle: 3_600_000 };
  const shared = { served, limits, now: () => performance.now(), log: () => {} };
  const openEnv = createOpenEnvService(shared);
  const server: RunningServer = await startServer(createService({ ...shared, openEnv }), {
    ...{ host: '127.0.0.1', port: 0, token: null, openEnv },
  });
  const front = new WebSocketServer({ host: '127.0.0.1', port });
  await new Promise((listening) => front.once('listening', listening));
  let answered = 0;
  front.on('connection', (client, { url = '' }) => {
    const behind = new WebSocket(`${server.address.replace('http', 'ws')}${url}`);
    const opened = new Promise((open) => behind.once('open', open));
    client.on('message', (data) => void opened.then(() => behind.send(data.toString())));
    behind.on('message', (data) => {
      answered++;
      client.send(data.toString());
    });
    client.on('close', () => behind.terminate());
    behind.on('close', () => client.terminate());
    for (const socket of [client, behind]) socket.on('error', () => {});
  });
  const kill = async () => {
    for (const client of front.clients) client.terminate();
    await Promise.all([new Promise((closed) => front.close(closed)), server.stop()]);
  };
  stops.push(kill);
  const { port: bound } = front.address() as { port: number };
  return { url: `ws://127.0.0.1:${bound}/openenv/maze`, answered: () => answered, kill };
}

const connect = (url: string, options: object = {}) =>
  loadedEnvironment({
    id: 'remote/openenv-v1',
    options: { url, sessions: 40, patience: 3600, ...options },
    mixture: [],
  });

async function train(environment: Environment, iterations: number) {
  const { run } = await corridorRun(
    {
      rollout: { tasks_per_iteration: 2, group_size: 16 },
      horizon: { schedule: 'fixed', turns: 10 },
      evaluation: { interval: 0 },
    },
    environment,
  );
  const results = [];
  for (let i = 0; i < iterations; i++) results.push(await run.iterate());
  return results;
}

describe('training on an OpenEnv server', () => {
  it('gives the same results if the server is killed and restarted', async () => {
    const iterations = 6;
    const steady = await serve();
    const undisturbed = await train(await connect(steady.url), iterations);
    const port = Number(new URL(steady.url).port);
    await steady.kill();

    let server = await serve(port);
    const environment = await connect(server.url);
    let kills = 0;
    const watch = setInterval(() => {
      if (kills >= 2 || server.answered() < 200) return;
      kills++;
      const down = server;
      server = { ...down, answered: () => 0 };
      void down.kill().then(async () => {
        server = await serve(port);
      });
    }, 1);
    const disturbed = await train(environment, iterations);
    clearInterval(watch);

    expect(kills).toBe(2);
    const faults = disturbed.map(({ metrics }) => metrics['rollout/faults'] ?? 0);
    expect(faults.filter((n) => n > 0).length).toBeGreaterThan(0);
    expect(undisturbed.every(({ metrics }) => metrics['rollout/faults'] === 0)).toBe(true);
    // Same draws, same server: failed attempts do not affect any metric.
    const rows = (results: typeof disturbed) =>
      results.map(({ metrics }) => ({ ...timeless(metrics), 'rollout/faults': 0 }));
    expect(rows(disturbed)).toEqual(rows(undisturbed));
    // Reported in the iteration of the faults; nothing is lost, so it is not kept as a past finding.
    const evidence = disturbed.map(({ metrics }, i) => ({ iteration: i + 1, metrics }));
    const reported = evidence.map((_, i) => {
      const rows = evidence.slice(0, i + 1);
      return diagnose({ rows, evaluations: [], facts: {} }).findings.map(({ mode }) => mode);
    });
    for (const [i, count] of faults.entries()) {
      if (count > 0) expect(reported[i]).toContain('environment_faults');
    }
  });

  it('plays more episodes than there are sessions', async () => {
    const server = await serve(0, 5);
    const results = await train(await connect(server.url, { sessions: 5 }), 1);
    expect(results[0]?.metrics['rollout/faults']).toBe(0);
    expect(results[0]?.metrics['time/answer']).toBeGreaterThan(0);
  });

  it('rejects a reset that bypasses the connection', async () => {
    const { url } = await serve();
    const environment = await connect(url);
    expect(() => environment.reset('maze_1')).toThrow('over its connection');
  });

  it('is rejected immediately if the program cannot open connections', async () => {
    sockets.open = closed;
    await expect(connect('ws://127.0.0.1:1')).rejects.toThrow('opens no connections');
  });

  it('reports an unreachable server after the timeout', async () => {
    const { url, kill } = await serve();
    await kill();
    await expect(connect(url, { patience: 1 })).rejects.toThrow('cannot connect');
  });

  it('detects the name of the action field', async () => {
    const front = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((listening) => front.once('listening', listening));
    stops.push(() => new Promise((closed) => front.close(closed)));
    front.on('connection', (client) => {
      client.on('message', (text) => {
        const { type, data } = JSON.parse(text.toString());
        const code = type === 'mcp' ? 'UNKNOWN_TYPE' : 'VALIDATION_ERROR';
        const errors = [{ type: 'missing', loc: ['guess'], msg: 'Field required' }];
        const isRefused = type === 'mcp' || (type === 'step' && data.guess === undefined);
        client.send(
          JSON.stringify(
            isRefused
              ? { type: 'error', data: { code, message: 'Invalid message', errors } }
              : { type: 'observation', data: { observation: { text: `read ${data.guess}` } } },
          ),
        );
      });
    });
    const { port } = front.address() as { port: number };
    const { remote } = await connect(`ws://127.0.0.1:${port}`, { words: 'go' });
    const { state } = await (remote?.begin('seed_0') ?? Promise.reject());
    expect((await remote?.act(state, 'go'))?.observation).toBe('read go');
    for (const client of front.clients) client.terminate();
  });

  it('reports that it is waiting for the server, and stops waiting when the user disconnects', async () => {
    const reasons: (string | null)[] = [];
    const { onWaiting } = sockets;
    sockets.onWaiting = (reason) => reasons.push(reason);
    try {
      const server = await serve();
      const environment = await connect(server.url);
      const training = train(environment, 1000);
      await server.kill();
      await expect.poll(() => reasons.length).toBeGreaterThan(0);
      disconnect();
      await expect(training).rejects.toThrow('given up');
      expect(reasons[0]).toMatch(/connect/);
    } finally {
      sockets.onWaiting = onWaiting;
    }
  });

  it.each([
    ['invalid JSON', 'hello'],
    ['a message that is not an object', '[]'],
    ['a message of an unexpected type', '{"type":"state","data":{}}'],
    [
      'a reward that is not a number',
      '{"type":"observation","data":{"observation":{},"reward":"1"}}',
    ],
  ])('treats %s as a fault, never as a reward of 0', async (_name, answer) => {
    const front = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((listening) => front.once('listening', listening));
    stops.push(() => new Promise((closed) => front.close(closed)));
    front.on('connection', (client) => {
      client.on('message', (text) => {
        const { type } = JSON.parse(text.toString());
        if (type === 'mcp') client.send('{"type":"error","data":{"code":"UNKNOWN_TYPE"}}');
        else if (type === 'step') client.send(answer);
        else client.send('{"type":"observation","data":{"observation":{"text":"go"}}}');
      });
    });
    const { port } = front.address() as { port: number };
    const environment = await connect(`ws://127.0.0.1:${port}`, { words: 'go\nstop' });
    expect(environment.trainTasks[0]).toBe('seed_0');
    await expect(train(environment, 1)).rejects.toThrow('failed on task');
    for (const client of front.clients) client.terminate();
  });
});
