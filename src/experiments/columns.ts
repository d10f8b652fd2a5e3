import {
  bootstrapInterval,
  boundedInterval,
  type Estimate,
  interquartileMean,
  studentInterval,
} from '../algorithms/confidence.ts';
import { median } from '../algorithms/median.ts';
import type { EntropyStep, KeptSteps } from '../runs/entropy-trials.ts';
import type { MetricKey } from '../runs/metrics.ts';
import { fitEntropyRule, type RuleFit } from '../runs/rule-fit.ts';
import {
  type ExperimentRun,
  hasEarlierDefinitions,
  keptColumn,
  keptMean,
  measuredRows,
} from './run.ts';

/** A number of a run as a table column. */
export interface Column {
  readonly title: string;
  /** Explains the number in a sentence below the table. */
  readonly meaning: string;
  /** The number of one run; undefined if its file does not have it. */
  readonly value: (run: ExperimentRun) => number | undefined;
  readonly format: (value: number) => string;
  /** How seeds of an arm are combined. */
  readonly over: 'mean' | 'iqm' | 'median' | 'largest';
  /** The range of the number; intervals stay within it. */
  readonly bounds?: readonly [number, number];
}

/** `-0.0` without its sign. */
const unsignedZero = (text: string) => (/[1-9]/.test(text) ? text : text.replace('-', ''));
export const percent = (value: number) => unsignedZero(`${(100 * value).toFixed(1)}%`);
export const decimals = (value: number) => (Number.isFinite(value) ? value.toFixed(2) : '∞');
/** Formats turns or tokens, which are infinite if the target was not reached. */
export const thousands = (value: number) =>
  Number.isFinite(value) ? `${Math.round(value / 1000)}k` : 'not reached';
const oneDecimal = (value: number) => value.toFixed(1);

/** Shown for a missing number. */
export const NOT_KEPT = 'not kept';

const unit = [0, 1] as const;
const share = { format: percent, over: 'mean', bounds: unit } as const;
const plain = { format: decimals, over: 'mean' } as const;

/** The mean over the iterations, from the kept rows. */
const ofRows =
  (...args: Parameters<typeof keptMean> extends [unknown, ...infer Rest] ? Rest : never) =>
  (run: ExperimentRun) =>
    keptMean(run, ...args) ?? undefined;

/** A metric of the evaluation at the end. */
const measured = (key: MetricKey) => ({
  value: (run: ExperimentRun) => run.measured?.[key],
});

/** The share of the two hardest of five levels in the answers that each round trained on. */
function tailShare(run: ExperimentRun): readonly number[] | undefined {
  const four = keptColumn(run, 'self_improvement/share_level_4');
  const five = keptColumn(run, 'self_improvement/share_level_5');
  return four?.map((share, round) => share + (five?.[round] ?? 0));
}

/**
 * Mean greedy success over the run's turns, by the trapezoidal rule through its evaluations. It starts
 * from the success after imitation, or 0 without imitation.
 */
export function greedyArea(
  run: Pick<ExperimentRun, 'evaluations' | 'imitationSuccess' | 'greedySuccess' | 'turns'>,
): number {
  const { evaluations, imitationSuccess, greedySuccess, turns } = run;
  let [before, from] = [0, imitationSuccess ?? 0];
  let area = 0;
  for (const [at, success] of [...evaluations, [turns, greedySuccess] as const]) {
    area += ((at - before) * (from + success)) / 2;
    [before, from] = [at, success];
  }
  return area / turns;
}

/** The entropy-clip rule fitted to the run's diagnosed updates; null if it has none. */
function entropyRule({ rows }: ExperimentRun): RuleFit | null {
  const fit = rows === undefined ? null : fitEntropyRule(measuredRows(rows));
  return fit === null || fit.updates === 0 ? null : fit;
}

const RULE =
  'The columns on the rule compare the entropy change of the last update of each iteration with BAPO’s entropy-clip rule: Pearson’s correlation, and the share of updates whose direction the rule predicts.';

const MISMATCH =
  'The mismatch of sampler and trainer is measured before the first update of each iteration and averaged over the run: KL(sampler ‖ trainer) in nats per token, and effective tokens and episodes, which are effective sample sizes as a share of the sample.';

