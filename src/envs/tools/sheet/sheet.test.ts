import { describe, expect, it } from 'vitest';
import type { Environment } from '../../types.ts';
import type { ToolsState } from '../core/episode.ts';
import type { Json } from '../core/json.ts';
import { describeScene, type ToolsScene, toolsScene } from '../core/scene.ts';
import { families } from '../index.ts';
import { deskFor } from '../kits.ts';
import { sheetId } from '../options.ts';
import { plansFor, runnerOf } from '../testing/plans.ts';
import { MOST_COLUMNS, MOST_ROWS, placesBetween } from './cells.ts';
import { cellsOf } from './edits.ts';
import { repair, templates } from './templates.ts';
import { errors, sheetTools } from './tools.ts';
import type { Sheet, SheetWorld } from './world.ts';

const sheetOf = (name: string, cells: readonly (readonly string[])[]): Sheet => ({
  name,
  rows: cells.map((row, id) => ({ id, cells: row })),
  frozen: { rows: 0, columns: 0 },
});

const MARKET = [
  ['item', 'price', 'colour', 'sold'],
  ['pear', '12', 'green', '4'],
  ['rope', '7', 'white', '9'],
  ['tea', '20', 'green', '1'],
];

/** Two small sheets; the first one is open. */
const world: SheetWorld = {
  open: 'Market',
  sheets: [
    sheetOf('Market', MARKET),
    sheetOf('League', [
      ['player', 'points', 'team'],
      ['Ada', '3', 'north'],
      ['Leo', '8', 'south'],
    ]),
  ],
};

const run = runnerOf<SheetWorld>(sheetTools, world);

/** The reply of a tool, in this workbook or another one. */
function reply(name: string, args: Readonly<Record<string, Json>> = {}, where = world): Json {
  const result = runnerOf<SheetWorld>(sheetTools, where)(name, args);
  if ('error' in result) throw new Error(result.error);
  return result.reply;
}

/** The workbook after a call. */
function after(name: string, args: Readonly<Record<string, Json>>, where = world): SheetWorld {
  const result = runnerOf<SheetWorld>(sheetTools, where)(name, args);
  if ('error' in result || result.world === undefined) throw new Error(`${name} changed nothing`);
  return result.world;
}

