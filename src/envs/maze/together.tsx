import './view.css';
import { useId } from 'react';
import { type PlaceFacts, percent, usual } from '../deeds.ts';
import type { TogetherProps, TogetherView } from '../views.ts';
import type { Cell } from './board.ts';
import { Goal, Ground, SIDE, x, y } from './drawing.tsx';
import { isMazeState, mazeScene } from './scene.ts';

/** Radius within a cell that those who share it keep to. */
const CROWD = 6.4;
/** Turns by this angle fill a disc evenly, as the seeds of a sunflower do. */
const GOLDEN = 2.39996;

/** One maze with either an episode's agent as a dot each, or what the policy does in every cell. */
function Together({ environmentId, options, episodes, glide, map }: TogetherProps) {
  const clip = useId();
  const [first] = episodes;
  if (first === undefined) return null;
  const { rows, columns, walls, goal } = mazeScene(environmentId, options, first.taskId);
  const places = episodes.map(({ state }) => (isMazeState(state) ? state.position : goal));
  const arrived = places.filter((place) => isSame(place, goal)).length;
  const size = `Maze of ${rows} rows and ${columns} columns.`;
  return (
    <svg
      className="maze"
      viewBox={`0 0 ${columns * SIDE} ${rows * SIDE}`}
      role="img"
      aria-label={
        map === null
          ? `${size} ${arrived} of ${episodes.length} agents are at the goal.`
          : `${size} ${inWords(map)}`
      }
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
        {map === null ? (
          <Dots episodes={episodes} places={places} goal={goal} glide={glide} />
        ) : (
          <Arrows map={map} />
        )}
      </g>
    </svg>
  );
}

interface DotsProps extends Pick<TogetherProps, 'episodes' | 'glide'> {
  /** Where each stands. */
  readonly places: readonly Cell[];
  readonly goal: Cell;
}

function Dots({ episodes, places, goal, glide }: DotsProps) {
  const taken = new Map<string, number>();
  const transitionDuration = `${glide}ms`;
  return places.map((cell, index) => {
    const key = nameOf(cell);
    const place = taken.get(key) ?? 0;
    taken.set(key, place + 1);
    const { dx, dy } = inCrowd(place, places.filter((other) => isSame(other, cell)).length);
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
  });
}

/** Degrees by which an arrow that points up is turned. */
const turned: Readonly<Record<string, number>> = {
  'move up': 0,
  'move right': 90,
  'move down': 180,
  'move left': 270,
};

/** A cell is the greener, the more often the goal is reached from it; its arrow the stronger, the surer it is. */
function Arrows({ map }: { readonly map: ReadonlyMap<string, PlaceFacts> }) {
  return [...map].map(([name, facts]) => {
    const { success } = facts;
    const { action, share } = usual(facts);
    const [row = 0, column = 0] = name.split(',').map(Number);
    const cell = { row, column };
    const degrees = turned[action];
    return (
      <g key={name} className="maze-place" transform={`translate(${x(cell)} ${y(cell)})`}>
        <title>{said(facts)}</title>
        <rect x={-8.5} y={-8.5} width={17} height={17} rx={2} opacity={0.85 * success} />
        {degrees === undefined ? (
          <circle r={1.4} opacity={share} />
        ) : (
          <path
            d="M0 5.5V-5.5M-3.6 -1.9L0 -5.5L3.6 -1.9"
            transform={`rotate(${degrees})`}
            opacity={share}
          />
        )}
      </g>
    );
  });
}

/** What is done at a place, in words. */
function said(facts: PlaceFacts): string {
  const { action, share } = usual(facts);
  return `${percent(share)} “${action}”, ${percent(facts.success)} reach the goal, ${facts.visits} turns here`;
}

/** The cells of the map in words, row by row. */
function tell(map: ReadonlyMap<string, PlaceFacts>): readonly string[] {
  return [...map]
    .flatMap(([name, facts]) => {
      const [row, column] = name.split(',').map(Number);
      return row === undefined || column === undefined ? [] : [{ row, column, facts }];
    })
    .sort((a, b) => a.row - b.row || a.column - b.column)
    .map(({ row, column, facts }) => `Row ${row}, column ${column}: ${said(facts)}`);
}

/** The map for those who do not see it. */
function inWords(map: ReadonlyMap<string, PlaceFacts>): string {
  const known = [...map.values()];
  const sure = known
    .map(usual)
    .filter(({ action, share }) => action in turned && share > 0.5).length;
  return `In ${sure} of ${known.length} places one direction is taken more often than all else.`;
}

const nameOf = ({ row, column }: Cell) => `${row},${column}`;

const isSame = (a: Cell, b: Cell) => a.row === b.row && a.column === b.column;

/** Where one of so many in a cell stands, from its middle. */
function inCrowd(place: number, many: number): { readonly dx: number; readonly dy: number } {
  if (many === 1) return { dx: 0, dy: 0 };
  const radius = CROWD * Math.sqrt((place + 0.5) / many);
  return { dx: radius * Math.cos(place * GOLDEN), dy: radius * Math.sin(place * GOLDEN) };
}

export const together: TogetherView = {
  Component: Together,
  mapKey:
    'Arrows: what it does most often there, the stronger the surer. Green: how often it reaches the goal from there.',
  tell,
  deedsOf: ({ before, action }) => [
    { place: isMazeState(before) ? nameOf(before.position) : '', action },
  ],
};
