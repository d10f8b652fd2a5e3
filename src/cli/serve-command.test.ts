import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import '../envs/testing/load-all.ts';
import { serveCommand } from './serve-command.ts';

interface Ran {
  readonly code: number;
  readonly out: readonly string[];
  readonly log: readonly string[];
}

/** Runs the command, calls `meanwhile` with the first address that it prints, then stops it. */
async function run(
  args: readonly string[],
  meanwhile: (address: string) => Promise<void> = async () => {},
): Promise<Ran> {
  const [out, log]: [string[], string[]] = [[], []];
  const stopped = new AbortController();
  let start: (address: string) => void;
  const started = new Promise<string>((resolve) => {
    start = resolve;
  });
  const ended = serveCommand(args, {
    out(line) {
      out.push(line);
      start(line.split(' ')[0] ?? '');
    },
    log: (line) => log.push(line),
    stopped: stopped.signal,
  });
  const address = await Promise.race([started, ended.then(() => null)]);
  if (address?.startsWith('http') === true) await meanwhile(address);
  stopped.abort();
  return { code: await ended, out, log };
}

describe('npm run serve', () => {
  it('prints its address and serves until it is stopped', async () => {
    let told: unknown;
    const { code, out, log } = await run(['--port', '0'], async (address) => {
      told = await (await fetch(address)).json();
    });
    expect(code).toBe(0);
    expect(told).toBe('This is environment maze.');
    expect(out).toHaveLength(19);
    expect(out[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/maze {2}maze\/double-t-v1$/);
    expect(out[2]).toMatch(/\/babyai {2}babyai\/goto-red-ball-v1 and 11 more$/);
    expect(log).toEqual([]);
  });

  it('exits when npm exits', async () => {
    const npm = spawn('npm', ['run', '--silent', 'serve', '--', '--port', '0'], {
      ...{ cwd: join(import.meta.dirname, '../..'), stdio: ['ignore', 'pipe', 'ignore'] },
    });
    const output = createInterface(npm.stdout);
    const [line] = (await once(output, 'line')) as [string];
    const address = line.split(' ')[0] ?? '';
    expect(await (await fetch(address)).json()).toBe('This is environment maze.');
    npm.kill('SIGTERM');
    // The output closes only after the server has exited, not only npm.
    await once(output, 'close');
    await expect(fetch(address)).rejects.toThrow();
  });

  it('serves the environment and the texts that the options select', async () => {
    const args = ['--port', '0', '--texts', 'own', '--env', 'maze=maze/generated-v2'];
    const { code, out } = await run([...args, '--set', 'maze.size=5', '--token', 'long-enough']);
    expect(code).toBe(0);
    expect(out[0]).toMatch(/maze\/generated-v2$/);
  });

  it('warns if other machines can connect without a token', async () => {
    const { log } = await run(['--port', '0', '--host', '0.0.0.0']);
    expect(log).toEqual([
      'Every machine that reaches 0.0.0.0 can use this server; restrict access with --token.',
    ]);
  });

  it('accepts an origin that is written with a path, as an address bar shows it', async () => {
    const allowed: (string | null)[] = [];
    const args = ['--port', '0', '--allow-origin', 'https://Example.org/lab/'];
    const { code } = await run(args, async (address) => {
      for (const origin of ['https://example.org', 'https://other.org']) {
        const { headers } = await fetch(address, { headers: { Origin: origin } });
        allowed.push(headers.get('access-control-allow-origin'));
      }
    });
    expect([code, allowed]).toEqual([0, ['https://example.org', null]]);
  });

  it('reports a port in use with a one-line message', async () => {
    const other = createServer();
    await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
    const { port } = other.address() as AddressInfo;
    const { code, out, log } = await run(['--port', String(port)]);
    await new Promise((closed) => other.close(closed));
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(log).toEqual([
      `port ${port} is in use; choose another one with --port, or 0 for a free one`,
    ]);
  });

  it.each([
    [['--prot', '1'], 'unknown option --prot. Did you mean --port?'],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535'],
    [['--port', 'x'], '--port must be a whole number'],
    [['--token', 'short'], '--token must be 8 to 200 letters'],
    [['--token', 'with a space'], '--token must be 8 to 200 letters'],
    [['--allow-origin', 'example.org'], '--allow-origin must be an address such as'],
    [['--allow-origin', 'file:///page.html'], '--allow-origin must be an address such as'],
    [['--texts', 'klingon'], '--texts does not accept'],
    [['--env', 'maze=nothing'], '/maze serves one of'],
    [['--set', 'textcraft.depth=deep'], 'depth must be from 1 to 4'],
    [['--most', '0'], '--most must be a whole number from 1'],
    [['--idle', '0'], '--idle must be a whole number from 1'],
    [['maze'], 'unexpected argument'],
  ])('rejects %j with a one-line message', async (args, reason) => {
    const { code, out, log } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: [] });
    expect(log).toHaveLength(1);
    expect(log[0]).toContain(reason);
    expect(log[0]).not.toContain('\n');
  });

  it('prints its help', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    expect(out.join('\n')).toContain('--set PATH.OPTION=VALUE');
  });
});
