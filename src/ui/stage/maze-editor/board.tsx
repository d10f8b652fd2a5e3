import { type CSSProperties, type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { nameOf, type Place, type Rows, type Square } from '../../../envs/drawn/drawing.ts';
import type { Cell } from '../../../envs/maze/board.ts';
import { Goal, Ground, Prize, SIDE, Trap, x, y } from '../../../envs/maze/drawing.tsx';
import { isBrowserShortcut } from '../../shell/comfort/keys.ts';
import { brushFrom, squareAt } from './edit.ts';

/** Keys that paint the square under the cursor. */
export const squareKeys: Readonly<Record<string, Square>> = {
  w: 'wall',
  f: 'free',
  s: 'start',
  g: 'goal',
  p: 'prize',
  t: 'trap',
};

const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

interface BoardProps {
  readonly rows: Rows;
  readonly tool: Square;
  /** Squares to highlight, because the goal cannot be reached from them. */
  readonly marked: readonly Place[];
  /** @param starts whether this begins a stroke of the brush */
  readonly onPaint: (place: Place, square: Square, starts: boolean) => void;
}

/** The drawing, painted by mouse, touch and keyboard. */
export function EditorBoard({ rows, tool, marked, onPaint }: BoardProps) {
  const grid = useRef<HTMLTableElement>(null);
  /** What the stroke paints, and the square it painted last. */
  const stroke = useRef<{ readonly square: Square; last: Place } | null>(null);
  const [cursor, setCursor] = useState<Place>(0);
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  const at = Math.min(cursor, height * width - 1);
  const cellOf = (place: Place) => ({
    row: Math.floor(place / width) + 1,
    column: (place % width) + 1,
  });

  const placeUnder = ({ clientX, clientY }: PointerEvent): Place | null => {
    const box = grid.current?.getBoundingClientRect();
    if (box === undefined) return null;
    const row = Math.floor(((clientY - box.top) / box.height) * height);
    const column = Math.floor(((clientX - box.left) / box.width) * width);
    const outside = row < 0 || column < 0 || row >= height || column >= width;
    return outside ? null : row * width + column;
  };

  const draw = (event: PointerEvent) => {
    const place = placeUnder(event);
    if (stroke.current === null || place === null || place === stroke.current.last) return;
    stroke.current.last = place;
    onPaint(place, stroke.current.square, false);
  };

  const focus = (place: Place) => {
    setCursor(place);
    grid.current?.querySelector<HTMLElement>(`[data-place="${place}"]`)?.focus();
  };

  const press = (event: KeyboardEvent) => {
    if (isBrowserShortcut(event)) return;
    const step = steps[event.key];
    const painted = squareKeys[event.key.toLowerCase()];
    if (step !== undefined) {
      const row = Math.floor(at / width) + step[0];
      const column = (at % width) + step[1];
      if (row >= 0 && column >= 0 && row < height && column < width) focus(row * width + column);
    } else if (event.key === 'Home') focus(at - (at % width));
    else if (event.key === 'End') focus(at - (at % width) + width - 1);
    else if (event.key === ' ' || event.key === 'Enter') {
      onPaint(at, brushFrom(rows, at, tool), true);
    } else if (painted !== undefined) onPaint(at, painted, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const placesByRow = rows.map((row, r) => row.map((_, c) => r * width + c));
  const walls = Array.from({ length: height + 2 }, (_, r) =>
    Array.from({ length: width + 2 }, (_, c) => (rows[r - 1]?.[c - 1] ?? 'wall') === 'wall'),
  );
  return (
    <div
      className="maze-editor-board"
      style={{ aspectRatio: (width + 2) / (height + 2), ...insets(width, height) }}
    >
      <svg
        className="maze"
        viewBox={`0 0 ${(width + 2) * SIDE} ${(height + 2) * SIDE}`}
        aria-hidden="true"
      >
        <Ground walls={walls} />
        {rows.flat().map((square, place) => (
          <Thing key={`${place + 1}`} square={square} cell={cellOf(place)} />
        ))}
        {marked.map((place) => {
          const { row, column } = cellOf(place);
          return (
            <rect
              key={`marked ${place}`}
              className="maze-editor-marked"
              x={column * SIDE + 2}
              y={row * SIDE + 2}
              width={SIDE - 4}
              height={SIDE - 4}
              rx={3}
            />
          );
        })}
      </svg>
      <table
        ref={grid}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA's grid pattern
        role="grid"
        aria-label={`Maze of ${height} rows and ${width} columns`}
        aria-describedby="maze-editor-keys"
        data-testid="maze-board"
        onPointerDown={(event) => {
          const place = placeUnder(event);
          if (place === null || event.button !== 0) return;
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          stroke.current = { square: brushFrom(rows, place, tool), last: place };
          focus(place);
          onPaint(place, stroke.current.square, true);
        }}
        onPointerMove={draw}
        onPointerUp={() => {
          stroke.current = null;
        }}
        onPointerCancel={() => {
          stroke.current = null;
        }}
        onKeyDown={press}
      >
        <tbody>
          {placesByRow.map((places) => (
            <tr key={places[0]}>
              {places.map((place) => (
                <td
                  key={place}
                  // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA's grid pattern
                  role="gridcell"
                  aria-label={`${nameOf(rows, place)}: ${squareAt(rows, place)}`}
                  tabIndex={place === at ? 0 : -1}
                  data-place={place}
                  data-square={squareAt(rows, place)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The area of the squares in the picture, inside the wall around them. */
const insets = (width: number, height: number): CSSProperties => ({
  '--maze-x': `${100 / (width + 2)}%`,
  '--maze-y': `${100 / (height + 2)}%`,
  '--maze-ratio': `${(width + 2) / (height + 2)}`,
});

declare module 'react' {
  interface CSSProperties {
    '--maze-x'?: string;
    '--maze-y'?: string;
    '--maze-ratio'?: string;
  }
}

function Thing({ square, cell }: { readonly square: Square; readonly cell: Cell }) {
  switch (square) {
    case 'goal':
      return <Goal cell={cell} reached={false} />;
    case 'prize':
      return <Prize cell={cell} left />;
    case 'trap':
      return <Trap cell={cell} />;
    case 'start':
      return <circle className="maze-start" cx={x(cell)} cy={y(cell)} r={6} />;
    case 'free':
    case 'wall':
      return null;
    default:
      return square satisfies never;
  }
}
