/** The service over HTTP: who may connect, how much is read, and how it ends. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import {
  HEAD_MS,
  MOST_BODY_BYTES,
  MOST_CONNECTIONS,
  MOST_DROPPED_BYTES,
  REQUEST_MS,
  STOP_MS,
} from './limits.ts';
import { type Answer, httpFault, Refusal } from './protocol.ts';
import type { Service } from './service.ts';

export interface ServerSettings {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Without one, whoever can connect may ask. */
  readonly token: string | null;
}

export interface RunningServer {
  /** Where clients find it: `http://127.0.0.1:8000`. */
  readonly address: string;
  /** Takes no more requests; resolves once those that are there have been answered. */
  stop(): Promise<void>;
}

/** Milliseconds between two looks for environments that nobody uses. */
const EXPIRY_MS = 60_000;

/** Hosts that only this machine can reach. */
export const isLocal = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Resolves once it listens; rejects with Node's error where it cannot. */
export async function startServer(
  service: Service,
  { host, port, token }: ServerSettings,
): Promise<RunningServer> {
  const guard = guardFor(isLocal(host), token);
  const server = createServer(
    { headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: HEAD_MS },
    (request, response) => {
      handle(service, guard, request).then(
        (answer) => send(response, answer, server.listening),
        // Whoever asked has gone.
        () => response.destroy(),
      );
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, listening);
  });
  const expiry = setInterval(() => service.expire(), EXPIRY_MS);
  const bound = (server.address() as AddressInfo).port;
  return {
    address: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`,
    stop: () => {
      clearInterval(expiry);
      return stop(server);
    },
  };
}

function stop(server: Server): Promise<void> {
  return new Promise((done) => {
    const late = setTimeout(() => server.closeAllConnections(), STOP_MS);
    server.close(() => {
      clearTimeout(late);
      done();
    });
    server.closeIdleConnections();
  });
}

type Guard = (request: IncomingMessage) => void;

/** Throws a `Refusal` for a request that may not be answered. */
function guardFor(local: boolean, token: string | null): Guard {
  const wanted = token === null ? null : digest(token);
  return ({ headers }) => {
    // A page in a browser could otherwise ask a server that only this machine reaches.
    if (headers.origin !== undefined) throw httpFault(403, 'Pages in browsers are not answered');
    if (local && !isLocal(nameOf(headers.host ?? ''))) {
      throw httpFault(403, 'Only requests to this machine by its own name are answered');
    }
    const given = tokenIn(headers.authorization ?? '');
    if (wanted !== null && !timingSafeEqual(digest(given), wanted)) {
      throw httpFault(401, 'The token is missing or wrong');
    }
  };
}

/** A host without its port. */
const nameOf = (host: string) => host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

/** Of the same length for any text. */
const digest = (text: string) => createHash('sha256').update(text).digest();

/** `Bearer TOKEN`, or the password of `http://user:TOKEN@host`, which is how a client without headers of its own gives one. */
function tokenIn(authorization: string): string {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return '';
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}

async function handle(service: Service, guard: Guard, request: IncomingMessage): Promise<Answer> {
  try {
    guard(request);
    const { method = '', url: target = '' } = request;
    return service.answer({ method, target, body: await bodyOf(request) });
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

/** Rejects with a `Refusal` for a body that is too large, of which nothing is kept. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += (chunk as Uint8Array).length;
    if (length > MOST_DROPPED_BYTES) break;
    if (length > MOST_BODY_BYTES) chunks.length = 0;
    else chunks.push(chunk as Uint8Array);
  }
  if (length > MOST_BODY_BYTES) {
    throw httpFault(413, `A body may have ${MOST_BODY_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}

/** @param stays whether the connection may be used again */
function send(response: ServerResponse, { status, body }: Answer, stays: boolean): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
    'X-Content-Type-Options': 'nosniff',
    ...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="Palestra", charset="UTF-8"' } : {}),
    ...(!stays || status >= 400 ? { Connection: 'close' } : {}),
  });
  response.end(bytes);
}
