/** The environment server: turns per second over HTTP, and memory over many episodes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { root } from '../scripts/install.mjs';
import { createService, type Service } from '../src/serve/service.ts';
import { settle } from '../src/serve/settle.ts';
import { type Spread, spreadOf, type Timing } from './measure.ts';

/** Numbers of concurrent requests: one client, a few, and a training step of AgentGym-RL. */
const CONNECTIONS = [1, 16, 256] as const;

/** For each environment: an action that is valid in every state, and the request keys of its task and id. */
const played = [
  { path: 'maze', task: 'game', id: 'id', action: 'move up' },
  { path: 'babyai', task: 'data_idx', id: 'id', action: 'turn left' },
  { path: 'textcraft', task: 'data_idx', id: 'id', action: 'inventory' },
  { path: 'searchqa', task: 'id', id: 'env_idx', action: '<search>Skelda</search>' },
  { path: 'alfworld', task: 'game', id: 'id', action: 'look' },
] as const;
type Played = (typeof played)[number];

/** Turns per episode, below every environment's limit; then another task starts. */
const TURNS = 10;

export interface ServeRow {
  readonly path: string;
  readonly connections: number;
  /** Turns per second. */
  readonly rate: Spread;
}

/** Measures the command itself, in a separate process. */
export async function* serveRows(timing: Timing): AsyncGenerator<ServeRow> {
  const { child, address } = await startServer();
  try {
    for (const one of played) {
      for (const connections of CONNECTIONS) {
        yield {
          path: one.path,
          connections,
          rate: await turnRate(address, one, connections, timing),
        };
      }
    }
  } finally {
    child.kill('SIGTERM');
  }
}

function startServer(): Promise<{ child: ChildProcess; address: string }> {
  const command = [join(root, 'scripts/run.mjs'), 'src/cli/serve.ts', '--port', '0'];
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    let told = '';
    child.stdout.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      const address = /^(http:\S+)\/maze /.exec(told)?.[1];
      if (address !== undefined) resolve({ child, address });
    });
  });
}

/** A request on a new connection, as AgentGym's clients make them. */
function post(url: string, body: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false }, (reply) => {
      let text = '';
      reply.setEncoding('utf8');
      reply.on('data', (chunk: string) => {
        text += chunk;
      });
      reply.on('end', () => resolve(JSON.parse(text)));
      reply.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

async function turnRate(
  address: string,
  { path, task, id: idKey, action }: Played,
  connections: number,
  { repetitions, milliseconds }: Timing,
): Promise<Spread> {
  const base = `${address}/${path}`;
  let until = 0;
  let turns = 0;
  const client = async (start: number) => {
    const reply = await post(`${base}/create`, {});
    const id = typeof reply === 'number' ? reply : (reply as Record<string, number>)[idKey];
    for (let turn = 0; turn === 0 || performance.now() < until; turn++) {
      if (turn % TURNS === 0) await post(`${base}/reset`, { [task]: start % 20, [idKey]: id });
      await post(`${base}/step`, { action, [idKey]: id });
      turns += 1;
    }
    await post(`${base}/close`, { [idKey]: id });
  };
  const rates: number[] = [];
  // The first request warms up.
  for (let i = 0; i <= repetitions; i++) {
    const started = performance.now();
    until = started + milliseconds;
    turns = 0;
    await Promise.all(Array.from({ length: connections }, (_, start) => client(start)));
    rates.push((turns * 1000) / (performance.now() - started));
  }
  return spreadOf(rates.slice(1));
}

export function serveTable(rows: readonly ServeRow[]): string {
  const head = ['| path | connections | turns/s | minimum to maximum |', '|---|---|---|---|'];
  const whole = (value: number) => Math.round(value).toLocaleString('en-US');
  const lines = rows.map(
    ({ path, connections, rate }) =>
      `| ${path} | ${connections} | ${whole(rate.median)} | ${whole(rate.least)} to ${whole(rate.greatest)} |`,
  );
  return [...head, ...lines].join('\n');
}

/** Memory use of a service. */
export interface HeapRow {
  /** Episodes played so far. */
  readonly episode: number;
  readonly megabytes: number;
  /** Number of open environments. */
  readonly open: number;
}

/**
 * The heap size at intervals while episodes are played, one in ten of which is never closed.
 * @param idle seconds of the service's clock after which an idle environment is closed
 */
export function* heapRows(episodes: number, looks = 10, idle = 3600): Generator<HeapRow> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // An episode takes a second of the service's clock, so that open environments time out.
  let seconds = 0;
  const service = createService({
    served: settle({ manner: 'original', environments: [], options: [] }),
    limits: { most: 1000, idle: 1000 * idle },
    now: () => seconds * 1000,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  const every = Math.ceil(episodes / looks);
  for (let episode = 1; episode <= episodes; episode++) {
    seconds = episode;
    playOne(service, played[episode % played.length] ?? played[0], episode);
    if (episode % every !== 0) continue;
    collect();
    const megabytes = process.memoryUsage().heapUsed / 2 ** 20;
    yield { episode, megabytes, open: service.open };
  }
}

function playOne(service: Service, { path, task, id: idKey, action }: Played, n: number): void {
  const ask = (verb: string, body: object) => {
    const { status, body: reply } = service.answer({
      method: 'POST',
      target: `/${path}/${verb}`,
      body: Buffer.from(JSON.stringify(body)),
    });
    if (status !== 200) throw new Error(`${path} ${verb}: ${JSON.stringify(reply)}`);
    return reply;
  };
  const reply = ask('create', {});
  const id = typeof reply === 'number' ? reply : (reply as Record<string, number>)[idKey];
  ask('reset', { [task]: n % (path === 'maze' ? 25 : 4000), [idKey]: id });
  for (let turn = 0; turn < TURNS; turn++) ask('step', { action, [idKey]: id });
  if (n % 10 !== 0) ask('close', { [idKey]: id });
}