const STEPS =
  'The last update of each iteration is compared with steps of plain gradient descent on the policy loss that are tried before it and undone: one on all tokens, and one on each group alone. The groups are tokens with positive or negative advantage A whose log-probability is above (likely) or below (unlikely) its expectation in their state.';
const RISES =
  'Rises is the share of a group’s steps after which the mean entropy is higher. The rule predicts a rise for unlikely tokens with A > 0 and likely tokens with A < 0, and a fall for the other two groups.';
const FOLLOWS =
  'Direction and correlation compare the change of a step with the rule: the share of steps whose direction it predicts, and Pearson’s correlation. “By state” subtracts from log π its expectation in each state, which is exact for a tabular policy; “by batch” subtracts its mean over the update, as the chart of the lab does.';

/** A column of the kept steps of one kind. */
const stepColumn = (
  step: EntropyStep,
  title: string,
  meaning: string,
  of: (steps: KeptSteps) => number | null,
) => ({
  ...share,
  title,
  meaning,
  value: ({ trials }: ExperimentRun) => {
    const found = trials?.steps.find((one) => one.step === step);
    return found === undefined ? undefined : (of(found) ?? undefined);
  },
});
const risesOf = (step: EntropyStep, title: string) =>
  stepColumn(step, `rises: ${title}`, `${STEPS} ${RISES}`, ({ rises, updates }) => rises / updates);
const directionOf = (step: EntropyStep, title: string, by: 'rule' | 'batchRule') =>
  stepColumn(step, `direction: ${title}`, FOLLOWS, (steps) => steps[by].predicted / steps.updates);
const correlationOf = (step: EntropyStep, title: string, by: 'rule' | 'batchRule') => ({
  ...stepColumn(step, `correlation: ${title}`, FOLLOWS, (steps) => steps[by].correlation),
  ...plain,
  bounds: [-1, 1] as const,
});

