import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  drawVariant,
  failedStories,
  type Story,
  soundStories,
} from '../diagnosis/testing/variants.ts';
import { verlFiles } from '../exchange/rollouts/testing/files.ts';
import { logServer } from './mcp-server.ts';
import { testFolder } from './testing/commands.ts';

const folder = testFolder();

function csv(name: string, story: Story | undefined): string {
  if (story === undefined) throw new Error('no such story');
  const variant = {
    dialect: 'verlCsv',
    scale: 'share',
    rows: 60,
    noise: 0.03,
    windowed: false,
    seed: 3,
  } as const;
  const series = drawVariant(story, variant);
  const rows = Array.from({ length: 60 }, (_, i) =>
    [i + 1, ...series.map(({ y }) => y[i])].join(','),
  );
  const path = join(folder, name);
  writeFileSync(
    path,
    `${['step', ...series.map(({ key }) => key)].join(',')}\n${rows.join('\n')}\n`,
  );
  return path;
}

const bad = csv('bad.csv', failedStories['reaches the length limit']);
const good = csv('good.csv', soundStories['rises throughout']);
const rollouts = join(folder, 'rollouts');

beforeAll(async () => {
  mkdirSync(rollouts);
  for (const file of verlFiles()) {
    writeFileSync(join(folder, file.path), await file.read(0, file.size));
  }
});

/** A request fails after a minute by default; a busy machine takes longer to bundle and start a program. */
const options = { timeout: 900_000 };

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport, options);
  return client;
}

async function inMemory(): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await logServer().connect(theirs);
  return connected(ours);
}

interface Answer {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
}

/** A tool's parsed answer. */
async function call(client: Client, name: string, args: Readonly<Record<string, unknown>>) {
  const { content, isError = false } = (await client.callTool(
    { name, arguments: args },
    undefined,
    options,
  )) as Answer;
  const [first] = content;
  return { isError, text: first?.text ?? '', told: isError ? null : JSON.parse(first?.text ?? '') };
}

describe('the MCP server', () => {
  it('lists its tools with schemas', async () => {
    const client = await inMemory();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['open_log', 'what_changed', 'diagnose', 'episodes', 'compare'],
    ]);
    for (const { inputSchema, description } of tools) {
      expect(inputSchema.properties).toHaveProperty('path');
      expect(description).toMatch(/\.$/);
    }
    await client.close();
  });

  it('opens a log, reports what changed and names the cause', async () => {
    const client = await inMemory();
    const opened = (await call(client, 'open_log', { path: bad })).told;
    expect(opened.runs[0].log.tool).toBe('verl');
    expect(opened.runs[0].series.map(({ series }: { series: string }) => series)).toContain(
      'critic_score_mean',
    );
    const changed = (await call(client, 'what_changed', { path: bad })).told;
    expect(changed.runs[0].outcome.state).toMatch(/collapse/);
    expect(changed.runs[0].summary).toMatch(/response length rose/);
    const found = (await call(client, 'diagnose', { path: bad })).told;
    expect(found.runs[0].findings[0].mode).toBe('length_cap');
    const sound = (await call(client, 'diagnose', { path: good })).told;
    expect(sound.runs[0]).toMatchObject({ state: 'learning', findings: [] });
    await client.close();
  });

  it('compares two runs and reads episodes', async () => {
    const client = await inMemory();
    const { told } = await call(client, 'compare', { path: good, other: bad });
    expect(told.outcome.quantity).toBe('score');
    const entropy = told.series.find(
      ({ quantity }: { quantity: string }) => quantity === 'entropy',
    );
    expect(entropy.parts_at).toBeNull();
    const cap = told.series.find(({ quantity }: { quantity: string }) => quantity === 'length_cap');
    expect(cap.parts_at).toBeGreaterThan(24);
    expect(cap.parts_at).toBeLessThan(36);
    const read = (await call(client, 'episodes', { path: rollouts, to_step: 1, show: 1 })).told;
    expect(read).toMatchObject({ tool: 'verl', episodes: 4 });
    expect(read.shown[0].messages.at(-1).text).toBe('<think>Add them.</think> 5');
    const found = await call(client, 'episodes', { path: rollouts, search: 'it is 8' });
    expect(found.told.shown.map(({ step }: { step: number }) => step)).toEqual([2]);
    await client.close();
  });

  it('counts and shows only the episodes of the requested steps', async () => {
    const client = await inMemory();
    const stepsRead = async (range: object) => {
      const { told } = await call(client, 'episodes', { path: rollouts, show: 20, ...range });
      const of = (all: readonly { step: number }[]) => [...new Set(all.map(({ step }) => step))];
      return { counted: of(told.steps), shown: of(told.shown).sort(), of_steps: told.of_steps };
    };
    const both = { counted: [1, 2], shown: [1, 2], of_steps: 2 };
    expect(await stepsRead({})).toEqual(both);
    expect(await stepsRead({ from_step: 1 })).toEqual(both);
    expect(await stepsRead({ from_step: 2 })).toEqual({ counted: [2], shown: [2], of_steps: 1 });
    expect(await stepsRead({ to_step: 1 })).toEqual({ counted: [1], shown: [1], of_steps: 1 });
    await client.close();
  });

  it('reports a wrong path, run or column, or a file of episodes instead of a log', async () => {
    const client = await inMemory();
    const nowhere = await call(client, 'diagnose', { path: join(folder, 'nowhere') });
    expect(nowhere).toMatchObject({ isError: true, text: expect.stringMatching(/cannot be read/) });
    const run = await call(client, 'what_changed', { path: bad, run: 'other' });
    expect(run.text).toMatch(/has no run "other"/);
    const column = await call(client, 'diagnose', { path: bad, columns: ['score=mine'] });
    expect(column.text).toMatch(/has no column "mine"/);
    const episodes = await call(client, 'diagnose', { path: join(rollouts, '1.jsonl') });
    expect(episodes.text).toMatch(/contains episodes/);
    await client.close();
  });

  it('communicates over stdio, with paths relative to the folder that npm was called in', async () => {
    const own = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    const env = { ...own, npm_lifecycle_event: 'mcp', INIT_CWD: folder };
    const client = await connected(
      new StdioClientTransport({
        ...{ command: process.execPath, args: ['scripts/run.mjs', 'src/cli/mcp.ts'], env },
        stderr: 'ignore',
      }),
    );
    const { told } = await call(client, 'diagnose', { path: 'bad.csv' });
    expect(told.runs[0].findings[0].mode).toBe('length_cap');
    await client.close();
  });

  it('prints its help and rejects arguments', () => {
    const run = (arg: string) =>
      spawnSync(process.execPath, ['scripts/run.mjs', 'src/cli/mcp.ts', arg], {
        ...{ encoding: 'utf8', input: '' },
      });
    expect(run('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: .*mcp/m),
    });
    expect(run('logs')).toMatchObject({ status: 2, stderr: expect.stringMatching(/options only/) });
  });
});
