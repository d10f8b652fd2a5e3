/** The service over HTTP: access, request limits and shutdown. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import {
  HEAD_MS,
  MOST_BODY_BYTES,
  MOST_CONNECTIONS,
  MOST_DROPPED_BYTES,
  REQUEST_MS,
  STOP_MS,
} from './limits.ts';
import { MOST_BUFFERED_BYTES } from './openenv/limits.ts';
import type { Connection, OpenEnvService } from './openenv/service.ts';
import { type Answer, httpFault, Refusal } from './protocol.ts';
import type { Service } from './service.ts';

export interface ServerSettings {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Without a token, every client that can connect is answered. */
  readonly token: string | null;
  /** Origins of pages that may connect, e.g. `https://example.org`; `*` allows every page. */
  readonly allowedOrigins?: readonly string[];
  /** Serves WebSockets as well. */
  readonly openEnv?: OpenEnvService;
}

export interface RunningServer {
  /** The address for clients: `http://127.0.0.1:8000`. */
  readonly address: string;
  /** Stops accepting requests; resolves when the pending ones are answered. */
  stop(): Promise<void>;
}

/** Milliseconds between checks for idle environments. */
const EXPIRY_MS = 60_000;

/** Hosts that only this machine can reach. */
export const isLocal = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Resolves once the server listens; rejects with Node's error if it cannot. */
export async function startServer(
  service: Service,
  { host, port, token, allowedOrigins = [], openEnv }: ServerSettings,
): Promise<RunningServer> {
  const guard = guardFor(isLocal(host), token, allowedOrigins);
  const server = createServer(
    { headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: HEAD_MS },
    (request, response) => {
      allowOrigin(request, response, allowedOrigins);
      if (isPreflight(request, allowedOrigins)) {
        response.writeHead(204).end();
        return;
      }
      handle(service, guard, request).then(
        (answer) => send(response, answer, server.listening),
        // The client disconnected.
        () => response.destroy(),
      );
    },
  );
  // A WebSocket stays open as long as its session.
  server.maxConnections = MOST_CONNECTIONS + (openEnv?.most ?? 0);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_BODY_BYTES });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    upgrade(sockets, openEnv, guard, request, socket, head);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(port, host, listening);
  });
  const expiry = setInterval(() => {
    service.expire();
    openEnv?.expire();
  }, EXPIRY_MS);
  const bound = (server.address() as AddressInfo).port;
  return {
    address: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`,
    stop: () => {
      clearInterval(expiry);
      for (const socket of sockets.clients) socket.close(GOING_AWAY);
      return stop(server, () => {
        for (const socket of sockets.clients) socket.terminate();
      });
    },
  };
}

/** Codes of RFC 6455, section 7.4.1. */
const NORMAL_CLOSURE = 1000;
const GOING_AWAY = 1001;
const UNSUPPORTED_DATA = 1003;
const TRY_AGAIN_LATER = 1013;

function upgrade(
  sockets: WebSocketServer,
  openEnv: OpenEnvService | undefined,
  guard: Guard,
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
): void {
  let socket: WebSocket | undefined;
  try {
    guard(request);
    const expired = () => socket?.close(GOING_AWAY, 'idle for too long');
    const connection = openEnv?.connect(request.url ?? '', expired) ?? null;
    if (connection === null) throw httpFault(404, 'Not Found');
    stream.once('close', () => {
      if ('closed' in connection) connection.closed();
    });
    sockets.handleUpgrade(request, stream, head, (opened) => {
      socket = opened;
      // After an error, `ws` closes the connection with the code that RFC 6455 requires.
      opened.on('error', () => {});
      if ('answer' in connection) converse(opened, connection);
      else {
        opened.send(connection.refused);
        opened.close(TRY_AGAIN_LATER);
      }
    });
  } catch (error) {
    const { status } = error instanceof Refusal ? error.answer : { status: 500 };
    stream.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }
}

function converse(socket: WebSocket, connection: Connection): void {
  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (isBinary) {
      socket.close(UNSUPPORTED_DATA, 'send text frames');
      return;
    }
    const answer = connection.answer(data.toString());
    if (answer === null) socket.close(NORMAL_CLOSURE);
    else if (socket.bufferedAmount > MOST_BUFFERED_BYTES) socket.terminate();
    else socket.send(answer);
  });
}

const isAllowed = (origin: string, allowed: readonly string[]): boolean =>
  allowed.includes(origin) || allowed.includes('*');

function allowOrigin(
  { headers: { origin } }: IncomingMessage,
  response: ServerResponse,
  allowed: readonly string[],
): void {
  if (origin === undefined || !isAllowed(origin, allowed)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type');
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST');
  response.setHeader('Vary', 'Origin');
}

/** A browser sends OPTIONS, without a token, before it sends JSON to another origin. */
const isPreflight = (
  { method, headers: { origin } }: IncomingMessage,
  allowed: readonly string[],
) => method === 'OPTIONS' && origin !== undefined && isAllowed(origin, allowed);

function stop(server: Server, closeSockets: () => void): Promise<void> {
  return new Promise((done) => {
    const late = setTimeout(() => {
      closeSockets();
      server.closeAllConnections();
    }, STOP_MS);
    server.close(() => {
      clearTimeout(late);
      done();
    });
    server.closeIdleConnections();
  });
}

type Guard = (request: IncomingMessage) => void;

/** Throws a `Refusal` for a request without access. */
function guardFor(local: boolean, token: string | null, allowed: readonly string[]): Guard {
  const wanted = token === null ? null : digest(token);
  return ({ headers }) => {
    // Otherwise any page in a browser could query a server that only this machine reaches.
    if (headers.origin !== undefined && !isAllowed(headers.origin, allowed)) {
      throw httpFault(403, 'Requests from pages of this origin are rejected; see --allow-origin');
    }
    if (local && !isLocal(nameOf(headers.host ?? ''))) {
      throw httpFault(403, 'Only requests to a local host name, such as localhost, are accepted');
    }
    const given = tokenIn(headers.authorization ?? '');
    if (wanted !== null && !timingSafeEqual(digest(given), wanted)) {
      throw httpFault(401, 'The token is missing or wrong');
    }
  };
}

/** A host without its port. */
const nameOf = (host: string) => host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

/** A hash has the same length for any text, as `timingSafeEqual` requires. */
const digest = (text: string) => createHash('sha256').update(text).digest();

/** `Bearer TOKEN`, or the password of `http://user:TOKEN@host`, for clients that cannot set headers. */
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

/** Rejects with a `Refusal` for a body that is too large, without keeping it. */
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
    throw httpFault(413, `A body may have at most ${MOST_BODY_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}

/** @param stays whether the connection may be reused */
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
