/**
 * A small drawing for each term, 220 × 84. Curves are plotted from the functions that they show.
 */

import type { ReactNode } from 'react';
import type { TermName } from '../../shell/terms/terms.ts';
import type { TermTexts } from './texts/types.ts';

const WIDTH = 220;
const HEIGHT = 84;
const FLOOR = 72;

/** A curve through the values of a function, x and y in [0, 1], y upwards. */
function Curve({ of, tone }: { readonly of: (x: number) => number; readonly tone: string }) {
  const points = Array.from({ length: 61 }, (_, i) => i / 60).map((x) => `${at(x)},${up(of(x))}`);
  return <polyline className="drawn-line" stroke={tone} points={points.join(' ')} />;
}

const at = (x: number) => 20 + 180 * x;
const up = (y: number) => FLOOR - 60 * y;

/** Bars for probabilities; the first one is at x = `from`. */
function Odds({
  shares,
  from,
  tone,
  wide = 14,
}: {
  readonly shares: readonly number[];
  readonly from: number;
  readonly tone: string;
  readonly wide?: number;
}) {
  return shares.map((share, i) => (
    <rect
      // The bars of a drawing never change their order.
      key={i}
      fill={tone}
      x={from + i * (wide + 4)}
      y={FLOOR - 60 * share}
      width={wide}
      height={60 * share}
      rx={2}
    />
  ));
}

const Floor = () => <path className="drawn-axis" d={`M12 ${FLOOR}H208`} />;

function Label({
  x,
  y,
  children,
}: {
  readonly x: number;
  readonly y: number;
  readonly children: string;
}) {
  return (
    <text x={x} y={y} textAnchor="middle">
      {children}
    </text>
  );
}

/** Words in boxes, in a row. */
function Boxes({
  words,
  y,
  strong,
}: {
  readonly words: readonly string[];
  readonly y: number;
  readonly strong?: number;
}) {
  const wide = words.map((word) => 14 + 6.2 * word.length);
  const total = wide.reduce((sum, one) => sum + one + 4, -4);
  return words.map((word, i) => {
    const x = (WIDTH - total) / 2 + wide.slice(0, i).reduce((sum, one) => sum + one + 4, 0);
    return (
      <g key={word} className={i === strong ? 'drawn-box drawn-box-strong' : 'drawn-box'}>
        <rect x={x} y={y} width={wide[i]} height={22} rx={5} />
        <Label x={x + (wide[i] ?? 0) / 2} y={y + 15}>
          {word}
        </Label>
      </g>
    );
  });
}

/** The steps of a path as a row of dots; the last one may be the goal. */
function Way({
  y,
  many,
  goal,
  lit = many,
}: {
  readonly y: number;
  readonly many: number;
  readonly goal: boolean;
  readonly lit?: number;
}) {
  return Array.from({ length: many }, (_, i) => {
    const last = goal && i === many - 1;
    return (
      <circle
        key={i}
        cx={24 + i * 24}
        cy={y}
        r={last ? 8 : 6}
        fill={last ? 'var(--p-olive)' : i < lit ? 'var(--p-terracotta)' : 'var(--p-rule)'}
      />
    );
  });
}

const terracotta = 'var(--p-terracotta)';
const aegean = 'var(--p-aegean)';
const olive = 'var(--p-olive)';
const ochre = 'var(--p-ochre)';

const evenly = (n: number) => Array.from({ length: n }, () => 1 / n);

/** The reward as a function of the policy, and a surrogate that is tangent to it at 0.3. */
const hill = (x: number) => 0.9 - 2.2 * (x - 0.62) ** 2;
const tangent = (x: number) => hill(0.3) + 1.408 * (x - 0.3);

