import { spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../envs/testing/load-all.ts';
import { type RunningServer, startServer } from '../server.node.ts';
import { createService } from '../service.ts';
import { settle } from '../settle.ts';
import { createOpenEnvService } from './service.ts';

const python = process.env.PALESTRA_PYTHON ?? 'python3';
const can = (code: string) => spawnSync(python, ['-c', code], { timeout: 60_000 }).status === 0;
const isThere = can('import websockets.sync.client');
if (!isThere) console.warn(`${python} has no websockets package; the Python tests are skipped.`);

describe.skipIf(!isThere)('the Python package', () => {
  let server: RunningServer;

  beforeAll(async () => {
    const served = settle({ manner: 'own', environments: [], options: [] });
    const limits = { most: 100, idle: 3_600_000 };
    const shared = { served, limits, now: () => performance.now(), log: () => {} };
    const openEnv = createOpenEnvService(shared);
    server = await startServer(createService({ ...shared, openEnv }), {
      ...{ host: '127.0.0.1', port: 0, token: null, openEnv },
    });
  });
  afterAll(() => server.stop());

  it('passes its tests against the server', async () => {
    const child = spawn(python, ['-m', 'unittest', 'discover', 'tests'], {
      cwd: new URL('../../../python', import.meta.url),
      env: {
        ...process.env,
        PALESTRA_URL: server.address,
        PYTHONPATH: '.',
        PYTHONDONTWRITEBYTECODE: '1',
      },
    });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const code = await new Promise((done) => child.on('close', done));
    expect(code, said).toBe(0);
    expect(said).toMatch(/Ran \d\d tests/);
  });
});
