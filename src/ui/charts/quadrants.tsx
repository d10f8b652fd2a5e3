import { Slider } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useId, useMemo, useState } from 'react';
import { surrogateTraits } from '../../algorithms/surrogates.ts';
import { type Bounds, isHeld, updateOf, type Zone, zonesOf } from '../../diagnosis/bounds.ts';
import { whyQuadrants } from '../../diagnosis/tokens.ts';
import type { Diagnosis, TokenSample } from '../../runs/details.ts';
import { percent, significant, thousands } from '../../runs/numbers.ts';
import { useLab } from '../shell/lab/store.ts';
import { type Axes, axesOf, ratioTicks } from './quadrant-axes.ts';
import { waitingForDiagnosis } from './waiting.ts';

/**
 * The tokens of a diagnosed update by ratio and advantage, with the zones in which clipping removes
 * the gradient. Earlier diagnoses can be browsed.
 */
export function Quadrants() {
  const id = useId();
  const diagnoses = useLab((lab) => lab.diagnoses);
  const rows = useLab((lab) => lab.rows);
  const config = useLab((lab) => lab.config);
  const runId = useLab((lab) => lab.runId);
  // Null follows the newest.
  const [chosen, setChosen] = useState<number | null>(null);
  useEffect(() => setChosen(null), [runId]);
  const axes = useMemo(() => axesOf(diagnoses.map(({ diagnosis }) => diagnosis)), [diagnoses]);
  const shown = diagnoses.find(({ iteration }) => iteration === chosen) ?? diagnoses.at(-1) ?? null;
  const update = shown === null ? undefined : updateOf(rows, shown.iteration, shown.diagnosis);
  const zones = update === undefined ? null : zonesOf(update);
  return (
    <figure
      className="card chart quadrants"
      data-testid="chart-quadrants"
      aria-labelledby={id}
      aria-describedby={`${id}-why`}
    >
      <figcaption className="row chart-head">
        <h3 id={id}>The tokens of one update</h3>
        {shown === null ? null : (
          <p className="quadrants-when">
            Iteration <b data-testid="quadrants-iteration">{shown.iteration}</b>, update{' '}
            {thousands(shown.diagnosis.update)}
          </p>
        )}
      </figcaption>
      {shown === null ? (
        <p className="quadrants-empty">{waitingForDiagnosis(config)}</p>
      ) : (
        <>
          <ZoneLabels
            title="Better than expected"
            zones={zones?.positive}
            bounds={shown.diagnosis}
            side="positive"
          />
          <Picture diagnosis={shown.diagnosis} axes={axes} />
          <ZoneLabels
            title="Worse than expected"
            zones={zones?.negative}
            bounds={shown.diagnosis}
            side="negative"
          />
          <Legend />
          {diagnoses.length > 1 ? (
            <Leaf
              iterations={diagnoses.map(({ iteration }) => iteration)}
              at={diagnoses.indexOf(shown)}
              onChange={(index) =>
                setChosen(
                  index === diagnoses.length - 1 ? null : (diagnoses[index]?.iteration ?? null),
                )
              }
            />
          ) : null}
        </>
      )}
      <p className="chart-meaning">
        Each dot is a generated token. Tokens on the right have become more probable since they were
        generated; those on the left, less. Tokens above the line turned out better than expected;
        those below it, worse. In the hatched zones, clipping removes the gradient.
      </p>
      <p className="chart-why" id={`${id}-why`}>
        {shown === null
          ? 'The plot shows which tokens are clipped and how that affects entropy.'
          : whyQuadrants(shown.diagnosis, config)}
      </p>
    </figure>
  );
}

interface ZoneLabelsProps {
  readonly title: string;
  readonly zones: readonly Zone[] | undefined;
  readonly bounds: Bounds;
  readonly side: 'positive' | 'negative';
}

