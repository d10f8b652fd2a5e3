import './autopsy.css';
import { Button } from '@mantine/core';
import { IconGitFork, IconPlayerStop } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Estimate } from '../../../algorithms/confidence.ts';
import { firstDifference, iterationsOf, type Outcome, type Trial } from '../../../autopsy/judge.ts';
import { type AutopsyPlan, costOf, forksOf, planAutopsy } from '../../../autopsy/plan.ts';
import type { TrialOutcome } from '../../../diagnosis/evidence.ts';
import type { Finding } from '../../../diagnosis/finding.ts';
import { isRemote } from '../../../envs/registry.ts';
import type { Fate } from '../../../experiments/kept-autopsy.ts';
import { capital, duration, percent, several } from '../../../runs/numbers.ts';
import { useLab } from '../../shell/lab/store.ts';
import { ProblemNotice } from '../../shell/notices/notices.tsx';
import { AutopsyChart } from './chart.tsx';
import { type ForkCurve, forkCurves, pointsOf, UNCHANGED } from './curves.ts';
import { type Autopsy, beginAutopsy, leaveAutopsy, useAutopsies } from './store.ts';

interface ProveProps {
  readonly finding: Finding;
}

/** Plays forks of the run from before the finding's onset, and shows which of them do better. */
export function Prove({ finding }: ProveProps) {
  const autopsy = useAutopsies(({ autopsies }) => autopsies[finding.mode]);
  const playing = useAutopsies((state) => state.playing === finding.mode);
  return (
    <div className="autopsy" data-testid="autopsy">
      {playing ? null : <Ask finding={finding} again={autopsy?.trial != null} />}
      {autopsy === undefined ? null : (
        <>
          <ProblemNotice problem={autopsy.problem} onClose={() => leaveAutopsy(finding.mode)} />
          {playing ? <Progress autopsy={autopsy} /> : null}
          {autopsy.problem === null ? <Shown autopsy={autopsy} /> : null}
        </>
      )}
    </div>
  );
}

/** Number of seeds in a repeated test: enough for a confidence interval, and quick to run. */
const SEVERAL = 3;

/** Number of recent iterations whose mean wall-clock time is used to estimate the cost. */
const PACE = 12;

function Ask({ finding, again }: ProveProps & { readonly again: boolean }) {
  const config = useLab((lab) => lab.config);
  const rows = useLab((lab) => lab.rows);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const other = useAutopsies(({ playing }) => playing !== null);
  const last = rows.at(-1)?.iteration ?? 0;
  const plan = useMemo(() => planAutopsy(finding, config, last), [finding, config, last]);
  const repeated = { ...plan, seeds: planAutopsy(finding, config, last, { seeds: SEVERAL }).seeds };
  if (plan.cures.length === 0) return null;
  if (isRemote(config.env.id)) {
    return (
      <div className="row autopsy-ask">
        <p>
          Findings of a run on a server cannot be tested: the server might not reproduce its
          episodes.
        </p>
      </div>
    );
  }
  const recent = rows.slice(-PACE);
  const pace = recent.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / recent.length;
  const cost = (of: AutopsyPlan) => {
    const iterations = costOf(of);
    return `${several(iterations, 'iteration')}, ${duration((iterations * pace) / 1000)} at this run’s pace`;
  };
  const shared = plan.after === 0 ? '' : `replays the run up to iteration ${plan.after}, then `;
  const forks = `trains ${forksOf(plan).length} forks for ${several(plan.to - plan.after, 'iteration')}, one unchanged and one for each remedy`;
  return (
    <div className="row autopsy-ask">
      <Button
        variant="filled"
        size="compact-sm"
        leftSection={<IconGitFork size={15} />}
        disabled={cannotTrain || other}
        onClick={() => beginAutopsy(again ? repeated : plan)}
      >
        {again ? `Repeat with ${SEVERAL} seeds` : 'Prove it'}
      </Button>
      <p>
        {again
          ? `At most ${cost(repeated)}.`
          : `${capital(`${shared}${forks}`)}: at most ${cost(plan)}. The run itself continues meanwhile.`}
      </p>
    </div>
  );
}

