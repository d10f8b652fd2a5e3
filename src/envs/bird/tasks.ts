/** Tasks by number, each drawn from its own seed, the same on every machine. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import { fnv1a } from '../hash.ts';
import { placeOf } from '../numbered-tasks.ts';
import { RUNGS, type Rung } from '../tools/core/kit.ts';
import { type Database, databaseOf, VARIANTS } from './database.ts';
import { fill } from './pattern.ts';
import { schemas } from './schemas.ts';
import { type Result, sameRows, type Value } from './sqlite.ts';
import { type Plan, templates } from './templates.ts';
import { isShown } from './text.ts';

export interface Task extends Plan {
  readonly question: string;
  /** Why the statement is correct. */
  readonly thought: string;
  readonly database: Database;
  /** The result of the correct statement. */
  readonly wanted: Result;
}

/** One question in this many is held out for evaluation. */
const HELD_OUT = 5;
/** Maximum number of databases tried for a question; a template that needs more is broken. */
const MOST_DRAWS = 10_000;

/** Whether a question about a schema is held out, regardless of the rows. */
const isHeldOut = (schema: string, question: string): boolean =>
  fnv1a(`${schema} ${question}`) % HELD_OUT === 0;

/**
 * The task with this number. Rungs alternate, and so do the templates of each rung. Throws an Error if a
 * template hardly ever yields a question.
 */
export function drawTask(rungs: readonly Rung[], n: number): Task {
  const { split, index } = placeOf(n);
  const rung = rungs[index % rungs.length];
  const ofRung = templates.filter((template) => template.rung === rung);
  const round = Math.floor(index / rungs.length);
  const template = ofRung[round % ofRung.length];
  if (template === undefined) throw new Error(`no questions in rung ${rung}`);
  const random = mersenne(fnv1a(`bird ${RUNGS.indexOf(template.rung) + 1} ${split} ${round}`));
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const schema = uniformInt(random, 0, schemas.length - 1);
    const database = databaseOf(schema, uniformInt(random, 0, VARIANTS - 1));
    const plan = template.plan(database, random);
    if (plan === null) continue;
    const question = fill(template.question, plan.fillings);
    if (isHeldOut(database.schema.name, question) !== (split === 'eval')) continue;
    const wanted = clearAnswer(database, plan);
    if (wanted === null) continue;
    return { ...plan, question, thought: fill(template.thought, plan.fillings), database, wanted };
  }
  throw new Error(`hardly any database yields a question “${template.question}”`);
}

/**
 * The result of the statement; null if it is empty, cannot be shown, or stays the same if a condition is
 * dropped.
 */
function clearAnswer({ store }: Database, { sql, without }: Plan): Result | null {
  const result = store.ask(sql);
  if ('error' in result) throw new Error(`${sql}: ${result.error}`);
  const { rows } = result;
  if (rows.length === 0 || !rows.every((row) => row.every(isTellable))) return null;
  return without.some((other) => sameRows(store.ask(other), result)) ? null : result;
}

const isTellable = (value: Value): boolean => value !== null && isShown(value);
