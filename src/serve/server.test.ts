import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { MOST_BODY_BYTES } from './limits.ts';
import { type RunningServer, type ServerSettings, startServer } from './server.node.ts';
import type { Service } from './service.ts';
import { Client, type Send } from './testing/client.ts';
import { testService } from './testing/service.ts';

const running: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

async function started(
  settings: Partial<ServerSettings> = {},
  service: Service = testService().service,
): Promise<RunningServer> {
  const server = await startServer(service, {
    ...{ host: '127.0.0.1', port: 0, token: null },
    ...settings,
  });
  running.push(server);
  return server;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One request on a new connection, as Python's `requests` sends it. */
function send(address: string, target: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  return new Promise<{ status: number; body: unknown; headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      const request = ask(`${address}${target}`, { method, headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, body: JSON.parse(text), headers });
        });
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    },
  );
}

const clientOf =
  (address: string, headers: Readonly<Record<string, string>> = {}): Send =>
  (method, target, body) =>
    send(address, target, {
      method,
      headers: {
        ...headers,
        ...(body === undefined
          ? method === 'POST'
            ? { 'Content-Length': '0' }
            : {}
          : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

describe('HTTP server', () => {
  it('plays 256 episodes at once, each request on a new connection', async () => {
    const { service } = testService();
    const { address } = await started({}, service);
    const clients = Array.from({ length: 256 }, () => new Client('textcraft', clientOf(address)));
    await Promise.all(clients.map((client) => client.create()));
    expect(new Set(clients.map(({ id }) => id)).size).toBe(256);
    await Promise.all(clients.map((client, i) => client.reset(i)));
    const outputs = await Promise.all(
      clients.map((client) => client.step('Thought: I look.\n\nAction: inventory')),
    );
    expect(outputs.every(({ state }) => state.startsWith('Inventory:'))).toBe(true);
    await Promise.all(clients.map((client) => client.close()));
    expect(service.open).toBe(0);
  });

  it('keeps serving when other clients send faulty requests or disconnect', async () => {
    const { service } = testService();
    const { address } = await started({}, service);
    const { port } = new URL(address);
    const half = Array.from({ length: 20 }, (_, i) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(
        i % 2 === 0
          ? 'POST /maze/step HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"id": 0, '
          : 'this is not HTTP\r\n\r\n',
      );
      return socket;
    });
    const client = new Client('maze', clientOf(address));
    await client.create();
    await client.reset(18);
    for (const socket of half) socket.destroy();
    expect(await client.step('Action: move down')).toMatchObject({ reward: 1, done: true });
  });

  it('rejects a body above the size limit with a message', async () => {
    const { address } = await started();
    const large = new Uint8Array(4 * MOST_BODY_BYTES).fill(0x61);
    const refusal = await send(address, '/maze/step', { method: 'POST', body: large });
    expect(refusal).toMatchObject({
      status: 413,
      body: { detail: `A body may have at most ${MOST_BODY_BYTES} bytes` },
    });
    expect((await send(address, '/maze')).status).toBe(200);
  });

  it('answers hostile requests and stays up', async () => {
    const { address } = await started();
    for (const target of ['/%00', '/maze/../..', '//', '/maze?x=%ff', `/${'a/'.repeat(4000)}`]) {
      const { status } = await send(address, target);
      expect([200, 404]).toContain(status);
    }
    const broken = await send(address, '/maze/step', { method: 'POST', body: '{"id":' });
    expect(broken.status).toBe(422);
    expect((await send(address, '/')).status).toBe(200);
  });

  it('answers with JSON that browsers do not sniff as another type', async () => {
    const { address } = await started();
    const { headers } = await send(address, '/maze');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

const run = promisify(execFile);

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the documented session', () => {
  it.skipIf(!hasPython())('runs with Python’s standard library', async () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/SERVING.md'), 'utf8');
    const session = /```python\n(import json[\s\S]*?)```/.exec(document)?.[1] ?? '';
    const { service } = testService();
    const { address } = await started({}, service);
    expect(session).toContain('http://127.0.0.1:8000/');
    const program = session.replace('http://127.0.0.1:8000/', `${address}/`);
    const { stdout } = await run('python3', ['-c', program]);
    expect(stdout).toMatch(/^Your goal: go to the red ball\n/);
    expect(stdout.match(/ False$/gm)).toHaveLength(2);
    expect(service.open).toBe(0);
  });
});

describe('access', () => {
  it('requires the token, as a bearer token or as a Basic password', async () => {
    const { address } = await started({ token: 'a-long-token' });
    const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
    const statusWith = async (authorization?: string) => {
      const headers: Record<string, string> =
        authorization === undefined ? {} : { Authorization: authorization };
      return (await send(address, '/maze', { headers })).status;
    };
    expect(await statusWith('Bearer a-long-token')).toBe(200);
    // The header that Python's `requests` sends for http://any:a-long-token@host.
    expect(await statusWith(basic('any:a-long-token'))).toBe(200);
    for (const wrong of [undefined, '', 'Bearer', 'Bearer a-long-toke', 'Bearer a-long-token2']) {
      expect(await statusWith(wrong)).toBe(401);
    }
    for (const wrong of [
      basic('a-long-token'),
      basic('any:'),
      'Basic ???',
      'Digest a-long-token',
    ]) {
      expect(await statusWith(wrong)).toBe(wrong === basic('a-long-token') ? 200 : 401);
    }
    const client = new Client(
      'wordle',
      clientOf(address, { Authorization: 'Bearer a-long-token' }),
    );
    await client.create();
    await client.reset(0);
  });

  it('rejects browser pages of other origins, and requests to other host names', async () => {
    const { address } = await started();
    const origin = await send(address, '/maze/create', {
      method: 'POST',
      headers: { Origin: 'https://example.com' },
    });
    expect(origin.status).toBe(403);
    const status = async (host: string) =>
      (await send(address, '/maze', { headers: { Host: host } })).status;
    expect(await status('example.com')).toBe(403);
    expect(await status('127.0.0.1.example.com:80')).toBe(403);
    expect(await status('localhost:8000')).toBe(200);
    expect(await status('[::1]:8000')).toBe(200);
  });
});

describe('shutdown', () => {
  it('answers pending requests and accepts no new ones', async () => {
    const { address, stop } = await started();
    const begun = connect(Number(new URL(address).port), '127.0.0.1');
    begun.setEncoding('utf8');
    let answer = '';
    begun.on('data', (chunk: string) => {
      answer += chunk;
    });
    const closed = new Promise((done) => begun.on('close', done));
    begun.write('POST /maze/create HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{');
    // Once this is answered, the server has received the other request.
    await send(address, '/maze');
    const stopped = stop();
    begun.write('}');
    await Promise.all([stopped, closed]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('{"id":0}');
    await expect(send(address, '/maze')).rejects.toThrow('ECONNREFUSED');
    running.length = 0;
  });
});
