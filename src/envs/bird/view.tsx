import { Verdict, ViewRoot } from '../view-parts.tsx';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import {
  type BirdScene,
  birdScene,
  describeScene,
  isBirdState,
  type Piece,
  type ShownRows,
  type ShownTable,
} from './scene.ts';
import { isSqliteThere } from './sqlite.ts';
import './view.css';

/** Shares of `glide`: for typing a statement, and between two rows of its result. */
const WRITING = 0.5;
const WAITING = 0.08;

/** Maximum number of columns drawn of a result; a single further one is drawn instead of counted. */
const MANY_COLUMNS = 6;

/** The question, the statement with its rows, and the tables with the selected rows. */
function BirdView({ options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isBirdState(state) || !isSqliteThere()) return null;
  const scene = birdScene(options, state);
  return (
    <ViewRoot name="bird" description={describeScene(scene)} scene={scene}>
      <div className="view-column" key={taskId}>
        <p className="bird-question view-question">
          <Pieces pieces={scene.question} />
        </p>
        <Query scene={scene} glide={glide} />
        <div className="bird-tables">
          {scene.tables.map((table) => (
            <Stored key={table.name} table={table} turn={scene.turn} glide={glide} />
          ))}
        </div>
        <Outcome scene={scene} glide={glide} />
      </div>
    </ViewRoot>
  );
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return pieces.map(({ text, role }, i) => (
    <span key={i} translate="no" className={`bird-${role}`}>
      {text}
    </span>
  ));
}

/** Types the last statement, then shows its rows one by one. */
function Query({ scene, glide }: { readonly scene: BirdScene; readonly glide: number }) {
  const { statement, problem, result, turn, turnLimit } = scene;
  if (statement === null) {
    return (
      <div className="view-card view-empty">
        <p>
          The statement and its rows appear here. The tables show the database; the agent sees only
          their column names.
        </p>
      </div>
    );
  }
  const writing = { animationDuration: `${WRITING * glide}ms` };
  return (
    <div className={`bird-card view-card ${problem === null ? '' : 'view-failed'}`} key={turn}>
      <p className="bird-statement" style={writing}>
        <Pieces pieces={statement} />
      </p>
      {problem === null ? null : <p className="bird-problem">{problem}</p>}
      {result === null ? null : <Rows rows={result} glide={glide} />}
      {turnLimit === 1 ? null : (
        <small>
          {turn} of {turnLimit} turns used
        </small>
      )}
    </div>
  );
}

function Rows({ rows: { columns, rows, more }, glide }: RowsProps) {
  const drawn = columns.length > MANY_COLUMNS + 1 ? MANY_COLUMNS : columns.length;
  const hidden = columns.length - drawn;
  const style = (row: number) => ({
    animationDuration: `${glide / 2}ms`,
    animationDelay: `${(WRITING + WAITING * row) * glide}ms`,
  });
  return (
    <table className="view-table bird-table bird-rows">
      <thead>
        <tr>
          {columns.slice(0, drawn).map((column, i) => (
            <th key={i} translate="no">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row} className="bird-rising" style={style(row)}>
            {cells.slice(0, drawn).map((text, i) => (
              <td key={i} translate="no">
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {more === 0 && hidden === 0 && rows.length > 0 ? null : (
        <caption>
          {rows.length === 0 ? <p>no rows</p> : more === 0 ? null : <p>and {more} more</p>}
          {hidden === 0 ? null : <p>and {hidden} more columns</p>}
        </caption>
      )}
    </table>
  );
}

interface RowsProps {
  readonly rows: ShownRows;
  readonly glide: number;
}

interface StoredProps {
  readonly table: ShownTable;
  readonly turn: number;
  readonly glide: number;
}

/** A table of the database. The columns that the statement names and the rows that it selects are marked. */
function Stored({ table: { name, columns, rows }, turn, glide }: StoredProps) {
  const style = { animationDuration: `${glide / 2}ms`, animationDelay: `${WRITING * glide}ms` };
  return (
    <table className="view-table bird-table">
      <caption translate="no">{name}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.name}
              translate="no"
              className={column.named ? 'bird-named' : undefined}
            >
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells, picked }) => (
          <tr
            key={picked ? `${key} ${turn}` : key}
            className={picked ? 'bird-picked' : undefined}
            style={picked ? style : undefined}
          >
            {cells.map((text, i) => (
              <td key={i} translate="no" className={columns[i]?.named ? 'bird-named' : undefined}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A check mark, or a cross with the correct statement and its rows. */
function Outcome({ scene, glide }: { readonly scene: BirdScene; readonly glide: number }) {
  const { outcome, right } = scene;
  const isRight = outcome === 'running' ? null : outcome === 'success';
  return (
    <div>
      <Verdict right={isRight} glide={glide}>
        {isRight === null
          ? 'no answer yet'
          : isRight
            ? 'These are the correct rows.'
            : 'The correct statement'}
      </Verdict>
      {right === null ? null : (
        <div className="bird-right">
          <p className="bird-statement">
            <Pieces pieces={right.statement} />
          </p>
          <Rows rows={right.result} glide={0} />
        </div>
      )}
    </div>
  );
}

/** No keys: a statement is free text. The page lists actions instead. */
export const view: EnvironmentView = { Component: BirdView, keys: {} };
