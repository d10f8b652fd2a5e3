import { describe, expect, it } from 'vitest';
import elsewhere from './testing/tables-elsewhere.json';
import { importTrajectories } from './trajectory-import.ts';

const [replayed, foreign, query, foreignQuery] = importTrajectories(JSON.stringify(elsewhere), []);

describe('a spreadsheet dialogue from another tool', () => {
  it('is replayed if the text matches a task', () => {
    expect(replayed?.replay).toEqual({ kind: 'exact' });
    expect(replayed?.record).toMatchObject({
      environment: { id: 'tools/sheet-v1', options: {} },
      taskId: 'sheet_0',
      success: true,
      score: 1,
    });
    expect(replayed?.record.turns.map(({ thought }) => thought)[1]).toBe('I look at the row.');
    expect(replayed?.record.turns.every(({ understood }) => understood)).toBe(true);
  });

  it('is shown as text if the workbook is unknown', () => {
    expect(foreign?.replay).toEqual({
      kind: 'text',
      why: 'No environment reproduces the recorded dialogue of sheet_4, so it is shown as text.',
    });
    expect(foreign?.record.turns.map(({ action }) => action)).toEqual([
      'open_sheet with Action Input: {"name": "Sheet9"}',
      'sort_sheet_by_col with Action Input: {"col_num": 3, "order": "asc"}',
      'finish with Action Input: {}',
    ]);
  });
});

describe('an SQL dialogue from another tool', () => {
  it('is replayed if the text matches a task, even with its statement in a code block', () => {
    expect(query?.replay).toEqual({ kind: 'exact' });
    expect(query?.record).toMatchObject({
      environment: { id: 'bird/bird-v1', options: {} },
      turns: [{ action: "```sql\nSELECT pages FROM books WHERE title = 'Inlet';\n```" }],
      success: true,
      score: 1,
    });
  });

  it('is shown as text if the database is unknown', () => {
    expect(foreignQuery?.replay).toEqual({
      kind: 'text',
      why: 'No environment reproduces the recorded dialogue of bird_12, so it is shown as text.',
    });
    expect(foreignQuery?.record.finalObservation).toBe("[('Boskoop',), ('Topaz',)]");
  });
});
