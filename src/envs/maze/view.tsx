import './view.css';
import { type CSSProperties, useId } from 'react';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import { type Cell, sameCell } from './board.ts';
import { Goal, Ground, SIDE, Things, x, y } from './drawing.tsx';
import { Painted } from './painted.tsx';
import { isMazeState, type MazeScene, mazeScene } from './scene.ts';

/** Arrow keys move; the texts are the environment's actions. */
const keys: Readonly<Record<string, string>> = {
  ArrowUp: 'move up',
  ArrowDown: 'move down',
  ArrowLeft: 'move left',
  ArrowRight: 'move right',
};

/** Number of most recent cells of the path that are emphasized. */
const FRESH = 6;

const points = (cells: readonly Cell[]) => cells.map((cell) => `${x(cell)},${y(cell)}`).join(' ');

/** Text description of the scene for screen readers. */
export function describeScene(scene: MazeScene): string {
  const turns = scene.turn === 1 ? '1 turn' : `${scene.turn} turns`;
  const at = (cell: Cell) => `row ${cell.row}, column ${cell.column}`;
  const end =
    scene.outcome === 'success'
      ? ' The goal is reached.'
      : scene.outcome === 'failure'
        ? scene.traps.some((trap) => sameCell(trap, scene.agent))
          ? ' The agent is in a trap.'
          : ' No turns are left.'
        : '';
  const list = (cells: readonly Cell[]) => cells.map(at).join('; ');
  const prizes = scene.prizes.filter(({ left }) => left).map(({ cell }) => cell);
  const things = [
    ...(prizes.length === 0 ? [] : [` Prizes at ${list(prizes)}.`]),
    ...(scene.traps.length === 0 ? [] : [` Traps at ${list(scene.traps)}.`]),
  ].join('');
  return `Maze of ${scene.rows} rows and ${scene.columns} columns. The agent is at ${at(scene.agent)}, after ${turns}. It started at ${at(scene.start)}. The goal is at ${at(scene.goal)}.${things}${end}`;
}

/** The maze from above: walls, goal, the path walked and the agent. */
function MazeView({ environmentId, options, taskId, state, glide, rival }: EnvironmentViewProps) {
  const clip = useId();
  if (!isMazeState(state)) return null;
  const scene = mazeScene(environmentId, options, taskId, state);
  const { rows, columns, walls, goal, start, agent, visited, outcome, prizes, traps } = scene;
  const width = columns * SIDE;
  const height = rows * SIDE;
  const entered = new Map<string, number>();
  for (const cell of visited) {
    const key = `${cell.row},${cell.column}`;
    entered.set(key, (entered.get(key) ?? 0) + 1);
  }
  const style = { transitionDuration: `${glide}ms` };
  return (
    <svg
      className="maze"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={describeScene(scene)}
      data-row={agent.row}
      data-column={agent.column}
      data-outcome={outcome}
    >
      <defs>
        <clipPath id={clip}>
          <rect width={width} height={height} rx={8} />
        </clipPath>
      </defs>
      <g clipPath={`url(#${clip})`}>
        <Ground walls={walls} />
        {[...entered].map(([key, times]) => {
          const [row = 0, column = 0] = key.split(',').map(Number);
          return (
            <rect
              key={key}
              className="maze-visited"
              x={column * SIDE + 1.5}
              y={row * SIDE + 1.5}
              width={SIDE - 3}
              height={SIDE - 3}
              rx={2}
              opacity={Math.min(0.5, 0.12 + 0.07 * times)}
            />
          );
        })}
        <polyline className="maze-path" points={points(visited)} />
        <polyline className="maze-path maze-path-fresh" points={points(visited.slice(-FRESH))} />
        <circle className="maze-start" cx={x(start)} cy={y(start)} r={5} />
        <Things prizes={prizes} traps={traps} />
        <Goal cell={goal} reached={outcome === 'success'} />
        {isMazeState(rival) ? <Rival cell={rival.position} style={style} /> : null}
        <g
          className="maze-agent"
          style={{ ...style, transform: `translate(${x(agent)}px, ${y(agent)}px)` }}
        >
          {outcome === 'success' ? <circle className="maze-glow" r={11} /> : null}
          <circle className="maze-body" r={6.6} />
          <circle className="maze-eye" cx={-2.2} cy={-1} r={1.15} />
          <circle className="maze-eye" cx={2.2} cy={-1} r={1.15} />
          <path
            className="maze-mouth"
            d={
              outcome === 'success'
                ? 'M-2.4 1.6Q0 4.2 2.4 1.6'
                : outcome === 'failure'
                  ? 'M-2.2 3Q0 1.2 2.2 3'
                  : 'M-1.6 2.3H1.6'
            }
          />
        </g>
      </g>
    </svg>
  );
}

/** Another agent on the same task; if both are in one cell, its edge stays visible. */
function Rival({ cell, style }: { readonly cell: Cell; readonly style: CSSProperties }) {
  const transform = `translate(${x(cell)}px, ${y(cell)}px)`;
  return (
    <g className="maze-agent maze-rival" style={{ ...style, transform }}>
      <circle r={8.4} />
      <circle className="maze-rival-eye" cx={-2.2} cy={-1} r={1.15} />
      <circle className="maze-rival-eye" cx={2.2} cy={-1} r={1.15} />
    </g>
  );
}

/** A move into a wall changes nothing. */
function remark(before: unknown, after: unknown): string | null {
  if (!isMazeState(before) || !isMazeState(after)) return null;
  const stayed = sameCell(before.position, after.position);
  return stayed ? 'A wall blocks the move; the turn is lost.' : null;
}

export const view: EnvironmentView = { Component: MazeView, Painted, remark, keys };
