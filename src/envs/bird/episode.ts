/** Derives an episode from its task and the agent's texts. */

import { remembered } from '../numbered-tasks.ts';
import type { TranscriptState } from '../said-texts.ts';
import type { Rung } from '../tools/core/kit.ts';
import { type Fault, guardFault, MOST_CHARACTERS } from './guard.ts';
import { birdId } from './options.ts';
import { type Result, sameRows } from './sqlite.ts';
import { drawTask, type Task } from './tasks.ts';
import { SUBMIT } from './text.ts';

export type BirdState = TranscriptState;

/** Maximum number of characters kept of a text; enough for any accepted statement in a code block. */
export const MOST_SAID = MOST_CHARACTERS + 20;

/** The result of one text. */
export type Turn =
  | { readonly kind: 'statement'; readonly sql: string; readonly result: Result }
  /** The last statement counts. */
  | { readonly kind: 'submit' }
  /** `fault` is null if there was nothing to submit. */
  | { readonly kind: 'not understood'; readonly said: string; readonly fault: Fault | null };

export interface Episode {
  readonly task: Task;
  readonly turns: readonly Turn[];
  /** Null while the episode continues. */
  readonly end: 'right' | 'wrong' | null;
}

/** Derives episodes with one set of options. */
export interface Desk {
  /** Turns of an episode. */
  readonly turns: number;
  readonly rungs: readonly Rung[];
  /** Throws a RangeError for a number without a task. */
  taskOf(n: number): Task;
  read(state: BirdState): Episode;
}

/** A code block around a statement, as the original's agents write it. */
const BLOCK = /^```sql\s(.*?);?\s```$/s;

export function openDesk(rungs: readonly Rung[], turns: number): Desk {
  const taskOf = remembered(birdId, (n) => drawTask(rungs, n));

  const turnOf = ({ database }: Task, said: string, before: readonly Turn[]): Turn => {
    if (turns > 1 && said === SUBMIT) {
      return lastStatement(before) !== undefined
        ? { kind: 'submit' }
        : { kind: 'not understood', said, fault: null };
    }
    const sql = (BLOCK.exec(said)?.[1] ?? said).replace(/;$/, '');
    const fault = guardFault(sql, database.names);
    return fault === null
      ? { kind: 'statement', sql, result: database.store.ask(sql) }
      : { kind: 'not understood', said, fault };
  };

  return {
    rungs,
    turns,
    taskOf,
    read({ task: n, said }) {
      const task = taskOf(n);
      const done: Turn[] = [];
      for (const text of said) done.push(turnOf(task, text, done));
      return { task, turns: done, end: endOf(task, done, turns) };
    },
  };
}

/** The last text must be a statement or submit one. */
function endOf({ wanted }: Task, turns: readonly Turn[], most: number): Episode['end'] {
  const last = turns.at(-1);
  if (last?.kind !== 'submit' && turns.length < most) return null;
  if (last === undefined || last.kind === 'not understood') return 'wrong';
  const counts = lastStatement(turns);
  return counts !== undefined && sameRows(counts.result, wanted) ? 'right' : 'wrong';
}

/** The statement that counts if the episode ends now. */
export function lastStatement(turns: readonly Turn[]) {
  return turns.findLast((turn) => turn.kind === 'statement');
}
