import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verlFiles } from '../exchange/rollouts/testing/files.ts';
import { episodesCommand } from './episodes-command.ts';
import { testFolder } from './testing/commands.ts';

const folder = testFolder();

const rollouts = join(folder, 'rollouts');
const plain = join(folder, 'mine.jsonl');
beforeAll(async () => {
  mkdirSync(rollouts);
  for (const file of verlFiles())
    writeFileSync(join(folder, file.path), await file.read(0, file.size));
  writeFileSync(join(rollouts, 'notes.txt'), 'nothing');
  writeFileSync(plain, '{"q":"Why?","a":"Because.","points":1}\n');
});

async function run(...args: readonly string[]) {
  const [out, log]: [string[], string[]] = [[], []];
  const code = await episodesCommand(args, {
    out: (line) => out.push(line),
    log: (line) => log.push(line),
  });
  return { code, out: out.join('\n'), log: log.join('\n') };
}

describe('episodes', () => {
  it('prints counts, steps and the episodes with the highest reward', async () => {
    const { code, out } = await run(rollouts, '--show', '1');
    expect(code).toBe(0);
    expect(out).toMatch(/^4 episodes of verl\n/);
    expect(out).toMatch(/step 1: 2 episodes, reward 0\.5, success 50%/);
    expect(out).toMatch(/episode 0, step 1, reward 1, length \d+\n {2}\[user\] What is 2 \+ 3\?/);
  });

  it('selects episodes by step, text and flag, and sorts them', async () => {
    const ids = async (...args: readonly string[]) =>
      JSON.parse((await run(rollouts, '--json', ...args)).out).shown.map(
        ({ id }: { id: number }) => id,
      );
    expect(await ids('--step', '2')).toEqual([2, 3]);
    expect(await ids('--sort', 'lowest', '--show', '2')).toEqual([1, 3]);
    expect(await ids('--search', 'IT IS')).toEqual([2, 1]);
    expect(await ids('--flag', 'empty')).toEqual([]);
  });

  it('maps the fields of a plain file with --map, and suggests --map if it is missing', async () => {
    const refused = await run(plain);
    expect(refused.code).toBe(2);
    expect(refused.log).toMatch(
      /its rows have the fields q, a, points; name its fields with --map/,
    );
    const maps = ['prompt=q', 'response=a', 'reward=points'].flatMap((map) => ['--map', map]);
    expect((await run(plain, ...maps)).out).toMatch(/^1 episode of JSON lines/);
  });

  it.each([
    [[], /PATH… is required/],
    [['--step', 'x', 'a'], /--step must be a step/],
    [['--map', 'color=x', 'a'], /--map takes COLUMN=NAME/],
    [[join(folder, 'nowhere')], /cannot be read/],
  ])('rejects %j with a one-line message', async (args, problem) => {
    const { code, log } = await run(...args);
    expect(code).toBe(2);
    expect(log).toMatch(problem);
  });
});
