import { type RefObject, useLayoutEffect, useRef } from 'react';
import { Verdict, ViewRoot } from '../view-parts.tsx';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import {
  describeScene,
  isToolsState,
  type ShownRow,
  type ShownTable,
  type ShownTurn,
  type ToolsScene,
  toolsScene,
} from './core/scene.ts';
import { deskFor } from './kits.ts';
import './view.css';

/** Time for typing a call, which delays the reply, as a share of `glide`. */
const WRITING = 0.4;
/** The tables change after the reply has appeared. */
const CHANGING = 0.6;

/** The goal, the calls so far, the last one with its reply, and the database with its changes. */
function ToolsView({ environmentId, options, taskId, state, glide }: EnvironmentViewProps) {
  const desk = deskFor(environmentId, options);
  if (desk === undefined || !isToolsState(state)) return null;
  const scene = toolsScene(desk, state);
  return (
    <ViewRoot
      name="tools"
      description={describeScene(scene)}
      scene={{ outcome: scene.outcome, turn: scene.turns.length }}
    >
      <div className="view-column" key={taskId}>
        <p className="tools-goal view-question">
          {scene.goal.map(({ text, value }, i) => {
            const Tag = value ? 'b' : 'span';
            return (
              <Tag key={i} translate="no">
                {text}
              </Tag>
            );
          })}
        </p>
        <Trail scene={scene} />
        <LastCall scene={scene} glide={glide} />
        <div className="tools-tables">
          {scene.tables
            .filter(({ folded }) => folded === 0)
            .map((table) => (
              <World key={table.key} table={table} turn={scene.turns.length} glide={glide} />
            ))}
        </div>
        <Folded tables={scene.tables.filter(({ folded }) => folded > 0)} />
      </div>
    </ViewRoot>
  );
}

const kindClass = ({ kind }: ShownTurn) => `tools-turn-${kind.replaceAll(' ', '-')}`;

/** Every turn by the tool's name, in order. */
function Trail({ scene: { turns, turnLimit } }: { readonly scene: ToolsScene }) {
  return (
    <div className="tools-trail">
      {turns.map((turn, i) => (
        <span key={i} translate="no" className={kindClass(turn)}>
          {turn.kind === 'not understood' ? '?' : turn.name}
        </span>
      ))}
      <small>
        {turns.length} of {turnLimit} turns used
      </small>
    </div>
  );
}

function LastCall({ scene, glide }: { readonly scene: ToolsScene; readonly glide: number }) {
  const turn = scene.turns.at(-1);
  if (turn === undefined) {
    return (
      <div className="view-card view-empty">
        <p>
          A call and its reply appear here. The tables are the database, which the agent sees only
          through replies.
        </p>
      </div>
    );
  }
  const after = { animationDuration: `${glide}ms`, animationDelay: `${WRITING * glide}ms` };
  const failed = turn.kind === 'error' || turn.kind === 'not understood';
  return (
    <div
      className={`view-card ${kindClass(turn)} ${failed ? 'view-failed' : ''}`}
      key={scene.turns.length}
    >
      <p className="tools-call" style={{ animationDuration: `${WRITING * glide}ms` }}>
        <b className="tools-name" translate="no">
          {turn.name}
        </b>
        {turn.args.map(({ name, value }) => (
          <span key={name} className="tools-arg" translate="no">
            <small translate="no">{name}</small> {value}
          </span>
        ))}
      </p>
      {turn.reply.length === 0 ? null : (
        <ul className="tools-reply" style={after}>
          {turn.reply.map((line, i) => (
            <li key={i} translate="no">
              {line}
            </li>
          ))}
        </ul>
      )}
      <Outcome scene={scene} glide={glide} />
    </div>
  );
}

interface WorldProps {
  readonly table: ShownTable;
  readonly turn: number;
  readonly glide: number;
}

/** One table of the database; what the last call read or changed is marked. */
function World({ table, turn, glide }: WorldProps) {
  const { title, changed, columns, rows, grid } = table;
  const style = { animationDuration: `${glide}ms`, animationDelay: `${CHANGING * glide}ms` };
  const body = useMovingRows(glide);
  return (
    <table className={grid ? 'view-table tools-table tools-grid' : 'view-table tools-table'}>
      <caption>
        <span
          key={changed ? turn : 'same'}
          className={changed ? 'tools-cell-changed' : undefined}
          style={style}
        >
          {title}
        </span>
      </caption>
      <thead>
        <tr>
          {grid ? <td /> : null}
          {columns.map((column) => (
            <th key={column} translate="no">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {rows.map((row) => (
          <Row key={row.key} row={row} turn={turn} style={style} />
        ))}
      </tbody>
    </table>
  );
}

/** Tables of a large database that have not been read yet, by title. */
function Folded({ tables }: { readonly tables: readonly ShownTable[] }) {
  if (tables.length === 0) return null;
  return (
    <p className="tools-folded">
      Not read yet:{' '}
      {tables.map(({ key, title, folded }, i) => (
        <span key={key}>
          {i === 0 ? '' : ', '}
          <b>{title}</b> ({folded} rows)
        </span>
      ))}
    </p>
  );
}

/** Rows that have moved glide to their new position. */
function useMovingRows(glide: number): RefObject<HTMLTableSectionElement | null> {
  const body = useRef<HTMLTableSectionElement>(null);
  const tops = useRef<ReadonlyMap<string, number>>(new Map());
  useLayoutEffect(() => {
    const rows = [...(body.current?.rows ?? [])];
    for (const row of rows) {
      const from = tops.current.get(row.dataset.key ?? '');
      if (glide === 0 || from === undefined || from === row.offsetTop) continue;
      const frames = [
        { transform: `translateY(${from - row.offsetTop}px)` },
        { transform: 'none' },
      ];
      row.animate(frames, { duration: glide, easing: 'ease-in-out' });
    }
    tops.current = new Map(rows.map((row) => [row.dataset.key ?? '', row.offsetTop]));
  });
  return body;
}

interface RowProps {
  readonly row: ShownRow;
  readonly turn: number;
  readonly style: { readonly animationDuration: string; readonly animationDelay: string };
}

function Row({ row: { key, heading, state, cells }, turn, style }: RowProps) {
  return (
    <tr className={`tools-row-${state}`} data-key={key}>
      {heading === null ? null : (
        <th scope="row" translate="no">
          {heading}
        </th>
      )}
      {cells.map(({ text, changed, pointed }, i) => (
        <td key={i} className={pointed ? 'tools-cell-pointed' : undefined}>
          <span
            key={changed ? turn : 'same'}
            translate="no"
            className={changed ? 'tools-cell-changed' : undefined}
            style={style}
          >
            {text}
          </span>
        </td>
      ))}
    </tr>
  );
}

/** A tick or a cross, and the correct answer if it was not given. */
function Outcome({ scene, glide }: { readonly scene: ToolsScene; readonly glide: number }) {
  const { truth, worldDiffers, outcome } = scene;
  if (outcome === 'running') return null;
  const right = outcome === 'success';
  const differs = worldDiffers ? 'The tables do not match the goal. ' : '';
  return (
    <Verdict
      right={right}
      glide={glide}
      truth={
        truth === null ? (
          differs || null
        ) : (
          <>
            {differs}Correct answer: <b translate="no">{truth}</b>
          </>
        )
      }
    >
      {outcome === 'out of turns'
        ? 'No turns are left.'
        : right
          ? 'The goal is reached.'
          : 'The goal is not reached.'}
    </Verdict>
  );
}

/** No keys: a call is free text, so the page lists actions instead. */
export const view: EnvironmentView = { Component: ToolsView, keys: {} };
