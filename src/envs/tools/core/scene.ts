/** The picture of an episode: the goal, the calls, the last reply, and the world with what changed. */

import { MAX_ACTION_LENGTH } from './call.ts';
import { type Desk, type Episode, isTaskNumber, type ToolsState, type Turn } from './episode.ts';
import { isList, type Json, print, scalarsOf } from './json.ts';
import type { Table, TableRow } from './kit.ts';
import { FINISH } from './text.ts';

/** A piece of the goal: fixed words, or a value that calls need. */
export interface GoalPiece {
  readonly text: string;
  readonly value: boolean;
}

/** How a turn went. */
export type TurnKind = 'reply' | 'error' | 'not understood' | 'finish';

/** One turn, ready to draw. */
export interface ShownTurn {
  readonly kind: TurnKind;
  /** The tool's name, or what was said where it is no call. */
  readonly name: string;
  readonly args: readonly { readonly name: string; readonly value: string }[];
  /** What came back, in lines: an item of a list each. */
  readonly reply: readonly string[];
}

/** `unread`: neither the goal nor a reply has named it so far. */
export type RowState = 'unread' | 'read' | 'reading' | 'changed' | 'new' | 'gone';

export interface ShownRow {
  readonly key: string;
  readonly state: RowState;
  readonly cells: readonly { readonly text: string; readonly changed: boolean }[];
}

export interface ShownTable {
  readonly title: string;
  readonly changed: boolean;
  readonly columns: readonly string[];
  /** Empty where the table is folded. */
  readonly rows: readonly ShownRow[];
  /** Rows that are not shown: of a large world only what was read is spread out. */
  readonly folded: number;
}

export interface ToolsScene {
  readonly goal: readonly GoalPiece[];
  /** Oldest first. */
  readonly turns: readonly ShownTurn[];
  readonly turnLimit: number;
  readonly tables: readonly ShownTable[];
  /** The answer that was given; null before. */
  readonly answer: string | null;
  /** What would have been right, once the goal has been missed; null otherwise. */
  readonly truth: string | null;
  /** Whether the world is not as the goal wants it, once the goal has been missed. */
  readonly worldDiffers: boolean;
  readonly outcome: 'running' | 'success' | 'missed' | 'out of turns';
}

/** Rows of a world that is always spread out. */
const MANY_ROWS = 24;
/** Most turns of any kit, with room. */
const MOST_TURNS = 100;

/** True for a value that is a state of these environments, as one that came from storage or a worker. */
export function isToolsState(value: unknown): value is ToolsState {
  if (typeof value !== 'object' || value === null) return false;
  const { task, said } = value as Record<string, unknown>;
  return (
    isTaskNumber(task) &&
    Array.isArray(said) &&
    said.length <= MOST_TURNS &&
    said.every((text) => typeof text === 'string' && text.length <= MAX_ACTION_LENGTH + 1)
  );
}

export function toolsScene<World extends Json>(desk: Desk<World>, state: ToolsState): ToolsScene {
  const episode = desk.read(state);
  const { task, turns, end } = episode;
  const last = turns.at(-1)?.call;
  const answer = last?.tool === FINISH ? last.args.answer : undefined;
  return {
    goal: goalPieces(task.goal, Object.values(task.fillings).map(print)),
    turns: turns.map(shownTurn),
    turnLimit: desk.kit.turnLimit,
    tables: shownTables(desk, episode),
    answer: answer === undefined ? null : print(answer),
    truth: end === 'missed' || end === 'out of turns' ? print(task.answer) : null,
    worldDiffers: end === 'missed' && !desk.isAsWanted(task, episode.world),
    outcome: end === null ? 'running' : end === 'reached' ? 'success' : end,
  };
}

/** Cuts the goal around its values. */
function goalPieces(goal: string, values: readonly string[]): GoalPiece[] {
  const [first, ...others] = values;
  if (first === undefined) return goal === '' ? [] : [{ text: goal, value: false }];
  const at = goal.indexOf(first);
  if (at === -1) return goalPieces(goal, others);
  return [
    ...goalPieces(goal.slice(0, at), others),
    { text: first, value: true },
    ...goalPieces(goal.slice(at + first.length), others),
  ];
}

/** Without control characters and halves of characters, which a page cannot show. */
const presentable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, ' ');

