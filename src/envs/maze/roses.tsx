/** The policy map: a rose of action probabilities in every cell, and an agent that can be moved. */

import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { type PlaceStats, percent } from '../deeds.ts';
import type { Touched } from '../views.ts';
import { MOVES, type Move } from './board.ts';
import { SIDE, x, y } from './drawing.tsx';
import { isMazeState } from './scene.ts';

/** Length of a petal for probability 1, and radius of the disc if the policy never generates a move. */
const LONGEST = 8.6;

/** Degrees by which a petal that points up is turned. */
const turned: Readonly<Record<Move, number>> = { up: 0, right: 90, down: 180, left: 270 };

/** A petal of length 1 that points up; its area grows with the square of its scale. */
const PETAL = 'M0 0C-0.62 -0.42 -0.44 -0.92 0 -1C0.44 -0.92 0.62 -0.42 0 0Z';

const keys: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * The place that an arrow key chooses: the adjacent one or, if steps do not connect all places, the next one
 * in the order of rows (left, right) or columns (up, down).
 */
export function placeFrom(
  places: readonly string[],
  from: string,
  key: string,
): string | undefined {
  const known = new Set(places);
  const beside = (place: string, [rows, columns]: readonly [number, number]) => {
    const { row, column } = cellOf(place);
    return `${row + rows},${column + columns}`;
  };
  const by = keys[key];
  if (by === undefined) return;
  const adjacent = beside(from, by);
  if (known.has(adjacent)) return adjacent;
  const connected = new Set([from]);
  // Visits the places added below, too.
  for (const place of connected) {
    for (const step of Object.values(keys)) {
      const next = beside(place, step);
      if (known.has(next)) connected.add(next);
    }
  }
  if (connected.size === known.size) return;
  const [down, right] = by;
  const order = (place: string) => {
    const { row, column } = cellOf(place);
    return down === 0 ? MOST_CELLS * row + column : MOST_CELLS * column + row;
  };
  const ordered = places.toSorted((a, b) => order(a) - order(b));
  return ordered[ordered.indexOf(from) + down + right];
}

interface RosesProps {
  readonly touched: Touched;
  /** Success rate from each cell, shown as a tint; null if unknown. */
  readonly success: ReadonlyMap<string, PlaceStats> | null;
  readonly walls: readonly (readonly boolean[])[];
}

/** More than a maze has rows or columns. */
const MOST_CELLS = 1000;

const cellOf = (place: string) => {
  const [row = 0, column = 0] = place.split(',').map(Number);
  return { row, column };
};

/**
 * Cells with one petal per move. A petal's area, not its length, is proportional to the move's
 * probability.
 */
export function Roses({ touched, success, walls }: RosesProps) {
  const { policy, chosen, walker, onPoint, onChoose } = touched;
  const group = useRef<SVGGElement>(null);
  const start = cellOf(chosen);
  const at = isMazeState(walker) ? walker.position : start;
  /** The cell under a pointer; null on walls and at the goal. */
  const under = (event: PointerEvent): string | null => {
    const svg = group.current?.ownerSVGElement;
    const matrix = svg?.getScreenCTM();
    if (matrix == null) return null;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const place = `${Math.floor(point.y / SIDE)},${Math.floor(point.x / SIDE)}`;
    return policy.has(place) ? place : null;
  };
  const press = (event: KeyboardEvent) => {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    // Keeps a game on the page from also handling the key.
    event.stopPropagation();
    const next = placeFrom([...policy.keys()], chosen, event.key);
    if (next === undefined) return;
    onChoose(next);
    group.current?.querySelector<SVGGElement>(`[data-place="${next}"]`)?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its cells are buttons; a pointer that drags is followed over all of them.
    <g
      ref={group}
      onKeyDown={press}
      onPointerDown={(event) => {
        const place = under(event);
        if (place === null) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        onChoose(place);
      }}
      onPointerMove={(event) => {
        const place = under(event);
        if (event.buttons > 0 && place !== null && place !== chosen) onChoose(place);
        onPoint(place);
      }}
      onPointerLeave={() => onPoint(null)}
    >
      {walls.map((line, row) =>
        line.map((wall, column) => {
          const place = `${row},${column}`;
          const here = policy.get(place);
          if (wall || here === undefined) return null;
          const actions = here.actions ?? [];
          const moves = actions.reduce((sum, p) => sum + p, 0);
          const rest = Math.max(0, 1 - moves);
          return (
            // biome-ignore lint/a11y/useSemanticElements: SVG cannot contain form elements.
            <g
              key={place}
              role="button"
              tabIndex={place === chosen ? 0 : -1}
              aria-label={tell(place, actions)}
              aria-pressed={place === chosen}
              data-place={place}
              className="maze-place maze-rose"
              transform={`translate(${x({ row, column })} ${y({ row, column })})`}
            >
              <rect
                x={-8.5}
                y={-8.5}
                width={17}
                height={17}
                rx={2}
                opacity={0.5 * (success?.get(place)?.success ?? 0)}
              />
              {here.actions === null ? null : (
                <circle className="maze-rest" r={LONGEST * Math.sqrt(rest)} />
              )}
              {MOVES.map((move, m) => (
                <path
                  key={move}
                  className="maze-petal"
                  d={PETAL}
                  style={{
                    transform: `rotate(${turned[move]}deg) scale(${(LONGEST * Math.sqrt(actions[m] ?? 0)).toFixed(3)})`,
                  }}
                />
              ))}
            </g>
          );
        }),
      )}
      <circle className="maze-chosen" cx={x(start)} cy={y(start)} r={9.2} />
      <circle
        className="maze-agent maze-walker"
        r={3}
        style={{ transform: `translate(${x(at)}px, ${y(at)}px)` }}
      />
    </g>
  );
}

const names: Readonly<Record<Move, string>> = {
  up: 'up',
  down: 'down',
  left: 'left',
  right: 'right',
};

/** A cell's description for screen readers: `Row 3, column 4: down 62%, up 9%, other words 29%`. */
export function tell(place: string, actions: readonly number[]): string {
  const { row, column } = cellOf(place);
  const where = `Row ${row}, column ${column}`;
  if (actions.length === 0) return where;
  const moves = MOVES.map((move, m) => ({ name: names[move], p: actions[m] ?? 0 }));
  moves.sort((a, b) => b.p - a.p);
  const rest = Math.max(0, 1 - moves.reduce((sum, { p }) => sum + p, 0));
  const parts = [...moves, { name: 'other words', p: rest }].map(
    ({ name, p }) => `${name} ${percent(p)}`,
  );
  return `${where}: ${parts.join(', ')}`;
}