describe('workbook API', () => {
  it('reads the open sheet', () => {
    expect(reply('get_all_values')).toEqual(MARKET);
    expect(reply('get_range_values', { start_position: 'B2', end_position: 'C3' })).toEqual([
      ['12', 'green'],
      ['7', 'white'],
    ]);
    expect(reply('get_cell_value', { position: 'A4' })).toBe('tea');
    expect(reply('get_cell_value', { position: 'F12' })).toBe('');
    expect(reply('get_A1_annotation', { row: 3, col: 2 })).toBe('B3');
    expect(reply('filter_cells', { query: 'green' })).toEqual(['C2', 'C4']);
    expect(reply('filter_cells', { query: 'green', in_row: 4 })).toEqual(['C4']);
    expect(reply('filter_cells', { query: '4', in_column: 1 })).toEqual([]);
  });

  it('opens and deletes sheets', () => {
    const opened = after('open_sheet', { name: 'League' });
    expect(reply('get_cell_value', { position: 'A2' }, opened)).toBe('Ada');
    expect(run('open_sheet', { name: 'Market' })).toEqual({ reply: { message: 'opened' } });
    const deleted = after('del_sheet', { name: 'Market' });
    expect(deleted.sheets.map(({ name }) => name)).toEqual(['League']);
    const closed = runnerOf<SheetWorld>(sheetTools, deleted);
    expect(closed('get_all_values')).toEqual({ error: errors.closed });
    expect(closed('open_sheet', { name: 'Market' })).toEqual({ error: errors.name });
  });

  it('writes into cells, including cells beside and below the sheet', () => {
    expect(reply('update_cell', { position: 'B3', value: '8' })).toEqual([
      ...MARKET.slice(0, 2),
      ['rope', '8', 'white', '9'],
      ...MARKET.slice(3),
    ]);
    // A number is stored as its digits, and writing an equal value changes nothing.
    expect(run('update_cell', { position: 'B3', value: 7 })).toEqual({ reply: MARKET });
    expect(reply('update_cell', { position: 'E6', value: 'total' })).toEqual([
      ...MARKET.map((row) => [...row, '']),
      ['', '', '', '', ''],
      ['', '', '', '', 'total'],
    ]);
    const range = { start_position: 'C1', end_position: 'D2' };
    const values_list = [
      ['size', 'wins'],
      ['small', 3],
    ];
    expect(reply('update_range', { ...range, values_list })).toEqual([
      ['item', 'price', 'size', 'wins'],
      ['pear', '12', 'small', '3'],
      ...MARKET.slice(2),
    ]);
    // Empty rows at the end are no longer part of the sheet.
    const emptied = [
      ['', ''],
      ['', ''],
    ];
    const corner = { start_position: 'C1', end_position: 'D2', values_list: emptied };
    expect(reply('update_range', corner)).toEqual([
      ['item', 'price', '', ''],
      ['pear', '12', '', ''],
      ...MARKET.slice(2),
    ]);
  });

  it('inserts and deletes rows and columns', () => {
    const rows = { values_list: [['salt', '5'], ['soap']], row_idx: 2 };
    expect(reply('insert_rows', rows)).toEqual([
      MARKET[0],
      ['salt', '5', '', ''],
      ['soap', '', '', ''],
      ...MARKET.slice(1),
    ]);
    const columns = { values_list: [['age', '1', '2', '3']], col_idx: 5 };
    expect(reply('insert_cols', columns)).toEqual(
      MARKET.map((row, i) => [...row, ['age', '1', '2', '3'][i]]),
    );
    expect(reply('delete_batch_data', { dimension: 'row', index_list: [2, 4] })).toEqual([
      MARKET[0],
      MARKET[2],
    ]);
    expect(reply('delete_batch_data', { dimension: 'col', index_list: [4, 1] })).toEqual(
      MARKET.map((row) => row.slice(1, 3)),
    );
    const all = { dimension: 'row', index_list: [1, 2, 3, 4] };
    expect(reply('delete_batch_data', all)).toEqual([]);
  });

  it('sorts rows, including the header unless it is frozen', () => {
    const [header, pear, rope, tea] = MARKET;
    const byPrice = { col_num: 2, order: 'asc' };
    // Numbers by value, texts after them.
    expect(reply('sort_sheet_by_col', byPrice)).toEqual([rope, pear, tea, header]);
    const frozen = after('freeze_data', { dimension: 'rows', num: 1 });
    expect(reply('sort_sheet_by_col', byPrice, frozen)).toEqual([header, rope, pear, tea]);
    const descending = { col_num: 3, order: 'des' };
    // Equal values keep their order.
    expect(reply('sort_sheet_by_col', descending, frozen)).toEqual([header, rope, pear, tea]);
    expect(reply('sort_sheet_by_col', { col_num: 3, order: 'asc' }, frozen)).toEqual([
      ...[header, pear, tea, rope],
    ]);
  });

  it('computes formulas over ranges and lists, ignoring text', () => {
    const over = (operator: string, some: Readonly<Record<string, Json>>) =>
      reply('get_value_by_formula', { ...some, operator });
    const column = { start_position: 'B1', end_position: 'B4' };
    const values = ['SUM', 'AVERAGE', 'COUNT', 'MAX', 'MIN'].map((name) => over(name, column));
    expect(values).toEqual(['39', '13', '3', '20', '7']);
    expect(over('MINUS', { position_list: ['B4', 'B2', 'D2'] })).toBe('4');
    expect(over('PRODUCT', { position_list: ['B2', 'D3'] })).toBe('108');
    expect(over('COUNT', { position_list: ['A1'] })).toBe('0');
    const written = { ...column, result_position: 'B5', operator: 'SUM' };
    expect(reply('update_cell_by_formula', written)).toEqual([...MARKET, ['', '39', '', '']]);
  });

  it.each([
    ['open_sheet', { name: 'Nowhere' }, errors.name],
    ['get_range_values', { start_position: 'B2', end_position: 'b3' }, errors.place],
    ['get_cell_value', { position: 'G1' }, errors.place],
    ['get_A1_annotation', { row: 13, col: 1 }, errors.index],
    ['get_A1_annotation', { row: 0.5, col: 1 }, errors.index],
    ['update_cell', { position: 'B13', value: '1' }, errors.place],
    ['update_cell', { position: 'B2', value: 'a poem' }, errors.value],
    ['update_cell', { position: 'B2', value: -1 }, errors.value],
    [
      'update_range',
      { start_position: 'B3', end_position: 'B2', values_list: [['1']] },
      errors.place,
    ],
    [
      'update_range',
      { start_position: 'B2', end_position: 'B3', values_list: [['1']] },
      errors.fit,
    ],
    [
      'update_range',
      { start_position: 'B2', end_position: 'B2', values_list: [['x']] },
      errors.value,
    ],
    ['insert_rows', { values_list: [['1']], row_idx: 6 }, errors.index],
    ['insert_rows', { values_list: Array(9).fill(['1']), row_idx: 2 }, errors.room],
    ['insert_cols', { values_list: [['1'], ['2'], ['3']], col_idx: 1 }, errors.room],
    ['insert_cols', { values_list: [['1']], col_idx: 6 }, errors.index],
    ['delete_batch_data', { dimension: 'row', index_list: [0] }, errors.index],
    ['delete_batch_data', { dimension: 'rows', index_list: [1] }, errors.dimension],
    ['sort_sheet_by_col', { col_num: 5, order: 'asc' }, errors.index],
    ['sort_sheet_by_col', { col_num: 1, order: 'up' }, errors.order],
    ['freeze_data', { dimension: 'rows', num: 5 }, errors.index],
    ['freeze_data', { dimension: 'row', num: 1 }, errors.dimension],
    ['get_value_by_formula', { operator: 'SUM' }, errors.range],
    ['get_value_by_formula', { start_position: 'B2', operator: 'SUM' }, errors.range],
    ['get_value_by_formula', { position_list: ['B2', 'Z9'], operator: 'SUM' }, errors.place],
    ['get_value_by_formula', { position_list: ['B2'], operator: 'ROOT' }, errors.operator],
    ['get_value_by_formula', { position_list: ['A2'], operator: 'MAX' }, errors.empty],
    ['get_value_by_formula', { position_list: ['B3', 'B2'], operator: 'MINUS' }, errors.result],
    ['get_value_by_formula', { position_list: ['B2', 'B3'], operator: 'AVERAGE' }, errors.result],
    [
      'get_value_by_formula',
      { position_list: ['B2', 'B3', 'B4'], operator: 'PRODUCT' },
      errors.result,
    ],
  ] as const)('returns an error from %s for %j', (name, args, error) => {
    expect(run(name, args)).toEqual({ error });
  });

  it('lists every cell between two corners', () => {
    expect(placesBetween('A1', 'F12')).toHaveLength(MOST_COLUMNS * MOST_ROWS);
    expect(placesBetween('B2', 'B2')).toEqual([{ row: 1, column: 1 }]);
  });
});

