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
import '../motion.css';
import './view.css';

/** Share of `glide` for typing a statement, and the delay between rows of its result. */
const WRITING = 0.5;
const WAITING = 0.08;

/** The question, the statement with its rows, and the tables with the selected rows. */
function BirdView({ options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isBirdState(state) || !isSqliteThere()) return null;
  const scene = birdScene(options, state);
  return (
    <div
      className="bird"
      role="img"
      aria-label={describeScene(scene)}
      data-outcome={scene.outcome}
      data-turn={scene.turn}
    >
      <div className="bird-frame" key={taskId}>
        <p className="bird-question">
          <Pieces pieces={scene.question} />
        </p>
        <Query scene={scene} glide={glide} />
        <div className="bird-tables">
          {scene.tables.map((table) => (
            <Stored key={table.name} table={table} turn={scene.turn} glide={glide} />
          ))}
        </div>
        <Verdict scene={scene} glide={glide} />
      </div>
    </div>
  );
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }) {
  return pieces.map(({ text, role }, i) => (
    <span key={i} className={`bird-${role}`}>
      {text}
    </span>
  ));
}

/** Types the last statement, then shows its rows one by one. */
function Query({ scene, glide }: { readonly scene: BirdScene; readonly glide: number }) {
  const { statement, problem, result, turn, turnLimit } = scene;
  if (statement === null) {
    return (
      <div className="bird-card bird-empty">
        <p>
          The statement and its rows appear here. The tables are the database; the agent reads only
          their columns.
        </p>
      </div>
    );
  }
  const writing = { animationDuration: `${WRITING * glide}ms` };
  return (
    <div className={`bird-card ${problem === null ? '' : 'bird-failed'}`} key={turn}>
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
  const style = (row: number) => ({
    animationDuration: `${glide / 2}ms`,
    animationDelay: `${(WRITING + WAITING * row) * glide}ms`,
  });
  return (
    <table className="bird-table bird-rows">
      <thead>
        <tr>
          {columns.map((column, i) => (
            <th key={i}>{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row} className="bird-rising" style={style(row)}>
            {cells.map((text, i) => (
              <td key={i}>{text}</td>
            ))}
          </tr>
        ))}
      </tbody>
      {more === 0 && rows.length > 0 ? null : (
        <caption>{rows.length === 0 ? 'no rows' : `and ${more} more`}</caption>
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

/** A table of the database: columns that the statement names are marked, and rows that it selects. */
function Stored({ table: { name, columns, rows }, turn, glide }: StoredProps) {
  const style = { animationDuration: `${glide / 2}ms`, animationDelay: `${WRITING * glide}ms` };
  return (
    <table className="bird-table">
      <caption>{name}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} className={column.named ? 'bird-named' : undefined}>
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
              <td key={i} className={columns[i]?.named ? 'bird-named' : undefined}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A tick, or a cross with the right statement and its rows. */
function Verdict({ scene, glide }: { readonly scene: BirdScene; readonly glide: number }) {
  const { outcome, right } = scene;
  if (outcome === 'running') return <p className="bird-verdict bird-empty">no answer yet</p>;
  const isRight = outcome === 'success';
  return (
    <div className={`bird-verdict ${isRight ? 'bird-success' : 'bird-missed'}`}>
      <p className="bird-rising" style={{ animationDuration: `${glide}ms` }}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={isRight ? 'm2.5 8.5 3.5 3.5 7.5-8' : 'm3.5 3.5 9 9m0-9-9 9'} />
        </svg>
        {isRight ? 'These are the right rows.' : 'The right statement'}
      </p>
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

/** A statement is free text, so the page's list of actions suits it better than keys. */
export const view: EnvironmentView = { Component: BirdView, keys: {} };
