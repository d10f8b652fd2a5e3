/** The headline of a run and one or two sentences of detail, for a first-time visitor. */

import { titleOf } from '../envs/registry.ts';
import type { MetricKey } from '../runs/metrics.ts';
import { duration, listed, percent, several } from '../runs/numbers.ts';
import { whyRefined } from './criticism.ts';
import { diagnose } from './diagnose.ts';
import type { Evidence, EvidenceRow, Facts } from './evidence.ts';
import type { Finding, PastFinding } from './finding.ts';
import { type Progress, progressOf } from './progress.ts';
import { silence } from './silence.ts';
import { horizonChange, recentMean } from './trend.ts';

export interface Story {
  readonly headline: string;
  readonly detail: string;
}

/**
 * The environment, the agent and how it learns.
 *
 * @param parameters number of trained parameters
 * @param model name of the pretrained model under the adapter
 */
export function introduction(
  { recipe, env, agent, imitation }: Facts,
  parameters?: number,
  model?: string,
): string {
  const count =
    parameters === undefined
      ? ''
      : ` with ${(Math.round(parameters / 100) * 100).toLocaleString('en-US')} parameters`;
  const ownSuccesses = 'by imitating an expert and its own successes';
  const way = {
    reinforcement:
      (imitation?.epochs ?? 0) > 0
        ? 'first by imitation, then by reinforcement'
        : 'by reinforcement alone',
    evolution: ownSuccesses,
    critique: 'by imitation; then its critic learns by reinforcement',
    self_improvement: ownSuccesses,
  }[recipe ?? 'reinforcement'];
  const thoughts = agent?.format === 'react' ? ' It writes a thought before each action.' : '';
  const subject = where(env);
  const learner =
    model === undefined
      ? `a transformer${count} learns`
      : `an adapter${count} for the pretrained model ${model} learns`;
  const sentence = `${learner} ${way}.${thoughts}`;
  return subject === '' ? `A${sentence.slice(1)}` : `${subject}: ${sentence}`;
}

function where({ id, mixture = [] }: NonNullable<Facts['env']> = {}): string {
  if (mixture.length > 0) return listed(mixture.map((part) => titleOf(part.id)));
  return id === undefined ? '' : titleOf(id);
}

/** A finding and the first thing to try. */
function advice({ text, remedies }: Finding): string {
  const [first] = remedies;
  return first === undefined ? text : `${text} ${first.text}`;
}

const sentences = (parts: readonly (string | null | undefined)[]) =>
  parts.filter((part) => part !== null && part !== undefined && part !== '').join(' ');

