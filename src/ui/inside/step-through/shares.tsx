import type { ReactNode } from 'react';
import { percent, thousands } from '../../../runs/numbers.ts';

/** A part of a whole; its tone says how desirable it is. */
interface Share {
  readonly name: string;
  readonly count: number;
  readonly tone: 'good' | 'plain' | 'other' | 'bad';
}

/** A stacked bar. */
export function Shares({
  of,
  children,
}: {
  readonly of: readonly Share[];
  /** Name of the whole. */
  readonly children: ReactNode;
}) {
  const whole = of.reduce((sum, { count }) => sum + count, 0);
  const parts = of.filter(({ count }) => count > 0);
  if (whole === 0) return null;
  return (
    <figure className="shares">
      <figcaption>{children}</figcaption>
      <div className="shares-bar" aria-hidden>
        {parts.map(({ name, count, tone }) => (
          <span key={name} className={`share-${tone}`} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul>
        {parts.map(({ name, count, tone }) => (
          <li key={name}>
            <span className={`shares-mark share-${tone}`} aria-hidden />
            {thousands(count)} {name} ({percent(count / whole)})
          </li>
        ))}
      </ul>
    </figure>
  );
}
