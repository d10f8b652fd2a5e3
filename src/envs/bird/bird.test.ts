import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../types.ts';
import { databaseOf, VARIANTS } from './database.ts';
import { deskFor } from './desks.ts';
import { type BirdState, MOST_SAID } from './episode.ts';
import { bird } from './index.ts';
import { birdScene, describeScene, isBirdState } from './scene.ts';
import { schemas } from './schemas.ts';
import { type Result, Store, sameRows } from './sqlite.ts';
import { templates } from './templates.ts';
import { resultText } from './text.ts';
import { view } from './view.tsx';

/** A small shop with known results. */
const shop = new Store(`
  CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, colour TEXT, price INTEGER);
  INSERT INTO items VALUES (1, 'lamp', 'red', 12), (2, 'rope', 'red', 7), (3, 'tea', 'blue', 20);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES items (id), amount INTEGER);
  INSERT INTO orders VALUES (1, 2, 4), (2, 2, 1), (3, 3, 9);
`);

const rowsOf = (sql: string) => {
  const result = shop.ask(sql);
  if ('error' in result) throw new Error(result.error);
  return result.rows;
};
const match = (one: string, other: string) => sameRows(shop.ask(one), shop.ask(other));

describe('BIRD database', () => {
  it('returns rows for valid statements and an error for others', () => {
    expect(rowsOf("SELECT name FROM items WHERE colour = 'red'")).toEqual([['lamp'], ['rope']]);
    expect(rowsOf('SELECT colour, AVG (price) FROM items GROUP BY colour')).toEqual([
      ['blue', 20],
      ['red', 9.5],
    ]);
    expect(shop.ask('SELECT AVG (price), name AS n FROM items WHERE 0')).toEqual({
      columns: ['AVG (price)', 'n'],
      rows: [[null, null]],
    });
    expect(shop.ask('SELECT size FROM items')).toEqual({ error: 'no such column: size' });
    expect(shop.ask('SELECT FROM items')).toEqual({ error: 'near "FROM": syntax error' });
  });

  it('cannot be changed', () => {
    expect(shop.ask('DELETE FROM items')).toEqual({
      error: 'attempt to write a readonly database',
    });
    expect(rowsOf('SELECT COUNT(*) FROM items')).toEqual([[3]]);
  });

  it('is cached, differs from every other database and contains the rows of its tables', () => {
    const drawn = schemas.map((_, schema) =>
      Array.from({ length: VARIANTS }, (_variant, n) =>
        JSON.stringify(databaseOf(schema, n).tables.map(({ rows }) => rows)),
      ),
    );
    expect(new Set(drawn.flat()).size).toBe(schemas.length * VARIANTS);
    expect(databaseOf(0, 3)).toBe(databaseOf(0, 3));
    expect(() => databaseOf(99, 0)).toThrow(RangeError);
    for (const [schema] of schemas.entries()) {
      for (const { name, rows } of databaseOf(schema, 0).tables) {
        expect(rows.length).toBeGreaterThanOrEqual(6);
        expect(rows.length).toBeLessThanOrEqual(12);
        const stored = databaseOf(schema, 0).store.ask(`SELECT * FROM ${name}`);
        expect('rows' in stored && stored.rows).toEqual(rows);
      }
    }
  });
});

describe('sameRows', () => {
  it('ignores row order and duplicate rows', () => {
    expect(match('SELECT name FROM items', 'SELECT name FROM items ORDER BY price')).toBe(true);
    expect(match('SELECT colour FROM items', 'SELECT DISTINCT colour FROM items')).toBe(true);
    expect(match('SELECT name FROM items', 'SELECT name AS n FROM items')).toBe(true);
    expect(match('SELECT price FROM items', 'SELECT price * 1.0 FROM items')).toBe(true);
  });

  it('detects different column order, missing rows and different types', () => {
    expect(match('SELECT name, price FROM items', 'SELECT price, name FROM items')).toBe(false);
    expect(match('SELECT name FROM items', 'SELECT name FROM items LIMIT 2')).toBe(false);
    expect(match('SELECT price FROM items', 'SELECT CAST (price AS TEXT) FROM items')).toBe(false);
    expect(match('SELECT NULL', "SELECT 'None'")).toBe(false);
    expect(match('SELECT x', 'SELECT x')).toBe(false);
  });
});