const registry = {
  imitation: {
    ...share,
    title: 'after imitation',
    meaning:
      'The column “after imitation” is the greedy success of the policy that reinforcement learning starts from.',
    value: (run) => run.imitationSuccess ?? undefined,
  },
  greedyBefore: {
    ...share,
    title: 'greedy success before',
    meaning: 'Greedy success before is that of the pretrained model, on the same tasks.',
    value: (run) => run.imitationSuccess ?? undefined,
  },
  greedyGain: {
    ...share,
    bounds: [-1, 1],
    title: 'gain',
    meaning: 'The gain is the difference between the two.',
    value: ({ greedySuccess, imitationSuccess }) =>
      typeof imitationSuccess === 'number' ? greedySuccess - imitationSuccess : undefined,
  },
  sampledBefore: {
    ...share,
    title: 'sampled success before',
    meaning:
      'Sampled success before and after is measured on the evaluation tasks too, one episode of each at temperature 1.',
    value: ({ model }) => model?.sampled[0],
  },
  sampledAfter: {
    ...share,
    title: 'sampled success after',
    meaning:
      'Sampled success before and after is measured on the evaluation tasks too, one episode of each at temperature 1.',
    value: ({ model }) => model?.sampled[1],
  },
  sampledGain: {
    ...share,
    bounds: [-1, 1],
    title: 'gain, sampled',
    meaning: 'The sampled gain is the difference between these two.',
    value: ({ model }) => model && model.sampled[1] - model.sampled[0],
  },
  turnsToTarget: {
    title: 'median turns to target',
    meaning:
      'Turns to the target are the turns until an evaluation first reached it; a run may fall below it again.',
    value: (run) => run.turnsToTarget ?? Number.POSITIVE_INFINITY,
    format: thousands,
    over: 'median',
  },
  greedy: {
    ...share,
    title: 'greedy success',
    meaning:
      'Greedy success is measured at the end on every evaluation task, always taking the most probable token.',
    value: (run) => run.greedySuccess,
  },
  greedyIqm: {
    ...share,
    over: 'iqm',
    title: 'greedy success, IQM',
    meaning:
      'IQM is the interquartile mean over seeds (arXiv:2108.13264), with a bootstrap interval over seeds.',
    value: (run) => run.greedySuccess,
  },
  greedyArea: {
    ...share,
    title: 'greedy area',
    meaning:
      'The greedy area is the greedy success of the evaluations, interpolated and averaged over the run’s turns. Every evaluation uses the same horizon, so arms with different training horizons are comparable.',
    value: greedyArea,
  },
  gain: {
    ...share,
    bounds: [-1, 1],
    title: 'gain in greedy success',
    meaning:
      'The gain is the greedy success of the last evaluation during training minus that after imitation, on the same tasks.',
    value: ({ evaluations, imitationSuccess }) => {
      const last = evaluations.at(-1)?.[1];
      if (last === undefined || typeof imitationSuccess !== 'number') return;
      return last - imitationSuccess;
    },
  },
  lastOnTheWay: {
    ...share,
    title: 'last evaluation during training',
    meaning:
      'The last evaluation during training plays the same tasks as the one after imitation, which may be fewer than those at the end.',
    value: ({ evaluations }) => evaluations.at(-1)?.[1],
  },
  fall: {
    ...share,
    title: 'fall from the best',
    meaning:
      'The fall from the best is the highest success of an evaluation during training minus that of the last one. Noise alone makes it positive.',
    value: ({ evaluations }) => {
      const successes = evaluations.map(([, success]) => success);
      const last = successes.at(-1);
      return last === undefined ? undefined : Math.max(...successes) - last;
    },
  },
  sampled: {
    ...share,
    title: 'sampled success',
    meaning:
      'Sampled success is the success rate of the training episodes over the last tenth of the run’s turns.',
    value: (run) => run.sampledSuccess ?? undefined,
  },
  sampledFirst: {
    ...share,
    title: 'initial sampled success',
    meaning:
      'Initial sampled success is the success rate of the training episodes in the first iteration, played by the policy after imitation.',
    value: (run) => keptColumn(run, 'rollout/success_rate')?.[0],
  },
  sampledIqm: {
    ...share,
    over: 'iqm',
    title: 'sampled success, IQM',
    meaning:
      'IQM is the interquartile mean over seeds (arXiv:2108.13264), with a bootstrap interval over seeds.',
    value: (run) => run.sampledSuccess ?? undefined,
  },
  area: {
    ...share,
    title: 'area',
    meaning: 'The area is sampled success averaged over all iterations.',
    value: (run) => run.areaUnderCurve ?? undefined,
  },
  entropy: {
    ...plain,
    title: 'entropy (nats)',
    meaning: 'Entropy is the mean per token over the last tenth of the run’s turns.',
    value: (run) => run.entropy ?? undefined,
  },
  entropyOverall: {
    ...plain,
    title: 'entropy of the run (nats)',
    meaning: 'Entropy of the run is the mean per token over all of its iterations.',
    value: ofRows('policy/entropy'),
  },
  turnsPerEpisode: {
    ...plain,
    title: 'turns per episode',
    meaning: 'Turns per episode is the mean over the last tenth of the run’s turns.',
    value: (run) => keptMean(run, 'rollout/turns', 'end') ?? undefined,
  },
  diversity: {
    ...share,
    title: 'episode diversity',
    meaning:
      'Episode diversity is the share of distinct action sequences among a task’s training episodes over the last tenth of the run’s turns.',
    value: (run) => keptMean(run, 'rollout/diversity', 'end') ?? undefined,
  },
  ruleCorrelation: {
    ...plain,
    title: 'correlation with the rule',
    meaning: RULE,
    value: (run) => {
      const fit = entropyRule(run);
      return fit === null || Number.isNaN(fit.correlation) ? undefined : fit.correlation;
    },
    bounds: [-1, 1],
  },
  ruleDirection: {
    ...share,
    title: 'direction predicted',
    meaning: RULE,
    value: (run) => {
      const fit = entropyRule(run);
      return fit === null ? undefined : fit.sameSign / fit.updates;
    },
  },
  rises: {
    ...share,
    title: 'entropy rises',
    meaning:
      'Entropy rises is the share of these updates after which entropy is higher. Always predicting the more frequent direction would be correct with this share, or 1 minus it.',
    value: (run) => {
      const fit = entropyRule(run);
      return fit === null ? undefined : fit.rises / fit.updates;
    },
  },
  likelyPositiveRises: risesOf('likely_positive', 'likely, A > 0'),
  unlikelyPositiveRises: risesOf('unlikely_positive', 'unlikely, A > 0'),
  likelyNegativeRises: risesOf('likely_negative', 'likely, A < 0'),
  unlikelyNegativeRises: risesOf('unlikely_negative', 'unlikely, A < 0'),
  stepDirection: directionOf('all', 'all tokens, by state', 'rule'),
  stepCorrelation: correlationOf('all', 'all tokens, by state', 'rule'),
  stepBatchCorrelation: correlationOf('all', 'all tokens, by batch', 'batchRule'),
  runDirection: directionOf('run', 'the run’s update, by state', 'rule'),
  runCorrelation: correlationOf('run', 'the run’s update, by state', 'rule'),
  runBatchCorrelation: correlationOf('run', 'the run’s update, by batch', 'batchRule'),
  worstGradNorm: {
    ...plain,
    format: (value) =>
      value >= 1e6 && Number.isFinite(value) ? value.toExponential(1) : decimals(value),
    over: 'largest',
    title: 'worst gradient norm',
    meaning:
      'The worst gradient norm is the largest before clipping over all updates and, in the first table, over all seeds.',
    // JSON has no infinity: a norm that overflowed is null.
    value: ({ worstGradNorm }) =>
      worstGradNorm === null ? Number.POSITIVE_INFINITY : worstGradNorm,
  },
  samplerKl: {
    title: 'KL(sampler ‖ trainer)',
    meaning: MISMATCH,
    value: ofRows('policy/sampler_kl'),
    format: (value) => value.toPrecision(2),
    over: 'mean',
  },
  samplerEss: {
    ...share,
    title: 'effective tokens',
    meaning: MISMATCH,
    value: ofRows('policy/sampler_ess'),
  },
  samplerEssEpisodes: {
    ...share,
    title: 'effective episodes',
    meaning: MISMATCH,
    value: ofRows('policy/sampler_ess_episodes'),
  },
  staleness: {
    ...plain,
    title: 'staleness',
    meaning:
      'Staleness is the mean number of policy versions between generating a token and training on it.',
    value: (run) => run.staleness ?? undefined,
  },
  clippedLow: {
    ...share,
    title: 'clipped below',
    meaning:
      'Clipped below and above are the shares of tokens whose gradient the lower and the upper bound removed, over the run.',
    value: ofRows('policy/clip_fraction_low'),
  },
  clippedHigh: {
    ...share,
    title: 'clipped above',
    meaning:
      'Clipped below and above are the shares of tokens whose gradient the lower and the upper bound removed, over the run.',
    value: ofRows('policy/clip_fraction_high'),
  },
  replayShare: {
    ...share,
    title: 'replayed',
    meaning: 'Replayed is the share of trained episodes that come from the replay buffer.',
    value: (run) => (run.config.replay.share === 0 ? 0 : ofRows('rollout/replay_share')(run)),
  },
  episodesPerUpdate: {
    ...plain,
    format: oneDecimal,
    title: 'episodes per update',
    meaning: 'Episodes per update include replayed ones and are a mean over the run.',
    value: ofRows('policy/episodes'),
  },
  accuracy: {
    ...share,
    ...measured('critique/accuracy'),
    title: 'Acc',
    meaning: 'Acc is the accuracy of the actor’s greedy answers before any critique.',
  },
  refinedAccuracy: {
    ...share,
    ...measured('critique/refined_accuracy'),
    title: 'Acc@Refine',
    meaning: 'Acc@Refine is the accuracy after one greedy critique and one greedy refinement.',
  },
  refinementGain: {
    ...share,
    ...measured('critique/delta'),
    bounds: [-1, 1],
    title: 'Δ',
    meaning: 'The gain Δ is Acc@Refine minus Acc.',
  },
  spoilt: {
    ...share,
    ...measured('critique/correct_to_incorrect'),
    title: 'Δc→i',
    meaning:
      'The columns Δc→i and Δi→c are the shares of all answers that the refinement broke and fixed.',
  },
  mended: {
    ...share,
    ...measured('critique/incorrect_to_correct'),
    title: 'Δi→c',
    meaning:
      'The columns Δc→i and Δi→c are the shares of all answers that the refinement broke and fixed.',
  },
  discrimination: {
    ...share,
    ...measured('critique/discrimination'),
    title: 'Acc@Dis',
    meaning:
      'Acc@Dis is the share of correct verdicts, on all answers and separately on correct and wrong answers; a malformed critique counts as a wrong verdict.',
  },
  discriminationRight: {
    ...share,
    ...measured('critique/discrimination_right'),
    title: 'Acc@Dis, correct answers',
    meaning:
      'Acc@Dis is the share of correct verdicts, on all answers and separately on correct and wrong answers; a malformed critique counts as a wrong verdict.',
  },
  discriminationWrong: {
    ...share,
    ...measured('critique/discrimination_wrong'),
    title: 'Acc@Dis, wrong answers',
    meaning:
      'Acc@Dis is the share of correct verdicts, on all answers and separately on correct and wrong answers; a malformed critique counts as a wrong verdict.',
  },
  malformed: {
    ...share,
    ...measured('critique/malformed'),
    title: 'malformed',
    meaning: 'Malformed is the share of critiques that cannot be parsed.',
  },
  falseAlarmCost: {
    ...share,
    title: 'broken per false alarm',
    meaning:
      'The column “broken per false alarm” is Δc→i divided by the share of answers that are correct but not called correct, at most 100%.',
    value: ({ measured: metrics }) => {
      const [accuracy, called, lost] = [
        metrics?.['critique/accuracy'],
        metrics?.['critique/discrimination_right'],
        metrics?.['critique/correct_to_incorrect'],
      ];
      if (accuracy === undefined || called === undefined || lost === undefined) return;
      const alarms = accuracy * (1 - called);
      return alarms === 0 ? undefined : Math.min(1, lost / alarms);
    },
  },
  constantVerdict: {
    ...share,
    title: 'constant verdict',
    meaning: 'The better of the two constant verdicts has an Acc@Dis of max(Acc, 1 − Acc).',
    value: ({ measured: metrics }) => {
      const accuracy = metrics?.['critique/accuracy'];
      return accuracy === undefined ? undefined : Math.max(accuracy, 1 - accuracy);
    },
  },
  oracleVerdict: {
    ...share,
    title: 'with correct verdicts',
    meaning:
      'The column “with correct verdicts” is the accuracy if only wrong answers are refined, with the critic’s own critiques: Acc + Δi→c.',
    value: ({ measured: metrics }) => {
      const [accuracy, won] = [
        metrics?.['critique/accuracy'],
        metrics?.['critique/incorrect_to_correct'],
      ];
      return accuracy === undefined || won === undefined ? undefined : accuracy + won;
    },
  },
  retried: {
    ...share,
    ...measured('critique/retried_accuracy'),
    title: 'retry',
    meaning:
      'The column “retry” is the accuracy if answers that the critic calls wrong are sampled again, without its critique.',
  },
  advised: {
    ...share,
    ...measured('critique/advised_accuracy'),
    title: 'annotator',
    meaning:
      'The column “annotator” is the accuracy with the oracle’s critiques in place of the critic’s.',
  },
  levelOne: {
    ...share,
    ...measured('self_improvement/success_level_1'),
    title: 'level 1',
    meaning:
      'The columns “level 1” to “level 5” are the actor’s greedy success by level, without the critic.',
  },
  levelTwo: {
    ...share,
    ...measured('self_improvement/success_level_2'),
    title: 'level 2',
    meaning:
      'The columns “level 1” to “level 5” are the actor’s greedy success by level, without the critic.',
  },
  levelThree: {
    ...share,
    ...measured('self_improvement/success_level_3'),
    title: 'level 3',
    meaning:
      'The columns “level 1” to “level 5” are the actor’s greedy success by level, without the critic.',
  },
  levelFour: {
    ...share,
    ...measured('self_improvement/success_level_4'),
    title: 'level 4',
    meaning:
      'The columns “level 1” to “level 5” are the actor’s greedy success by level, without the critic.',
  },
  levelFive: {
    ...share,
    ...measured('self_improvement/success_level_5'),
    title: 'level 5',
    meaning:
      'The columns “level 1” to “level 5” are the actor’s greedy success by level, without the critic.',
  },
  tailShareFirst: {
    ...share,
    title: 'share of levels 4–5, first round',
    meaning:
      'The share of levels 4–5 is their share of the correct answers that a round trains on; if it falls from the first round to the last, the tail narrows.',
    value: (run) => tailShare(run)?.at(0),
  },
  tailShare: {
    ...share,
    title: 'share of levels 4–5, last round',
    meaning:
      'The share of levels 4–5 is their share of the correct answers that a round trains on; if it falls from the first round to the last, the tail narrows.',
    value: (run) => tailShare(run)?.at(-1),
  },
  turns: {
    title: 'turns',
    meaning: 'Turns count the environment turns in training.',
    value: (run) => run.turns,
    format: thousands,
    over: 'mean',
  },
  tokens: {
    title: 'tokens',
    meaning: 'Tokens count everything that the agent generated in training.',
    value: (run) => run.tokens,
    format: thousands,
    over: 'mean',
  },
} as const satisfies Record<string, Column>;