const plans = (goal: string) => plansFor(templates, `In the sheet {sheet}, ${goal}`, world);

describe('workbook goal', () => {
  const open = 'open_sheet Market';

  it('gives the cells on rung one', () => {
    const sums = plans('write the sum of {first} to {last} into {position}.');
    expect(sums.get('Market B2 B4 B5')).toEqual({
      calls: [open, 'update_cell_by_formula B2 B4 B5 SUM'],
      answer: null,
    });
    expect(plans('delete the row {row}.').get('League 3')?.calls).toEqual([
      'open_sheet League',
      'delete_batch_data row 3',
    ]);
  });

  it('requires looking up names on rung two', () => {
    const written = [...plans('set {column} of {name} to {value}.')].find(([goal]) =>
      goal.startsWith('Market sold rope'),
    );
    const value = written?.[0].split(' ').at(-1);
    expect(written?.[1].calls).toEqual([
      ...[open, 'filter_cells rope', 'filter_cells sold', `update_cell D3 ${value}`],
    ]);
    const sorted = plans('sort the rows below the header by {column}, the least first.');
    expect(sorted.get('Market price')?.calls).toEqual([
      ...[open, 'filter_cells price', 'freeze_data rows 1', 'sort_sheet_by_col 2 asc'],
    ]);
  });

  it('requires comparing, counting and adding up on rung three', () => {
    const greatest = plans('delete the row with the greatest {column}.');
    expect(greatest.get('Market sold')?.calls.at(-1)).toBe('delete_batch_data row 3');
    const least = plans('delete the row with the least {column}.');
    expect(least.get('Market sold')?.calls.at(-1)).toBe('delete_batch_data row 4');
    const count = plans('write in how many rows {column} is {text} into {position}.');
    expect(count.get('Market colour green B5')?.calls).toEqual([
      ...[open, 'filter_cells green', 'update_cell B5 2'],
    ]);
    // The average of the sold items is not an integer.
    const averages = [...plans('write the average of {column} into {position}.').keys()];
    expect(averages.some((goal) => goal.startsWith('Market price'))).toBe(true);
    expect(averages.some((goal) => goal.startsWith('Market sold'))).toBe(false);
    const more = plans('write how much more {column} {name} has than {other} into {position}.');
    expect(more.get('Market price tea pear A5')?.calls.at(-1)).toBe(
      'update_cell_by_formula B4,B2 A5 MINUS',
    );
    expect([...more.keys()].some((goal) => goal.startsWith('Market price pear tea'))).toBe(false);
  });

  it('requires several changes on rung four', () => {
    const each = plans('delete every row where {column} is {text}.');
    expect([...each]).toEqual([
      [
        'Market colour green',
        { calls: [open, 'filter_cells green', 'delete_batch_data row 2,4'], answer: null },
      ],
    ]);
    const total = plans('add the column total, the sum of {column} and {other} in each row.');
    expect(total.get('Market price sold')?.calls).toEqual([
      ...[open, 'get_all_values', 'update_cell E1 total'],
      ...[2, 3, 4].map((row) => `update_cell_by_formula B${row},D${row} E${row} SUM`),
    ]);
  });
});

