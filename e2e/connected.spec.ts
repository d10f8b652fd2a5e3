import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, queryOf, test } from './lab-page.ts';

// Chromium reports every failed connection.
test.use({ expected: /WebSocket connection to/ });

const QUICK = { device: 'processor', 'stopping.iterations': 1, 'evaluation.interval': 0 } as const;
/** Two starts, three and two moves from the goal. */
const MAZE = ['--env', 'maze=maze/drawn-v1', '--set', 'maze.drawing=S.../###S/..G.'];

const ended: (() => Promise<unknown>)[] = [];
test.afterEach(async () => {
  await Promise.all(ended.splice(0).map((end) => end()));
});

/** Runs `npm run serve` on a free port; `kill` ends it with SIGKILL. */
async function serve(): Promise<{ readonly port: number; kill(): Promise<void> }> {
  const program: ChildProcess = spawn(
    process.execPath,
    [
      ...['scripts/run.mjs', 'src/cli/serve.ts', '--port', '0', '--texts', 'own'],
      ...[...MAZE, '--allow-origin', '*'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], detached: true },
  );
  const { stdout, pid } = program;
  if (stdout === null || pid === undefined) throw new Error('the server could not be started');
  const output = createInterface(stdout);
  const closed = once(output, 'close');
  const [line]: string[] = await once(output, 'line');
  const port = Number(/^http:\/\/127\.0\.0\.1:(\d+)\//.exec(line ?? '')?.[1]);
  let killed: Promise<void> | null = null;
  const kill = () => {
    killed ??= (async () => {
      // The server is a child of this process.
      process.kill(-pid, 'SIGKILL');
      await closed;
    })();
    return killed;
  };
  ended.push(kill);
  return { port, kill };
}

/** Accepts, counts and drops connections. */
async function drops(): Promise<{ readonly url: string; readonly count: () => number }> {
  let count = 0;
  const server: Server = createServer((socket) => {
    count++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ended.push(() => new Promise((closed) => server.close(closed)));
  const { port } = server.address() as { port: number };
  return { url: `ws://127.0.0.1:${port}/openenv/maze`, count: () => count };
}

/**
 * Forwards connections to a port.
 *
 * @returns its address, and `hold`, which lets `passed` more messages from a client through, drops the
 * next one, and then resolves
 */
async function relay(
  port: () => number,
): Promise<{ readonly url: string; hold(passed: number): Promise<void> }> {
  let left = Number.POSITIVE_INFINITY;
  let onHeld = () => {};
  const server: Server = createServer((client) => {
    const upstream = connect(port(), '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
    upstream.pipe(client);
    client.on('data', (chunk) => {
      left--;
      if (left === -1) onHeld();
      else upstream.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ended.push(async () => server.close());
  const address = server.address() as { port: number };
  return {
    url: `ws://127.0.0.1:${address.port}/openenv/maze`,
    hold: (passed) =>
      new Promise((held) => {
        left = passed;
        onHeld = held;
      }),
  };
}

async function openPanel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Connect an environment' }).click();
  await expect(page.getByTestId('connect-address')).toBeVisible();
}

async function check(page: Page, url: string): Promise<void> {
  await page.getByTestId('connect-address').fill(url);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
}

test('a run whose environment server is killed and restarted has the same numbers as an undisturbed run', async ({
  lab,
}) => {
  const { page } = lab;
  // The second server replaces the first; it is ready before, because a run waits only two minutes for a server.
  const [first, second] = await Promise.all([serve(), serve()]);
  let { port } = first;
  const { url, hold } = await relay(() => port);
  await page.goto(`/?${queryOf(QUICK)}`);
  await openPanel(page);
  await check(page, url);
  const facts = page.getByTestId('connect-facts');
  await expect(facts).toContainText('It is deterministic');
  await expect(facts).toContainText('2 tasks');
  await expect(facts).toContainText('64 episodes at once');
  await expect(facts.getByRole('listitem').filter({ hasText: 'move' }).first()).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await lab.photograph(`connect-${colorScheme}-${width}`);
    }
    await expectAccessible(page, `connection, ${colorScheme}`, '[role="dialog"]');
  }
  await page.setViewportSize({ width: 1440, height: 900 });

  const before = await lab.state();
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await page.waitForFunction((runId) => window.palestra?.state().runId !== runId, before.runId);
  // The same run without its stop conditions, because it could solve its maze before it is paused.
  const run = new URL(page.url());
  run.searchParams.set('stopping.success', '0');
  run.searchParams.set('stopping.iterations', '10000');
  await page.goto(run.href);
  await lab.reach(1);
  const { iterations } = await lab.pause();
  const line = page.getByTestId('server');
  await expect(line).toContainText('no connection faults');
  await lab.photograph('connected-run');
  // Features that need states or an expert are not offered.
  await expect(lab.stage.getByText('Latest')).toBeVisible();
  for (const name of ['Map', 'Expert']) {
    await expect(lab.stage.getByText(name, { exact: true })).toHaveCount(0);
  }
  await expect(lab.stage.getByTestId('stage-words')).not.toBeEmpty();
  // Kills the server in the next iteration, while an action waits for its answer. The first 64
  // messages of an iteration start episodes.
  const interrupted = iterations + 1;
  const held = hold(100);
  await lab.button('Continue').click();
  await held;
  await first.kill();
  await expect(line).toContainText('is not responding');
  await lab.photograph('connected-waiting');
  ({ port } = second);
  await lab.reach(interrupted + 1);
  await expect(line).not.toContainText('is not responding');
  const disturbed = await lab.snapshot();
  expect(disturbed.rows[interrupted - 1]?.['rollout/faults']).toBeGreaterThan(0);

  await lab.button(/^Reset/).click();
  await expect(lab.status).toHaveText('Paused');
  await lab.button('Start').or(lab.button('Continue')).click();
  await lab.reach(interrupted + 1);
  await expect(line).toContainText('no connection faults');
  const undisturbed = await lab.snapshot();
  expect(disturbed.runId).not.toBe(undisturbed.runId);
  // Interrupted attempts are not counted, so the fault caused no reward of 0.
  const numbers = ({ rows }: typeof disturbed) =>
    rows
      .slice(0, interrupted + 1)
      .map((row) =>
        Object.entries(row).filter(([key]) => !key.startsWith('time/') && key !== 'rollout/faults'),
      );
  expect(numbers(disturbed)).toEqual(numbers(undisturbed));
});

test('a link asks for permission before it connects to a server', async ({ lab }) => {
  const { page } = lab;
  const { url, count } = await drops();
  await page.goto(
    `/?${queryOf({ ...QUICK, 'env.id': 'remote/openenv-v1', 'env.options.url': url })}`,
  );
  const question = page.getByTestId('server-question');
  await expect(question).toContainText(url);
  expect((await lab.state()).runId).toBeNull();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await lab.photograph(`server-question-${width}`);
  }
  await expectAccessible(page, 'server question', '[data-testid=server-question]');
  expect(count()).toBe(0);
  await question.getByRole('button', { name: 'Connect' }).click();
  await expect(question).toBeHidden();
  await expect(page.getByTestId('server')).toContainText('is not responding');
  expect(count()).toBeGreaterThan(0);
  // Another run does not wait for the server.
  await page.evaluate(() => {
    location.hash = '#?device=processor&stopping.iterations=1';
  });
  await lab.reach(1);
});

test('says in one sentence why an address cannot be used', { tag: '@smoke' }, async ({ lab }) => {
  const { page } = lab;
  await page.goto(`/?${queryOf(QUICK)}`);
  await openPanel(page);
  const problem = page.getByRole('dialog').getByRole('alert');
  await check(page, 'ws://127.0.0.1:1/openenv/maze');
  await expect(problem).toContainText('cannot connect to ws://127.0.0.1:1/openenv/maze/ws.');
  await lab.photograph('connect-unreachable');
  await check(page, 'example.org');
  await expect(problem).toHaveText(
    'Enter the full address, such as wss://example.org/openenv/maze.',
  );
  await expect(page.getByRole('button', { name: 'Train', exact: true })).toBeDisabled();
});
