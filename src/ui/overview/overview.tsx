import { type ReactNode, useMemo } from 'react';
import { learnsBy } from '../../config/methods.ts';
import { diagnose } from '../../diagnosis/diagnose.ts';
import { introduction } from '../../diagnosis/story.ts';
import { duration, significant, thousands } from '../../runs/numbers.ts';
import type { Row } from '../../runs/row.ts';
import { loadedLater } from '../comfort/release.ts';
import { DeviceFact } from '../device/fact.tsx';
import { evidenceOf, type LabState, useLab } from '../lab/store.ts';
import { useDepth } from '../page/depth.ts';
import { Part } from '../page/part.tsx';
import { horizonOf } from '../settings/settings-horizon.tsx';
import { Words } from '../terms/words.tsx';
import { DepthChoice } from './depth-choice.tsx';
import { storyOf } from './story.ts';

const WhatHappened = loadedLater(async () => (await import('../findings/panel.tsx')).WhatHappened);

/** What is happening, in words and in numbers. */
export function Overview() {
  const depth = useDepth((state) => state.depth);
  return (
    <section className="overview" aria-label="What is happening">
      <Story>
        <DepthChoice />
      </Story>
      {depth === 'watch' ? null : <Figures />}
    </section>
  );
}

/** What is happening, in words; below what the run is about stand its children. */
export function Story({ children }: { readonly children?: ReactNode }) {
  const lab = useLab();
  const { headline, detail } = storyOf(lab);
  return (
    <div className="story">
      <p className="story-intro">{introduction(lab.config, lab.machine?.parameters)}</p>
      {children}
      <h1 data-testid="headline">{headline}</h1>
      <p className="story-detail">
        <Words text={detail} />
      </p>
    </div>
  );
}

/** The run in numbers, and what was found in it. */
export function Figures() {
  const lab = useLab();
  return (
    <>
      <Facts lab={lab} />
      <ProgressLine lab={lab} />
      {diagnose(evidenceOf(lab)).findings.length === 0 ? null : (
        <Part name="What happened">
          <WhatHappened />
        </Part>
      )}
    </>
  );
}

/** Iterations whose mean wall clock the time that is left is computed from. */
const ETA_WINDOW = 12;

/**
 * Seconds until the last iteration, or the last turn where those are limited, at the pace of the newest
 * iterations; a target success may end the run sooner.
 */
export function secondsLeft({
  rows,
  config,
}: Pick<LabState, 'rows' | 'config'>): number | undefined {
  const recent = rows.slice(-ETA_WINDOW);
  const iteration = recent.at(-1)?.iteration;
  if (iteration === undefined) return undefined;
  const mean = recent.reduce((sum, row) => sum + row.milliseconds, 0) / recent.length;
  const { iterations, turns } = config.stopping;
  const played = (row: Row | undefined) => row?.metrics['progress/turns'] ?? 0;
  const before = played(rows.at(-1 - recent.length));
  const pace = (played(recent.at(-1)) - before) / recent.length;
  const byTurns =
    turns > 0 && pace > 0 ? (turns - played(recent.at(-1))) / pace : Number.POSITIVE_INFINITY;
  return (Math.min(iterations - iteration, Math.max(0, byTurns)) * mean) / 1000;
}

function Facts({ lab }: { readonly lab: LabState }) {
  const { rows, config, machine, status } = lab;
  const last = rows.at(-1);
  const total = config.stopping.iterations;
  const running = status === 'running';
  const method = useMemo(() => learnsBy(config) ?? 'Custom', [config]);
  return (
    <dl className="facts">
      <div>
        <dt>Method</dt>
        <dd data-testid="method-title">{method}</dd>
      </div>
      <div>
        <dt>Iteration</dt>
        <dd data-testid="iteration">
          {last?.iteration ?? 0}
          <small> / {total.toLocaleString('en-US')}</small>
        </dd>
      </div>
      <div>
        <dt>Time left</dt>
        <dd>
          {status === 'finished'
            ? 'done'
            : running || status === 'paused'
              ? `${config.stopping.success > 0 ? '≤ ' : ''}${duration(secondsLeft(lab))}`
              : '–'}
        </dd>
      </div>
      <div>
        <dt>Turns</dt>
        <dd>
          {significant(last?.metrics['time/turns_per_second'])}
          <small> /s</small>
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>
          {significant(last?.metrics['time/tokens_per_second'])}
          <small> /s</small>
        </dd>
      </div>
      <div>
        <dt>Practice so far</dt>
        <dd>
          {thousands(last?.metrics['progress/turns'] ?? 0)}
          <small>
            {config.stopping.turns > 0 ? ` / ${thousands(config.stopping.turns)}` : ''} turns
          </small>
        </dd>
      </div>
      <DeviceFact machine={machine} />
    </dl>
  );
}

const phaseNames = {
  imitate: 'copying the expert',
  prefer: 'comparing its tries',
  rollout: 'playing',
  score: 'scoring what it wrote',
  advantages: 'estimating advantages',
  update: 'learning',
  evaluate: 'being tested',
  explore: 'exploring',
  sift: 'sorting its tries',
  learn: 'learning',
  answer: 'answering',
  criticise: 'criticising',
  refine: 'refining its answers',
  collect: 'making critiques',
  draw: 'drawing samples',
} as const;

/** The run from first to last iteration, cut where the horizon grows. */
function ProgressLine({ lab }: { readonly lab: LabState }) {
  const { rows, config, phase, fraction } = lab;
  const total = config.stopping.iterations;
  const done = rows.at(-1)?.iteration ?? 0;
  const limit = horizonOf(config);
  const { schedule, interval, rounds } = config.horizon;
  const phases: { from: number; to: number; turns: number }[] = [];
  if (schedule === 'fixed') {
    phases.push({ from: 0, to: total, turns: limit(1) });
  } else {
    rounds.forEach((turns, index) => {
      const from = index * interval;
      const to = index === rounds.length - 1 ? total : Math.min(total, from + interval);
      if (from < total) phases.push({ from, to, turns });
    });
  }
  return (
    <div className="progress">
      <div
        className="progress-bars"
        role="progressbar"
        aria-label="Iterations of the run"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
      >
        {phases.map(({ from, to, turns }) => (
          <div key={from} className="progress-phase" style={{ flexGrow: to - from }}>
            <div className="progress-track">
              <div
                className="progress-fill"
                style={{
                  width: `${100 * Math.min(1, Math.max(0, (done - from) / (to - from)))}%`,
                }}
              />
            </div>
            <span className={done >= from && done < to ? 'progress-name now' : 'progress-name'}>
              <span className="progress-most">up to </span>
              {turns} turns
            </span>
          </div>
        ))}
      </div>
      <p className="progress-now" aria-hidden data-idle={phase === null || undefined}>
        <span className="tick" style={{ width: 72 }}>
          <span
            style={{
              width: `${100 * (phase === null ? 0 : fraction)}%`,
            }}
          />
        </span>
        {phase === null ? '' : phaseNames[phase]}
      </p>
    </div>
  );
}
