/** The sentence at the top of the page: what is happening now, told for a first-time visitor. */

import { titleOf } from './families.ts';
import { duration, percent, significant } from './format.ts';
import type { LabState } from './store.ts';
import { horizonChange, listed, recentMean, trend } from './why.ts';

export interface Story {
  readonly headline: string;
  readonly detail: string;
}

/** Who learns, how, and where. */
export function introduction({ machine, config }: Pick<LabState, 'machine' | 'config'>): string {
  const count =
    machine === null
      ? 'A'
      : `A ${(Math.round(machine.parameters / 100) * 100).toLocaleString('en-US')}-parameter`;
  const way =
    config.imitation.epochs > 0
      ? ', first copies an expert and then learns, by trial and reward,'
      : ' and learns, by trial and reward alone,';
  const words = config.agent.format === 'react' ? 'the thoughts and actions' : 'the words';
  const { id, mixture } = config.env;
  const where =
    mixture.length === 0
      ? `Environment: ${titleOf(id)}.`
      : `Environments: ${listed(mixture.map((part) => titleOf(part.id)))}.`;
  return `${count} transformer starts from random weights${way} to write ${words} that solve its tasks. ${where}`;
}

/** How many of the failures the horizon cut, where there are enough to tell. */
function cutShare(rows: LabState['rows'], success: number): string {
  const cut = recentMean(rows, 'rollout/truncated');
  if (cut === undefined || cut === 0 || success > 0.97) return '';
  return ` The horizon cuts ${percent(Math.min(1, cut / (1 - success)))} of those that fail.`;
}

/** @param lab the state of the lab; the rules read its rows and its status. */
export function tell(lab: LabState): Story {
  const { rows, evaluations, status, machine } = lab;
  const last = rows.at(-1);
  if (status === 'failed') {
    return {
      headline: 'The run stopped.',
      detail:
        rows.length > 0
          ? `Its ${rows.length} iterations are kept below.`
          : 'Nothing had been computed yet.',
    };
  }
  if (last === undefined) {
    if (lab.phase === 'imitate') {
      return {
        headline: 'It learns the expert’s words by heart.',
        detail:
          'Before it tries for itself, it reads how the expert solves tasks and makes each of the expert’s words more probable.',
      };
    }
    if (lab.phase === 'prefer') {
      return {
        headline: 'It compares its own tries.',
        detail:
          'Of two episodes of the same task, the words of the better one become more probable than those of the worse.',
      };
    }
    if (status === 'asked') {
      return {
        headline: 'Nothing has been started.',
        detail: 'This address asks for a large run; what it takes stands below.',
      };
    }
    if (status === 'paused') {
      return {
        headline: 'Fresh random weights, nothing learned yet.',
        detail: 'Press Start to train without pause, or Step for a single iteration.',
      };
    }
    return {
      headline: 'The agent knows nothing yet.',
      detail:
        'Its first episodes are pure chance: every word of its vocabulary is as likely as any other.',
    };
  }
  const success = recentMean(rows, 'rollout/success_rate') ?? 0;
  const greedy = evaluations.at(-1)?.metrics['eval/success_rate'];
  const first = rows[0]?.metrics['rollout/success_rate'] ?? 0;
  const entropy = last.metrics['policy/entropy'];
  const turns = recentMean(rows, 'rollout/turns');
  const moved = trend(rows, 'rollout/success_rate');
  const played = last.metrics['progress/turns'];
  const copied = rows[0]?.metrics['imitation/success_rate'];

  if (status === 'finished') {
    const target = lab.config.stopping.success;
    return {
      headline: `Finished after ${last.iteration} iterations: ${percent(greedy ?? success)} of the tasks solved.`,
      detail: [
        played === undefined ? '' : `It took ${played.toLocaleString('en-US')} turns of practice.`,
        `In training, which samples its words, success went from ${percent(first)} to ${percent(success)} in ${duration(last.metrics['time/seconds'])}.`,
        copied === undefined ? '' : `Imitation alone had solved ${percent(copied)}.`,
        target > 0 && (greedy ?? 0) >= target
          ? 'Greedy play had reached its target, so the run ended.'
          : '',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
    };
  }
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
      headline: `It solves ${percent(greedy)} of the tasks.`,
      detail:
        turns === undefined
          ? 'What remains is polish.'
          : `Choosing the most probable word at every turn is enough. Training episodes now take ${significant(turns)} turns on average.`,
    };
  }
  if (moved !== undefined && moved.change < -0.08) {
    return {
      headline: 'A setback.',
      detail: `Success fell from ${percent(moved.before)} to ${percent(moved.now)}. Reinforcement learning is not a straight road: a large step can spoil habits that worked.`,
    };
  }
  if (success < 0.12 && (rows.length < 5 || success < first + 0.05)) {
    const chance = machine === null ? undefined : Math.log(machine.vocabulary);
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
      detail: `${percent(success)} of the episodes solve their task, up from ${percent(first)}. Words from those episodes become more probable with every update.`,
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
