/** What pictures of mazes are made of. */

import type { Cell } from './board.ts';
import type { MazeScene } from './scene.ts';

/** Side of a cell in units of the drawing. */
export const SIDE = 20;

/** The middle of a cell. */
export const x = (cell: Cell) => (cell.column + 0.5) * SIDE;
export const y = (cell: Cell) => (cell.row + 0.5) * SIDE;

/** Walls and floor. */
export function Ground({ walls }: Pick<MazeScene, 'walls'>) {
  const free = walls.flatMap((line, row) =>
    line.flatMap((wall, column) => (wall ? [] : [{ row, column }])),
  );
  return (
    <>
      <rect
        className="maze-wall"
        width={SIDE * (walls[0]?.length ?? 0)}
        height={SIDE * walls.length}
      />
      {/* The floor's edge, then the floor: one outline around all free cells together. */}
      {free.map(({ row, column }) => (
        <rect
          key={`edge ${row},${column}`}
          className="maze-edge"
          x={column * SIDE - 1.5}
          y={row * SIDE - 1.5}
          width={SIDE + 3}
          height={SIDE + 3}
          rx={3}
        />
      ))}
      {free.map(({ row, column }) => (
        <rect
          key={`floor ${row},${column}`}
          className="maze-floor"
          x={column * SIDE}
          y={row * SIDE}
          width={SIDE + 0.2}
          height={SIDE + 0.2}
        />
      ))}
      {free.map(({ row, column }) => (
        <rect
          key={`tile ${row},${column}`}
          className="maze-tile"
          x={column * SIDE + 1.5}
          y={row * SIDE + 1.5}
          width={SIDE - 3}
          height={SIDE - 3}
          rx={2}
        />
      ))}
      {free
        .filter(({ row, column }) => walls[row - 1]?.[column] === true)
        .map(({ row, column }) => (
          <rect
            key={`shade ${row},${column}`}
            className="maze-shade"
            x={column * SIDE}
            y={row * SIDE}
            width={SIDE + 0.2}
            height={3}
          />
        ))}
    </>
  );
}

/** Leaves of the wreath: degrees from its foot, on both sides; it is open at the top. */
const LEAVES = [22, 54, 86, 118, 148];

/** A laurel wreath. */
export function Goal({ cell, reached }: { readonly cell: Cell; readonly reached: boolean }) {
  return (
    <g
      className={reached ? 'maze-goal maze-goal-reached' : 'maze-goal'}
      transform={`translate(${x(cell)} ${y(cell)})`}
    >
      {[-1, 1].map((side) => (
        <g key={side} transform={`scale(${side} 1)`}>
          <path d="M0 6.6A6.6 6.6 0 0 0 4.6 -4.7" />
          {LEAVES.map((degrees) => (
            <ellipse
              key={degrees}
              cy={6.8}
              rx={2.9}
              ry={1.35}
              transform={`rotate(${-degrees}) rotate(-34 0 6.8)`}
            />
          ))}
        </g>
      ))}
    </g>
  );
}
