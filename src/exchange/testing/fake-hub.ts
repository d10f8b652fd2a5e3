/** A local server that stands in for the Hugging Face Hub in tests. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const COMMIT = 'c0ffee'.padEnd(40, '0');

/** How the server deviates from a working Hub; tests may change it at any time. */
export interface HubFaults {
  /** Numbers of bytes after which the next responses with a large file end; one is used per response. */
  cuts: number[];
  /** Number of bytes of a large file after which responses stall; null sends the whole file. */
  holdAfter: number | null;
  /** Answers a range request with the whole file. */
  ignoresRanges: boolean;
  /** Answers a range request with a different range. */
  shiftsRanges: boolean;
  /** Name of a file whose bytes differ from its hash. */
  damaged: string | null;
  /** Files require an accepted license. */
  gated: boolean;
  /** Bodies sent in place of the correct ones. */
  answers: { readonly revision?: string; readonly tree?: string };
  /** Statuses of the next responses. */
  statuses: number[];
}

/** A request that the server received. */
interface Received {
  readonly path: string;
  /** First byte wanted; 0 without a range. */
  readonly first: number;
}

export interface FakeHub {
  readonly address: string;
  readonly name: string;
  readonly commit: string;
  readonly faults: HubFaults;
  readonly received: readonly Received[];
  /** Replaces the model's files. */
  serve(files: ReadonlyMap<string, Uint8Array>): void;
  close(): Promise<void>;
}

/** Files of this size or larger have a SHA-256 and come from another path, as with the Hub's LFS. */
const LARGE = 10_000;

const gitOid = (bytes: Uint8Array) =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** @param name `owner/name` of its only model */
export async function startFakeHub(
  name: string,
  initial: ReadonlyMap<string, Uint8Array>,
): Promise<FakeHub> {
  let files = initial;
  const received: Received[] = [];
  const faults: HubFaults = {
    ...{ cuts: [], holdAfter: null, ignoresRanges: false, shiftsRanges: false },
    ...{ damaged: null, gated: false, answers: {}, statuses: [] },
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = decodeURIComponent(pathname);
    received.push({ path, first: firstOf(request) });
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader(
      'access-control-expose-headers',
      'X-Error-Code, Link, ETag, Accept-Ranges, Content-Range',
    );
    const status = faults.statuses.shift();
    if (status !== undefined) return refuse(response, status, null);
    const api = `/api/models/${name}`;
    const replaced = /\/(revision|tree)\//.exec(path)?.[1] as 'revision' | 'tree' | undefined;
    const body = replaced && faults.answers[replaced];
    if (body !== undefined) {
      response.end(body);
      return;
    }
    if (path.startsWith('/api/models/') && !path.startsWith(`${api}/`)) {
      return refuse(response, 401, 'RepoNotFound');
    }
    if (path === `${api}/revision/main` || path === `${api}/revision/${COMMIT}`) {
      return answer(response, { id: name, sha: COMMIT });
    }
    if (path.startsWith(`${api}/revision/`)) return refuse(response, 404, 'RevisionNotFound');
    if (path === `${api}/tree/${COMMIT}`) return answer(response, treeOf(files));
    const resolved = `/${name}/resolve/${COMMIT}/`;
    const file = path.startsWith(resolved)
      ? path.slice(resolved.length)
      : path.replace('/lfs/', '');
    const bytes = files.get(file);
    if (bytes === undefined) return refuse(response, 404, 'EntryNotFound');
    if (path.startsWith(resolved)) {
      if (faults.gated) return refuse(response, 401, 'GatedRepo');
      if (bytes.length >= LARGE) {
        response.writeHead(302, { location: `${address}/lfs/${file}` }).end();
        return;
      }
    }
    const sent = Uint8Array.from(bytes);
    if (faults.damaged === file) sent[sent.length >> 1] = 1 + (sent[sent.length >> 1] ?? 0);
    send(request, response, sent, faults);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ address, name, faults, received },
    commit: COMMIT,
    serve: (changed) => {
      files = changed;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function firstOf({ headers: { range } }: IncomingMessage): number {
  return Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
}

function answer(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, code: string | null): void {
  if (code !== null) response.setHeader('x-error-code', code);
  response.writeHead(status).end('refused');
}

function treeOf(files: ReadonlyMap<string, Uint8Array>): unknown {
  const entries = [...files].map(([path, bytes]) => ({
    ...{ type: 'file', path, size: bytes.length },
    ...(bytes.length < LARGE
      ? { oid: gitOid(bytes) }
      : {
          oid: gitOid(new TextEncoder().encode('pointer')),
          lfs: { oid: sha256(bytes), size: bytes.length, pointerSize: 134 },
        }),
  }));
  const folder = { type: 'directory', path: 'onnx', size: 0, oid: '0'.repeat(40) };
  return [folder, ...entries];
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  faults: HubFaults,
): void {
  const wanted = faults.ignoresRanges ? 0 : firstOf(request);
  const first = faults.shiftsRanges && wanted > 0 ? wanted - 1 : wanted;
  if (first >= bytes.length && first > 0) {
    refuse(response, 416, null);
    return;
  }
  const rest = bytes.subarray(first);
  response.setHeader('content-length', rest.length);
  response.setHeader('accept-ranges', 'bytes');
  if (first > 0) {
    response.setHeader('content-range', `bytes ${first}-${bytes.length - 1}/${bytes.length}`);
  }
  response.writeHead(first > 0 ? 206 : 200);
  const isLarge = bytes.length >= LARGE;
  const cut = isLarge ? (faults.cuts.shift() ?? faults.holdAfter) : null;
  if (cut === null || cut >= rest.length) {
    response.end(rest);
    return;
  }
  const held = faults.holdAfter !== null;
  // Ends the connection once these bytes have been sent.
  response.write(rest.subarray(0, cut), () => {
    if (!held) response.socket?.end();
  });
  if (cut === 0) response.flushHeaders();
}
