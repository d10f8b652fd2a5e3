import { useShallow } from 'zustand/react/shallow';
import { surrogateTraits } from '../../algorithms/surrogates.ts';
import { configAt } from '../../config/changes.ts';
import { criticizes } from '../../config/recipes.ts';
import type { Config } from '../../config/schema.ts';
import { whyDiscrimination, whyFlips, whyRefined } from '../../diagnosis/criticism.ts';
import {
  whyClip,
  whyEntropy,
  whyGradient,
  whyHorizon,
  whyKl,
  whyReward,
  whySuccess,
  whyThroughput,
} from '../../diagnosis/curves.ts';
import type { Rule } from '../../diagnosis/evidence.ts';
import { whyKept, whyRoundEntropy, whyRoundLoss, whyRoundSuccess } from '../../diagnosis/rounds.ts';
import { whyImproved, whyLearned, whyLevels } from '../../diagnosis/self-improvement.ts';
import { whyMoves } from '../../diagnosis/trend.ts';
import { levelNumbers } from '../../runs/levels.ts';
import { type MetricKey, metric, metrics } from '../../runs/metrics.ts';
import { fineShare, percent, significant, thousands } from '../../runs/numbers.ts';
import type { Row } from '../../runs/row.ts';
import { loadedLater } from '../shell/comfort/release.ts';
import { useLab } from '../shell/lab/store.ts';
import { useDepth } from '../shell/page/depth.ts';
import { Group } from '../shell/page/groups.tsx';
import { Part } from '../shell/page/part.tsx';
import type { ChartEvidence } from './chart-data.ts';
import { useChartSettings } from './chart-settings.ts';
import type { ChartSpec } from './chart-spec.ts';
import { GroupChart, Later } from './group-charts.tsx';
import { shapeOf } from './marker.tsx';
import { MetricChart } from './metric-chart.tsx';
import { isPreparing, Preparation } from './preparation.tsx';
import { type Level, ofMetric, type Series } from './series.ts';
import { ChartToolbar } from './toolbar.tsx';
import { waitingForEvaluation } from './waiting.ts';

/** Success after imitation, before any reinforcement learning; empty without imitation. */
export function imitationLevel(rows: readonly Row[]): readonly Level[] {
  const value = rows[0]?.metrics['imitation/success_rate'];
  return value === undefined
    ? []
    : [{ value, name: `after imitation ${percent(value)}`, above: value < 0.5 }];
}

/** Whether mean reward and success rate are different numbers in this run. */
function rewardDiffers(rows: readonly Row[]): boolean {
  return rows.some(({ metrics }) => {
    const { 'rollout/score': reward, 'rollout/success_rate': success } = metrics;
    return reward !== undefined && success !== undefined && Math.abs(reward - success) > 1e-6;
  });
}

/** Whether the rewards seen so far are the successes; rewards of 0 do not tell. */
const rewardIsSuccess = (rows: readonly Row[]) =>
  rows.some(({ metrics }) => (metrics['rollout/score'] ?? 0) > 0) && !rewardDiffers(rows);

/** Whether a recipe's rows report the mean reward of its episodes. */
const hasReward = (recipe: Config['recipe']) => !criticizes({ recipe });