/** A measured number; undefined if the row lacks it. */
function read(row: Pick<EvidenceRow, 'metrics'> | undefined, key: MetricKey): number | undefined {
  const value = row?.metrics[key];
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** A share of tasks in words. */
function share(success: number): string {
  if (success < 0.05) return 'almost no tasks';
  if (success < 0.4) return 'some tasks';
  if (success < 0.6) return 'about half of its tasks';
  return 'most tasks';
}

function headlineOf({ state, now, best, greedy, learned }: Progress): string {
  switch (state) {
    case 'random':
      return 'Its words are still random.';
    case 'improving':
      return now < 0.12
        ? 'It is starting to solve tasks.'
        : `It solves ${share(now)} and is still improving.`;
    case 'flat':
      return `It solves ${share(now)} ${learned ? 'but has stopped improving' : 'and is not improving'}.`;
    case 'falling':
      return `Success has fallen from ${percent(best)} to ${percent(now)}.`;
    case 'solved':
      return solvedBy({ now, greedy });
  }
}

function solvedBy({ now, greedy }: { readonly now: number; readonly greedy?: number | undefined }) {
  return greedy !== undefined && greedy >= now
    ? `Solved: greedy play succeeds in ${percent(greedy)} of its tasks.`
    : `Solved: ${percent(now)} of its episodes succeed.`;
}

/** How success changed since the state began. */
function movement({ state, since, now, before, best }: Progress): string {
  const episodes = `${percent(now)} of the training episodes succeed`;
  if (state === 'improving' && percent(before) !== percent(now) && now > before) {
    return `${episodes}, up from ${percent(before)} in iteration ${since}.`;
  }
  if (state === 'falling') {
    return `${episodes}, down from ${percent(best)} in iteration ${since}.`;
  }
  if (state === 'flat' && Math.abs(now - before) < 0.05) {
    return `${episodes}, about the same since iteration ${since}.`;
  }
  return `${episodes}.`;
}

/**
 * Why a run that does not improve has nothing to learn from; null if its groups do not explain it.
 */
const stalled = (evidence: Evidence, { state }: Progress) =>
  state === 'flat' || state === 'falling' ? silence(evidence) : null;

/** The share of failed episodes that the horizon ended; null if it ended none. */
function truncatedShare({ rows }: Evidence, success: number): string | null {
  const truncated = recentMean(rows, 'rollout/truncated') ?? 0;
  if (truncated === 0 || success > 0.97) return null;
  return `${percent(Math.min(1, truncated / (1 - success)))} of the failed episodes are truncated at the horizon.`;
}

/** The detail of a run without a finding. */
function detailOf(evidence: Evidence, progress: Progress): string {
  const { state, randomness, greedy, now, best } = progress;
  if (state === 'random') {
    return sentences([
      randomness === undefined ? null : `Its word choice is still ${percent(randomness)} random.`,
      now > 0
        ? `${percent(now)} of its episodes succeed by chance; it learns from those.`
        : `No ${best > 0 ? 'recent episode has succeeded' : 'episode has succeeded yet'}, so it has nothing to learn from.`,
    ]);
  }
  const turns = recentMean(evidence.rows, 'rollout/turns');
  return sentences([
    movement(progress),
    state !== 'solved' && greedy !== undefined && Math.abs(greedy - now) > 0.05
      ? `Greedy play solves ${percent(greedy)} of the evaluation tasks.`
      : null,
    stalled(evidence, progress) ?? truncatedShare(evidence, now),
    state === 'solved' && turns !== undefined
      ? `An episode takes ${several(turns, 'turn')} on average.`
      : null,
  ]);
}

/** What the critic achieves in Critique-RL, whose training success is the share of correct verdicts. */
function ofCritic(evidence: Evidence): string {
  const verdicts = recentMean(evidence.rows, 'rollout/success_rate');
  return sentences([
    verdicts === undefined
      ? null
      : `In training, the critic judges ${percent(verdicts)} of the answers correctly.`,
    whyRefined(evidence),
  ]);
}

/** Headline of a finished run. */
function ending(progress: Progress | null, last: number): string {
  if (progress === null) return `Finished after ${several(last, 'iteration')}.`;
  const { state, since, now, best, randomness } = progress;
  switch (state) {
    case 'random':
      return randomness === undefined
        ? 'Finished without learning.'
        : `Finished without learning: word choice is still ${percent(randomness)} random.`;
    case 'improving':
      return `Finished at ${percent(now)} success, still improving.`;
    case 'flat':
      return `Finished at ${percent(now)} success, flat since iteration ${since}.`;
    case 'falling':
      return `Finished at ${percent(now)} success, down from ${percent(best)}.`;
    case 'solved':
      return solvedBy(progress);
  }
}

/** A past finding in one sentence. */
const earlier = ({ title, from, to }: PastFinding) =>
  `Earlier, in iterations ${from} to ${to}: ${title}`;

/**
 * The story of a run so far; null before its first row.
 *
 * @param finished whether the run has ended
 */
export function tell(evidence: Evidence, finished: boolean): Story | null {
  const { rows, facts } = evidence;
  const last = rows.at(-1);
  if (last === undefined) return null;
  const progress = progressOf(evidence);
  const imitated = read(rows[0], 'imitation/success_rate');
  const critic = facts.recipe === 'critique' ? ofCritic(evidence) : null;
  const {
    findings: [cause],
    past,
  } = diagnose(evidence);

  if (finished) {
    const turns = read(last, 'progress/turns');
    const seconds = read(last, 'time/seconds');
    const target = facts.stopping?.success ?? 0;
    const length = several(last.iteration, 'iteration');
    return {
      headline: ending(progress, last.iteration),
      detail: sentences([
        critic,
        cause === undefined ? null : `${cause.title} ${advice(cause)}`,
        cause !== undefined || progress === null ? null : stalled(evidence, progress),
        cause !== undefined || past.length === 0 || progress?.state === 'solved'
          ? null
          : past.map(earlier).join(' '),
        `It trained for ${length}${turns === undefined ? '' : ` and ${turns.toLocaleString('en-US')} ${turns === 1 ? 'turn' : 'turns'}`}${seconds === undefined ? '' : ` in ${duration(seconds)}`}.`,
        progress?.learned === true
          ? `Success in training rose from ${percent(progress.first)} to ${percent(progress.now)}.`
          : null,
        imitated === undefined ? null : `Imitation alone solved ${percent(imitated)} of the tasks.`,
        target > 0 && (progress?.greedy ?? 0) >= target
          ? `It stopped because greedy play reached the target of ${percent(target)}.`
          : null,
      ]),
    };
  }
  if (cause !== undefined) return { headline: cause.title, detail: advice(cause) };
  if (critic !== null) {
    return { headline: `${several(last.iteration, 'iteration')} done.`, detail: critic };
  }
  if (imitated !== undefined && rows.length <= 3) {
    return {
      headline: 'Learning from its own episodes.',
      detail: `Imitation alone solves ${percent(imitated)} of the evaluation tasks.`,
    };
  }
  const grown = horizonChange(rows, 4);
  if (grown !== undefined && grown.to > grown.from) {
    return {
      headline: `New phase: episodes may now take ${several(grown.to, 'turn')}.`,
      detail: `The horizon grew from ${grown.from} to ${several(grown.to, 'turn')}. Tasks that need more than ${several(grown.from, 'turn')} can now succeed.`,
    };
  }
  if (progress !== null) {
    return { headline: headlineOf(progress), detail: detailOf(evidence, progress) };
  }
  const success = recentMean(rows, 'rollout/success_rate');
  return {
    headline: `${several(last.iteration, 'iteration')} done.`,
    detail:
      success === undefined
        ? 'These numbers do not include a success rate.'
        : `${percent(success)} of recent training episodes succeed.`,
  };
}
