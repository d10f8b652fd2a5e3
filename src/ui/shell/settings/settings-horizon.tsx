import type { Config } from '../../../config/schema.ts';
import { several } from '../../../runs/numbers.ts';
import { expectedIterations } from '../../../runs/run-length.ts';
import { horizonOf } from './horizon.ts';

/** The schedule as a step chart. */
export function HorizonPreview({ config }: { readonly config: Config }) {
  const limit = horizonOf(config);
  const iterations = expectedIterations(config, []);
  const edges: { from: number; turns: number }[] = [];
  const interval = config.horizon.schedule === 'fixed' ? iterations : config.horizon.interval;
  for (let from = 1; from <= iterations && edges.length < 32; from += interval) {
    const turns = limit(from);
    if (edges.at(-1)?.turns !== turns) edges.push({ from, turns });
  }
  const top = Math.max(...edges.map(({ turns }) => turns));
  const text = edges
    .map(({ from, turns }) => `${several(turns, 'turn')} from iteration ${from} on`)
    .join(', ');
  return (
    <figure className="staircase" aria-label={`Schedule: ${text}`}>
      <div className="stairs" aria-hidden>
        {edges.map(({ from, turns }, index) => {
          const to = edges[index + 1]?.from ?? iterations + 1;
          return (
            <div
              key={from}
              className="stair"
              style={{ flexGrow: to - from, height: `${(100 * turns) / top}%` }}
            >
              <span>{turns}</span>
            </div>
          );
        })}
      </div>
      <figcaption>
        <span>Iteration 1</span>
        <span>{iterations}</span>
      </figcaption>
    </figure>
  );
}
