/** Parts that views of several environments share. */

import type { CSSProperties, ReactNode } from 'react';
import './view-parts.css';

interface ViewRootProps {
  /** CSS class of the environment. */
  readonly name: string;
  /** The scene in words, for screen readers. */
  readonly description: string;
  /** The outcome, and the number of turns taken. */
  readonly scene: { readonly outcome: string; readonly turn?: number };
  readonly style?: CSSProperties;
  readonly children: ReactNode;
}

/** The root element of a view. Screen readers see it as an image. */
export function ViewRoot({ name, description, scene, style, children }: ViewRootProps) {
  return (
    <div
      className={`view-root ${name}`}
      role="img"
      aria-label={description}
      data-outcome={scene.outcome}
      data-turn={scene.turn}
      style={style}
    >
      {children}
    </div>
  );
}

interface FloorProps {
  readonly cells: readonly { readonly row: number; readonly column: number }[];
  /** Side of a cell. */
  readonly side: number;
}

/** The floor of a map. Edges are drawn before cells, so that one outline surrounds the whole floor. */
export function Floor({ cells, side }: FloorProps) {
  return (
    <>
      {cells.map(({ row, column }) => (
        <rect
          key={`edge ${row},${column}`}
          className="view-floor-edge"
          x={column * side - 1.5}
          y={row * side - 1.5}
          width={side + 3}
          height={side + 3}
          rx={3}
        />
      ))}
      {cells.map(({ row, column }) => (
        <rect
          key={`floor ${row},${column}`}
          className="view-floor"
          x={column * side}
          y={row * side}
          width={side + 0.2}
          height={side + 0.2}
        />
      ))}
    </>
  );
}

/** A tick or a cross. */
export function Mark({ right }: { readonly right: boolean }) {
  return (
    <svg className="view-mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={right ? 'm2.5 8.5 3.5 3.5 7.5-8' : 'm3.5 3.5 9 9m0-9-9 9'} />
    </svg>
  );
}

interface VerdictProps {
  /** Null until the episode ends. */
  readonly right: boolean | null;
  /** In milliseconds. */
  readonly glide: number;
  /** The correct answer, or why the result is wrong. */
  readonly truth?: ReactNode;
  readonly children: ReactNode;
}

/** How the episode ended. */
export function Verdict({ right, glide, truth = null, children }: VerdictProps) {
  if (right === null) return <p className="view-verdict view-empty">{children}</p>;
  return (
    <p className={`view-verdict view-${right ? 'right' : 'wrong'}`}>
      <span className="view-appear" style={{ animationDuration: `${glide}ms` }}>
        <Mark right={right} />
        {children}
      </span>
      {truth === null ? null : <span className="view-truth">{truth}</span>}
    </p>
  );
}
