import './view.css';
import { useId } from 'react';
import { mostFrequentAction, type PlaceStats, percent } from '../deeds.ts';
import type { TogetherProps, TogetherView } from '../views.ts';
import { type Cell, MOVES } from './board.ts';
import { Goal, Ground, SIDE, Things, x, y } from './drawing.tsx';
import { Roses } from './roses.tsx';
import { isMazeState, mazeScene } from './scene.ts';
import { ACTIONS } from './text.ts';

/** Radius of the disc within a cell where agents that share it are placed. */
const CROWD = 6.4;
/** The golden angle: turns by it fill a disc evenly, like the seeds of a sunflower. */
const GOLDEN = 2.39996;

/** One maze with either each episode's agent as a dot, or the policy's actions in every cell. */
function Together({ environmentId, options, episodes, glide, map, touched }: TogetherProps) {
  const clip = useId();
  const [first] = episodes;
  if (first === undefined) return null;
  const scene = mazeScene(environmentId, options, first.taskId);
  const { rows, columns, walls, goal, prizes, traps } = scene;
  const places = episodes.map(({ state }) => (isMazeState(state) ? state.position : goal));
  const arrived = places.filter((place) => isSame(place, goal)).length;
  const size = `Maze of ${rows} rows and ${columns} columns.`;
  return (
    <svg
      className={touched ? 'maze maze-touchable' : 'maze'}
      viewBox={`0 0 ${columns * SIDE} ${rows * SIDE}`}
      role={touched ? 'group' : 'img'}
      aria-label={
        touched
          ? `${size} Each cell shows the network's action probabilities at that position. Arrow keys move the agent.`
          : map === null
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
        <Things prizes={prizes} traps={traps} />
        <Goal cell={goal} reached={arrived > 0} />
        {touched ? (
          <Roses touched={touched} success={map} walls={walls} />
        ) : map === null ? (
          <Dots episodes={episodes} places={places} goal={goal} glide={glide} />
        ) : (
          <Arrows map={map} />
        )}
      </g>
    </svg>
  );
}

interface DotsProps extends Pick<TogetherProps, 'episodes' | 'glide'> {
  /** The cell of each agent. */
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
        // One dot per task, so that each continues from its previous position.
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

/** Rotation in degrees of an arrow that points up. */
const turned: Readonly<Record<string, number>> = {
  'move up': 0,
  'move right': 90,
  'move down': 180,
  'move left': 270,
};

/** Greener: the goal is reached more often from the cell. More opaque: the action is more frequent. */
function Arrows({ map }: { readonly map: ReadonlyMap<string, PlaceStats> }) {
  return [...map].map(([name, facts]) => {
    const { success } = facts;
    const { action, share } = mostFrequentAction(facts);
    const [row = 0, column = 0] = name.split(',').map(Number);
    const cell = { row, column };
    const degrees = turned[action];
    return (
      <g key={name} className="maze-place" transform={`translate(${x(cell)} ${y(cell)})`}>
        <title>{placeInWords(facts)}</title>
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

/** Text description of a cell. */
function placeInWords(facts: PlaceStats): string {
  const { action, share } = mostFrequentAction(facts);
  const turns = facts.visits === 1 ? '1 turn' : `${facts.visits} turns`;
  return `“${action}” in ${percent(share)} of ${turns}; ${percent(facts.success)} lead to the goal`;
}

/** Text descriptions of the map's cells, row by row. */
function tell(map: ReadonlyMap<string, PlaceStats>): readonly string[] {
  return [...map]
    .flatMap(([name, facts]) => {
      const [row, column] = name.split(',').map(Number);
      return row === undefined || column === undefined ? [] : [{ row, column, facts }];
    })
    .sort((a, b) => a.row - b.row || a.column - b.column)
    .map(({ row, column, facts }) => `Row ${row}, column ${column}: ${placeInWords(facts)}`);
}

/** Text description of the map for screen readers. */
function inWords(map: ReadonlyMap<string, PlaceStats>): string {
  const known = [...map.values()];
  const sure = known
    .map(mostFrequentAction)
    .filter(({ action, share }) => action in turned && share > 0.5).length;
  return `In ${sure} of ${known.length} cells, one direction is taken more often than all others combined.`;
}

const titleOf = ({ row, column }: Cell) => `Row ${row}, column ${column}`;

const nameOf = ({ row, column }: Cell) => `${row},${column}`;

const isSame = (a: Cell, b: Cell) => a.row === b.row && a.column === b.column;

/** Offset from the cell's center for one of many agents in it. */
function inCrowd(place: number, many: number): { readonly dx: number; readonly dy: number } {
  if (many === 1) return { dx: 0, dy: 0 };
  const radius = CROWD * Math.sqrt((place + 0.5) / many);
  return { dx: radius * Math.cos(place * GOLDEN), dy: radius * Math.sin(place * GOLDEN) };
}

export const together: TogetherView = {
  Component: Together,
  mapKey:
    'Arrows: the most frequent action in a cell; the more opaque, the more frequent. Green: how often the agent reaches the goal from there.',
  tell,
  placedActions: ({ before, action }) => [
    { place: isMazeState(before) ? nameOf(before.position) : '', action },
  ],
  touchable: {
    actions: MOVES.map((move) => ACTIONS[move]),
    // Every free cell but the goal is the start of a training task.
    places: ({ trainTasks, reset }) =>
      trainTasks.flatMap((taskId) => {
        const { state, observation } = reset(taskId);
        if (!isMazeState(state)) return [];
        const { position } = state;
        return [{ place: nameOf(position), title: titleOf(position), taskId, state, observation }];
      }),
    key: 'Petals: probability of each move. Gray disc: all other words.',
  },
};
