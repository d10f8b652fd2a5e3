import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { setConfigValue } from '../../../config/text.ts';
import type { LogEntry } from '../../../exchange/logs/shown-log.ts';
import type { RunEntry } from '../../../runs/record.ts';
import { differences, listLogs, listRuns } from './list.ts';

const config = presetConfig('maze');
const entry = (id: string, over: Partial<RunEntry> = {}): RunEntry => ({
  id,
  name: `Run ${id}`,
  preset: 'maze',
  config,
  created: 0,
  updated: 0,
  status: 'paused',
  adapter: '',
  iterations: 0,
  success: null,
  pinned: false,
  tags: [],
  notes: '',
  ...over,
});
const ids = (entries: readonly RunEntry[]) => entries.map(({ id }) => id);

describe('the table of runs', () => {
  const entries = [
    entry('a', { iterations: 9, success: 0.5, tags: ['long'] }),
    entry('b', { iterations: 3, pinned: true, notes: 'entropy fell' }),
    entry('c', { iterations: 30, success: 0.1, updated: 5 }),
  ];

  it('sorts pinned runs first, and missing numbers last in descending order', () => {
    expect(ids(listRuns(entries, '', { column: 'iterations', descending: true }))).toEqual([
      'b',
      'c',
      'a',
    ]);
    expect(ids(listRuns(entries, '', { column: 'success', descending: false }))).toEqual([
      'b',
      'c',
      'a',
    ]);
    expect(ids(listRuns(entries, '', { column: 'name', descending: false }))).toEqual([
      'b',
      'a',
      'c',
    ]);
  });

  it('finds runs by words from their name, tags, notes and settings', () => {
    const search = (text: string) =>
      ids(listRuns(entries, text, { column: 'name', descending: false }));
    expect(search('long')).toEqual(['a']);
    expect(search('ENTROPY run')).toEqual(['b']);
    expect(search('double-t seed')).toEqual(['b', 'a', 'c']);
    expect(search('nowhere')).toEqual([]);
  });

  it('lists fields that differ, with their values', () => {
    const other = setConfigValue(
      setConfigValue(config, 'seed', '9'),
      'optimizer.learning_rate',
      '0.01',
    );
    expect(differences([entry('a'), entry('b', { config: other })])).toEqual([
      { path: 'seed', title: 'Seed', values: [config.seed, 9] },
      {
        path: 'optimizer.learning_rate',
        title: 'Learning rate',
        values: [config.optimizer.learning_rate, 0.01],
      },
    ]);
    expect(differences([entry('a'), entry('b')])).toEqual([]);
  });
});

it('shows logs in the same columns as runs, and finds them by tool', () => {
  const log = (id: string, over: Partial<LogEntry>): LogEntry => ({
    ...{ id, name: id, tool: 'verl', format: 'CSV', count: 'row', rows: 1, end: 1, updated: 0 },
    ...{
      axis: { key: null, unit: 'steps', iterations: false },
      spans: [],
      notes: [],
      success: null,
    },
    findings: { findings: [], past: [], notComputable: [] },
    ...over,
  });
  const logs = [log('a', { rows: 3 }), log('b', { rows: 9, tool: 'sb3' }), log('c', { rows: 5 })];
  const found = (search: string, descending: boolean) =>
    listLogs(logs, search, { column: 'iterations', descending }).map(({ id }) => id);
  expect(found('', true)).toEqual(['b', 'c', 'a']);
  expect(found('verl LOG', false)).toEqual(['a', 'c']);
  expect(found('stable csv', false)).toEqual(['b']);
});
