import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { expectQuick, leastProcessorMs, processorMs } from '../../testing/processor-time.ts';
import { databaseOf } from './database.ts';
import { type Fault, guardFault, MOST_CHARACTERS } from './guard.ts';
import { bird } from './index.ts';
import { schemas } from './schemas.ts';
import { MOST_ROWS, TOO_MANY_ROWS } from './sqlite.ts';

const tables = new Set(['items', 'orders']);
const fault = (text: string) => guardFault(text, tables);

describe('guardFault', () => {
  it.each([
    'SELECT name FROM items',
    'select COUNT(*) from items where name LIKE "l%" group by colour having AVG (price) > 3.5',
    'SELECT items.name, orders.day FROM items JOIN orders ON orders.item_id = items.id',
    'SELECT name FROM items WHERE id NOT IN (SELECT item_id FROM orders) ORDER BY 1 LIMIT 1',
    "SELECT CASE WHEN price > 3 THEN 'much' ELSE 'little' END FROM items WHERE name IN ('a', 'b')",
    'SELECT CAST(price AS TEXT) FROM items AS T1 UNION SELECT day FROM orders AS T2',
    "SELECT 'with || and -- values' FROM items",
  ])('accepts %s', (text) => {
    expect(fault(text)).toBeNull();
  });

  it.each([
    ['format', ['', 'DELETE FROM items', 'SELECT', ' SELECT 1', 'SELECT 1 ', 'SELECT  1']],
    ['format', ['SELECT\t1', 'SELECT 1\n', 'SELECT é', 'EXPLAIN SELECT 1', 'PRAGMA user_version']],
    ['long', [`SELECT ${'1'.repeat(MOST_CHARACTERS)}`]],
    ['more', ['SELECT 1; DROP TABLE items', 'SELECT 1;;']],
    [
      'comment',
      ['SELECT 1 -- one', 'SELECT 1 /* one */', "SELECT 1 FROM items /*'*/ , orders /*'*/"],
    ],
    ['word', ["SELECT 'a' || 'b'", 'SELECT * FROM (VALUES (1), (2))', 'SELECT current_time']],
    ['word', ['SELECT 1 FROM (WITH RECURSIVE c AS (SELECT 1) SELECT * FROM c)']],
    [
      'function',
      ['SELECT randomblob(9)', 'SELECT zeroblob (9)', 'SELECT "printf"(1)', 'SELECT f()'],
    ],
    ['function', ["SELECT replace('a', 'a', 'bb')", "SELECT date('now')", 'SELECT [random]()']],
    ['source', ['SELECT * FROM sqlite_master', "SELECT * FROM 'sqlite_schema'"]],
    ['source', ['SELECT * FROM pragma_function_list', 'SELECT * FROM json_each, items']],
    ['source', ['SELECT * FROM "JSON_TREE"', 'SELECT * FROM [pragma_table_list]']],
    ['work', ['SELECT 1 FROM items a, items b, items c, items d, items e']],
    ['work', ['SELECT 1 FROM "items" a, [ORDERS] b, `items` c, \'items\' d, main.items e']],
    ['work', ['SELECT (SELECT (SELECT (SELECT (SELECT 1))))']],
  ] as const satisfies readonly (readonly [Fault, readonly string[]])[])(
    'rejects invalid statements with the fault "%s"',
    (why, texts) => {
      for (const text of texts) expect(fault(text), text).toBe(why);
    },
  );

  it('accepts only statements that run in under a second', () => {
    for (const [index, { tables: all }] of schemas.entries()) {
      const { store, names } = databaseOf(index, 0);
      const table = all.at(-1)?.name ?? '';
      const sources = ['a', 'b', 'c', 'd'].map((alias) => `${table} ${alias}`).join(', ');
      const statements = [
        `SELECT COUNT(*), SUM (a.id + b.id * c.id - d.id) FROM ${sources}`,
        `SELECT MAX (upper(a.id)) FROM ${sources} WHERE a.id LIKE '%1%' OR b.id LIKE '%2%'`,
        `SELECT COUNT(DISTINCT a.id * 1000 + b.id) FROM ${sources} ORDER BY 1`,
        `SELECT a.id, COUNT(*) FROM ${sources} GROUP BY a.id, b.id, c.id HAVING d.id > 1 ORDER BY b.id`,
      ];
      for (const statement of statements) {
        let run = 0;
        const ask = () => {
          // A different text each time: the database caches results.
          const text = statement.replace('SELECT', `SELECT ${run++},`);
          expect(guardFault(text, names)).toBeNull();
          expect(store.ask(text)).toHaveProperty('rows');
        };
        expect(leastProcessorMs(1000, ask), statement).toBeLessThan(1000);
      }
      const many = store.ask(`SELECT a.id FROM ${sources}`);
      expect(many).toEqual({ error: TOO_MANY_ROWS });
      const some = store.ask(`SELECT a.id FROM ${sources} LIMIT ${MOST_ROWS}`);
      expect('rows' in some && some.rows.length).toBe(MOST_ROWS);
    }
  });
});

/** Ways to corrupt a statement. */
const spoilers: readonly ((sql: string, at: number, other: string) => string)[] = [
  (sql, at) => sql.slice(0, at),
  (sql, at) => sql.slice(at),
  (sql, at, other) => sql.slice(0, at) + other + sql.slice(at),
  (sql, at) => sql.slice(0, at) + sql.slice(at + 1),
  (sql) => sql.replace('SELECT', 'SELEC'),
  (sql) => sql.replace('FROM', 'FORM'),
  (sql, _, other) => sql.replace(/FROM \w+/, `FROM ${other}`),
  (sql, at) => {
    const words = sql.split(' ');
    return words.filter((_, i) => i !== at % words.length).join(' ');
  },
  (sql, at) => {
    const words = sql.split(' ');
    return [...words, words[at % words.length]].join(' ');
  },
  (sql) => sql.replaceAll("'", ''),
  (sql) => `${sql} WHERE ${sql}`,
  (sql) => `${sql}; ${sql}`,
  (sql, at) => `SELECT ${'('.repeat(at)}${sql}`,
  (sql) => sql.replace('SELECT', 'SELECT SUM (COUNT(*)),'),
  (sql, at) => `${sql} ORDER BY ${at}`,
];

describe.each([1, 5])(
  'BIRD under a thousand malformed statements, with a limit of %i turns',
  (turns) => {
    it('replies to each statement quickly, using only lexemes of its vocabulary', () => {
      const environment = bird.create({ turns });
      const tokenizer = new WordTokenizer(environment.lexicon);
      const cases = fc.sample(
        fc.tuple(fc.constantFrom(...spoilers), fc.nat(80), fc.string({ maxLength: 5 })),
        // A seed for each limit: the databases cache the results of the statements.
        { seed: turns, numRuns: 1000 },
      );
      const times: number[] = [];
      let failed = 0;
      for (const [i, [spoil, at, other]] of cases.entries()) {
        const { state } = environment.reset(environment.trainTasks[i] ?? '');
        const said = spoil(environment.expert(state).action, at, other);
        const step = () => environment.step(state, said);
        times.push(processorMs(step));
        const { observation, understood } = step();
        expect(tokenizer.decode(tokenizer.encode(observation)), said).toBe(observation);
        if (!understood || observation.startsWith('Error: ')) failed++;
        expect(observation).toMatch(understood ? /^(Error|Result): / : /^Invalid action: /);
      }
      expect(failed).toBeGreaterThan(600);
      // Milliseconds; about a hundred times what a statement takes.
      expectQuick(times, 100);
    });
  },
);
