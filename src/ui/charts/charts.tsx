import type { Config } from '../../config/schema.ts';
import { whyDiscrimination, whyFlips, whyRefined } from '../../diagnosis/criticism.ts';
import {
  whyClip,
  whyEntropy,
  whyGradient,
  whyHorizon,
  whyKl,
  whySuccess,
  whyThroughput,
} from '../../diagnosis/curves.ts';
import { whyKept, whyRoundEntropy, whyRoundLoss, whyRoundSuccess } from '../../diagnosis/rounds.ts';
import { whyImproved, whyLearned, whyLevels } from '../../diagnosis/self-improvement.ts';
import { levelNumbers } from '../../runs/levels.ts';
import { metric } from '../../runs/metrics.ts';
import { fineShare, percent, significant, thousands } from '../../runs/numbers.ts';
import type { Row } from '../../runs/row.ts';
import { loadedLater } from '../comfort/release.ts';
import { useLab } from '../lab/store.ts';
import { useDepth } from '../page/depth.ts';
import { Part } from '../page/part.tsx';
import { InsideUpdate } from './inside.tsx';
import { type ChartSpec, MetricChart } from './metric-chart.tsx';
import { type Level, ofMetric } from './series.ts';
import { ChartToolbar } from './toolbar.tsx';
import { waitingForEvaluation } from './waiting.ts';

/** What imitation alone had come to, where there was some: what is above is learned by trial. */
export function imitationLevel(rows: readonly Row[]): readonly Level[] {
  const value = rows[0]?.metrics['imitation/success_rate'];
  return value === undefined
    ? []
    : [{ value, name: `after imitation ${percent(value)}`, above: value < 0.5 }];
}

const training = ofMetric('rollout/success_rate', 'Training', 'var(--p-terracotta)');
const evaluation = ofMetric('eval/success_rate', 'Evaluation', 'var(--p-aegean)', 'points');

const success: ChartSpec = {
  testId: 'chart-success',
  title: 'Success',
  meaning: ({ rows }) =>
    `Share of episodes that solve their task. Evaluation always takes the most probable word. Score is the mean reward.${imitationLevel(rows).length === 0 ? '' : ' The level after imitation is that of the evaluation before any reinforcement learning.'}`,
  why: whySuccess,
  series: [training, evaluation, ofMetric('rollout/score', 'Score', 'var(--p-ochre)', 'dashed')],
  levels: ({ rows }) => imitationLevel(rows),
  format: percent,
  domain: [0, 1],
  namePhases: true,
  height: 300,
  large: true,
};

/** One number for one question: beside the success rate, the score says nothing new to a newcomer. */
const watched: ChartSpec = {
  ...success,
  meaning:
    'Share of episodes that solve their task: in training, which draws its words by chance, and in the evaluation, which always takes the most probable one.',
  series: [training, evaluation],
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
  meaning: 'The most turns an episode may take, and how many it takes on average.',
  why: whyHorizon,
  series: [
    ofMetric('rollout/horizon', 'Limit', 'var(--p-faint)', 'steps'),
    ofMetric('rollout/turns', 'Used', 'var(--p-terracotta)'),
  ],
  format: thousands,
  height,
};

const clip = [
  ofMetric('policy/clip_fraction_high', 'Above', 'var(--p-aegean)'),
  ofMetric('policy/clip_fraction_low', 'Below', 'var(--p-terracotta)'),
];
const dualClip = [
  ...clip,
  ofMetric('policy/clip_fraction_dual', 'Dual', 'var(--p-plum)', 'dashed'),
];

const clipFraction: ChartSpec = {
  testId: 'chart-clip',
  title: 'Clip fraction',
  meaning: metric('policy/clip_fraction').meaning,
  why: whyClip,
  series: ({ config }) => (config.algorithm.dual_clip > 0 ? dualClip : clip),
  shows: ['policy/clip_fraction'],
  format: fineShare,
  height,
};