function Progress({ autopsy: { plan, played } }: { readonly autopsy: Autopsy }) {
  const forks = forksOf(plan);
  const place = played.forks.findIndex(({ end }) => end === null);
  const { cure = null, seed } = forks[place] ?? {};
  const ofSeed = plan.seeds.length > 1 ? `, seed ${seed}` : '';
  const doing =
    played.shared.length < plan.after
      ? 'Replaying the run up to the fork point'
      : `Training fork ${place + 1} of ${forks.length}: ${cure?.name ?? UNCHANGED}${ofSeed}`;
  // A fork that ended early is complete.
  const done =
    iterationsOf(played) +
    played.forks.reduce(
      (sum, { rows, end }) => sum + (end === null ? 0 : plan.to - plan.after - rows.length),
      0,
    );
  const share = Math.min(1, done / costOf(plan));
  return (
    <div className="row autopsy-ask">
      <Button
        size="compact-sm"
        leftSection={<IconPlayerStop size={14} />}
        onClick={() => leaveAutopsy(plan.mode)}
      >
        Stop
      </Button>
      <span className="tick" aria-hidden>
        <span style={{ width: `${100 * share}%` }} />
      </span>
      <p>
        <span role="status">{doing}.</span> {percent(share)}
      </p>
    </div>
  );
}

const outcomes: Readonly<Record<TrialOutcome, string>> = {
  proved: 'Proved',
  refuted: 'Refuted',
  open: 'Not decided',
};

function Shown({ autopsy: { plan, played, trial } }: { readonly autopsy: Autopsy }) {
  const rows = useLab((lab) => lab.rows);
  const run = useMemo(() => pointsOf(rows), [rows]);
  const forks = useMemo(() => forkCurves(plan, played), [plan, played]);
  const differs = useMemo(() => firstDifference(rows, played), [rows, played]);
  return (
    <>
      {trial === null ? null : (
        <p data-testid="autopsy-text">
          <b className={`autopsy-${trial.outcome}`}>{outcomes[trial.outcome]}.</b> {trial.text}
        </p>
      )}
      {differs === null ? null : (
        <p>
          The replay and the run diverge at iteration {differs}: the run was computed on another
          device, or started from given weights. The forks are still comparable with each other.
        </p>
      )}
      <AutopsyChart run={run} forks={forks} after={plan.after} to={plan.to} />
      <Numbers forks={forks} trial={trial} />
    </>
  );
}

const fates: Readonly<Record<Fate, string>> = {
  lives: 'gains most',
  helps: 'gains less',
  fails: 'little or no gain',
  open: 'seeds disagree',
};

/** The legend of the curves, and the results once all forks are played. */
function Numbers({
  forks,
  trial,
}: {
  readonly forks: readonly ForkCurve[];
  readonly trial: Trial | null;
}) {
  return (
    <table className="autopsy-numbers">
      <thead>
        <tr>
          <th scope="col">Fork</th>
          <th scope="col">Success, last quarter</th>
          <th scope="col">Greedy success, at the end</th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        {forks.map(({ name, color }, place) => {
          const cure = trial?.cures[place - 1];
          return (
            <ForkRow
              key={name}
              name={name}
              color={color}
              outcome={cure ?? trial?.asItWas ?? null}
              fate={cure === undefined ? '' : fates[cure.fate]}
            />
          );
        })}
      </tbody>
    </table>
  );
}

interface ForkRowProps {
  readonly name: string;
  readonly color: string;
  /** Null until all forks are played. */
  readonly outcome: Outcome | null;
  readonly fate: string;
}

function ForkRow({ name, color, outcome, fate }: ForkRowProps) {
  return (
    <tr>
      <th scope="row">
        <span className="autopsy-swatch" style={{ background: color }} aria-hidden />
        {name}
      </th>
      <td>{outcome === null ? '–' : withInterval(outcome.success)}</td>
      <td>{outcome?.greedy == null ? '–' : percent(outcome.greedy)}</td>
      <td>
        {outcome === null
          ? '–'
          : outcome.problems.length > 0
            ? `${fate}: ${outcome.problems.join(' ')}`
            : fate}
      </td>
    </tr>
  );
}

function withInterval({ mean, low, high }: Estimate): string {
  return Number.isNaN(low)
    ? percent(mean)
    : `${percent(mean)} (${percent(low)} to ${percent(high)})`;
}
