import { percent } from '../../runs/numbers.ts';
import type { Importance } from '../../sweep/importance.ts';
import { parameterTitle } from './axes.ts';

/** Which parameters matter: the share of the variance that each explains by itself, and which way is good. */
export function ImportanceBars({ importances }: { readonly importances: readonly Importance[] }) {
  const together = Math.max(0, 1 - importances.reduce((sum, { share }) => sum + share, 0));
  return (
    <section className="card sweep-part" aria-label="Which parameters matter">
      <div className="sweep-part-head">
        <h3>Which parameters matter</h3>
      </div>
      {importances.length === 0 ? (
        <p className="sweep-soft">
          Four trials with a value, and a parameter that varies, are needed to say.
        </p>
      ) : (
        <>
          <ul className="sweep-importances">
            {importances.map(({ path, share, correlation }) => (
              <li key={path}>
                <span title={path}>{parameterTitle(path)}</span>
                <b>{percent(share)}</b>
                <span className="sweep-bar" aria-hidden>
                  <span style={{ width: `${100 * share}%` }} />
                </span>
                <small>{direction(correlation)}</small>
              </li>
            ))}
          </ul>
          <p className="sweep-soft">
            Share of the variance between trials that a parameter explains by itself (functional
            analysis of variance). {percent(together)} belong to several together. With few trials
            it is a guess.
          </p>
        </>
      )}
    </section>
  );
}

/** Rank correlations below this say nothing about a direction. */
const LEAST_CORRELATION = 0.3;

function direction(correlation: number | null): string {
  if (correlation === null) return 'a choice';
  const ranks = `rank correlation ${correlation > 0 ? '+' : '−'}${Math.abs(correlation).toFixed(2)}`;
  if (Math.abs(correlation) < LEAST_CORRELATION) return `no direction, ${ranks}`;
  return `${correlation > 0 ? 'larger' : 'smaller'} is better, ${ranks}`;
}
