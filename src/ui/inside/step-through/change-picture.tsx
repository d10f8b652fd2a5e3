import type { ChangedToken } from '../../../runs/phase-facts.ts';
import { share } from './numbers.ts';

/** Maximum number of tokens drawn. */
const MOST = 7;
const ROW = 34;
const WIDTH = 400;
const [LEFT, RIGHT] = [128, 134];

/** The probabilities that changed most, from before the update to after it. */
export function ChangePicture({ shown }: { readonly shown: readonly ChangedToken[] }) {
  const size = ({ before, after }: ChangedToken) => Math.abs(after - before);
  const most = shown.toSorted((a, b) => size(b) - size(a)).slice(0, MOST);
  const end = Math.max(1e-9, ...most.flatMap(({ before, after }) => [before, after]));
  const x = (p: number) => LEFT + (p / end) * (WIDTH - LEFT - RIGHT);
  const list = most.map(({ text, before, after }) => `${text} ${share(before)} to ${share(after)}`);
  return (
    <figure className="step-picture">
      <svg
        className="change-picture"
        viewBox={`0 0 ${WIDTH} ${ROW * most.length}`}
        role="img"
        aria-label={`Probabilities before and after the update: ${list.join('; ')}.`}
      >
        {most.map(({ text, before, after }, place) => {
          const y = (place + 0.5) * ROW;
          const side = after < before ? 'below' : 'above';
          return (
            // The tokens of an update keep their order.
            <g key={place} className={`change change-${side}`}>
              <text className="change-word" x={LEFT - 12} y={y + 4.5}>
                {text.length > 15 ? `${text.slice(0, 14)}…` : text}
              </text>
              <path className="change-track" d={`M${LEFT} ${y}H${WIDTH - RIGHT}`} />
              <path className="change-way" d={`M${x(before)} ${y}H${x(after)}`} />
              <circle className="change-before" cx={x(before)} cy={y} r={5} />
              <circle className="change-after" cx={x(after)} cy={y} r={5} />
              <text className="change-says" x={WIDTH - RIGHT + 12} y={y + 4.5}>
                {share(before)} → {share(after)}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption>
        The probabilities that changed most, from before (ring) to after (dot). Blue: increased;
        ochre: decreased.
      </figcaption>
    </figure>
  );
}
