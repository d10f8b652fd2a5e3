import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from './commands.tsx';
import { panels } from './panels.tsx';

const ui = join(import.meta.dirname, '..');
const sources = readdirSync(ui, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(join(ui, path), 'utf8'));

describe('the panel table', () => {
  it('has unique ids and an entry for every panel that is opened or closed', () => {
    const ids = panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const used = sources.flatMap((source) =>
      [...source.matchAll(/(?:open|close|toggle|use)Panel\('([^']+)'/g)].map(([, id]) => id),
    );
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((id) => !ids.includes(id ?? ''))).toEqual([]);
  });

  it('binds each key to at most one command', () => {
    const keys = commands.flatMap(({ key }) => key ?? []);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
