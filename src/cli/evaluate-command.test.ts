import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { readAgentTraj } from '../exchange/trajectories/agent-traj.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../runs/checkpoint.ts';
import { Trainer } from '../training/trainer.ts';
import { evaluateCommand } from './evaluate-command.ts';
import { type Machine, openMachine } from './machine.node.ts';
import { tableMachine, testFolder } from './testing/commands.ts';

let machine: Machine;

const folder = testFolder();
const file = join(folder, 'agent.safetensors');
beforeAll(async () => {
  const config = parseConfig({
    policy: { layers: 1, width: 16, heads: 2, kv_heads: 1, ffn_width: 16 },
    rollout: { tasks_per_iteration: 2, group_size: 2 },
    horizon: { turns: 4 },
    evaluation: { interval: 0, horizon: 6 },
  });
  machine = await openMachine({ device: 'processor', threads: 1 });
  const { createPolicy } = machine;
  const run = await Trainer.create({ config, createPolicy });
  await run.iterate();
  writeFileSync(file, encodeCheckpoint(await run.checkpoint()));
});
afterAll(() => machine.close());

/** Runs the command and collects its output. */
async function run(...args: readonly string[]) {
  const out: string[] = [];
  const log: string[] = [];
  let [opened, closed] = [0, 0];
  const code = await evaluateCommand(args, {
    out: (line) => out.push(line),
    log: (line) => log.push(line),
    open: async () => {
      opened += 1;
      return {
        ...tableMachine,
        createPolicy: machine.createPolicy,
        close: () => {
          closed += 1;
        },
      };
    },
  });
  expect(closed).toBe(opened);
  return { code, out: out.join('\n'), log, opened };
}

describe('evaluate', () => {
  it('prints one table of all players in the environments that the agent was trained in', async () => {
    const { code, out, log } = await run('--checkpoint', file, '--tasks', '5', '--k', '2');
    expect(code).toBe(0);
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^Environment +Player +Episodes .*pass@1 +pass@2$/);
    expect(lines.slice(1, 5).map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['maze/double-t-v1', 'Agent, greedy', '5 × 1'],
      ['maze/double-t-v1', 'Agent, sampled', '5 × 2'],
      ['maze/double-t-v1', 'Expert', '5 × 1'],
      ['maze/double-t-v1', 'Random agent', '5 × 2'],
    ]);
    expect(lines[5]).toBe('');
    // An evaluation of more than two seconds also logs its progress.
    expect(log.filter((line) => !/^evaluation: \d+%$/.test(line))).toEqual(['device: a processor']);
  });

  it('writes the report and the episodes to files', async () => {
    const [report, episodes] = [join(folder, 'report.json'), join(folder, 'episodes.json')];
    const { code, out } = await run(
      ...['--checkpoint', file, '--tasks', '3', '--k', '1', '--seed', '5', '--format', 'json'],
      ...['--out', report, '--trajectories', episodes],
    );
    expect([code, out]).toEqual([0, '']);
    expect(readdirSync(folder).sort()).toEqual([
      'agent.safetensors',
      'episodes.json',
      'report.json',
    ]);
    const read = JSON.parse(readFileSync(report, 'utf8'));
    expect(read).toMatchObject({ seed: 5, trained: { iteration: 1 } });
    expect(read.environments).toHaveLength(1);
    expect(read.environments[0]).toMatchObject({ tasks: 3, horizon: 6, agentUnable: null });
    expect(readAgentTraj(readFileSync(episodes, 'utf8'))).toHaveLength(3);
    const again = await run('--checkpoint', file, '--out', report);
    expect([again.code, again.opened]).toEqual([2, 0]);
    expect(again.log.join()).toMatch(/report\.json exists/);
    const both = await run('--checkpoint', file, '--out', 'r', '--trajectories', './r');
    expect(both.log.join()).toMatch(/--trajectories and --out are both/);
  });

  it('reports environments that the agent cannot play, with the results of the other players', async () => {
    const { code, out } = await run(
      ...['--checkpoint', file, '--env', 'maze/double-t-v1', '--env', 'maze/generated-v2'],
      ...['--tasks', '2', '--k', '1', '--format', 'markdown'],
    );
    expect(code).toBe(0);
    expect(out).toMatch(/\| maze\/generated-v2 \| Agent \| – \| not played/);
    expect(out).toMatch(/\| maze\/generated-v2 \| Random agent \| 2 × 1/);
    expect(out).toMatch(/did not play maze\/generated-v2: its vocabulary lacks \d+ of \d+ lexemes/);
  });

  it('prints the same report for equal seeds', async () => {
    const args = ['--checkpoint', file, '--tasks', '4', '--format', 'csv'];
    expect((await run(...args)).out).toBe((await run(...args)).out);
  });

  it('prints every option with --help', async () => {
    const { code, out, opened } = await run('--help');
    expect([code, opened]).toEqual([0, 0]);
    for (const flag of ['checkpoint', 'env', 'tasks', 'k', 'seed', 'format', 'out']) {
      expect(out).toContain(`--${flag} `);
    }
    expect(out).toContain('maze/generated-v2');
  });

  it.each([
    [[], /--checkpoint FILE is required/],
    [['--checkpoint', 'not-there.safetensors'], /not-there\.safetensors: no such file or folder/],
    [['--checkpoint', 'package.json'], /^This agent cannot be read: /],
    [['--checkpoint', 'a', '--env', 'maze/other'], /no environment is called "maze\/other"/],
    [['--checkpoint', 'a', '--tasks', '-1'], /--tasks/],
    [['--checkpoint', 'a', '--tasks', '1.5'], /--tasks must be a whole number from 0/],
    [['--checkpoint', 'a', '--k', '0'], /--k must be a whole number from 1 to 1024, got "0"/],
    [['--checkpoint', 'a', '--seed', ''], /--seed must be a whole number/],
    [
      ['--checkpoint', 'a', '--format', 'xml'],
      /--format does not accept "xml"; choose one of table, markdown, csv, json/,
    ],
    [['--checkpoint', 'a', '--out', 'not-there/r.csv'], /folder not-there does not exist/],
    [['--checkpoint', 'a', '--trajectories', '.'], /this is a folder/],
    [['--wrong'], /--wrong/],
    [['surplus'], /surplus/],
  ])('rejects %j with a one-line message and exit code 2', async (args, message) => {
    const { code, out, log, opened } = await run(...args);
    expect([code, out, opened]).toEqual([2, '', 0]);
    expect(log).toHaveLength(1);
    expect(log[0]).toMatch(message);
    expect(log[0]).not.toContain('\n');
  });

  it('rejects an agent trained on a server, without connecting to it', async () => {
    const remote = join(folder, 'remote.safetensors');
    const kept = decodeCheckpoint(readFileSync(file));
    const env = {
      ...kept.config.env,
      id: 'remote/openenv-v1',
      options: { url: 'ws://127.0.0.1:9' },
    };
    writeFileSync(remote, encodeCheckpoint({ ...kept, config: { ...kept.config, env } }));
    const { code, log, opened } = await run('--checkpoint', remote, '--env', 'all');
    expect([code, opened]).toEqual([2, 0]);
    expect(log).toEqual([
      'an agent that was trained in a remote environment cannot be evaluated on demand',
    ]);
  });

  it('reports a failure with a one-line message and exit code 1', async () => {
    const log: string[] = [];
    const code = await evaluateCommand(['--checkpoint', file], {
      out: () => {},
      log: (line) => log.push(line),
      open: async () => {
        throw new Error('no adapter answered');
      },
    });
    expect([code, log]).toEqual([1, ['Error: no adapter answered']]);
  });
});
