/** What a run has come to, told for a first-time visitor. */

import { titleOf } from '../envs/registry.ts';
import type { MetricKey } from '../runs/metrics.ts';
import { duration, listed, percent, significant } from '../runs/numbers.ts';
import { diagnose } from './diagnose.ts';
import type { Evidence, EvidenceRow, Facts } from './evidence.ts';
import type { Finding } from './finding.ts';
import { horizonChange, recentMean } from './trend.ts';

export interface Story {
  readonly headline: string;
  readonly detail: string;
}

/** Who learns, how, and where; `parameters` counts the numbers that are trained, where known. */
export function introduction({ env, agent, imitation }: Facts, parameters?: number): string {
  const count =
    parameters === undefined
      ? 'A'
      : `A ${(Math.round(parameters / 100) * 100).toLocaleString('en-US')}-parameter`;
  const way =
    (imitation?.epochs ?? 0) > 0
      ? ', first copies an expert and then learns, by trial and reward,'
      : ' and learns, by trial and reward alone,';
  const words = agent?.format === 'react' ? 'the thoughts and actions' : 'the words';
  return `${count} transformer starts from random weights${way} to write ${words} that solve its tasks.${where(env)}`;
}

function where({ id, mixture = [] }: NonNullable<Facts['env']> = {}): string {
  if (mixture.length > 0) {
    return ` Environments: ${listed(mixture.map((part) => titleOf(part.id)))}.`;
  }
  return id === undefined ? '' : ` Environment: ${titleOf(id)}.`;
}

/** How many of the failures the horizon cut, where there are enough to tell. */
function cutShare(rows: readonly EvidenceRow[], success: number): string {
  const cut = recentMean(rows, 'rollout/truncated');
  if (cut === undefined || cut === 0 || success > 0.97) return '';
  return ` The horizon cuts ${percent(Math.min(1, cut / (1 - success)))} of those that fail.`;
}

/** How success compares with that of the first iteration, where it has moved. */
function since(first: number, now: number): string {
  if (percent(first) === percent(now)) return '';
  return now > first ? `, up from ${percent(first)}` : `; at first it was ${percent(first)}`;
}

/** What a finding says and the first thing to try. */
function cure({ text, remedies }: Finding): string {
  const [first] = remedies;
  return first === undefined ? text : `${text} ${first.text}`;
}

/**
 * The story of a run so far; null before its first row.
 *
 * @param finished no further row will come.
 */
export function tell(evidence: Evidence, finished: boolean): Story | null {
  const { rows, evaluations, facts, vocabulary } = evidence;
  const last = rows.at(-1);
  if (last === undefined) return null;
  const read = (row: Pick<EvidenceRow, 'metrics'> | undefined, key: MetricKey) => {
    const value = row?.metrics[key];
    return value !== undefined && Number.isFinite(value) ? value : undefined;
  };
  const success = recentMean(rows, 'rollout/success_rate');
  const greedy = read(evaluations.at(-1), 'eval/success_rate');
  const solved = greedy ?? success;
  const first = read(rows[0], 'rollout/success_rate') ?? 0;
  const entropy = read(last, 'policy/entropy');
  const turns = recentMean(rows, 'rollout/turns');
  const played = read(last, 'progress/turns');
  const copied = read(rows[0], 'imitation/success_rate');
  const [cause] = diagnose(evidence).findings;

  if (finished) {
    const target = facts.stopping?.success ?? 0;
    return {
      headline: `Finished after ${last.iteration} iterations${solved === undefined ? '' : `: ${greedy === undefined ? 'training' : 'greedy play'} solves ${percent(solved)} of the tasks`}.`,
      detail: [
        cause === undefined ? '' : `${cause.title} ${cure(cause)}`,
        played === undefined ? '' : `It took ${played.toLocaleString('en-US')} turns of practice.`,
        success === undefined
          ? ''
          : `In training, which samples its words, success went from ${percent(first)} to ${percent(success)} in ${duration(last.metrics['time/seconds'])}.`,
        copied === undefined ? '' : `Imitation alone had solved ${percent(copied)}.`,
        target > 0 && (greedy ?? 0) >= target
          ? 'Greedy play had reached its target, so the run ended.'
          : '',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
    };
  }
  if (cause !== undefined) return { headline: cause.title, detail: cure(cause) };
  if (copied !== undefined && rows.length <= 3) {
    return {
      headline: 'From here on it learns from its own tries.',
      detail: `What it copied from the expert solves ${percent(copied)} of the evaluation tasks.`,
    };
  }
  const grown = horizonChange(rows, 4);
  if (grown !== undefined && grown.to > grown.from) {
    return {
      headline: `New phase: the agent may now take ${grown.to} turns.`,
      detail: `The horizon grew from ${grown.from}. Tasks that take longer come within reach, and failures get longer.`,
    };
  }
  if (greedy !== undefined && greedy >= 0.95) {
    return {
      headline: `It solves ${percent(greedy)} of the tasks in greedy play.`,
      detail:
        turns === undefined
          ? 'What remains is polish.'
          : `Choosing the most probable word at every turn is enough. Training episodes now take ${significant(turns)} turns on average.`,
    };
  }
  if (success === undefined) {
    return {
      headline: `Iteration ${last.iteration}.`,
      detail: 'Which share of its tasks it solves, these numbers do not say.',
    };
  }
  if (success < 0.12 && (rows.length < 5 || success < first + 0.05)) {
    const chance = vocabulary === undefined ? undefined : Math.log(vocabulary);
    return {
      headline: 'It stumbles about.',
      detail:
        entropy === undefined || chance === undefined
          ? 'The few episodes that succeed by luck are all that it can learn from.'
          : `Its words carry ${significant(entropy)} of ${significant(chance)} nats of chance. The few episodes that succeed by luck are all that it can learn from.`,
    };
  }
  if (success < 0.4) {
    return {
      headline: 'It has found a way that pays.',
      detail: `${percent(success)} of the episodes solve their task${since(first, success)}. Words from those episodes become more probable with every update.`,
    };
  }
  if (success < 0.8) {
    return {
      headline: 'Habits form.',
      detail: `${percent(success)} of the episodes succeed${greedy === undefined ? '' : `, and ${percent(greedy)} when it always takes its favourite word`}. Each update makes the words of the successful ones a little more probable.`,
    };
  }
  return {
    headline: 'It knows its way.',
    detail: `${percent(success)} of the episodes succeed.${turns === undefined ? '' : ` An episode takes ${significant(turns)} turns on average.`}${cutShare(rows, success)}`,
  };
}
