import { describe, expect, it } from 'vitest';
import type { Environment } from '../types.ts';
import { families } from './index.ts';
import { createWithOriginalTools } from './original-tools.ts';
import { originalSheetTools } from './sheet/original-tools.ts';
import { sheetTools } from './sheet/tools.ts';
import type { SheetWorld } from './sheet/world.ts';

const registered = (id: string): Environment => {
  const family = families.find((one) => one.id === id);
  if (family === undefined) throw new Error(`no family ${id}`);
  return family.create();
};

const call = (name: string, args: object) => `${name} with Action Input: ${JSON.stringify(args)}`;

/** The JSON of a reply. */
const reply = (observation: string): unknown =>
  JSON.parse(observation.replace(/^Observation: | Give me one action[.]$/g, ''));

function said(environment: Environment, task: string, actions: readonly string[]): unknown[] {
  let { state } = environment.reset(task);
  return actions.map((action) => {
    const after = environment.step(state, action);
    state = after.state;
    return after.observation.startsWith('Observation: Error')
      ? after.observation
      : reply(after.observation);
  });
}

describe('createWithOriginalTools', () => {
  it('keeps the tasks of the registered environment', () => {
    for (const { id } of families) {
      const [ours, original] = [registered(id), createWithOriginalTools(id)];
      expect(original.trainTasks).toEqual(ours.trainTasks);
      for (const task of ours.trainTasks.slice(0, 8)) {
        expect(original.reset(task)).toEqual(ours.reset(task));
      }
    }
  });

  it('adds a tool that replies with the highest, lowest and mean temperature', () => {
    const weather = createWithOriginalTools('tools/weather-v1');
    const task = weather.trainTasks[0] ?? '';
    const [date, here] = said(weather, task, [
      call('get_user_current_date', {}),
      call('get_user_current_location', {}),
    ]) as [{ date: string }, { location: string }];
    const [found] = said(weather, task, [
      call('get_latitude_longitude', { name: here.location }),
    ]) as [{ results: { latitude: number; longitude: number }[] }];
    const { latitude, longitude } = found.results[0] ?? { latitude: 0, longitude: 0 };
    const at = { latitude, longitude, current_date: date.date };
    const [both, highest, lowest] = said(weather, task, [
      call('get_current_temp', at),
      call('get_current_temp_max', at),
      call('get_current_temp_min', at),
    ]) as { daily: Record<string, number[]> }[];
    const max = highest?.daily.temperature_2m_max?.[0] ?? Number.NaN;
    const min = lowest?.daily.temperature_2m_min?.[0] ?? Number.NaN;
    expect(both?.daily).toEqual({
      time: [date.date],
      temperature_2m_max: [max],
      temperature_2m_min: [min],
      temperature_2m_mean: [(max + min) / 2],
    });
  });
});

describe('original sheet API', () => {
  const row = (id: number, cells: readonly string[]) => ({ id, cells });
  const world: SheetWorld = {
    open: 'Spring',
    sheets: [
      {
        name: 'Spring',
        rows: [row(0, ['item', 'price']), row(1, ['rice', '3']), row(2, ['apple', '1'])],
        frozen: { rows: 1, columns: 0 },
      },
    ],
  };

  function run(calls: readonly (readonly [string, Record<string, never> | object])[]): unknown {
    let at = world;
    let last: unknown;
    for (const [name, args] of calls) {
      const tool = [...sheetTools, ...originalSheetTools].find((one) => one.name === name);
      const result = tool?.run(at, args as never);
      if (result === undefined) throw new Error(`no tool ${name}`);
      if ('error' in result) last = result.error;
      else {
        last = result.reply;
        at = (result.world as SheetWorld | undefined) ?? at;
      }
    }
    return last;
  }

  it('reads and writes notes', () => {
    expect(run([['get_note', { position: 'B2' }]])).toBe('');
    const write = ['update_note', { position: 'B2', content: 'too dear' }] as const;
    expect(run([write])).toBe('too dear');
    expect(run([write, ['get_note', { position: 'B2' }]])).toBe('too dear');
    expect(run([write, ['get_note', { position: 'B3' }]])).toBe('');
    expect(run([['get_note', { position: 'F9' }]])).toBe('Error: there is no such cell.');
  });

  it('moves a note with its cell', () => {
    const write = ['update_note', { position: 'B2', content: 'too dear' }] as const;
    const note = (position: string) => ['get_note', { position }] as const;
    const sort = ['sort_sheet_by_col', { col_num: 2, order: 'asc' }] as const;
    expect(run([write, sort, note('B3')])).toBe('too dear');
    const rows = ['insert_rows', { values_list: [['tea', '2']], row_idx: 2 }] as const;
    expect(run([write, rows, note('B3')])).toBe('too dear');
    const columns = ['insert_cols', { values_list: [['stock', '7', '8']], col_idx: 1 }] as const;
    expect(run([write, columns, note('C2')])).toBe('too dear');
    const remove = ['delete_batch_data', { dimension: 'col', index_list: [1] }] as const;
    expect(run([write, remove, note('A2')])).toBe('too dear');
    expect(run([write, ['update_cell', { position: 'B2', value: 9 }], note('B2')])).toBe(
      'too dear',
    );
  });

  it('keeps only the top-left value of merged cells', () => {
    const merge = ['merge_cells', { start_position: 'A2', end_position: 'B3' }] as const;
    expect(run([merge])).toEqual([
      ['item', 'price'],
      ['rice', ''],
    ]);
    expect(run([['merge_cells', { start_position: 'B3', end_position: 'A2' }]])).toBe(
      'Error: there is no such cell.',
    );
  });
});