const drawings = (words: TermTexts['drawn']): Readonly<Record<TermName, ReactNode>> => ({
  token: <Boxes words={['walls', 'left', '.', 'move up']} y={30} strong={3} />,
  policy: (
    <>
      <Boxes words={[words.text]} y={30} />
      <Odds shares={[0.1, 0.7, 0.25, 0.4]} from={174} tone={terracotta} wide={7} />
      <Floor />
    </>
  ),
  episode: (
    <>
      <Boxes words={['wall left', 'up', 'free', 'right']} y={16} />
      <path className="drawn-axis" d="M14 58H200l-7 -4m7 4l-7 4" />
      <Label x={107} y={76}>
        {words.turns}
      </Label>
    </>
  ),
  reward: (
    <>
      <Way y={48} many={8} goal />
      <Label x={192} y={28}>
        +1
      </Label>
    </>
  ),
  horizon: (
    <>
      <Way y={24} many={8} goal lit={4} />
      <path className="drawn-cut" d="M108 10V38" />
      <Way y={60} many={8} goal />
      <path className="drawn-cut" d="M210 46V74" />
    </>
  ),
  evaluation: (
    <>
      <Floor />
      <Curve of={(x) => 0.75 / (1 + Math.exp(5 - 10 * x))} tone={terracotta} />
      {[0.25, 0.5, 0.75, 1].map((x) => (
        <circle
          key={x}
          cx={at(x)}
          cy={up(0.95 / (1 + Math.exp(4 - 9 * x)))}
          r={3.5}
          fill={aegean}
        />
      ))}
    </>
  ),
  greedy: (
    <>
      <Floor />
      <Odds shares={[0.2, 0.35]} from={50} tone="var(--p-rule)" wide={22} />
      <Odds shares={[0.85]} from={102} tone={terracotta} wide={22} />
      <Odds shares={[0.15]} from={128} tone="var(--p-rule)" wide={22} />
    </>
  ),
  imitation: (
    <>
      <path className="drawn-line" stroke={olive} d="M20 66H80V30H150V18H200" />
      <path className="drawn-line drawn-dashed" stroke={terracotta} d="M20 72H86V36H156V24H200" />
      <Label x={52} y={26}>
        {words.expert}
      </Label>
    </>
  ),
  update: (
    <>
      <Curve of={(x) => 0.95 * Math.sin((x * Math.PI) / 2)} tone="var(--p-rule)" />
      {[0.05, 0.2, 0.38, 0.58].map((x) => (
        <circle
          key={x}
          cx={at(x)}
          cy={up(0.95 * Math.sin((x * Math.PI) / 2))}
          r={4}
          fill={terracotta}
        />
      ))}
    </>
  ),
  gradient: (
    <>
      {[30, 20, 10].map((r) => (
        <ellipse key={r} className="drawn-ring" cx={130} cy={42} rx={2.4 * r} ry={r} />
      ))}
      <path className="drawn-line" stroke={terracotta} d="M52 64L100 50m-9 -3l9 3l-6 8" />
    </>
  ),
  advantage: (
    <>
      <path className="drawn-axis" d="M12 42H208" />
      {[0.3, -0.5, 0.9, -0.2, 0.6, -0.7].map((share, i) => (
        <rect
          key={share}
          x={24 + 30 * i}
          y={42 - 34 * Math.max(0, share)}
          width={20}
          height={34 * Math.abs(share)}
          rx={2}
          fill={share > 0 ? olive : terracotta}
        />
      ))}
    </>
  ),
  value: (
    <>
      {Array.from({ length: 7 }, (_, i) => (
        <rect
          key={i}
          x={12 + 28 * i}
          y={30}
          width={25}
          height={25}
          rx={3}
          fill={olive}
          opacity={0.95 ** (7 - i) * (0.12 + 0.13 * i)}
        />
      ))}
      <Label x={192.5} y={24}>
        {words.goal}
      </Label>
    </>
  ),
  objective: (
    <>
      <Floor />
      <Curve of={hill} tone={olive} />
      <path
        className="drawn-line"
        stroke={ochre}
        d={`M${at(0)} ${up(tangent(0))}L${at(0.53)} ${up(tangent(0.53))}`}
      />
      <circle cx={at(0.3)} cy={up(hill(0.3))} r={4} fill={terracotta} />
    </>
  ),
  ratio: (
    <>
      <Floor />
      <Odds shares={[0.4]} from={60} tone="var(--p-rule)" wide={30} />
      <Odds shares={[0.6]} from={116} tone={terracotta} wide={30} />
      <Label x={184} y={48}>
        × 1.5
      </Label>
    </>
  ),
  clipping: (
    <>
      <Floor />
      <path className="drawn-cut" d={`M${at(0.6)} 8V${FLOOR}`} />
      <Curve of={(x) => 0.9 * Math.min(x, 0.6) + 0.15} tone={terracotta} />
      <Label x={at(0.6) + 14} y={16}>
        1.2
      </Label>
    </>
  ),
  entropy: (
    <>
      <Floor />
      <Odds shares={evenly(4).map((share) => share * 1.4)} from={18} tone={aegean} />
      <Odds shares={[0.04, 0.94, 0.05, 0.03]} from={132} tone={aegean} />
    </>
  ),
  nat: (
    <>
      <Floor />
      {[2, 4, 8].map((n, i) => (
        <g key={n}>
          <Odds shares={[Math.log(n) / Math.log(16)]} from={32 + 62 * i} tone={aegean} wide={28} />
          <Label x={46 + 62 * i} y={up(Math.log(n) / Math.log(16)) - 4}>
            {Math.log(n).toFixed(2)}
          </Label>
        </g>
      ))}
    </>
  ),
  kl: (
    <>
      <Floor />
      <Curve of={(x) => 0.85 * Math.exp(-(((x - 0.36) / 0.14) ** 2))} tone="var(--p-faint)" />
      <Curve of={(x) => 0.95 * Math.exp(-(((x - 0.6) / 0.12) ** 2))} tone={terracotta} />
    </>
  ),
});

interface DrawingProps {
  readonly name: TermName;
  readonly label: string;
  readonly words: TermTexts['drawn'];
}

export function TermDrawing({ name, label, words }: DrawingProps) {
  return (
    <svg className="drawn" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {drawings(words)[name]}
    </svg>
  );
}
