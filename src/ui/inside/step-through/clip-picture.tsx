/** The effect of clipping on one token: its objective as a function of the ratio, with the bounds. */

import type { LossToken } from '../../../runs/phase-facts.ts';
import { exact } from '../inspector/measures.ts';

const WIDTH = 400;
const HEIGHT = 250;
const margin = { top: 16, right: 14, bottom: 50, left: 14 };

interface ClipPictureProps {
  readonly token: LossToken;
  readonly shown: readonly LossToken[];
  /** Whether the objective clips the ratio of single tokens or episodes; otherwise r·A is drawn. */
  readonly bounded: boolean;
}

/** Plots min(r·A, clip(r)·A) against the ratio and marks the token. */
export function ClipPicture({ token, shown, bounded }: ClipPictureProps) {
  const { update, advantage } = token;
  const { clipLow, clipHigh, ratio } = update;
  const ends = [clipLow, clipHigh, 1, ...shown.map((one) => one.update.ratio)].filter(
    Number.isFinite,
  );
  const room = 0.25 * Math.max(0.1, Math.max(...ends) - Math.min(...ends));
  const from = Math.max(0, Math.min(...ends) - room);
  const to = Math.max(...ends) + room;
  const x = (r: number) =>
    margin.left + ((r - from) / (to - from)) * (WIDTH - margin.left - margin.right);
  const gain = (r: number) => {
    const clipped = Math.min(Math.max(r, clipLow), clipHigh);
    return bounded ? Math.min(r * advantage, clipped * advantage) : r * advantage;
  };
  const corners = [from, clipLow, clipHigh, to].filter((r) => r >= from && r <= to);
  const heights = corners.map(gain);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const y = (value: number) =>
    HEIGHT -
    margin.bottom -
    ((value - low) / Math.max(1e-9, high - low)) * (HEIGHT - margin.top - margin.bottom);
  const floor = HEIGHT - margin.bottom;
  // On the flat side the token has no gradient.
  const still = advantage < 0 ? [from, clipLow] : [clipHigh, to];
  const bounds = [clipLow, clipHigh].filter((bound) => Number.isFinite(bound) && bound !== 1);
  const words = wordsOn(token, bounded);
  return (
    <figure className="step-picture">
      <svg
        className="clip-picture"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`The objective of “${token.text}” as a function of its ratio, which is ${exact(ratio)}. ${words}`}
      >
        {cut(token, bounded) !== null ? (
          <rect
            className="clip-still"
            x={x(still[0] ?? from)}
            width={Math.max(0, x(still[1] ?? to) - x(still[0] ?? from))}
            y={margin.top}
            height={floor - margin.top}
          />
        ) : null}
        <path className="clip-axis" d={`M${margin.left} ${floor}H${WIDTH - margin.right}`} />
        {bounds.map((bound) => (
          <path key={bound} className="clip-bound" d={`M${x(bound)} ${margin.top}V${floor}`} />
        ))}
        {shown.map(({ update: other }, place) => (
          <path
            // The tokens of an update keep their order.
            key={place}
            className="clip-other"
            d={`M${x(other.ratio)} ${floor - 5}v10`}
          />
        ))}
        <path
          className="clip-curve"
          d={`M${corners.map((r, i) => `${x(r)} ${y(heights[i] ?? 0)}`).join('L')}`}
        />
        <path className="clip-drop" d={`M${x(ratio)} ${y(gain(ratio))}V${floor}`} />
        <circle className="clip-token" cx={x(ratio)} cy={y(gain(ratio))} r={6} />
        {[1, ...bounds].map((r) => (
          <text key={r} className="clip-tick" x={x(r)} y={floor + 21}>
            {exact(r)}
          </text>
        ))}
        <text className="clip-name" x={WIDTH / 2} y={HEIGHT - 8}>
          ratio r, new over old
        </text>
      </svg>
      <figcaption>
        The token’s contribution to the objective as a function of its ratio. {words} The ticks on
        the axis mark the ratios of the other tokens.
      </figcaption>
    </figure>
  );
}

/** The bound beyond which the token has no gradient; null if there is none. */
function cut({ advantage, update }: LossToken, bounded: boolean): number | null {
  const bound = advantage < 0 ? update.clipLow : update.clipHigh;
  return bounded && advantage !== 0 && Number.isFinite(bound) ? bound : null;
}

function wordsOn(token: LossToken, bounded: boolean): string {
  const bound = cut(token, bounded);
  if (bound !== null) {
    return `Beyond the bound of ${exact(bound)}, where the line is flat, the token has no gradient.`;
  }
  return token.advantage === 0
    ? 'Its advantage is 0, so it has no gradient.'
    : 'No bound removes its gradient.';
}