const success: ChartSpec = {
  testId: 'chart-success',
  title: 'Reward and success',
  compactTitle: 'Reward',
  meaning: ({ rows }) =>
    [
      'Share of episodes that solve their task.',
      rewardIsSuccess(rows)
        ? 'A solved task earns a reward of 1, so this is also the mean reward.'
        : '',
      'In training, tokens are sampled; evaluation is greedy: it uses the most probable token.',
      imitationLevel(rows).length === 0
        ? ''
        : 'The dashed line is the evaluation after imitation, before reinforcement learning.',
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
  why: whySuccess,
  series: [
    ofMetric('rollout/success_rate', 'Training', 'var(--p-terracotta)'),
    ofMetric('eval/success_rate', 'Evaluation', 'var(--p-aegean)', 'points'),
  ],
  // Logs of other tools have a score and no success rate.
  shows: ['rollout/score'],
  levels: ({ rows }) => imitationLevel(rows),
  format: percent,
  domain: [0, 1],
  namePhases: true,
  height: 300,
  large: true,
};

const height = 150;

const entropy: ChartSpec = {
  testId: 'chart-entropy',
  title: 'Entropy',
  meaning: metric('policy/entropy').meaning,
  why: whyEntropy,
  series: [ofMetric('policy/entropy', 'Entropy', 'var(--p-aegean)')],
  format: significant,
  unit: 'nats',
  height,
};

const horizon: ChartSpec = {
  testId: 'chart-horizon',
  title: 'Horizon',
  meaning: 'The maximum number of turns per episode, and the mean number used.',
  why: whyHorizon,
  series: [
    ofMetric('rollout/horizon', 'Limit', 'var(--p-faint)', 'steps'),
    ofMetric('rollout/turns', 'Used', 'var(--p-terracotta)'),
  ],
  format: thousands,
  height,
};

const reward: ChartSpec = {
  testId: 'chart-reward',
  title: 'Mean reward',
  meaning:
    'Mean reward per episode, as defined by the environment. It differs from the success rate if the environment rewards partial success.',
  why: whyReward,
  when: rewardDiffers,
  series: [
    ofMetric('rollout/score', 'Training', 'var(--p-ochre)'),
    ofMetric('eval/score', 'Evaluation', 'var(--p-aegean)', 'points'),
  ],
  format: significant,
  height,
};

const clip = [
  ofMetric('policy/clip_fraction_high', 'Above', 'var(--p-aegean)'),
  ofMetric('policy/clip_fraction_low', 'Below', 'var(--p-terracotta)', 'dashed'),
];
const dualClip = [...clip, ofMetric('policy/clip_fraction_dual', 'Dual', 'var(--p-plum)', 'thin')];

/** A sentence with the newest iteration's clip bounds if they are settings, not adapted; else empty. */
function fixedBounds({ config, rows }: ChartEvidence): string {
  const { algorithm } = configAt(config, rows.at(-1)?.iteration ?? 1);
  const { objective, clip_low, clip_high } = algorithm;
  if (objective === 'bapo' || surrogateTraits[objective].bounds === 'nothing') return '';
  return ` Bounds: ratios of ${clip_low} and ${clip_high}.`;
}

const clipFraction: ChartSpec = {
  testId: 'chart-clip',
  title: 'Clip fraction',
  meaning: (evidence) => `${metric('policy/clip_fraction').meaning}${fixedBounds(evidence)}`,
  why: whyClip,
  series: ({ config }) => (config.algorithm.dual_clip > 0 ? dualClip : clip),
  shows: ['policy/clip_fraction'],
  format: fineShare,
  height,
};

const kl: ChartSpec = {
  testId: 'chart-kl',
  title: 'Approximate KL',
  meaning:
    'Mean KL divergence during the iteration’s updates from the policy that generated the tokens, measured before each update.',
  why: whyKl,
  series: [ofMetric('policy/approx_kl', 'KL', 'var(--p-plum)')],
  format: significant,
  unit: 'nats',
  height,
};

/** Whether rollouts came from a separate sampler. */
const isSampled = (rows: readonly Row[]) =>
  rows.some(({ metrics }) => metrics['policy/sampler_kl'] !== undefined);

const samplerKl: ChartSpec = {
  testId: 'chart-sampler-kl',
  title: metric('policy/sampler_kl').title,
  meaning:
    'KL divergence of the policy that generates rollouts from the trainer’s, before any update. 0 if they are the same.',
  why: whyMoves('policy/sampler_kl'),
  when: isSampled,
  series: [ofMetric('policy/sampler_kl', 'KL', 'var(--p-plum)')],
  format: significant,
  unit: 'nats',
  height,
};

const samplerEss: ChartSpec = {
  testId: 'chart-sampler-ess',
  title: metric('policy/sampler_ess').title,
  meaning:
    'How many tokens, or episodes, the rollouts are worth to the trainer if importance weights correct for the sampler, as a share. 100% if sampler and trainer are the same.',
  why: whyMoves('policy/sampler_ess'),
  when: isSampled,
  series: [
    ofMetric('policy/sampler_ess', 'Tokens', 'var(--p-aegean)'),
    ofMetric('policy/sampler_ess_episodes', 'Episodes', 'var(--p-terracotta)', 'dashed'),
  ],
  format: percent,
  domain: [0, 1],
  height,
};

const sampler = [samplerKl, samplerEss];

/** Explanations that replace the default one in charts declared by the metric registry. */
const explained: Readonly<Partial<Record<MetricKey, Rule>>> = { 'policy/grad_norm': whyGradient };

/** The charts of a recipe that the metric registry declares. */
const registered = (recipe: Config['recipe']): readonly ChartSpec[] =>
  metrics.flatMap(({ key, title, meaning, unit, chart }) =>
    chart?.recipes.includes(recipe)
      ? [
          {
            testId: `chart-${chart.id}`,
            ...{ title, meaning, height, format: significant },
            ...(unit === '' ? {} : { unit }),
            why: explained[key] ?? whyMoves(key),
            series: [ofMetric(key, chart.curve, `var(--p-${chart.color})`)],
          },
        ]
      : [],
  );

const turnsPerSecond = ofMetric('time/turns_per_second', 'Turns', 'var(--p-aegean)');
const bothPaces = [
  turnsPerSecond,
  ofMetric('time/tokens_per_second', 'Tokens', 'var(--p-ochre)', 'dashed'),
];
const turnsAlone = [turnsPerSecond];

/** Whether every turn is one token, so that turns and tokens per second are equal. */
const oneTokenTurns = ({ agent }: Pick<Config, 'agent'>) => agent.max_action_tokens === 1;

const throughput: ChartSpec = {
  testId: 'chart-throughput',
  title: 'Throughput',
  meaning: 'Turns played and tokens generated per second, without evaluation.',
  why: whyThroughput,
  series: ({ config }) => (oneTokenTurns(config) ? turnsAlone : bothPaces),
  format: thousands,
  unit: '/s',
  height,
};

const roundSuccess: ChartSpec = {
  ...success,
  meaning:
    'Share of episodes that solve their task, during exploration and in the evaluation after the round. Evaluation is greedy.',
  why: whyRoundSuccess,
};

const roundEntropy: ChartSpec = { ...entropy, why: whyRoundEntropy };

const kept: ChartSpec = {
  testId: 'chart-kept',
  title: 'Explored and kept',
  meaning: 'Number of episodes that the round has explored so far, and number kept for training.',
  why: whyKept,
  series: [
    ofMetric('evolution/explored', 'Explored', 'var(--p-aegean)', 'steps'),
    ofMetric('evolution/kept', 'Kept', 'var(--p-olive)'),
  ],
  format: thousands,
  height,
};

const roundLoss: ChartSpec = {
  testId: 'chart-round-loss',
  title: metric('evolution/loss').title,
  meaning: metric('evolution/loss').meaning,
  why: whyRoundLoss,
  series: [ofMetric('evolution/loss', 'Loss', 'var(--p-plum)')],
  format: significant,
  unit: 'nats',
  height,
};

/** Single measurements, distinguished by shape as well as color. */
const measured = (
  ...curves: readonly (readonly [key: MetricKey, name: string, color: string])[]
): readonly Series[] =>
  curves.map(([key, name, color], place) => ({
    ...ofMetric(key, name, `var(--p-${color})`, 'points'),
    shape: shapeOf(place),
  }));

const refined: ChartSpec = {
  ...success,
  title: 'Correct answers',
  compactTitle: 'Correct answers',
  meaning:
    'Share of evaluation tasks that the actor answers correctly: alone, and after reading the critic’s critique and answering again. Decoding is greedy.',
  why: whyRefined,
  waiting: waitingForEvaluation,
  series: measured(
    ['critique/refined_accuracy', 'With the critic', 'aegean'],
    ['critique/accuracy', 'Alone', 'faint'],
  ),
  levels: () => [],
};

const discrimination: ChartSpec = {
  testId: 'chart-discrimination',
  title: metric('critique/discrimination').title,
  meaning:
    'Share of the critic’s verdicts that are correct at each evaluation: on all answers, on correct ones and on wrong ones. A critic that calls everything wrong has 0% on correct answers and 100% on wrong ones. A malformed critique counts as a wrong verdict.',
  why: whyDiscrimination,
  waiting: waitingForEvaluation,
  series: measured(
    ['critique/discrimination', 'All answers', 'ink'],
    ['critique/discrimination_right', 'Correct answers', 'olive'],
    ['critique/discrimination_wrong', 'Wrong answers', 'terracotta'],
  ),
  format: percent,
  domain: [0, 1],
  height,
};

const flips: ChartSpec = {
  testId: 'chart-flips',
  title: 'Fixed and broken by refinement',
  meaning:
    'At each evaluation, wrong answers that refinement corrected and correct answers that it broke, as shares of all answers. The difference is the critic’s net benefit.',
  why: whyFlips,
  waiting: waitingForEvaluation,
  series: measured(
    ['critique/incorrect_to_correct', 'Wrong → correct', 'olive'],
    ['critique/correct_to_incorrect', 'Correct → wrong', 'terracotta'],
  ),
  format: percent,
  height,
};

const levelColors = ['aegean', 'olive', 'ochre', 'terracotta', 'plum', 'ink', 'faint'];
const levelSeries = measured(
  ...levelNumbers.map(
    (level, place) =>
      [
        `self_improvement/share_level_${level}`,
        `Level ${level}`,
        levelColors[place] ?? 'ink',
      ] as const,
  ),
);

const levels: ChartSpec = {
  testId: 'chart-levels',
  title: 'Levels in the training data',
  meaning:
    'Share of each level among the correct answers that a round learns from. Tail narrowing: hard levels become rarer from round to round.',
  why: whyLevels,
  series: ({ rows }) =>
    levelSeries.filter(({ read }) => rows.some((row) => read(row) !== undefined)),
  format: percent,
  domain: [0, 1],
  height,
};

const learnedAnswers: ChartSpec = {
  testId: 'chart-learned',
  title: metric('self_improvement/learned').title,
  meaning: metric('self_improvement/learned').meaning,
  why: whyLearned,
  series: measured(
    ['self_improvement/learned', 'All', 'ink'],
    ['self_improvement/refined', 'Refined', 'olive'],
  ),
  format: significant,
  height,
};

/** The charts of a recipe. */
interface RecipeCharts {
  /** The curve that shows whether the run succeeds. */
  readonly success: ChartSpec;
  /** The two charts beside the success curve on the first screen. */
  readonly first: readonly [ChartSpec, ChartSpec];
  /** Most informative first. */
  readonly details: readonly ChartSpec[];
  /** Whether the recipe's updates have ratios, bounds and advantages to show. */
  readonly inside: boolean;
}

export const recipeCharts: Readonly<Record<Config['recipe'], RecipeCharts>> = {
  reinforcement: {
    success,
    first: [entropy, horizon],
    details: [
      ...[reward, entropy, horizon, ...sampler, clipFraction, kl],
      ...[...registered('reinforcement'), throughput],
    ],
    inside: true,
  },
  evolution: {
    success: roundSuccess,
    first: [roundEntropy, horizon],
    details: [
      ...[reward, kept, roundLoss, roundEntropy, horizon],
      ...[...registered('evolution'), throughput],
    ],
    inside: false,
  },
  critique: {
    success: refined,
    first: [discrimination, entropy],
    details: [
      ...[discrimination, flips, entropy, ...sampler, kl],
      ...[...registered('critique'), throughput],
    ],
    inside: true,
  },
  self_improvement: {
    success: { ...refined, why: whyImproved },
    first: [levels, learnedAnswers],
    details: [levels, learnedAnswers, discrimination, flips, throughput],
    inside: false,
  },
};

/** Detail charts shown at the depth `understand`. */
const DETAILS_TO_UNDERSTAND = 3;

const InsideUpdate = loadedLater(async () => (await import('./inside.tsx')).InsideUpdate);
const Rounds = loadedLater(async () => (await import('./rounds.tsx')).Rounds);
const EnvironmentsChart = loadedLater(
  async () => (await import('./environments.tsx')).EnvironmentsChart,
);

/**
 * The charts beside the stage: three compact ones at the depth `watch`, else the success curve and a pinned
 * chart. While a run prepares its first iteration, its progress is shown instead.
 */
export function FirstCharts() {
  const recipe = useLab((lab) => lab.config.recipe);
  const watching = useDepth(({ depth }) => depth === 'watch');
  const rewarded = useLab((lab) => rewardDiffers(lab.rows));
  const preparing = useLab(isPreparing);
  const pinned = useChartSettings((settings) => settings.pinned);
  if (preparing) return <Preparation />;
  if (!watching) {
    return (
      <>
        <SuccessChart />
        {pinned === null ? null : <MetricChart spec={compactOf(pinned)} compact />}
      </>
    );
  }
  const { success: main, first } = recipeCharts[recipe];
  const leading = rewarded && hasReward(recipe) ? reward : main;
  return (
    <>
      {[leading, ...first].map((spec) => (
        <MetricChart key={spec.testId} spec={compactOf(spec)} compact />
      ))}
    </>
  );
}

/** Smallest height of a compact plot in pixels. */
const COMPACT_HEIGHT = 84;

const compactSpecs = new Map<ChartSpec, ChartSpec>();

function compactOf(spec: ChartSpec): ChartSpec {
  const known = compactSpecs.get(spec) ?? {
    ...spec,
    title: spec.compactTitle ?? spec.title,
    height: COMPACT_HEIGHT,
    large: false,
  };
  compactSpecs.set(spec, known);
  return known;
}

/** The curve that shows whether the run succeeds. */
export function SuccessChart() {
  const recipe = useLab((lab) => lab.config.recipe);
  return <MetricChart spec={recipeCharts[recipe].success} />;
}

/** The chart with this name, such as `entropy`; undefined if the recipe has none. */
export function chartNamed(recipe: Config['recipe'], name: string): ChartSpec | undefined {
  const { success: main, details } = recipeCharts[recipe];
  return [main, ...details].find(({ testId }) => testId === `chart-${name}`);
}

/** One chart alone; null if the recipe has no chart with this name. */
export function NamedChart({ name }: { readonly name: string }) {
  const recipe = useLab((lab) => lab.config.recipe);
  const spec = chartNamed(recipe, name);
  return spec === undefined ? null : <MetricChart spec={spec} />;
}

/** Charts of updates; they form a separate group if there are any. */
const ofUpdates: ReadonlySet<string> = new Set([clipFraction.testId, 'chart-gradient']);

/** The charts below the stage: three at the depth `understand`, else all, in groups. */
export function Charts() {
  const recipe = useLab((lab) => lab.config.recipe);
  const everything = useDepth(({ depth }) => depth === 'everything');
  const preparing = useLab(isPreparing);
  const { details, inside } = recipeCharts[recipe];
  const shown = useLab(
    useShallow(({ rows }) => details.filter(({ when }) => when === undefined || when(rows))),
  );
  if (!everything) {
    if (preparing) return null;
    return (
      <div className="charts">
        <Special />
        <div className="detail-charts">
          <ByEnvironment />
          {shown.slice(0, DETAILS_TO_UNDERSTAND).map((spec) => (
            <Part key={spec.testId} name={`The chart “${spec.title}”`}>
              <MetricChart spec={spec} />
            </Part>
          ))}
        </div>
      </div>
    );
  }
  const learning = inside ? shown.filter(({ testId }) => !ofUpdates.has(testId)) : shown;
  return (
    <div className="charts">
      <ChartToolbar />
      <Group id="learning">
        <Special />
        <div className="group-charts">
          <ByEnvironment />
          {learning.map((spec) => (
            <GroupChart key={spec.testId} spec={spec} />
          ))}
        </div>
        <Later specs={learning} />
      </Group>
      {inside ? <InsideUpdate clipFraction={clipFraction} /> : null}
    </div>
  );
}

function Special() {
  const recipe = useLab((lab) => lab.config.recipe);
  return recipe === 'evolution' ? (
    <Part name="The rounds">
      <Rounds />
    </Part>
  ) : null;
}

function ByEnvironment() {
  const mixed = useLab((lab) => lab.config.env.mixture.length > 0);
  return mixed ? (
    <Part name="The chart “Success by environment”">
      <EnvironmentsChart />
    </Part>
  ) : null;
}
