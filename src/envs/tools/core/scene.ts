/** The data that the view draws: the goal, the calls, the last reply, and the database with its changes. */

import { isTranscriptState } from '../../said-texts.ts';
import { type Desk, type Episode, MOST_SAID, type ToolsState, type Turn } from './episode.ts';
import { isList, type Json, print, scalarsOf } from './json.ts';
import type { Table, TableRow } from './kit.ts';
import { FINISH } from './text.ts';

/** A piece of the goal: fixed words, or a value that calls need. */
interface GoalPiece {
  readonly text: string;
  readonly value: boolean;
}

/** The outcome of a turn. */
type TurnKind = 'reply' | 'error' | 'not understood' | 'finish';

/** A turn to draw. */
export interface ShownTurn {
  readonly kind: TurnKind;
  /** The tool's name, or the text if it is not a call. */
  readonly name: string;
  readonly args: readonly { readonly name: string; readonly value: string }[];
  /** The reply by line; a list has one line per item. */
  readonly reply: readonly string[];
}

/** `unread`: neither the goal nor a reply has named it so far. */
type RowState = 'unread' | 'read' | 'reading' | 'changed' | 'new' | 'gone';

export interface ShownRow {
  readonly key: string;
  /** Its number, in a spreadsheet. */
  readonly heading: string | null;
  readonly state: RowState;
  readonly cells: readonly ShownCell[];
}

interface ShownCell {
  readonly text: string;
  readonly changed: boolean;
  /** Whether the last call or its reply names it. */
  readonly pointed: boolean;
}

export interface ShownTable {
  readonly key: string;
  readonly title: string;
  readonly changed: boolean;
  readonly columns: readonly string[];
  /** Empty if the table is folded. */
  readonly rows: readonly ShownRow[];
  /** Number of rows not shown: in a large database, tables without any row read so far are folded. */
  readonly folded: number;
  /** Drawn as a spreadsheet. */
  readonly grid: boolean;
}

export interface ToolsScene {
  readonly goal: readonly GoalPiece[];
  /** Oldest first. */
  readonly turns: readonly ShownTurn[];
  readonly turnLimit: number;
  readonly tables: readonly ShownTable[];
  /** The agent's answer; null before the end, and if none is asked for. */
  readonly answer: string | null;
  /** The correct answer after a failure; null otherwise, and if none is asked for. */
  readonly truth: string | null;
  /** Whether the database differs from the required one after a failure. */
  readonly worldDiffers: boolean;
  readonly outcome: 'running' | 'success' | 'missed' | 'out of turns';
}

/** A database with up to this many rows is always expanded. */
const MANY_ROWS = 24;
/** A generous limit on the turns of any kit. */
const MOST_TURNS = 100;

/** Whether a value from storage or a worker is a state of these environments. */
export const isToolsState = (value: unknown): value is ToolsState =>
  isTranscriptState(value, MOST_TURNS, MOST_SAID);

export function toolsScene<World extends Json>(desk: Desk<World>, state: ToolsState): ToolsScene {
  const episode = desk.read(state);
  const { task, turns, end } = episode;
  const answer = endedBy(episode)?.args.answer;
  const missed = end === 'missed' || end === 'out of turns';
  return {
    goal: goalPieces(task.goal, Object.values(task.fillings).map(print)),
    turns: turns.map(shownTurn),
    turnLimit: desk.kit.turnLimit,
    tables: shownTables(desk, episode),
    answer: answer === undefined ? null : print(answer),
    truth: missed && task.answer !== null ? print(task.answer) : null,
    worldDiffers: end === 'missed' && !desk.isAsWanted(task, episode.world),
    outcome: end === null ? 'running' : end === 'reached' ? 'success' : end,
  };
}

/** Splits the goal around its values. */
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

/** Replaces control characters and lone surrogates, which a page cannot show, with spaces. */
const presentable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, ' ');