export type ColumnName = keyof typeof registry;

/** All columns by name. */
export const columns: Readonly<Record<ColumnName, Column>> = registry;

/** The default columns of an experiment. */
export const usualColumns: readonly ColumnName[] = [
  'turnsToTarget',
  'greedy',
  'greedyIqm',
  'sampled',
  'area',
  'entropy',
  'worstGradNorm',
  'staleness',
];

/** The number of one run as a cell, with ‡ if its file uses earlier definitions. */
export function runCell(name: ColumnName, run: ExperimentRun): string {
  const value = columns[name].value(run);
  if (value === undefined) return NOT_KEPT;
  return columns[name].format(value) + earlierMark(name, [run]);
}

const redefined: ReadonlySet<ColumnName> = new Set(['sampled', 'sampledIqm', 'area', 'entropy']);

function earlierMark(name: ColumnName, runs: readonly ExperimentRun[]): string {
  return redefined.has(name) && runs.some(hasEarlierDefinitions) ? ' ‡' : '';
}

/**
 * All seeds of an arm as a cell with a 95% interval, and the number of seeds if some files lack the
 * value.
 */
export function armCell(name: ColumnName, runs: readonly ExperimentRun[]): string {
  const column = columns[name];
  const values = runs.flatMap((run) => column.value(run) ?? []);
  if (values.length === 0) return NOT_KEPT;
  const some = values.length < runs.length ? ` (${values.length} of ${runs.length} kept)` : '';
  return summary(column, values) + some + earlierMark(name, runs);
}