describe('workbook episode', () => {
  const [family] = families.filter(({ id }) => id === sheetId);
  const environment = family?.create() as Environment<ToolsState>;
  const desk = deskFor(sheetId, {});
  const worldOf = (state: ToolsState) => desk?.read(state).world as SheetWorld;
  const say = (state: ToolsState, text: string) => environment.step(state, text);
  const finish = 'finish with Action Input: {}';

  it('ends with a call without arguments, and succeeds if every cell is as required', () => {
    const one = family?.create({ rung: 'one' }) as Environment<ToolsState>;
    const { state, observation } = one.reset('sheet_0');
    expect(observation).toBe(
      'Now new trial starts. You should perform actions to accomplish the goal: In the sheet "Island", write "39" into "E3". Give me one action.',
    );
    const opened = one.step(state, 'open_sheet with Action Input: {"name": "Island"}');
    expect(opened.observation).toBe('Observation: {"message": "opened"} Give me one action.');
    const early = one.step(opened.state, finish);
    expect(early).toMatchObject({ reward: 0, terminated: true });
    const call = 'update_cell with Action Input: {"position": "E3", "value": 39}';
    const done = one.step(one.step(opened.state, call).state, finish);
    expect(done).toMatchObject({ observation: 'Observation: The goal is reached.', reward: 1 });
    const answered = one.step(state, 'finish with Action Input: {"answer": "done"}');
    expect(answered.observation).toContain('Invalid action: the tool has no such parameter.');
    expect(environment.instruction).not.toContain('"done"');
  });

  it('lets the expert repair stray changes cell by cell, without repeating a call that moves rows', () => {
    let [strayed, solved] = [0, 0];
    for (const task of environment.trainTasks.slice(0, 60)) {
      let { state, terminated } = { ...environment.reset(task), terminated: false };
      const [name = ''] = worldOf(state).sheets.map((sheet) => sheet.name);
      ({ state } = say(state, `open_sheet with Action Input: {"name": "${name}"}`));
      const before = worldOf(state);
      const value = cellsOf(before.sheets[0] as Sheet)[1]?.[0] === 'apple' ? 'pear' : 'apple';
      const stray = `update_cell with Action Input: {"position": "A2", "value": "${value}"}`;
      ({ state } = say(state, stray));
      if (worldOf(state) !== before) strayed++;
      while (!terminated) ({ state, terminated } = say(state, environment.expert(state).action));
      if (environment.success(state)) solved++;
      else expect(desk?.read(state).end, task).toBe('out of turns');
    }
    expect(strayed).toBe(60);
    expect(solved).toBeGreaterThan(50);
    expect(repair(world, world)).toBeNull();
  });
});

