import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { thorough } from '../../../scripts/tier.mjs';
import { heapGrowth } from '../../testing/heap-growth.ts';
import type { OpenLimits } from '../open-environments.ts';
import { type RunningServer, type ServerSettings, startServer } from '../server.node.ts';
import { createService } from '../service.ts';
import { settle } from '../settle.ts';
import '../../envs/testing/load-all.ts';
import { createOpenEnvService, type OpenEnvService } from './service.ts';
import type { JsonObject } from './session.ts';

const running: RunningServer[] = [];
const sockets: WebSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

const served = settle({ manner: 'own', environments: [], options: [] });
const hour: OpenLimits = { most: 1000, idle: 3_600_000 };

function openEnvService(limits = hour, clock = { now: 0 }): OpenEnvService {
  return createOpenEnvService({ served, limits, now: () => clock.now, log: () => {} });
}

async function start(limits = hour, settings: Partial<ServerSettings> = {}, clock = { now: 0 }) {
  const openEnv = openEnvService(limits, clock);
  const now = () => clock.now;
  const service = createService({ served, limits, now, log: () => {}, openEnv });
  const server = await startServer(service, {
    ...{ host: '127.0.0.1', port: 0, token: null, openEnv },
    ...settings,
  });
  running.push(server);
  return { openEnv, address: server.address, ws: server.address.replace('http', 'ws') };
}

interface Message {
  readonly type: string;
  readonly data: JsonObject & {
    readonly code?: string;
    readonly done?: boolean;
    readonly reward?: number | null;
    readonly observation?: JsonObject;
  };
}

/** Sends one frame at a time and resolves with its answer. */
async function connect(url: string, headers: Readonly<Record<string, string>> = {}) {
  const socket = new WebSocket(url, { headers });
  sockets.push(socket);
  const messages: Message[] = [];
  let wake = () => {};
  socket.on('message', (data) => {
    messages.push(JSON.parse(data.toString()) as Message);
    wake();
  });
  const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)));
  await once(socket, 'open');
  const next = async (): Promise<Message> => {
    if (messages.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const message = messages.shift();
    if (message === undefined) throw new Error('no message');
    return message;
  };
  const raw = (frame: string | Uint8Array) => {
    socket.send(frame);
    return next();
  };
  return { socket, closed, next, raw, send: (message: object) => raw(JSON.stringify(message)) };
}

const step = (message: string) => ({ type: 'step', data: { message } });

