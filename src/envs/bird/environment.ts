import { aspect } from '../holdout.ts';
import { numberedIds } from '../numbered-tasks.ts';
import {
  type Demonstration,
  type Environment,
  EpisodeOverError,
  type Holdout,
  type Observed,
  type Transition,
} from '../types.ts';
import { type BirdState, type Desk, type Episode, lastStatement, MOST_SAID } from './episode.ts';
import { birdId } from './options.ts';
import { sameRows } from './sqlite.ts';
import type { Task } from './tasks.ts';
import {
  faultText,
  firstObservation,
  instructionOf,
  lexiconOf,
  resultText,
  SUBMIT,
  SUBMIT_THOUGHT,
  thoughtLexiconOf,
  withNext,
  withVerdict,
} from './text.ts';

export function createBird(desk: Desk): Environment<BirdState> {
  const { read } = desk;
  const isSeveral = desk.turns > 1;
  const { trainTasks, evalTasks, numberOf } = numberedIds(birdId, 'bird', desk.rungs);

  return {
    id: birdId,
    trainTasks,
    evalTasks,
    holdout: holdoutOf((id) => desk.taskOf(numberOf(id))),
    turnLimit: desk.turns,
    instruction: instructionOf(desk.turns),
    lexicon: lexiconOf(isSeveral),
    thoughtLexicon: thoughtLexiconOf(isSeveral),

    reset(taskId): Observed<BirdState> {
      const task = numberOf(taskId);
      const { database, question } = desk.taskOf(task);
      return {
        state: { task, said: [] },
        observation: firstObservation(database.schema, question),
      };
    },

    step(state, text): Transition<BirdState> {
      if (read(state).end !== null) throw new EpisodeOverError(birdId);
      const after = { task: state.task, said: [...state.said, text.slice(0, MOST_SAID)] };
      const episode = read(after);
      return {
        state: after,
        observation: observed(episode),
        reward: episode.end === 'right' ? 1 : 0,
        terminated: episode.end !== null,
        understood: episode.turns.at(-1)?.kind !== 'not understood',
      };
    },

    success: (state) => read(state).end === 'right',

    admissibleActions(state): readonly string[] {
      const episode = read(state);
      return episode.end === null ? offers(episode) : [];
    },

    expert(state): Demonstration {
      const episode = read(state);
      if (episode.end !== null) throw new EpisodeOverError(birdId);
      return isAnswered(episode)
        ? { thought: SUBMIT_THOUGHT, action: SUBMIT }
        : { thought: episode.task.thought, action: episode.task.sql };
    },
  };
}

/** The observation after a turn. */
function observed({ turns, end }: Episode): string {
  const last = turns.at(-1);
  const text =
    last?.kind === 'statement'
      ? resultText(last.result)
      : last?.kind === 'not understood'
        ? faultText(last.fault)
        : '';
  return end === null ? withNext(text) : withVerdict(text, end === 'right').trim();
}

/** Whether the last statement is correct. */
function isAnswered({ turns, task }: Episode): boolean {
  const last = lastStatement(turns);
  return last !== undefined && sameRows(last.result, task.wanted);
}

/**
 * Admissible actions: selecting each column of each table, counting its rows, the correct statement, and
 * `submit` once a statement has run.
 */
function offers({ task, turns }: Episode): readonly string[] {
  const { tables } = task.database;
  const plain = tables.flatMap(({ name, columns }) => [
    ...columns.map((column) => `SELECT ${column.name} FROM ${name}`),
    `SELECT COUNT(*) FROM ${name}`,
  ]);
  const submit = lastStatement(turns) === undefined ? [] : [SUBMIT];
  return [...new Set([task.sql, ...plain]), ...submit].sort();
}

/** Questions are held out by their text, so no evaluation question occurs in training. */
function holdoutOf(taskOf: (id: string) => Task): Holdout {
  const question = (id: string) => {
    const { database, question: words } = taskOf(id);
    return `${database.schema.name}: ${words}`;
  };
  const rows = (id: string) =>
    JSON.stringify(taskOf(id).database.tables.map((table) => table.rows));
  return {
    sentence:
      'Evaluation asks questions that do not occur in training. Their tables, columns, words and numbers do, but not in this combination. Databases and kinds of questions are the same as in training.',
    sameTasks: false,
    aspects: [
      aspect('questions with their databases', true, (id) => `${question(id)}\n${rows(id)}`),
      aspect('questions', true, question),
      aspect('right statements', false, (id) => taskOf(id).sql),
      aspect('databases', false, rows),
    ],
    cluster: { name: 'questions', of: question },
  };
}
