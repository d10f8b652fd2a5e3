import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

/** A static host with the same files in several folders. */
export interface Host {
  readonly address: string;
  /** Answers 404 for matching addresses. */
  gone: RegExp | null;
  /** Paths requested so far. */
  readonly asked: string[];
  close(): Promise<void>;
}

/**
 * @param folders such as `/a/`
 * @param files folder with the built page
 */
export async function openHost(folders: readonly string[], files = 'dist'): Promise<Host> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    host.asked.push(pathname);
    const folder = folders
      .filter((known) => pathname.startsWith(known))
      .sort((a, b) => b.length - a.length)[0];
    const name = folder === undefined ? null : pathname.slice(folder.length) || 'index.html';
    try {
      if (name === null || host.gone?.test(pathname)) throw new Error('not found');
      const body = await readFile(join(files, normalize(`/${name}`)));
      const type = types[extname(name)] ?? 'application/octet-stream';
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host: Host = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    gone: null,
    asked: [],
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return host;
}
