import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { exportedNames } from '../exchange/agent-files.ts';
import { randomAgent } from '../exchange/testing/agents.ts';
import { AGENT, encodeCheckpoint } from '../runs/checkpoint.ts';
import { checkpointOf } from '../runs/testing/checkpoints.ts';
import { evaluateCommand } from './evaluate-command.ts';
import { exportCommand } from './export-command.ts';
import { emptiedFolder, tableMachine } from './testing/commands.ts';
import { trainCommand } from './train-command.ts';

const folder = emptiedFolder();
const at = (name: string) => join(folder, name);
const policy = { layers: 1, width: 16, heads: 2, kv_heads: 1, ffn_width: 16 };
beforeEach(() => {
  writeFileSync(
    at('agent.safetensors'),
    encodeCheckpoint(checkpointOf(randomAgent({ policy }, 1))),
  );
});

async function run(
  command: typeof exportCommand,
  ...args: readonly string[]
): Promise<{ code: number; out: string; log: string }> {
  const out: string[] = [];
  const log: string[] = [];
  const code = await command(args, {
    out: (line) => out.push(line),
    log: (line) => log.push(line),
    open: () => Promise.reject(new Error('no machine is needed')),
  });
  return { code, out: out.join('\n'), log: log.join('\n') };
}

const exported = (from: string, to: string) =>
  run(exportCommand, '--checkpoint', at(from), '--out', at(to));

describe('export', () => {
  it('writes the same files from a checkpoint, a folder, a zip and ONNX', async () => {
    expect(await exported('agent.safetensors', 'agent')).toMatchObject({ code: 0, log: '' });
    const names = readdirSync(at('agent'));
    expect(names.toSorted()).toEqual([...exportedNames].toSorted());
    expect((await exported('agent', 'agent.zip')).code).toBe(0);
    expect((await exported('agent.zip', 'again')).code).toBe(0);
    expect((await exported('agent/model.onnx', 'onnx')).code).toBe(0);
    for (const name of names) {
      const bytes = readFileSync(at(`agent/${name}`));
      expect(readFileSync(at(`again/${name}`)), name).toEqual(bytes);
      expect(readFileSync(at(`onnx/${name}`)), name).toEqual(bytes);
    }
  });

  it('keeps an existing README.md unless --force is given', async () => {
    writeFileSync(at('README.md'), 'the project’s own');
    const before = readdirSync(folder);
    expect(await exported('agent.safetensors', '.')).toMatchObject({
      code: 2,
      log: expect.stringContaining('README.md exists'),
    });
    expect(readFileSync(at('README.md'), 'utf8')).toBe('the project’s own');
    expect(readdirSync(folder)).toEqual(before);
    const again = await run(
      exportCommand,
      ...['--checkpoint', at('agent.safetensors'), '--out', folder, '--force'],
    );
    expect(again.code).toBe(0);
    expect(readFileSync(at('README.md'), 'utf8')).not.toBe('the project’s own');
    expect((await exported('agent.safetensors', 'agent.zip')).code).toBe(0);
    expect((await exported('agent.safetensors', 'agent.zip')).log).toContain('exists');
  });

  it('reads only the agent’s files from a folder', async () => {
    await exported('agent.safetensors', 'agent');
    // Reading any of these would fail or hang.
    symlinkSync('/dev/zero', at('agent/model_with_cache.onnx.data'));
    symlinkSync(at('nowhere'), at('agent/notes.txt'));
    expect(await exported('agent', 'again')).toMatchObject({ code: 0, log: '' });
  });

  it('rejects weights that are not finite', async () => {
    const agent = checkpointOf(randomAgent({ policy }, 1));
    const [tensor] = agent.students.get(AGENT)?.weights.values() ?? [];
    if (tensor === undefined) throw new Error('the agent has no weights');
    tensor.values[3] = Number.NaN;
    writeFileSync(at('broken.safetensors'), encodeCheckpoint(agent));
    const wrong = {
      code: 2,
      log: expect.stringMatching(/contain NaN or infinity; use a checkpoint/),
    };
    expect(await exported('broken.safetensors', 'broken')).toMatchObject(wrong);
    expect(await run(evaluateCommand, '--checkpoint', at('broken.safetensors'))).toMatchObject(
      wrong,
    );
    for (const flag of ['--init', '--resume']) {
      const trained = await run(
        (args, machine) => trainCommand(args, { ...machine, interrupted: () => true }),
        ...[flag, at('broken.safetensors')],
      );
      expect(trained).toMatchObject(wrong);
    }
  });

  it.each([
    [[], '--checkpoint FILE'],
    [['--checkpoint', 'nowhere'], '--out PLACE is required'],
    [['--checkpoint', 'nowhere', '--out', 'a'], 'no such file or folder'],
    [['--checkpoint', 'nowhere', '--out', 'no/where/a.zip'], 'does not exist'],
    [['--checkpoint', 'package.json', '--out', 'a'], 'cannot be read'],
    [['--checkpoint', 'a', '--out', 'a', '--license', 'a b'], 'SPDX identifier'],
  ])('rejects %j with a one-line message', async (args, reason) => {
    const { code, log } = await run(exportCommand, ...args);
    expect(code).toBe(2);
    expect(log).toContain(reason);
    expect(log).not.toContain('\n');
  });
});

describe('train --init', () => {
  const same = () => ['--method', 'grpo', ...shape];
  const train = (...args: readonly string[]) =>
    run(
      (given, machine) =>
        trainCommand(given, {
          ...machine,
          interrupted: () => true,
          open: async () => ({
            ...tableMachine,
            createPolicy: () => Promise.reject(new Error('a policy was made')),
          }),
        }),
      ...['--init', at('agent.safetensors'), ...args],
    );
  const shape = Object.entries(policy).flatMap(([name, value]) => [
    '--set',
    `policy.${name}=${value}`,
  ]);

  it('rejects an agent with a different shape or vocabulary and lists the differences', async () => {
    const other = await train(...same(), '--set', 'policy.width=32', '--set', 'policy.layers=2');
    expect(other.code).toBe(2);
    expect(other.log).toContain(
      'policy.layers is 1 in the agent, 2 in the run; policy.width is 16 in the agent, 32 in the run.',
    );
    const elsewhere = await train(...same(), '--set', 'env.id=textcraft/textcraft-v1');
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.log).toMatch(
      /size of the vocabulary is \d+ in the agent, \d+ in the run; token 5 is/,
    );
  });

  it('accepts a matching agent and rejects a missing file', async () => {
    expect((await train(...same())).log).toContain('a policy was made');
    const missing = await run(
      (args, machine) => trainCommand(args, { ...machine, interrupted: () => true }),
      ...['--init', at('nothing.zip')],
    );
    expect(missing).toMatchObject({ code: 2, log: expect.stringContaining('no such file') });
  });
});
