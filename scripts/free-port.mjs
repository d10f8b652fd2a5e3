import { createServer } from 'node:net';

/** @returns {Promise<number>} an unused port */
export function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.on('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}
