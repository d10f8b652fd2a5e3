import { memo } from 'react';
import type { Proof } from '../../../diagnosis/finding.ts';
import { metric } from '../../../runs/metrics.ts';
import { significant } from '../../../runs/numbers.ts';
import { decimate } from '../decimate.ts';
import { type Lit, light, showChart, useLit } from '../lit.ts';
import type { Points } from '../points.ts';
import { pathThrough, tenth } from '../scale.ts';

export interface EvidencePiece {
  readonly proof: Proof;
  /** Its range on the axis of the charts that show it. */
  readonly lit: Lit;
  readonly points: Points;
}

/** Evidence of a series that is not in the metric registry. */
export interface SeriesPiece {
  readonly key: string;
  readonly title: string;
  /** First and last step. */
  readonly steps: readonly [from: number, to: number];
  readonly values: readonly number[];
  readonly points: Points;
}

interface EvidenceProps {
  readonly pieces: readonly EvidencePiece[];
  readonly series?: readonly SeriesPiece[];
  /** Name of a row, such as `iteration`. */
  readonly count: string;
}

/** The evidence of a finding, metric by metric. Pointing at an item highlights it in the charts. */
export function EvidenceList({ pieces, series = [], count }: EvidenceProps) {
  return (
    <ul className="evidence" aria-label="Evidence">
      {pieces.map((piece) => (
        <li key={piece.proof.metric}>
          <Piece piece={piece} count={count} />
        </li>
      ))}
      {series.map(({ key, title, steps, values, points }) => (
        <li key={key}>
          <div className="evidence-piece" title={key}>
            <span className="evidence-name">{title}</span>
            <Spark points={points} from={steps[0]} to={steps[1]} />
            <span className="evidence-values">{stepsInWords(steps, values, count)}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Piece({ piece, count }: { readonly piece: EvidencePiece; readonly count: string }) {
  const { proof, lit, points } = piece;
  const isDrawn = useLit(({ drawn }) => (drawn.get(proof.metric) ?? 0) > 0);
  const { title, meaning } = metric(proof.metric);
  const explanation = (
    <>
      <span className="evidence-name">{title}</span>
      <Spark points={points} from={lit.iterations[0]} to={lit.iterations[1]} />
      <span className="evidence-values">{inWords(proof, count)}</span>
    </>
  );
  if (!isDrawn) {
    return (
      <div className="evidence-piece" title={meaning}>
        {explanation}
      </div>
    );
  }
  return (
    <button
      type="button"
      className="evidence-piece"
      title="Go to its chart"
      onPointerEnter={() => light(lit)}
      // A pressed item stays highlighted while its chart is viewed.
      onPointerLeave={({ currentTarget }) => {
        if (document.activeElement !== currentTarget) light(null);
      }}
      onFocus={() => light(lit)}
      onBlur={() => light(null)}
      onClick={({ currentTarget }) => {
        light(lit);
        showChart(proof.metric, currentTarget);
      }}
    >
      {explanation}
    </button>
  );
}

export const inWords = ({ iterations, values }: Proof, count: string): string =>
  stepsInWords(iterations, values, count);

function stepsInWords(
  [from, to]: readonly [from: number, to: number],
  values: readonly number[],
  count: string,
): string {
  const numbers = values.map(significant).join(', ');
  return from === to ? `${count} ${from}: ${numbers}` : `${count}s ${from} to ${to}: ${numbers}`;
}

const WIDTH = 132;
const HEIGHT = 30;
/** Margin above and below the curve. */
const ROOM = 3;

interface SparkProps {
  readonly points: Points;
  /** The shaded range. */
  readonly from: number;
  readonly to: number;
}

/** A sparkline with a shaded range. */
const Spark = memo(function Spark({ points: { x, y }, from, to }: SparkProps) {
  const [first, last] = [x[0] ?? 0, x.at(-1) ?? 1];
  const left = (at: number) => tenth((WIDTH * (at - first)) / Math.max(1e-9, last - first));
  let [least, most] = [Infinity, -Infinity];
  for (const value of y) [least, most] = [Math.min(least, value), Math.max(most, value)];
  const high = Math.max(1e-12, most - least);
  const top = (value: number) =>
    tenth(HEIGHT - ROOM - ((HEIGHT - 2 * ROOM) * (value - least)) / high);
  const shown = decimate(x, y, 0, x.length, (at) => Math.floor(left(at)));
  const wide = Math.max(4, left(to) - left(from));
  return (
    <svg
      className="spark"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      aria-hidden
    >
      <rect x={(left(from) + left(to) - wide) / 2} width={wide} height={HEIGHT} />
      <path d={pathThrough({ x, y }, shown, left, top)} />
    </svg>
  );
});
