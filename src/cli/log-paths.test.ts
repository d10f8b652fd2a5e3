import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { LogError } from '../exchange/logs/error.ts';
import { episodesCommand } from './episodes-command.ts';
import { logFilesAt } from './log-paths.ts';
import { emptiedFolder } from './testing/commands.ts';

const folder = emptiedFolder();
const unreadable = vi.hoisted(() => new Set<string>());
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  const refuse = (path: unknown) => {
    if (unreadable.has(String(path))) throw Object.assign(new Error('no'), { code: 'EACCES' });
  };
  return {
    ...fs,
    readdirSync: (...args: Parameters<typeof fs.readdirSync>) => {
      refuse(args[0]);
      return fs.readdirSync(...args);
    },
    statSync: (...args: Parameters<typeof fs.statSync>) => {
      refuse(args[0]);
      return fs.statSync(...args);
    },
  };
});

it('skips and reports folders and files below a folder that cannot be read', async () => {
  mkdirSync(join(folder, 'private'));
  for (const name of ['a.log', 'b.log']) writeFileSync(join(folder, name), 'x');
  for (const name of ['private', 'a.log']) unreadable.add(join(folder, name));
  const lines: string[] = [];
  const files = logFilesAt(folder, (line) => lines.push(line));
  expect(files.map(({ path }) => path)).toEqual([join(folder, 'b.log')]);
  const skipped = ['a.log', 'private'].map(
    (name) => `the log ${join(folder, name)} cannot be read (EACCES); it is skipped`,
  );
  expect(lines.sort()).toEqual(skipped);
  const said: string[] = [];
  await episodesCommand([folder], { out: () => {}, log: (line) => said.push(line) });
  expect(said.sort()).toEqual(expect.arrayContaining(skipped));
  expect(() => logFilesAt(join(folder, 'private'))).toThrow('cannot be read (EACCES)');
});

it('reports a file that was removed after it was found', async () => {
  const path = join(folder, 'gone.log');
  writeFileSync(path, 'x');
  const [file] = logFilesAt(folder);
  rmSync(path);
  const read = file?.read(0, 1);
  await expect(read).rejects.toThrow(LogError);
  await expect(read).rejects.toThrow('cannot be read (ENOENT)');
});