describe('resultText', () => {
  const shown = (result: Result) => resultText(result);
  it('writes rows as tuples, truncates them and omits values without a lexeme', () => {
    expect(shown(shop.ask('SELECT name, price FROM items WHERE price > 10'))).toBe(
      "Result: [('lamp', 12), ('tea', 20)]",
    );
    expect(shown(shop.ask('SELECT name FROM items WHERE id = 1'))).toBe("Result: [('lamp',)]");
    expect(shown(shop.ask('SELECT name FROM items WHERE 0'))).toBe('Result: []');
    expect(shown(shop.ask("SELECT 'poem', 2.5, NULL"))).toBe('Result: [(…, …, None)]');
    const long = shown({ columns: ['a'], rows: Array.from({ length: 40 }, () => ['lamp']) });
    expect(long).toMatch(/^Result: \[\('lamp',\), .*, …\]$/);
    expect(long.length).toBeLessThan(125);
  });

  it('writes errors without the word that SQLite quotes', () => {
    expect(shown({ error: 'no such column: size' })).toBe('Error: no such column.');
    expect(shown({ error: 'near "FORM": syntax error' })).toBe('Error: syntax error.');
    expect(shown({ error: 'database disk image is malformed' })).toBe(
      'Error: the statement cannot be run.',
    );
  });
});

describe('BIRD question template', () => {
  it('yields tasks in which each condition changes the result', () => {
    const environment = bird.create();
    const desk = deskFor();
    const asked = new Map(templates.map(({ question }) => [question, 0]));
    const kindOf = (thought: string, question: string) =>
      templates.find(({ question: pattern }) => matches(pattern, question))?.question ?? thought;
    for (const id of [...environment.trainTasks.slice(0, 400), ...environment.evalTasks]) {
      const { database, question, sql, without, wanted, thought } = desk.taskOf(numberOf(id));
      const result = database.store.ask(sql);
      expect(result).toEqual(wanted);
      for (const other of without) {
        const plain = database.store.ask(other);
        expect('error' in plain ? plain.error : '', other).toBe('');
        expect(sameRows(plain, wanted), other).toBe(false);
      }
      const kind = kindOf(thought, question);
      asked.set(kind, (asked.get(kind) ?? 0) + 1);
    }
    expect(asked.size).toBe(templates.length);
    expect([...asked.values()].every((count) => count > 3)).toBe(true);
  });

  const numberOf = (id: string) => Number(id.slice('bird_'.length));
  const matches = (pattern: string, question: string) =>
    new RegExp(`^${pattern.replace('?', '\\?').replaceAll(/\{\w+\}/g, "('[^']+'|[\\w]+)")}$`).test(
      question,
    );
});