const kl: ChartSpec = {
  testId: 'chart-kl',
  title: 'Approximate KL',
  meaning: 'How far one iteration’s updates moved the policy from the one that wrote the words.',
  why: whyKl,
  series: [ofMetric('policy/approx_kl', 'KL', 'var(--p-plum)')],
  format: significant,
  unit: 'nats',
  height,
};

const gradient: ChartSpec = {
  testId: 'chart-gradient',
  title: 'Gradient norm',
  meaning: metric('policy/grad_norm').meaning,
  why: whyGradient,
  series: [ofMetric('policy/grad_norm', 'Norm', 'var(--p-ochre)')],
  format: significant,
  height,
};

const throughput: ChartSpec = {
  testId: 'chart-throughput',
  title: 'Throughput',
  meaning: 'Turns played and words written per second, evaluation left out.',
  why: whyThroughput,
  series: [
    ofMetric('time/turns_per_second', 'Turns', 'var(--p-aegean)'),
    ofMetric('time/tokens_per_second', 'Tokens', 'var(--p-ochre)', 'dashed'),
  ],
  format: thousands,
  unit: '/s',
  height,
};

const roundSuccess: ChartSpec = {
  ...success,
  meaning:
    'Share of episodes that solve their task: of those that explored, and of the evaluation after the round, which always takes the most probable word. Score is the mean reward of exploration.',
  why: whyRoundSuccess,
};

const roundEntropy: ChartSpec = { ...entropy, why: whyRoundEntropy };

