import { memo } from 'react';
import type { Proof } from '../../diagnosis/finding.ts';
import { metric } from '../../runs/metrics.ts';
import { significant } from '../../runs/numbers.ts';
import { decimate } from '../charts/decimate.ts';
import { type Lit, light, showChart, useLit } from '../charts/lit.ts';
import type { Points } from '../charts/points.ts';
import { pathThrough, tenth } from '../charts/scale.ts';

export interface EvidencePiece {
  readonly proof: Proof;
  /** Where it lies on the axis of the charts it is in. */
  readonly lit: Lit;
  readonly points: Points;
}

interface EvidenceProps {
  readonly pieces: readonly EvidencePiece[];
  /** What a row of the run is called. */
  readonly count: string;
}

/** What shows a finding, number by number. The charts a piece is in light up while it is pointed at. */
export function EvidenceList({ pieces, count }: EvidenceProps) {
  return (
    <ul className="evidence" aria-label="Evidence">
      {pieces.map((piece) => (
        <li key={piece.proof.metric}>
          <Piece piece={piece} count={count} />
        </li>
      ))}
    </ul>
  );
}

function Piece({ piece, count }: { readonly piece: EvidencePiece; readonly count: string }) {
  const { proof, lit, points } = piece;
  const isDrawn = useLit(({ drawn }) => (drawn.get(proof.metric) ?? 0) > 0);
  const { title, meaning } = metric(proof.metric);
  const told = (
    <>
      <span className="evidence-name">{title}</span>
      <Spark points={points} from={lit.iterations[0]} to={lit.iterations[1]} />
      <span className="evidence-values">{inWords(proof, count)}</span>
    </>
  );
  if (!isDrawn) {
    return (
      <div className="evidence-piece" title={meaning}>
        {told}
      </div>
    );
  }
  return (
    <button
      type="button"
      className="evidence-piece"
      title="Press to go to its chart"
      onPointerEnter={() => light(lit)}
      // One that was pressed stays lit while its chart is looked at.
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
      {told}
    </button>
  );
}

export function inWords({ iterations: [from, to], values }: Proof, count: string): string {
  const numbers = values.map(significant).join(', ');
  return from === to ? `${count} ${from}: ${numbers}` : `${count}s ${from} to ${to}: ${numbers}`;
}

const WIDTH = 132;
const HEIGHT = 30;
/** Above and below the curve. */
const ROOM = 3;

interface SparkProps {
  readonly points: Points;
  /** What is shaded. */
  readonly from: number;
  readonly to: number;
}

/** A curve the size of a word, with a stretch of it shaded. */
export const Spark = memo(function Spark({ points: { x, y }, from, to }: SparkProps) {
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