/** Tokens and gradient share below, between and above the bounds, for one sign of the advantage. */
function ZoneLabels({ title, zones, bounds, side }: ZoneLabelsProps) {
  const [low, high] = [significant(bounds.clipLow), significant(bounds.clipHigh)];
  const places = [`below ${low}`, `${low} to ${high}`, `above ${high}`];
  return (
    <div className={`zones zones-${side}`}>
      <p className="zones-title">{title}</p>
      {zones === undefined ? null : (
        <dl>
          {zones.map(({ tokens, gradient }, index) => (
            <div key={places[index]}>
              <dt>{places[index]}</dt>
              <dd>
                <span className="zones-tokens">
                  <b>{thousands(tokens)}</b> {tokens === 1 ? 'token' : 'tokens'}
                </span>{' '}
                <span className="zones-share">
                  <b>{percent(gradient)}</b> of the gradient
                </span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

const margin = { top: 20, right: 12, bottom: 34, left: 40 };

/**
 * From blue (certain) to red (as uncertain as chance). The square root spreads out small entropies,
 * which are typical of a trained policy.
 */
function colorOf(entropy: number, chance: number): string {
  const share = Math.sqrt(Math.min(1, Math.max(0, entropy / chance)));
  return `color-mix(in oklab, var(--p-terracotta) ${Math.round(100 * share)}%, var(--p-aegean))`;
}

const radiusOf = (logp: number) => 2 + 3.5 * Math.exp(logp / 2);

interface PictureProps {
  readonly diagnosis: Diagnosis;
  readonly axes: Axes;
}

function Picture({ diagnosis, axes }: PictureProps) {
  const { ref, width, height } = useElementSize();
  const algorithm = useLab((lab) => lab.config.algorithm);
  const chance = useLab((lab) => Math.log(lab.machine?.vocabulary ?? 2));
  const hatch = useId();
  const { clipLow, clipHigh, samples } = diagnosis;
  const on = surrogateTraits[algorithm.objective].bounds;
  const dual = algorithm.dual_clip;
  const [least, most] = axes.ratio;
  const plot = {
    width: Math.max(0, width - margin.left - margin.right),
    height: Math.max(0, height - margin.top - margin.bottom),
  };
  const x = (ratio: number) =>
    margin.left +
    (plot.width * Math.log(Math.min(most, Math.max(least, ratio)) / least)) /
      Math.log(most / least);
  // The square root spreads out small advantages, such as those of failures when successes are rare.
  const y = (advantage: number) => {
    const share = Math.sign(advantage) * Math.sqrt(Math.abs(advantage) / axes.advantage);
    return margin.top + (plot.height * (1 - share)) / 2;
  };
  const middle = y(0);
  const bottom = margin.top + plot.height;
  const right = margin.left + plot.width;
  const held = samples.filter((sample) => isHeld(sample, diagnosis, algorithm)).length;
  // Dual clipping adds a third zone without gradient.
  const dualFrom =
    dual > 0 && (on === 'tokens' || on === 'episodes') && x(dual) < right - 5 ? x(dual) : null;
  return (
    <div ref={ref} className="quadrants-plot">
      {width > 0 ? (
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={`${samples.length} tokens by ratio and advantage. Bounds ${significant(clipLow)} and ${significant(clipHigh)}; ${held} of the tokens have no gradient.`}
          data-clip-low={clipLow}
          data-clip-high={clipHigh}
        >
          <defs>
            <pattern
              id={hatch}
              width="7"
              height="7"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect width="7" height="7" className="hatch-ground" />
              <line x1="0" x2="0" y1="0" y2="7" className="hatch-line" />
            </pattern>
          </defs>
          {on === 'tokens' || on === 'episodes' ? (
            <g fill={`url(#${hatch})`}>
              <rect
                className="zone-clipped"
                data-zone="high"
                y={margin.top}
                height={middle - margin.top}
                style={{ x: x(clipHigh), width: right - x(clipHigh) }}
              />
              <rect
                className="zone-clipped"
                data-zone="low"
                x={margin.left}
                y={middle}
                height={bottom - middle}
                style={{ width: x(clipLow) - margin.left }}
              />
              {dualFrom === null ? null : (
                <rect
                  x={dualFrom}
                  y={middle}
                  width={right - dualFrom}
                  height={bottom - middle}
                  data-zone="dual"
                />
              )}
            </g>
          ) : null}
          <g className="quadrants-axes">
            <line x1={margin.left} x2={right} y1={middle} y2={middle} />
            <line x1={x(1)} x2={x(1)} y1={margin.top} y2={bottom} strokeDasharray="2 3" />
            <line className="frame" x1={margin.left} x2={right} y1={bottom} y2={bottom} />
            {ratioTicks(axes.ratio, plot.width, 44).map((ratio) => (
              <text key={ratio} x={x(ratio)} y={bottom + 14} textAnchor="middle">
                {significant(ratio)}
              </text>
            ))}
            <text x={right} y={bottom + 30} textAnchor="end" className="axis-name">
              {on === 'episodes'
                ? 'episode’s ratio of new to old probability →'
                : 'ratio of new to old probability →'}
            </text>
            {advantageTicks(axes.advantage).map((advantage) => (
              <text key={advantage} x={margin.left - 7} y={y(advantage) + 4} textAnchor="end">
                {advantage > 0 ? '+' : advantage < 0 ? '−' : ''}
                {Math.abs(advantage)}
              </text>
            ))}
            <text x={2} y={12} className="axis-name">
              ↑ advantage
            </text>
          </g>
          {on === 'nothing' ? null : (
            <g className="quadrants-bounds">
              <BoundLine
                at={x(clipLow)}
                top={margin.top}
                bottom={bottom}
                value={clipLow}
                anchor="end"
              />
              <BoundLine
                at={x(clipHigh)}
                top={margin.top}
                bottom={bottom}
                value={clipHigh}
                anchor="start"
              />
            </g>
          )}
          <g>
            {samples.map((sample, index) => (
              <Dot
                key={index}
                sample={sample}
                x={x(sample.ratio)}
                y={y(sample.advantage)}
                color={colorOf(sample.entropy, chance)}
                held={isHeld(sample, diagnosis, algorithm)}
              />
            ))}
          </g>
        </svg>
      ) : null}
    </div>
  );
}

/** Round advantages to mark: zero, and two on either side. */
function advantageTicks(span: number): readonly number[] {
  const magnitude = 10 ** Math.floor(Math.log10(span));
  const step =
    [5, 2, 1].map((factor) => factor * magnitude).find((size) => size <= 0.8 * span) ??
    magnitude / 2;
  return [step, step / 4, 0, -step / 4, -step];
}

interface BoundLineProps {
  readonly at: number;
  readonly top: number;
  readonly bottom: number;
  readonly value: number;
  readonly anchor: 'start' | 'end';
}

function BoundLine({ at, top, bottom, value, anchor }: BoundLineProps) {
  return (
    <g className="bound" style={{ transform: `translateX(${at}px)` }}>
      <line y1={top - 4} y2={bottom} />
      <text y={top - 8} textAnchor={anchor}>
        {significant(value)}
      </text>
    </g>
  );
}

interface DotProps {
  readonly sample: TokenSample;
  readonly x: number;
  readonly y: number;
  readonly color: string;
  /** A token without gradient is drawn hollow. */
  readonly held: boolean;
}

function Dot({ sample, x, y, color, held }: DotProps) {
  const { logp, ratio, advantage, entropy } = sample;
  return (
    <circle
      cx={x}
      cy={y}
      r={radiusOf(logp)}
      fill={held ? 'var(--p-card)' : color}
      stroke={held ? color : 'var(--p-card)'}
      strokeWidth={held ? 1.4 : 0.6}
      opacity={held ? 0.95 : 0.72}
    >
      <title>
        {`probability ${percent(Math.exp(logp))}, ratio ${significant(ratio)}, advantage ${significant(advantage)}, entropy ${significant(entropy)} nats${held ? '; no gradient' : ''}`}
      </title>
    </circle>
  );
}

function Legend() {
  return (
    <p className="quadrants-legend" aria-hidden>
      <span>
        certain <i className="ramp" /> undecided
      </span>
      <span>
        improbable <i className="grain" /> <i className="grain grain-large" /> probable
      </span>
      <span>
        <i className="grain grain-held" /> gradient removed
      </span>
    </p>
  );
}

interface LeafProps {
  readonly iterations: readonly number[];
  readonly at: number;
  readonly onChange: (index: number) => void;
}

/** Browses the kept diagnoses. */
function Leaf({ iterations, at, onChange }: LeafProps) {
  return (
    <div className="quadrants-leaf">
      <span>Iteration {iterations[0]}</span>
      <Slider
        size="xs"
        min={0}
        max={iterations.length - 1}
        step={1}
        value={at}
        onChange={onChange}
        label={(index) => `Iteration ${iterations[index] ?? ''}`}
        thumbLabel="Diagnosed iteration"
        thumbValueText={`Iteration ${iterations[at] ?? ''}`}
      />
      <span>{iterations.at(-1)}</span>
    </div>
  );
}
