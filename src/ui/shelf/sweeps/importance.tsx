import { percent } from '../../../runs/numbers.ts';
import type { Importance } from '../../../sweep/importance.ts';
import { parameterTitle } from './axes.ts';

/**
 * Parameter importance: the share of variance that each parameter explains alone, and the direction
 * of better values.
 */
export function ImportanceBars({ importances }: { readonly importances: readonly Importance[] }) {
  const together = Math.max(0, 1 - importances.reduce((sum, { share }) => sum + share, 0));
  return (
    <section className="card sweep-part" aria-label="Parameter importance">
      <div className="row sweep-part-head">
        <h3>Parameter importance</h3>
      </div>
      {importances.length === 0 ? (
        <p className="sweep-soft">
          This requires at least four trials with a value, and a parameter that varies.
        </p>
      ) : (
        <>
          <ul className="sweep-importances">
            {importances.map(({ path, share, correlation }) => (
              <li key={path}>
                <span title={path}>{parameterTitle(path)}</span>
                <b>{percent(share)}</b>
                <span className="bar sweep-bar" aria-hidden>
                  <span style={{ width: `${100 * share}%` }} />
                </span>
                <small>{direction(correlation)}</small>
              </li>
            ))}
          </ul>
          <p className="sweep-soft">
            Share of the variance between trials that a parameter explains alone (functional
            analysis of variance). {percent(together)} is due to interactions between parameters.
            With few trials, the estimate is rough.
          </p>
        </>
      )}
    </section>
  );
}

/** Weaker rank correlations do not indicate a direction. */
const LEAST_CORRELATION = 0.3;

function direction(correlation: number | null): string {
  if (correlation === null) return 'a choice';
  const ranks = `rank correlation ${correlation > 0 ? '+' : '−'}${Math.abs(correlation).toFixed(2)}`;
  if (Math.abs(correlation) < LEAST_CORRELATION) return `no direction, ${ranks}`;
  return `${correlation > 0 ? 'larger' : 'smaller'} is better, ${ranks}`;
}
