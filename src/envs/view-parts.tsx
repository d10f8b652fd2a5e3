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
