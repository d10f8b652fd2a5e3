import './view.css';
import { useId } from 'react';
import type { TogetherProps } from '../views.ts';
import type { Cell } from './board.ts';
import { Goal, Ground, SIDE, x, y } from './drawing.tsx';
import { isMazeState, mazeScene } from './scene.ts';

/** Radius within a cell that those who share it keep to. */
const CROWD = 6.4;
/** Turns by this angle fill a disc evenly, as the seeds of a sunflower do. */
const GOLDEN = 2.39996;

/** Episodes of one maze, each a dot where its agent stands. */
export function Together({ environmentId, options, episodes, glide }: TogetherProps) {
  const clip = useId();
  const [first] = episodes;
  if (first === undefined) return null;
  const { rows, columns, walls, goal } = mazeScene(environmentId, options, first.taskId);
  const places = episodes.map(({ state }) => (isMazeState(state) ? state.position : goal));
  const here = (cell: Cell) => places.filter((place) => isSame(place, cell)).length;
  const arrived = here(goal);
  const taken = new Map<string, number>();
  const transitionDuration = `${glide}ms`;
  return (
    <svg
      className="maze"
      viewBox={`0 0 ${columns * SIDE} ${rows * SIDE}`}
      role="img"
      aria-label={`Maze of ${rows} rows and ${columns} columns. ${arrived} of ${episodes.length} agents are at the goal.`}
      data-arrived={arrived}
    >
      <defs>
        <clipPath id={clip}>
          <rect width={columns * SIDE} height={rows * SIDE} rx={8} />
        </clipPath>
      </defs>
      <g clipPath={`url(#${clip})`}>
        <Ground walls={walls} />
        <Goal cell={goal} reached={arrived > 0} />
        {places.map((cell, index) => {
          const key = `${cell.row},${cell.column}`;
          const place = taken.get(key) ?? 0;
          taken.set(key, place + 1);
          const { dx, dy } = inCrowd(place, here(cell));
          return (
            <circle
              // One dot a task, so that each glides on from where it was.
              key={episodes[index]?.taskId}
              className={
                isSame(cell, goal) ? 'maze-agent maze-dot maze-dot-there' : 'maze-agent maze-dot'
              }
              r={3}
              style={{
                transitionDuration,
                transform: `translate(${x(cell) + dx}px, ${y(cell) + dy}px)`,
              }}
            />
          );
        })}
      </g>
    </svg>
  );
}

const isSame = (a: Cell, b: Cell) => a.row === b.row && a.column === b.column;

/** Where one of so many in a cell stands, from its middle. */
function inCrowd(place: number, many: number): { readonly dx: number; readonly dy: number } {
  if (many === 1) return { dx: 0, dy: 0 };
  const radius = CROWD * Math.sqrt((place + 0.5) / many);
  return { dx: radius * Math.cos(place * GOLDEN), dy: radius * Math.sin(place * GOLDEN) };
}
