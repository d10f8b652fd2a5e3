/** Components of maze images. */

import { Floor } from '../view-parts.tsx';
import type { Cell } from './board.ts';
import type { MazeScene } from './scene.ts';

/** Side of a cell in drawing units. */
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
        className="view-wall"
        width={SIDE * (walls[0]?.length ?? 0)}
        height={SIDE * walls.length}
      />
      <Floor cells={free} side={SIDE} />
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

/** Leaves of the wreath, in degrees from its base, on both sides; the top is open. */
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

/** A gem that adds to the reward; an outline once it has been fetched. */
export function Prize({ cell, left }: { readonly cell: Cell; readonly left: boolean }) {
  return (
    <g
      className={left ? 'maze-prize' : 'maze-prize maze-prize-fetched'}
      transform={`translate(${x(cell)} ${y(cell)})`}
    >
      <path d="M-3.4 -4.8H3.4L6.6 -1.2L0 6.2L-6.6 -1.2Z" />
      <path className="maze-prize-facets" d="M-6.6 -1.2H6.6M-2.4 -1.2L0 6.2L2.4 -1.2L0 -4.8Z" />
    </g>
  );
}

/** A pit with spikes: it ends the episode. */
export function Trap({ cell }: { readonly cell: Cell }) {
  return (
    <g className="maze-trap" transform={`translate(${x(cell)} ${y(cell)})`}>
      <rect x={-7.5} y={-7.5} width={15} height={15} rx={3} />
      <path d="M-6 6L-3.6 -4L-1.2 6ZM-2.4 6L0 -5L2.4 6ZM1.2 6L3.6 -4L6 6Z" />
    </g>
  );
}

/** Prizes and traps. */
export function Things({ prizes, traps }: Pick<MazeScene, 'prizes' | 'traps'>) {
  return (
    <>
      {traps.map((cell) => (
        <Trap key={`trap ${cell.row},${cell.column}`} cell={cell} />
      ))}
      {prizes.map(({ cell, left }) => (
        <Prize key={`prize ${cell.row},${cell.column}`} cell={cell} left={left} />
      ))}
    </>
  );
}
