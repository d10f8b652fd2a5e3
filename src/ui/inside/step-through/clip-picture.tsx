/** The effect of clipping on one token: its objective as a function of the ratio, with the bounds. */

import { type Surrogate, traitsOf } from '../../../algorithms/surrogates.ts';
import type { LossToken } from '../../../runs/phase-facts.ts';
import { dualClipOf, exact, isPenalized } from '../inspector/measures.ts';

const WIDTH = 400;
const HEIGHT = 250;
const margin = { top: 16, right: 14, bottom: 50, left: 14 };

interface ClipPictureProps {
  readonly token: LossToken;
  readonly shown: readonly LossToken[];
  /** If it clips the ratio of neither tokens nor episodes, r·A is drawn. */
  readonly surrogate: Surrogate;
}

/** Plots min(r·A, clip(r)·A) against the ratio and marks the token. */
export function ClipPicture({ token, shown, surrogate }: ClipPictureProps) {
  const { update, advantage } = token;
  const { clipLow, clipHigh, ratio } = update;
  const dualClip = dualClipOf(update, advantage);
  const limits =
    traitsOf(surrogate).bounds === 'nothing'
      ? []
      : [clipLow, clipHigh, ...(dualClip === null ? [] : [dualClip])];
  const ends = [...limits, 1, ...shown.map((one) => one.update.ratio)].filter(Number.isFinite);
  const room = 0.25 * Math.max(0.1, Math.max(...ends) - Math.min(...ends));
  const from = Math.max(0, Math.min(...ends) - room);
  const to = Math.max(...ends) + room;
  const x = (r: number) =>
    margin.left + ((r - from) / (to - from)) * (WIDTH - margin.left - margin.right);
  const gain = (r: number) => {
    if (!clips(surrogate)) return r * advantage;
    // A token that Clip-Cov selects contributes nothing.
    if (update.held === 'picked') return 0;
    const clipped = Math.min(Math.max(r, clipLow), clipHigh);
    const least = dualClip === null ? Number.NEGATIVE_INFINITY : dualClip * advantage;
    return Math.max(least, Math.min(r * advantage, clipped * advantage));
  };
  const corners = [from, ...limits, to].filter((r) => r >= from && r <= to);
  const heights = corners.map(gain);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const y = (value: number) =>
    HEIGHT -
    margin.bottom -
    ((value - low) / Math.max(1e-9, high - low)) * (HEIGHT - margin.top - margin.bottom);
  const floor = HEIGHT - margin.bottom;
  // On the flat side the token has no gradient.
  const still =
    dualClip !== null ? [dualClip, to] : advantage < 0 ? [from, clipLow] : [clipHigh, to];
  const bounds = limits.filter((bound) => Number.isFinite(bound) && bound !== 1);
  const words = wordsOn(token, surrogate);
  return (
    <figure className="step-picture">
      <svg
        className="clip-picture"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`The objective of “${token.text}” as a function of its ratio, which is ${exact(ratio)}. ${words}`}
      >
        {cut(token, surrogate) !== null ? (
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

const clips = (surrogate: Surrogate) => ['tokens', 'episodes'].includes(traitsOf(surrogate).bounds);

/** The bound beyond which the token has no gradient; null if there is none. */
function cut({ advantage, update }: LossToken, surrogate: Surrogate): number | null {
  if (!clips(surrogate) || update.held === 'picked' || advantage === 0) return null;
  const bound = dualClipOf(update, advantage) ?? (advantage < 0 ? update.clipLow : update.clipHigh);
  return Number.isFinite(bound) ? bound : null;
}

function wordsOn(token: LossToken, surrogate: Surrogate): string {
  const { advantage, update } = token;
  if (isPenalized(update.held, surrogate)) {
    return 'The token is penalized because of its covariance; the penalty is not drawn.';
  }
  if (update.held === 'picked') {
    return 'The token was selected by its covariance, so it has no gradient.';
  }
  const bound = cut(token, surrogate);
  if (bound !== null) {
    return `Beyond the bound of ${exact(bound)}, where the line is flat, the token has no gradient.`;
  }
  return advantage === 0
    ? 'Its advantage is 0, so it has no gradient.'
    : 'No bound removes its gradient.';
}
