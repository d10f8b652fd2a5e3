import { type ReactNode, Suspense, useMemo, useRef } from 'react';
import { learnsBy } from '../../../config/methods.ts';
import { criticizes } from '../../../config/recipes.ts';
import { diagnose } from '../../../diagnosis/diagnose.ts';
import { introduction } from '../../../diagnosis/story.ts';
import { duration, several, significant, thousands } from '../../../runs/numbers.ts';
import { expectedIterations, PACE_WINDOW } from '../../../runs/run-length.ts';
import { loadedLater } from '../../shell/comfort/release.ts';
import { DeviceFact } from '../../shell/device/fact.tsx';
import { evidenceOf, type LabState, useLab } from '../../shell/lab/store.ts';
import { useDepth } from '../../shell/page/depth.ts';
import { Part } from '../../shell/page/part.tsx';
import { horizonOf } from '../../shell/settings/horizon.ts';
import { useTermCard } from '../../shell/terms/store.ts';
import { Words } from '../../shell/terms/words.tsx';
import { DepthChoice } from './depth-choice.tsx';

import { storyOf } from './story.ts';

const WhatHappened = loadedLater(async () => (await import('../findings/panel.tsx')).WhatHappened);

const NextSteps = loadedLater(async () => (await import('./next-steps.tsx')).NextSteps);

/** The run's status, in words and in numbers. */
export function Overview() {
  const depth = useDepth((state) => state.depth);
  const finished = useLab(({ status }) => status === 'finished');
  return (
    <section className="overview" aria-label="What is happening">
      <Story next={<Suspense>{finished ? <NextSteps /> : null}</Suspense>}>
        <DepthChoice />
      </Story>
      {depth === 'watch' ? null : <Figures />}
    </section>
  );
}

/** The status in words, with children above the headline and `next` after the detail. */
export function Story({
  children,
  next,
}: {
  readonly children?: ReactNode;
  readonly next?: ReactNode;
}) {
  const lab = useLab();
  const { headline, detail } = storyOf(lab);
  return (
    <div className="story">
      <p className="story-intro">
        {introduction(lab.config, lab.machine?.parameters, lab.base?.name)}
      </p>
      {children}
      <h1 data-testid="headline">{headline}</h1>
      <Detail text={detail} />
      {next}
    </div>
  );
}

/** A new text replaces the element, except while the user hovers over, focuses or has opened a word. */
function Detail({ text }: { readonly text: string }) {
  const paragraph = useRef<HTMLParagraphElement>(null);
  const key = useRef(text);
  const { word } = useTermCard.getState();
  const element = paragraph.current;
  const inUse =
    element !== null && (element.matches(':hover, :focus-within') || element.contains(word));
  if (!inUse) key.current = text;
  return (
    <p key={key.current} ref={paragraph} className="story-detail">
      <Words text={text} />
    </p>
  );
}

/** The run in numbers, and its findings. */
export function Figures() {
  const lab = useLab();
  const { findings, past } = diagnose(evidenceOf(lab));
  return (
    <>
      <Facts lab={lab} />
      <ProgressLine lab={lab} />
      {findings.length + past.length === 0 ? null : (
        <Part name="The findings">
          <WhatHappened />
        </Part>
      )}
    </>
  );
}

/**
 * Seconds until the limit of iterations, turns or tokens at the current pace; a target success may end the
 * run sooner.
 */
export function secondsLeft({
  rows,
  config,
}: Pick<LabState, 'rows' | 'config'>): number | undefined {
  const recent = rows.slice(-PACE_WINDOW);
  const iteration = recent.at(-1)?.iteration;
  if (iteration === undefined) return undefined;
  const mean = recent.reduce((sum, row) => sum + row.milliseconds, 0) / recent.length;
  return ((expectedIterations(config, rows) - iteration) * mean) / 1000;
}

function Facts({ lab }: { readonly lab: LabState }) {
  const { rows, config, machine, status } = lab;
  const last = rows.at(-1);
  const total = expectedIterations(config, rows);
  const about = total < config.stopping.iterations ? '≈ ' : '';
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
          {status === 'finished' ? null : (
            <small>{` / ${about}${total.toLocaleString('en-US')}`}</small>
          )}
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
      {config.agent.max_action_tokens === 1 ? null : (
        <div>
          <dt>Tokens</dt>
          <dd>
            {significant(last?.metrics['time/tokens_per_second'])}
            <small> /s</small>
          </dd>
        </div>
      )}
      <div>
        <dt>Turns so far</dt>
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
  prefer: 'comparing its episodes',
  rollout: 'playing',
  score: 'scoring its episodes',
  advantages: 'estimating advantages',
  update: 'learning',
  evaluate: 'evaluating',
  explore: 'exploring',
  sift: 'selecting episodes',
  learn: 'learning',
  answer: 'answering',
  criticize: 'critiquing',
  refine: 'refining its answers',
  collect: 'writing critiques',
  draw: 'drawing samples',
} as const;

/** Progress of the run, divided where the horizon grows. */
function ProgressLine({ lab }: { readonly lab: LabState }) {
  const { rows, config, phase, fraction, status } = lab;
  const done = rows.at(-1)?.iteration ?? 0;
  const total = status === 'finished' ? done : expectedIterations(config, rows);
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
            {criticizes(config) ? null : (
              <span className={done >= from && done < to ? 'progress-name now' : 'progress-name'}>
                <span className="progress-most">up to </span>
                {several(turns, 'turn')}
              </span>
            )}
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
