/** Tasks by number, each drawn from a seed of its own, the same ones everywhere. */

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
  /** Why the statement is the right one. */
  readonly thought: string;
  readonly database: Database;
  /** What the right statement comes to. */
  readonly wanted: Result;
}

/** Of so many questions one is kept for evaluation. */
const HELD_OUT = 5;
/** Databases that are drawn for a question at most; a template that needs more is at fault. */
const MOST_DRAWS = 10_000;

/** Whether training never has a question about a schema, whatever the rows are. */
const isHeldOut = (schema: string, question: string): boolean =>
  fnv1a(`${schema} ${question}`) % HELD_OUT === 0;

/**
 * The task of a number. Rungs take turns, and the templates of each.
 *
 * Throws an Error where a template hardly ever finds a question.
 */
export function drawTask(rungs: readonly Rung[], n: number): Task {
  const { split, index } = placeOf(n);
  const rung = rungs[index % rungs.length];
  const ofRung = templates.filter((template) => template.rung === rung);
  const round = Math.floor(index / rungs.length);
  const template = ofRung[round % ofRung.length];
  if (template === undefined) throw new Error(`there are no questions of rung ${rung}`);
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
  throw new Error(`hardly any database has a question “${template.question}”`);
}

/** What the statement comes to; null where that is nothing, cannot be shown, or is so without a condition too. */
function clearAnswer({ store }: Database, { sql, without }: Plan): Result | null {
  const result = store.ask(sql);
  if ('error' in result) throw new Error(`${sql}: ${result.error}`);
  const { rows } = result;
  if (rows.length === 0 || !rows.every((row) => row.every(isTellable))) return null;
  return without.some((other) => sameRows(store.ask(other), result)) ? null : result;
}

const isTellable = (value: Value): boolean => value !== null && isShown(value);