describe('openenv validate --url', () => {
  it('passes its six checks on every path', async () => {
    const { address } = await start();
    for (const { dialect } of served) {
      const base = `${address}/openenv/${dialect.path}`;
      const get = async (path: string) => (await fetch(`${base}${path}`)).json();
      const openApi = await get('/openapi.json');
      expect(openApi.info.version).toMatch(/^1[.]/);
      expect(await get('/health')).toEqual({ status: 'healthy' });
      const metadata = await get('/metadata');
      expect([typeof metadata.name, typeof metadata.description]).toEqual(['string', 'string']);
      const schema = await get('/schema');
      for (const part of ['action', 'observation', 'state'])
        expect(schema[part]).toBeTypeOf('object');
      expect(schema.action.required).toEqual(['message']);
      const mcp = await fetch(`${base}/mcp`, { method: 'POST', body: '{}' });
      expect(mcp.status).toBe(200);
      expect(await mcp.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
      expect(Object.keys(openApi.paths)).toEqual(
        expect.arrayContaining(['/reset', '/step', '/state']),
      );
    }
  });
});

describe('HTTP', () => {
  it('resets, steps and reads the state, each in a new environment', async () => {
    const { address } = await start();
    const base = `${address}/openenv/maze`;
    const post = async (path: string, body: object) =>
      fetch(`${base}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const reset = await (await post('/reset', { seed: 7, unknown: [] })).json();
    expect(reset).toMatchObject({ reward: null, done: false, observation: { task_id: 'maze_7' } });
    const stepped = await (await post('/step', { action: { message: 'move up' } })).json();
    expect(stepped.observation.turn).toBe(1);
    expect(await (await fetch(`${base}/state`)).json()).toMatchObject({ step_count: 0 });
    expect((await post('/reset', { seed: 'x' })).status).toBe(422);
    expect((await post('/step', {})).status).toBe(422);
    expect((await fetch(`${base}/nothing`)).status).toBe(404);
    expect((await fetch(`${base}/reset`)).status).toBe(405);
  });
});

describe('the Task API', () => {
  it('counts and lists the tasks of a split; reset selects one by index', async () => {
    const { address, ws } = await start();
    const base = `${address}/openenv/wordle`;
    const post = async (path: string, body: object) =>
      fetch(`${base}/wordle/${path}`, { method: 'POST', body: JSON.stringify(body) });
    expect(await (await fetch(`${base}/list_environments`)).json()).toEqual(['wordle']);
    expect(await (await post('list_splits', {})).json()).toEqual({ splits: ['train', 'eval'] });
    const { num_tasks } = await (await post('num_tasks', { split: 'eval' })).json();
    const { tasks } = await (await post('list_tasks', { split: 'eval' })).json();
    expect(tasks).toHaveLength(num_tasks);
    const { send } = await connect(`${ws}/openenv/wordle/ws`);
    const reset = { seed: 0, split: 'eval', index: num_tasks - 1 };
    const { data } = await send({ type: 'reset', data: reset });
    expect(data.observation?.task_id).toBe(tasks.at(-1).task_id);
    const none = await send({ type: 'reset', data: { ...reset, index: num_tasks } });
    expect(none.data.code).toBe('EXECUTION_ERROR');
    expect((await post('num_tasks', { split: 'test' })).status).toBe(422);
    expect((await post('nothing', {})).status).toBe(404);
  });
});

describe('WS /ws', () => {
  it('plays an episode to its end', async () => {
    const { ws } = await start();
    const { send } = await connect(`${ws}/openenv/maze/ws`);
    const reset = await send({ type: 'reset', data: { data_idx: 18, episode_id: 'e1' } });
    expect(reset).toMatchObject({
      type: 'observation',
      data: { reward: null, done: false, observation: { turn: 0, task_id: 'maze_18' } },
    });
    expect(await send(step('move down'))).toMatchObject({
      type: 'observation',
      data: { reward: 1, done: true, observation: { success: true, truncated: false } },
    });
    expect(await send({ type: 'state' })).toEqual({
      type: 'state',
      data: { episode_id: 'e1', step_count: 1, task_id: 'maze_18', env: 'maze/double-t-v1' },
    });
    expect((await send(step('move down'))).data.code).toBe('EXECUTION_ERROR');
  });

  it('gives the same observations for the same seed, and truncates at max_turns', async () => {
    const { ws } = await start();
    const [one, other] = await Promise.all([0, 1].map(() => connect(`${ws}/openenv/wordle/ws`)));
    const reset = { type: 'reset', data: { seed: 3, split: 'eval', max_turns: 1 } };
    const first = await one?.send(reset);
    expect(await other?.send(reset)).toEqual(first);
    const after = await one?.send(step('crane'));
    expect(await other?.send(step('crane'))).toEqual(after);
    expect(after?.data).toMatchObject({ done: true, observation: { truncated: true } });
  });

  it.each([
    ['not JSON', '{', 'INVALID_JSON'],
    ['deep JSON', `{"type":"reset","data":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'INVALID_JSON'],
    ['a list', '[]', 'VALIDATION_ERROR'],
    ['no type', '{}', 'UNKNOWN_TYPE'],
    ['an unknown type', '{"type":"toString"}', 'UNKNOWN_TYPE'],
    ['an unknown key', '{"type":"state","more":1}', 'VALIDATION_ERROR'],
    ['data that is not an object', '{"type":"reset","data":1}', 'VALIDATION_ERROR'],
    ['a negative seed', '{"type":"reset","data":{"seed":-1}}', 'VALIDATION_ERROR'],
    ['a task that does not exist', '{"type":"reset","data":{"task_id":"no"}}', 'EXECUTION_ERROR'],
    ['a step before reset', '{"type":"step","data":{"message":"x"}}', 'EXECUTION_ERROR'],
    ['a step without a message', '{"type":"step","data":{}}', 'VALIDATION_ERROR'],
    ['a wrapped action', '{"type":"step","data":{"action":{}}}', 'VALIDATION_ERROR'],
  ])('answers %s with an error and stays open', async (_name, frame, code) => {
    const { ws } = await start();
    const { raw, send } = await connect(`${ws}/openenv/maze/ws`);
    const error = await raw(frame);
    expect(error).toMatchObject({ type: 'error', data: { code, message: expect.any(String) } });
    if (code === 'VALIDATION_ERROR') expect(error.data.errors).toHaveLength(1);
    expect((await send({ type: 'reset' })).type).toBe('observation');
  });

  it('closes after a close message and frees the session', async () => {
    const { ws, openEnv } = await start();
    const { socket, closed } = await connect(`${ws}/openenv/maze/ws`);
    expect(openEnv.sessions).toBe(1);
    socket.send('{"type":"close"}');
    expect(await closed).toBe(1000);
    await expect.poll(() => openEnv.sessions).toBe(0);
  });

  it.each([
    ['an oversized frame', (socket: WebSocket) => socket.send('x'.repeat(2 ** 19)), 1009],
    ['a binary frame', (socket: WebSocket) => socket.send(Buffer.from('{}')), 1003],
    [
      'invalid UTF-8',
      (socket: WebSocket) => socket.send(Buffer.from([0xc3, 0x28]), { binary: false }),
      1007,
    ],
  ])('closes the connection on %s and frees the session', async (_name, attack, code) => {
    const { ws, openEnv } = await start();
    const { socket, closed } = await connect(`${ws}/openenv/maze/ws`);
    attack(socket);
    expect(await closed).toBe(code);
    await expect.poll(() => openEnv.sessions).toBe(0);
    const { send } = await connect(`${ws}/openenv/maze/ws`);
    expect((await send({ type: 'reset' })).type).toBe('observation');
  });

  it('plays 256 sessions at once', async () => {
    const { ws, openEnv } = await start();
    const clients = await Promise.all(
      Array.from({ length: 256 }, () => connect(`${ws}/openenv/maze/ws`)),
    );
    expect(openEnv.sessions).toBe(256);
    const ids = await Promise.all(
      clients.map(async ({ send }, i) => {
        await send({ type: 'reset', data: { data_idx: i % 25 } });
        return (await send(step('move up'))).data.observation?.task_id;
      }),
    );
    expect(ids).toEqual(clients.map((_, i) => `maze_${i % 25}`));
  });

  it('sends an error and closes at capacity', async () => {
    const { ws } = await start({ ...hour, most: 1 });
    const first = await connect(`${ws}/openenv/maze/ws`);
    const second = await connect(`${ws}/openenv/maze/ws`);
    expect(await second.next()).toMatchObject({
      type: 'error',
      data: { code: 'CAPACITY_REACHED', active_sessions: 1, max_sessions: 1 },
    });
    expect(await second.closed).toBe(1013);
    first.socket.close();
    await first.closed;
    const third = await connect(`${ws}/openenv/maze/ws`);
    expect((await third.send({ type: 'reset' })).type).toBe('observation');
  });

  it('closes idle sessions', async () => {
    const clock = { now: 0 };
    const { ws, openEnv } = await start(hour, {}, clock);
    const { closed } = await connect(`${ws}/openenv/maze/ws`);
    clock.now = hour.idle + 1;
    openEnv.expire();
    expect(await closed).toBe(1001);
    expect(openEnv.sessions).toBe(0);
  });
});

describe('access', () => {
  const status = (url: string, headers: Readonly<Record<string, string>>) =>
    new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(url, { headers });
      socket.on('open', () => {
        socket.terminate();
        resolve(101);
      });
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.on('error', () => {});
    });

  it('rejects origins that are not allowed', async () => {
    const { ws, address } = await start(hour, { allowedOrigins: ['https://example.org'] });
    const url = `${ws}/openenv/maze/ws`;
    expect(await status(url, { Origin: 'https://evil.example' })).toBe(403);
    expect(await status(url, { Origin: 'https://example.org' })).toBe(101);
    expect(await status(`${ws}/openenv/nothing/ws`, {})).toBe(404);
    const headers = { Origin: 'https://example.org' };
    const health = await fetch(`${address}/openenv/maze/health`, { headers });
    expect(health.headers.get('access-control-allow-origin')).toBe('https://example.org');
    const refused = await fetch(`${address}/openenv/maze/health`, {
      headers: { Origin: 'https://evil.example' },
    });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      403,
      null,
    ]);
  });

  it('requires the token', async () => {
    const { ws } = await start(hour, { token: 'long-enough' });
    const url = `${ws}/openenv/maze/ws`;
    expect(await status(url, {})).toBe(401);
    expect(await status(url, { Authorization: 'Bearer long-enough' })).toBe(101);
  });
});