const kept: ChartSpec = {
  testId: 'chart-kept',
  title: 'Explored and kept',
  meaning: 'Episodes that a round has tried so far, and those of them that it learns from.',
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

const refined: ChartSpec = {
  ...success,
  title: 'Right answers',
  meaning:
    'Share of the evaluation tasks that the actor answers rightly: by itself, and after it has heard the critic and answered anew. Nothing is drawn by chance.',
  why: whyRefined,
  waiting: waitingForEvaluation,
  series: [
    ofMetric('critique/refined_accuracy', 'With the critic', 'var(--p-aegean)', 'points'),
    ofMetric('critique/accuracy', 'Alone', 'var(--p-faint)', 'points'),
  ],
  levels: () => [],
};

const discrimination: ChartSpec = {
  testId: 'chart-discrimination',
  title: metric('critique/discrimination').title,
  meaning:
    'How often the critic’s verdict is true, at every evaluation: on all answers, on right ones and on wrong ones. A critic that calls everything wrong has 0% on right answers and 100% on wrong ones. A malformed critique counts as a wrong verdict.',
  why: whyDiscrimination,
  waiting: waitingForEvaluation,
  series: [
    ofMetric('critique/discrimination', 'All answers', 'var(--p-ink)', 'points'),
    ofMetric('critique/discrimination_right', 'Right answers', 'var(--p-olive)', 'points'),
    ofMetric('critique/discrimination_wrong', 'Wrong answers', 'var(--p-terracotta)', 'points'),
  ],
  format: percent,
  domain: [0, 1],
  height,
};

const flips: ChartSpec = {
  testId: 'chart-flips',
  title: 'Mended and spoilt',
  meaning:
    'At every evaluation, wrong answers that became right by their refinement, and right ones that became wrong, as shares of all answers. The difference is what the critic is worth.',
  why: whyFlips,
  waiting: waitingForEvaluation,
  series: [
    ofMetric('critique/incorrect_to_correct', 'Wrong → right', 'var(--p-olive)', 'points'),
    ofMetric('critique/correct_to_incorrect', 'Right → wrong', 'var(--p-terracotta)', 'points'),
  ],
  format: percent,
  height,
};

const levelColours = ['aegean', 'olive', 'ochre', 'terracotta', 'plum', 'ink', 'faint'];

const levels: ChartSpec = {
  testId: 'chart-levels',
  title: 'Levels learned',
  meaning:
    'The share of each level among the right answers that a round learns from. Where the hard ones fall round by round, the tail narrows.',
  why: whyLevels,
  series: ({ rows }) =>
    levelNumbers
      .map((level) => [level, `self_improvement/share_level_${level}`] as const)
      .filter(([, key]) => rows.some(({ metrics }) => metrics[key] !== undefined))
      .map(([level, key]) =>
        ofMetric(key, `Level ${level}`, `var(--p-${levelColours[level - 1]})`, 'points'),
      ),
  format: percent,
  domain: [0, 1],
  height,
};

const learnedAnswers: ChartSpec = {
  testId: 'chart-learned',
  title: metric('self_improvement/learned').title,
  meaning: metric('self_improvement/learned').meaning,
  why: whyLearned,
  series: [
    ofMetric('self_improvement/learned', 'All', 'var(--p-ink)', 'points'),
    ofMetric('self_improvement/refined', 'Mended', 'var(--p-olive)', 'points'),
  ],
  format: significant,
  height,
};

/** What there is to be drawn of a recipe. */
interface Drawn {
  /** The curve the page is about. */
  readonly success: ChartSpec;
  /** Those that say most come first. */
  readonly details: readonly ChartSpec[];
  /** Its updates have ratios, bounds and advantages to be looked at. */
  readonly inside: boolean;
}

/** By recipe. */
export const drawn: Readonly<Record<Config['recipe'], Drawn>> = {
  reinforcement: {
    success,
    details: [entropy, horizon, clipFraction, kl, gradient, throughput],
    inside: true,
  },
  evolution: {
    success: roundSuccess,
    details: [kept, roundLoss, roundEntropy, horizon, gradient, throughput],
    inside: false,
  },
  critique: {
    success: refined,
    details: [discrimination, flips, entropy, kl, gradient, throughput],
    inside: true,
  },
  self_improvement: {
    success: { ...refined, why: whyImproved },
    details: [levels, learnedAnswers, discrimination, flips, throughput],
    inside: false,
  },
};

/** Charts of details that are shown where not everything is. */
const FIRST = 3;

const Rounds = loadedLater(async () => (await import('./rounds.tsx')).Rounds);
const EnvironmentsChart = loadedLater(
  async () => (await import('./environments.tsx')).EnvironmentsChart,
);

/** The curve the page is about. */
export function SuccessChart() {
  const recipe = useLab((lab) => lab.config.recipe);
  const watching = useDepth(({ depth }) => depth === 'watch');
  const spec = watching && recipe === 'reinforcement' ? watched : drawn[recipe].success;
  return <MetricChart spec={spec} />;
}

/** A chart by its name, such as `entropy`; undefined where the recipe has none of it. */
export function chartNamed(recipe: Config['recipe'], name: string): ChartSpec | undefined {
  const { success: first, details } = drawn[recipe];
  return [first, ...details].find(({ testId }) => testId === `chart-${name}`);
}

/** A chart alone; null for a name that the run's recipe has none of. */
export function NamedChart({ name }: { readonly name: string }) {
  const recipe = useLab((lab) => lab.config.recipe);
  const spec = chartNamed(recipe, name);
  return spec === undefined ? null : <MetricChart spec={spec} />;
}

/** How charts are drawn, each environment of a mixture, what goes on inside, and inside an update. */
export function Charts() {
  const mixed = useLab((lab) => lab.config.env.mixture.length > 0);
  const recipe = useLab((lab) => lab.config.recipe);
  const everything = useDepth(({ depth }) => depth === 'everything');
  const { details, inside } = drawn[recipe];
  return (
    <div className="charts">
      {everything ? <ChartToolbar /> : null}
      {recipe === 'evolution' ? (
        <Part name="The rounds">
          <Rounds />
        </Part>
      ) : null}
      <div className="detail-charts">
        {mixed ? (
          <Part name="The chart “Success by environment”">
            <EnvironmentsChart />
          </Part>
        ) : null}
        {(everything ? details : details.slice(0, FIRST)).map((spec) => (
          <Part key={spec.testId} name={`The chart “${spec.title}”`}>
            <MetricChart spec={spec} />
          </Part>
        ))}
      </div>
      {inside && everything ? <InsideUpdate /> : null}
    </div>
  );
}