function summary({ over, format, bounds }: Column, values: readonly number[]): string {
  switch (over) {
    case 'median':
      return format(median(values));
    case 'largest':
      return format(values.reduce((most, value) => Math.max(most, value)));
    case 'iqm':
      return withInterval(bootstrapInterval([values], interquartileMean), format);
    case 'mean':
      return withInterval(
        bounds === undefined ? studentInterval(values) : boundedInterval(values, bounds),
        format,
      );
    default:
      return over satisfies never;
  }
}

/** `90.0% [52.1%, 98.7%]`; without the interval if there is none. */
export function withInterval(
  { mean, low, high }: Estimate,
  format: (value: number) => string,
): string {
  return Number.isNaN(low) ? format(mean) : `${format(mean)} [${format(low)}, ${format(high)}]`;
}

/** The difference of two arms over their common seeds, with the interval of its mean. */
interface PairedDifference extends Estimate {
  /** Number of common seeds. */
  readonly pairs: number;
  /** One difference per common seed, ordered by seed. */
  readonly differences: readonly number[];
}

/**
 * The mean difference of two arms on the same seeds with its 95% interval: Student's interval of
 * the differences or, for a bounded number, its logit form, which stays within the possible
 * differences.
 */
export function pairedDifference(
  name: ColumnName,
  runs: readonly ExperimentRun[],
  arm: string,
  against: string,
): PairedDifference {
  const { value, bounds } = columns[name];
  const other = new Map(runs.flatMap((r) => (r.arm === against ? [[r.seed, value(r)]] : [])));
  const differences = runs
    .filter((run) => run.arm === arm)
    .toSorted((a, b) => a.seed - b.seed)
    .flatMap((run) => {
      const [mine, theirs] = [value(run), other.get(run.seed)];
      return mine === undefined || theirs === undefined ? [] : mine - theirs;
    });
  const width = bounds === undefined ? 0 : bounds[1] - bounds[0];
  const estimate =
    bounds === undefined
      ? studentInterval(differences)
      : boundedInterval(differences, [-width, width]);
  return { ...estimate, pairs: differences.length, differences };
}