describe('workbook scene', () => {
  const environment = families
    .find(({ id }) => id === sheetId)
    ?.create({ rung: 'one' }) as Environment<ToolsState>;
  const desk = deskFor(sheetId, { rung: 'one' });

  /** The scenes at the start and after each of the calls. */
  function scenes(task: string, calls: readonly string[]): readonly ToolsScene[] {
    let { state } = environment.reset(task);
    if (desk === undefined) throw new Error('no desk');
    const drawn = [toolsScene(desk, state)];
    for (const call of calls) {
      ({ state } = environment.step(state, call));
      drawn.push(toolsScene(desk, state));
    }
    return drawn;
  }
  const tableOf = (scene: ToolsScene | undefined, key: string) =>
    scene?.tables.find((table) => table.key === key);

  it('highlights the cells of a range, marks changes, and tracks moved rows', () => {
    const call = (name: string, input: string) => `${name} with Action Input: ${input}`;
    const [start, opened, looked, written, sorted, deleted, missed] = scenes('sheet_0', [
      call('open_sheet', '{"name": "Island"}'),
      call('get_range_values', '{"start_position": "A2", "end_position": "B3"}'),
      call('update_cell', '{"position": "E3", "value": 39}'),
      call('sort_sheet_by_col', '{"col_num": 1, "order": "des"}'),
      call('del_sheet', '{"name": "Island"}'),
      call('finish', '{}'),
    ]);
    expect(tableOf(start, 'Island')?.grid).toBe(true);
    expect(tableOf(opened, 'Island')).toMatchObject({ title: 'Island, open', changed: true });
    const pointed = tableOf(looked, 'Island')?.rows.map(({ cells }) =>
      cells.map((cell) => (cell.pointed ? 'x' : '.')).join(''),
    );
    expect(pointed?.slice(0, 4)).toEqual(['.....', 'xx...', 'xx...', '.....']);
    const third = tableOf(written, 'Island')?.rows[2];
    expect(third?.state).toBe('changed');
    expect(third?.cells[4]).toEqual({ text: '39', changed: true, pointed: true });
    const keys = (scene: ToolsScene | undefined) =>
      tableOf(scene, 'Island')?.rows.map(({ key }) => key);
    expect(keys(sorted)).not.toEqual(keys(written));
    expect(new Set(keys(sorted))).toEqual(new Set(keys(written)));
    expect(tableOf(sorted, 'Island')?.rows.map(({ state }) => state)).not.toContain('changed');
    expect(tableOf(deleted, 'Island')?.rows.every(({ state }) => state === 'gone')).toBe(true);
    expect(tableOf(missed, 'Island')?.rows.every(({ state }) => state === 'gone')).toBe(true);
    expect(missed).toMatchObject({ outcome: 'missed', answer: null, truth: null });
    expect(missed?.worldDiffers).toBe(true);
    expect(missed && describeScene(missed)).toContain('Finished: the goal is not reached.');
  });
});
