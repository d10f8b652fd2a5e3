import type { CSSProperties } from 'react';
import { PAINT_STEP_MS, type PaintedProps } from '../views.ts';
import { type Cell, sameCell } from './board.ts';
import { Goal, Ground, SIDE, Things, x, y } from './drawing.tsx';
import { isMazeState, mazeScene } from './scene.ts';

/** Maximum strength of a color in a cell, in percent, so that the number on it stays legible. */
const STRONGEST = 60;

/** A cell with the turns that were taken in it. */
interface Place {
  readonly cell: Cell;
  readonly turns: readonly number[];
  /** Mean value of its turns. */
  readonly value: number;
}

/** The path through the maze with the number of each turn in the cell where it was taken. */
export function Painted(props: PaintedProps) {
  const { environmentId, options, taskId, states, values, say, turn, backwards } = props;
  const last = states.at(-1);
  if (!isMazeState(last)) return null;
  const scene = mazeScene(environmentId, options, taskId, last);
  const { rows, columns, walls, goal, start, agent, visited, outcome, prizes, traps } = scene;
  const places = placesOf(states, values);
  const most = Math.max(1e-9, ...places.map(({ value }) => Math.abs(value)));
  return (
    <svg
      className="maze"
      viewBox={`0 0 ${columns * SIDE} ${rows * SIDE}`}
      role="img"
      aria-label={`Maze of ${rows} rows and ${columns} columns. ${inWords(places, say)}`}
    >
      <Ground walls={walls} />
      {places.map(({ cell, turns, value }) => (
        <g
          // Re-created for every episode, so that the animation restarts.
          key={`${taskId} ${cell.row},${cell.column} ${values.length}`}
          className={`maze-paint maze-paint-${value < 0 ? 'below' : 'above'}${backwards ? ' maze-paint-coming' : ''}${turn !== null && turns.includes(turn) ? ' maze-paint-chosen' : ''}`}
          transform={`translate(${x(cell)} ${y(cell)})`}
          style={paint(value / most, values.length - 1 - Math.max(...turns))}
        >
          <rect x={-8.5} y={-8.5} width={17} height={17} rx={2} />
        </g>
      ))}
      <polyline
        className="maze-path"
        points={visited.map((cell) => `${x(cell)},${y(cell)}`).join(' ')}
      />
      <rect
        className="maze-start"
        x={x(start) - 9.6}
        y={y(start) - 9.6}
        width={19.2}
        height={19.2}
        rx={3}
      />
      <Things prizes={prizes} traps={traps} />
      <Goal cell={goal} reached={outcome === 'success'} />
      {sameCell(agent, goal) ? null : (
        <circle className="maze-agent maze-dot" cx={x(agent)} cy={y(agent)} r={2.4} />
      )}
      {places.map(({ cell, turns, value }) => (
        <text
          key={`${taskId} ${cell.row},${cell.column} ${values.length}`}
          className={backwards ? 'maze-number maze-paint-coming' : 'maze-number'}
          style={paint(0, values.length - 1 - Math.max(...turns))}
          x={x(cell)}
          y={y(cell) + 2.3}
        >
          {say(value)}
        </text>
      ))}
    </svg>
  );
}

declare module 'react' {
  interface CSSProperties {
    /** Strength of the cell's color. */
    '--paint'?: string;
  }
}

function paint(share: number, after: number): CSSProperties {
  return {
    '--paint': `${Math.round(STRONGEST * Math.abs(share))}%`,
    animationDelay: `${PAINT_STEP_MS * after}ms`,
  };
}

/** Every cell in which a turn was taken, in the order of entry. */
function placesOf(states: readonly unknown[], values: readonly number[]): readonly Place[] {
  const found = new Map<string, { readonly cell: Cell; readonly turns: number[] }>();
  for (const turn of values.keys()) {
    const state = states[turn];
    if (!isMazeState(state)) continue;
    const { position: cell } = state;
    const key = `${cell.row},${cell.column}`;
    const known = found.get(key) ?? { cell, turns: [] };
    known.turns.push(turn);
    found.set(key, known);
  }
  return [...found.values()].map(({ cell, turns }) => ({
    cell,
    turns,
    value: turns.reduce((sum, turn) => sum + (values[turn] ?? 0), 0) / turns.length,
  }));
}

/** Text description of the numbers for screen readers. */
function inWords(places: readonly Place[], say: PaintedProps['say']): string {
  const list = places.map(
    ({ cell, value }) => `row ${cell.row}, column ${cell.column}: ${say(value)}`,
  );
  return `Along the path: ${list.join('; ')}.`;
}
