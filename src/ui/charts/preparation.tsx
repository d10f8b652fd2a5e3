/** Progress before the first iteration, in place of charts that have no data yet. */

import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { chance, duration, percent, significant } from '../../runs/numbers.ts';
import { accuracyOf, usePrediction } from '../shell/episode/prediction.ts';
import { type LabState, useLab } from '../shell/lab/store.ts';
import { tenth } from './scale.ts';

/** Whether a run is in imitation or preference learning before its first iteration, which may take minutes. */
export const isPreparing = ({ rows, status, phase, config }: LabState): boolean =>
  rows.length === 0 &&
  (status === 'starting' || status === 'running') &&
  (phase === 'imitate' || phase === 'prefer' || config.imitation.epochs > 0);

/** Imitation comes before preference learning; either may be missing. */
function titleOf({ phase, config: { imitation, preference } }: LabState): string {
  if (phase === null) return 'Starting';
  if (phase === 'imitate') return 'Step 1: copying an expert';
  const next = imitation.epochs > 0 ? 2 : 1;
  if (phase === 'prefer') return `Step ${next}: learning from preference pairs`;
  return `Step ${preference.epochs > 0 ? next + 1 : next}: the first iteration`;
}

export function Preparation() {
  const title = useLab(titleOf);
  const phase = useLab((lab) => lab.phase);
  const fraction = useLab((lab) => lab.fraction);
  const left = useTimeLeft(phase ?? '', fraction);
  return (
    <section className="card preparation" data-testid="preparation" aria-label="Preparation">
      <h3>{title}</h3>
      <progress value={fraction} aria-label="Progress of this step" />
      {phase === null ? (
        <Elapsed />
      ) : (
        <p>
          <b>{percent(fraction)}</b>
          {left === null ? '' : `, about ${duration(left)} left`}
        </p>
      )}
      {phase === 'imitate' || phase === 'prefer' ? <Losses per={units[phase]} /> : null}
      <p className="preparation-note">Charts appear with the first iteration.</p>
    </section>
  );
}

/** Time since the start, while the run loads its environments and records the expert. */
function Elapsed() {
  const [seconds, setSeconds] = useState(0);
  useInterval(() => setSeconds((passed) => passed + 1), 1000, { autoInvoke: true });
  return (
    <p>
      Loading, <b>{duration(seconds)}</b>
    </p>
  );
}

const WIDTH = 300;
const HEIGHT = 60;
/** What the loss of a phase is averaged over. */
const units = { imitate: 'token', prefer: 'pair' } as const;

/** The loss of the phase so far; nothing before the first update. */
function Losses({ per }: { readonly per: 'token' | 'pair' }) {
  const losses = useLab((lab) => lab.losses);
  const shown = usePrediction();
  const newest = losses.at(-1)?.loss;
  if (newest === undefined) return null;
  const most = losses.reduce((a, { loss }) => Math.max(a, loss), 1e-9);
  const points = losses.map(
    ({ at, loss }) => `${tenth(WIDTH * at)},${tenth(HEIGHT - (HEIGHT * loss) / most)}`,
  );
  return (
    <figure className="preparation-loss">
      <svg viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`} preserveAspectRatio="none" aria-hidden>
        <polyline points={points.join(' ')} />
      </svg>
      <figcaption>
        Loss <b>{significant(newest)}</b> nats per {per}, initially {significant(losses[0]?.loss)}.
        {per === 'token'
          ? ` The agent gives the expert’s next token a probability of ${chance(Math.exp(-newest))} (geometric mean).`
          : ''}
        {shown === null
          ? ''
          : ` Accuracy on the episode shown: ${percent(accuracyOf(shown))} of the tokens.`}
      </figcaption>
    </figure>
  );
}

/** Minimum time to measure before an estimate is shown, in milliseconds. */
const LEAST_MS = 1_500;

/** Seconds left in a phase at its pace so far; null while the pace is unknown. */
function useTimeLeft(phase: string, fraction: number): number | null {
  const [start, setStart] = useState({ phase, fraction, at: performance.now() });
  if (start.phase !== phase || fraction < start.fraction) {
    setStart({ phase, fraction, at: performance.now() });
    return null;
  }
  const [passed, gained] = [performance.now() - start.at, fraction - start.fraction];
  if (passed < LEAST_MS || gained <= 0) return null;
  return ((1 - fraction) * passed) / gained / 1000;
}