describe('BIRD episode', () => {
  const one = bird.create({ rung: 'one' });
  const several = bird.create({ rung: 'one', turns: 3 });
  const play = (environment: Environment<BirdState>, texts: readonly string[]) => {
    let { state } = environment.reset('bird_0');
    return texts.map((text) => {
      const after = environment.step(state, text);
      state = after.state;
      return after;
    });
  };
  const right = "SELECT pages FROM books WHERE title = 'Inlet'";

  it('describes the tables first, and in a single-turn episode judges the statement by its rows', () => {
    expect(one.reset('bird_0').observation).toBe(
      "library contains tables such as books, loans. Table books has columns such as id, title, genre, pages. id is the primary key. Table loans has columns such as id, book_id, town, weeks. id is the primary key. The book_id of loans is the foreign key of id of books. What pages do the books with title 'Inlet' have?",
    );
    expect(play(one, [right])).toMatchObject([
      { observation: 'Result: [(95,)] The answer is right.', reward: 1, terminated: true },
    ]);
    const others = ['SELECT 95', "SELECT DISTINCT pages FROM books WHERE title LIKE 'inlet';"];
    for (const other of [...others, `\`\`\`sql\n${right};\n\`\`\``, `\`\`\`sql ${right} \`\`\``]) {
      expect(play(one, [other]), other).toMatchObject([{ reward: 1, understood: true }]);
    }
    expect(play(one, ['SELECT pages FROM books'])[0]?.observation).toMatch(
      /^Result: \[.*\] The answer is wrong\.$/,
    );
    expect(play(one, ['SELECT pages FORM books'])).toMatchObject([
      { observation: 'Error: syntax error. The answer is wrong.', reward: 0, understood: true },
    ]);
    expect(play(one, ['submit'])).toMatchObject([{ understood: false, terminated: true }]);
  });

  it('shows rows and errors over several turns, and judges the last statement', () => {
    const turns = play(several, ['SELECT page FROM books', right, 'submit']);
    expect(turns.map(({ observation }) => observation)).toEqual([
      'Error: no such column. Write another statement, or submit the last one.',
      'Result: [(95,)] Write another statement, or submit the last one.',
      'The answer is right.',
    ]);
    expect(turns.map(({ reward }) => reward)).toEqual([0, 0, 1]);
    expect(play(several, [right, 'dance', 'submit']).at(-1)).toMatchObject({ reward: 1 });
    expect(play(several, [right, 'SELECT 1', 'submit']).at(-1)).toMatchObject({ reward: 0 });
    expect(play(several, ['dance', 'dance', right]).at(-1)).toMatchObject({ reward: 1 });
    expect(play(several, [right, 'dance', 'dance']).at(-1)).toMatchObject({ reward: 0 });
    expect(play(several, ['submit'])).toMatchObject([
      { understood: false, terminated: false, reward: 0 },
    ]);
  });

  it('marks the rows that the statement selects, and shows the correct result after a wrong answer', () => {
    const scenes = (options: { rung: string; turns?: number }, texts: readonly string[]) => {
      const said = texts.map((_, i) => texts.slice(0, i));
      return [...said, texts].map((so) => birdScene(options, { task: 0, said: so }));
    };
    const [start, missed] = scenes({ rung: 'one' }, ['SELECT title FROM books WHERE pages > 90']);
    expect(start).toMatchObject({ statement: null, result: null, outcome: 'running', turn: 0 });
    expect(start?.question.filter(({ role }) => role === 'value').map(({ text }) => text)).toEqual([
      " 'Inlet'",
    ]);
    const [books] = missed?.tables ?? [];
    const picked = books?.rows.filter((row) => row.picked) ?? [];
    expect(picked.length).toBeGreaterThan(0);
    expect(picked.every(({ cells }) => Number(cells[3]) > 90)).toBe(true);
    expect(books?.columns.filter(({ named }) => named).map(({ name }) => name)).toEqual([
      'title',
      'pages',
    ]);
    expect(missed?.right?.result.rows).toEqual([['95']]);
    expect(missed && describeScene(missed)).toMatch(
      /The answer is wrong\. The correct statement is SELECT pages/,
    );
    const [, failed, odd] = scenes({ rung: 'one', turns: 3 }, ['SELECT x FROM books', 'a\u0007']);
    expect(failed).toMatchObject({ problem: 'Error: no such column.', result: null });
    expect(odd?.problem).toMatch(/^Invalid action/);
    expect(odd?.statement?.map(({ text }) => text).join('')).toBe('a');
    const grouped = birdScene(
      { rung: 'one' },
      { task: 0, said: ['SELECT genre, COUNT(*) FROM books WHERE pages > 50 GROUP BY genre'] },
    );
    const inGroups = grouped.tables[0]?.rows.filter((row) => row.picked) ?? [];
    expect(inGroups.every(({ cells }) => Number(cells[3]) > 50)).toBe(true);
  });

  it('recognizes its own states', () => {
    const state = { task: 0, said: ['dance'] };
    expect(isBirdState(structuredClone(state))).toBe(true);
    for (const foreign of [
      ...[null, 7, [], {}, { ...state, task: 50_000 }, { ...state, said: 'dance' }],
      ...[
        { ...state, said: [1] },
        { ...state, said: ['x'.repeat(MOST_SAID + 1)] },
      ],
      { ...state, said: Array(6).fill('x') },
    ]) {
      expect(isBirdState(foreign), JSON.stringify(foreign)).toBe(false);
    }
  });
});

it('draws the first columns of a wide result and counts the others', () => {
  const options = { turns: 2 };
  const environment = bird.create(options);
  const [taskId = ''] = environment.trainTasks;
  const { state } = environment.reset(taskId);
  const [table] = deskFor(options).read(state as BirdState).task.database.tables;
  const { name = '', columns = [] } = table ?? {};
  const wide = environment.step(
    state,
    `SELECT * FROM ${name} AS a JOIN ${name} AS b ON a.id = b.id`,
  );
  const props = { environmentId: bird.id, options, taskId, state: wide.state, glide: 0 };
  const markup = renderToStaticMarkup(createElement(view.Component, props));
  const [head = ''] = markup.split('bird-rows')[1]?.split('</thead>') ?? [];
  expect(head.split('<th ').length - 1).toBe(6);
  expect(markup).toContain(`and ${2 * columns.length - 6} more columns`);
});