function shownTurn<World extends Json>({ said, call, reply, value }: Turn<World>): ShownTurn {
  if (call === null) {
    const shown = said.trim() === '' ? '(nothing)' : presentable(said);
    return { kind: 'not understood', name: shown, args: [], reply: [reply] };
  }
  const args = Object.entries(call.args).map(([name, arg]) => ({
    name,
    value: presentable(print(arg)),
  }));
  if (call.tool === FINISH) return { kind: 'finish', name: call.tool, args, reply: [] };
  const lines = value !== null && isList(value) ? value.map(print) : [reply];
  return { kind: value === null ? 'error' : 'reply', name: call.tool, args, reply: lines };
}

/** The world's tables before and after the last turn, laid over each other. */
function shownTables<World extends Json>(
  { kit }: Desk<World>,
  { task, turns, world }: Episode<World>,
): ShownTable[] {
  const before = kit.tables(turns.at(-2)?.world ?? task.world);
  // What the goal names, and what each turn has read: of its reply, and of its arguments where it got one.
  const told = [
    new Set(Object.values(task.fillings).map(String)),
    ...turns.map(
      ({ call, value }) =>
        new Set(
          call === null || value === null
            ? []
            : [...scalarsOf(call.args), ...scalarsOf(value)].map(String),
        ),
    ),
  ];
  const tells = (values: ReadonlySet<string> | undefined, { marks }: TableRow): boolean =>
    values !== undefined && marks.every((mark) => values.has(mark));
  const stateOf = (row: TableRow, old: TableRow | undefined): RowState => {
    if (old === undefined) return 'new';
    if (row.cells.some((text, i) => text !== old.cells[i])) return 'changed';
    if (turns.length > 0 && tells(told.at(-1), row)) return 'reading';
    return told.some((values) => tells(values, row)) ? 'read' : 'unread';
  };
  const tables = kit.tables(world).map((table, t): ShownTable => {
    const old: Table | undefined = before[t];
    const rows = table.rows.map((row) => {
      const was = old?.rows.find(({ key }) => key === row.key);
      return {
        key: row.key,
        state: stateOf(row, was),
        cells: row.cells.map((text, i) => ({
          text,
          changed: was !== undefined && was.cells[i] !== text,
        })),
      };
    });
    const gone = (old?.rows ?? []).filter(({ key }) => table.rows.every((row) => row.key !== key));
    return {
      title: table.title,
      changed: old !== undefined && old.title !== table.title,
      columns: table.columns,
      rows: [
        ...rows,
        ...gone.map(
          ({ key, cells }): ShownRow => ({
            key,
            state: 'gone',
            cells: cells.map((text) => ({ text, changed: false })),
          }),
        ),
      ],
      folded: 0,
    };
  });
  const spread = tables.reduce((count, { rows }) => count + rows.length, 0) <= MANY_ROWS;
  return tables.map((table) =>
    spread || table.rows.some(({ state }) => state !== 'unread')
      ? table
      : { ...table, rows: [], folded: table.rows.length },
  );
}

/** What the picture shows, in words, for those who do not see it. */
export function describeScene(scene: ToolsScene): string {
  const { goal, turns, turnLimit, tables, answer, truth, worldDiffers, outcome } = scene;
  const sentences = [`Goal: ${goal.map(({ text }) => text).join('')}`];
  const last = turns.at(-1);
  if (last !== undefined) {
    const { kind, name, args, reply } = last;
    const given = args.map((arg) => `${arg.name} ${arg.value}`).join(', ');
    const called = `${name}${given === '' ? '' : ` with ${given}`}`;
    if (kind === 'not understood') sentences.push(`“${name}” is no call. ${reply.join(' ')}`);
    else if (kind !== 'finish') sentences.push(`Called ${called}. It replied: ${reply.join(' ')}.`);
  }
  for (const { title, rows } of tables) {
    const count = (state: RowState) => rows.filter((row) => row.state === state).length;
    const changes = (['changed', 'new', 'gone'] as const).flatMap((state) =>
      count(state) === 0 ? [] : `${count(state)} ${state}`,
    );
    if (changes.length > 0) sentences.push(`In ${title}: ${changes.join(', ')}.`);
  }
  if (answer !== null) {
    sentences.push(
      `The answer is ${answer}: the goal is ${outcome === 'success' ? '' : 'not '}reached.`,
    );
  }
  if (outcome === 'out of turns') sentences.push('The turns are used up.');
  if (worldDiffers) sentences.push('What was changed is not what the goal wants.');
  if (truth !== null) sentences.push(`The right answer is ${truth}.`);
  sentences.push(`Turn ${turns.length} of ${turnLimit}.`);
  return sentences.join(' ');
}