function shownTurn<World extends Json>({ text: said, call, reply, value }: Turn<World>): ShownTurn {
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

/** The values in the goal and in each turn: in its reply, and in the arguments of a successful call. */
function toldValues<World extends Json>({ task, turns }: Episode<World>): ReadonlySet<string>[] {
  return [
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
}

/** The state of a row, given the previous version of the row. */
type RowStates = (row: TableRow, old: TableRow | undefined) => RowState;

/**
 * Determines the state of each row. Rows that the last turn read are marked; after the final answer, all rows
 * that were read in the episode.
 */
function rowStates<World extends Json>(episode: Episode<World>): RowStates {
  const knownValues = toldValues(episode);
  const tells = (values: ReadonlySet<string> | undefined, { marks }: TableRow): boolean =>
    values !== undefined && marks.every((mark) => values.has(mark));
  const ended = endedBy(episode);
  const marked =
    ended === null
      ? knownValues.slice(-1)
      : ended.args.answer === undefined
        ? []
        : knownValues.slice(1);
  return (row, old) => {
    if (old === undefined) return 'new';
    if (row.cells.some((text, i) => text !== old.cells[i])) return 'changed';
    if (episode.turns.length > 0 && marked.some((values) => tells(values, row))) return 'reading';
    return knownValues.some((values) => tells(values, row)) ? 'read' : 'unread';
  };
}

/** The call that ended the episode; null if none did. */
function endedBy<World extends Json>({ turns }: Episode<World>): Turn<World>['call'] {
  const last = turns.at(-1)?.call ?? null;
  return last?.tool === FINISH ? last : null;
}

/** The tables with the changes of the last turn, or of the whole episode at its end. */
function shownTables<World extends Json>(
  { kit }: Desk<World>,
  episode: Episode<World>,
): ShownTable[] {
  const { task, turns, world } = episode;
  const ended = endedBy(episode) !== null;
  const before = kit.tables(ended ? task.world : (turns.at(-2)?.world ?? task.world));
  const after = kit.tables(world);
  const stateOf = rowStates(episode);
  const last = turns.at(-1);
  const places = last?.call && kit.pointsAt ? kit.pointsAt(last.call, last.value) : [];
  const pointed: ReadonlySet<string> = new Set(places);
  const tables = [
    ...after.map((table) =>
      laidOver(
        table,
        before.find(({ key }) => key === table.key),
        stateOf,
        pointed,
      ),
    ),
    ...before.filter(({ key }) => after.every((table) => table.key !== key)).map(shownGone),
  ];
  const spread = tables.reduce((count, { rows }) => count + rows.length, 0) <= MANY_ROWS;
  return tables.map((table) =>
    spread || table.rows.some(({ state }) => state !== 'unread')
      ? table
      : { ...table, rows: [], folded: table.rows.length },
  );
}

/** A table with its changes, removed rows last. */
function laidOver(
  { key: tableKey, title, columns, rows, grid = false }: Table,
  old: Table | undefined,
  stateOf: RowStates,
  pointed: ReadonlySet<string>,
): ShownTable {
  const shown = rows.map((row): ShownRow => {
    const { key, heading = null, cells, places = [] } = row;
    const was = old?.rows.find((candidate) => candidate.key === key);
    return {
      key,
      heading,
      state: stateOf(row, was),
      cells: cells.map((text, i) => ({
        text,
        changed: was !== undefined && was.cells[i] !== text,
        pointed: pointed.has(places[i] ?? ''),
      })),
    };
  });
  const gone = (old?.rows ?? []).filter(({ key }) => rows.every((row) => row.key !== key));
  return {
    key: tableKey,
    title,
    changed: old !== undefined && old.title !== title,
    columns,
    rows: [...shown, ...gone.map((row) => goneRow(row, columns.length))],
    folded: 0,
    grid,
  };
}

/** @param width number of columns of the current table */
function goneRow({ key, heading, cells }: TableRow, width: number): ShownRow {
  const shown = Array.from({ length: width }, (_, i) => cells[i] ?? '');
  return {
    key,
    heading: heading === undefined ? null : '',
    state: 'gone',
    cells: shown.map((text) => ({ text, changed: false, pointed: false })),
  };
}

/** A table that the last call deleted. */
function shownGone({ key, title, columns, rows, grid = false }: Table): ShownTable {
  const gone = rows.map((row) => goneRow(row, columns.length));
  return { key, title, changed: true, columns, rows: gone, folded: 0, grid };
}

/** The scene in words, for screen readers. */
export function describeScene(scene: ToolsScene): string {
  const { goal, turns, turnLimit, tables, answer, truth, worldDiffers, outcome } = scene;
  const sentences = [`Goal: ${goal.map(({ text }) => text).join('')}`];
  const last = turns.at(-1);
  if (last !== undefined) {
    const { kind, name, args, reply } = last;
    const given = args.map((arg) => `${arg.name} ${arg.value}`).join(', ');
    const called = `${name}${given === '' ? '' : ` with ${given}`}`;
    if (kind === 'not understood') sentences.push(`“${name}” is not a call. ${reply.join(' ')}`);
    else if (kind !== 'finish') sentences.push(`Called ${called}. It replied: ${reply.join(' ')}.`);
  }
  for (const { title, rows } of tables) {
    const count = (state: RowState) => rows.filter((row) => row.state === state).length;
    const changes = (['changed', 'new', 'gone'] as const).flatMap((state) =>
      count(state) === 0 ? [] : `${count(state)} ${state}`,
    );
    if (changes.length > 0) sentences.push(`In ${title}: ${changes.join(', ')}.`);
  }
  const finished = outcome === 'success' || outcome === 'missed';
  const reached = `the goal is ${outcome === 'success' ? '' : 'not '}reached.`;
  if (answer !== null) sentences.push(`The agent answered ${answer}: ${reached}`);
  else if (finished) sentences.push(`Finished: ${reached}`);
  if (outcome === 'out of turns') sentences.push('No turns are left.');
  if (worldDiffers) sentences.push('The changes do not match the goal.');
  if (truth !== null) sentences.push(`The correct answer is ${truth}.`);
  sentences.push(`Turn ${turns.length} of ${turnLimit}.`);
  return sentences.join(' ');
}
