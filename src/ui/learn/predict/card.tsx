import './predict.css';
import { Button, CloseButton } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { percent } from '../../../runs/numbers.ts';
import { useOverlaidRuns } from '../../charts/overlaid-runs.ts';
import { resetRun, resumeRun } from '../../shell/lab/commands.ts';
import { isOver, useLab } from '../../shell/lab/store.ts';
import { closePanel } from '../../shell/page/panels.ts';
import { Announced } from '../announced.tsx';
import {
  flat,
  iterationOf,
  POINTS,
  type Sketch,
  STEP,
  sketchAt,
  sketchedIterations,
  verdict,
  withPoint,
  withStroke,
} from './sketch.ts';
import { usePrediction } from './store.ts';

/** Draws a sketch over the curve of the current run; null removes it. */
function overlay(sketch: Sketch | null): void {
  const { runId, config, preset } = useLab.getState();
  const total = sketchedIterations(config, preset);
  usePrediction.setState({ overRun: sketch === null ? null : runId });
  useOverlaidRuns.setState({
    predicted:
      sketch === null
        ? null
        : {
            ...{ id: 'prediction', name: 'Your prediction', seed: 0, configKey: 'prediction' },
            ...{ color: 'var(--p-plum)', markers: [], exact: true },
            rows: sketch.map((share, point) => ({
              iteration: iterationOf(point, total),
              'rollout/success_rate': share,
            })),
          },
  });
}

/** Lets the user draw the success curve before the run starts. */
export function PredictionCard() {
  const { sketch, overRun } = usePrediction();
  const runId = useLab((lab) => lab.runId);
  const rows = useLab((lab) => lab.rows);
  const total = useLab(({ config, preset }) => sketchedIterations(config, preset));
  const over = useLab(isOver);
  const begun = rows.length > 0;
  const drawn = overRun !== null && overRun === runId;
  const card = useRef<HTMLElement>(null);
  /** Keeps the focus in the card, because the pressed button disappears. */
  const press = (act: () => void) => () => {
    act();
    card.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    // A prediction belongs to one run.
    if (overRun !== null && overRun !== runId) overlay(null);
  }, [overRun, runId]);
  const close = () => {
    overlay(null);
    closePanel('prediction');
    usePrediction.setState({ sketch: null });
  };
  const words =
    drawn && sketch !== null
      ? (verdict(sketch, rows, total) ?? 'The run is drawing its curve next to yours.')
      : begun
        ? 'The run has already started. Restart it to draw a prediction first.'
        : 'Draw the share of solved episodes from the first iteration to the last: 0% at the bottom, 100% at the top.';
  return (
    <section
      ref={card}
      tabIndex={-1}
      className="card band predict"
      aria-labelledby="predict-title"
      data-testid="predict"
    >
      <div className="row band-head predict-head">
        <h2 id="predict-title">Predict first</h2>
        <p data-testid="predict-words">{words}</p>
        <Announced text={words} over={over} />
        <CloseButton aria-label="Remove prediction" onClick={close} />
      </div>
      {drawn ? null : begun ? (
        <Button variant="filled" size="compact-md" onClick={press(resetRun)}>
          Restart
        </Button>
      ) : (
        <>
          <Pad
            sketch={sketch ?? flat}
            total={total}
            onDrawn={(drawn) => usePrediction.setState({ sketch: drawn })}
          />
          <p className="predict-axis" aria-hidden>
            <span>iteration 1</span>
            <span>{total}</span>
          </p>
          <Button
            variant="filled"
            size="compact-md"
            disabled={sketch === null}
            onClick={press(() => {
              overlay(sketch);
              resumeRun();
            })}
          >
            Start the run
          </Button>
        </>
      )}
    </section>
  );
}

const [WIDTH, HEIGHT] = [600, 200];

interface PadProps {
  readonly sketch: Sketch;
  readonly total: number;
  readonly onDrawn: (sketch: Sketch) => void;
}

/** A curve that is drawn with the pointer, or point by point with the arrow keys. */
function Pad({ sketch, total, onDrawn }: PadProps) {
  const svg = useRef<SVGSVGElement>(null);
  const pen = useRef<{ readonly x: number; readonly y: number } | null>(null);
  const x = (point: number) => (WIDTH * point) / (POINTS - 1);
  const y = (share: number) => HEIGHT * (1 - share);
  const drag = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    if (box === undefined) return;
    const to = {
      x: (event.clientX - box.left) / box.width,
      y: 1 - (event.clientY - box.top) / box.height,
    };
    onDrawn(withStroke(sketch, pen.current ?? to, to));
    pen.current = to;
  };
  const press = (point: number, event: KeyboardEvent<SVGGElement>) => {
    const share = sketch[point] ?? 0;
    const moves: Readonly<Record<string, number>> = {
      ArrowUp: share + STEP,
      ArrowDown: share - STEP,
      PageUp: share + 4 * STEP,
      PageDown: share - 4 * STEP,
      Home: 0,
      End: 1,
    };
    const moved = moves[event.key];
    const aside = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (moved === undefined && aside === undefined) return;
    event.preventDefault();
    if (moved !== undefined) onDrawn(withPoint(sketch, point, moved));
    else {
      const points = svg.current?.querySelectorAll<SVGGElement>('[role="slider"]');
      points?.[point + (aside ?? 0)]?.focus();
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG cannot contain form elements.
    <svg
      ref={svg}
      className="predict-pad"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="group"
      aria-label="Your curve. Up and down arrows move a point; left and right select one."
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        pen.current = null;
        drag(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons > 0) drag(event);
      }}
    >
      {[0.25, 0.5, 0.75].map((share) => (
        <path key={share} d={`M0 ${y(share)}H${WIDTH}`} stroke="var(--p-grid)" />
      ))}
      <path
        d={sketch
          .map((share, point) => `${point === 0 ? 'M' : 'L'}${x(point)} ${y(share)}`)
          .join('')}
        fill="none"
        stroke="var(--p-plum)"
        strokeWidth={3}
        vectorEffect="non-scaling-stroke"
      />
      {sketch.map((share, point) => (
        <g
          key={point}
          role="slider"
          tabIndex={0}
          aria-orientation="vertical"
          aria-label={`Iteration ${iterationOf(point, total)}`}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(100 * share)}
          aria-valuetext={percent(sketchAt(sketch, (point / (POINTS - 1)) * total, total))}
          onKeyDown={(event) => press(point, event)}
        >
          <path
            d={`M${x(point)} ${y(share)}h0`}
            stroke="var(--p-plum)"
            strokeWidth={12}
            strokeLinecap="round"
            vectorEffect="non-scaling-stroke"
          />
        </g>
      ))}
    </svg>
  );
}