describe('/mcp', () => {
  const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

  it('opens a session, calls a tool and closes the session', async () => {
    const { address, ws, openEnv } = await start();
    const call = async (message: object) => {
      const response = await fetch(`${address}/openenv/maze/mcp`, {
        method: 'POST',
        body: JSON.stringify(message),
      });
      return response.json();
    };
    expect((await call(rpc('tools/list'))).result.tools).toMatchObject([{ name: 'act' }]);
    expect((await call(rpc('initialize'))).error.code).toBe(-32601);
    const { session_id } = (await call(rpc('openenv/session/create'))).result;
    const attached = await connect(`${ws}/openenv/maze/ws?session_id=${session_id}`);
    await attached.send({ type: 'reset', data: { data_idx: 18 } });
    const params = { name: 'act', arguments: { message: 'move down' }, session_id };
    expect((await call(rpc('tools/call', params))).result.structuredContent).toMatchObject({
      done: true,
      observation: { success: true },
    });
    attached.socket.close();
    await attached.closed;
    expect(openEnv.sessions).toBe(1);
    const closed = await call(rpc('openenv/session/close', { session_id }));
    expect(closed.result).toEqual({ session_id, closed: true });
    expect((await call(rpc('tools/call', params))).error.data.code).toBe('SESSION_ERROR');
    const once = { name: 'act', arguments: { message: 'move up' } };
    expect((await call(rpc('tools/call', once))).result.isError).toBe(false);
    expect(openEnv.sessions).toBe(0);
  });

  it('answers a body that is not JSON with a JSON-RPC error', async () => {
    const { address } = await start();
    const answer = await fetch(`${address}/openenv/maze/mcp`, { method: 'POST', body: '{' });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { jsonrpc: '2.0', id: null, error: { code: -32700 } },
    ]);
  });

  it('applies calls in mcp messages to the socket’s session', async () => {
    const { ws } = await start();
    const { send } = await connect(`${ws}/openenv/maze/ws`);
    await send({ type: 'reset', data: { data_idx: 18 } });
    const params = { name: 'act', arguments: { message: 'move down' } };
    const reply = await send({ type: 'mcp', data: rpc('tools/call', params) });
    expect(reply).toMatchObject({ type: 'mcp', data: { jsonrpc: '2.0', id: 1 } });
    expect((await send({ type: 'state' })).data.step_count).toBe(1);
    const described = await send({ type: 'mcp', data: rpc('palestra/describe') });
    expect(described.data.result).toMatchObject({
      ...{ turn_limit: 50, train: expect.any(Array) },
      actions: expect.arrayContaining(['move up']),
    });
  });
});

describe('memory', () => {
  it('stays flat over many episodes', () => {
    const openEnv = openEnvService();
    const growth = heapGrowth(thorough ? 10_000 : 1000, (episodes) => {
      for (let i = 0; i < episodes; i++) {
        const connection = openEnv.connect('/openenv/maze/ws', () => {});
        if (connection === null || 'refused' in connection) throw new Error('refused');
        connection.answer(`{"type":"reset","data":{"seed":${i}}}`);
        connection.answer('{"type":"step","data":{"message":"move up"}}');
        connection.closed();
      }
    });
    expect(openEnv.sessions).toBe(0);
    // Bytes per episode. A kept session takes about 850, and a kept id about 450.
    expect(growth).toBeLessThan(100);
  });
});
