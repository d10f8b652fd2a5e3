import type { Config } from '../../config/schema.ts';
import { whyEnvironments } from '../../diagnosis/curves.ts';
import { titleOf } from '../../envs/registry.ts';
import type { EnvironmentResult } from '../../runs/details.ts';
import { percent } from '../../runs/numbers.ts';
import { environmentColor } from '../shell/environments/colors.ts';
import type { ChartSpec } from './chart-spec.ts';
import { shapeOf } from './marker.tsx';
import { MetricChart } from './metric-chart.tsx';
import type { Series } from './series.ts';

const successOf = (results: readonly EnvironmentResult[] | undefined, id: string) =>
  results?.find((result) => result.id === id)?.successRate;

/** Two curves per environment of a mixture: a thin line for training and points for evaluations. */
export function environmentSeries({
  env,
  evaluation,
}: Pick<Config, 'env' | 'evaluation'>): readonly Series[] {
  const evaluated = evaluation.interval > 0;
  return env.mixture.flatMap(({ id }, place): readonly Series[] => {
    const color = environmentColor(place);
    const training: Series = {
      name: evaluated ? `${titleOf(id)}, training` : titleOf(id),
      read: ({ details }) => successOf(details.environments, id),
      color,
      mark: 'thin',
      inLegend: !evaluated,
    };
    if (!evaluated) return [training];
    return [
      training,
      {
        name: titleOf(id),
        read: ({ evaluation: played }) => successOf(played?.environments, id),
        color,
        mark: 'joined',
        shape: shapeOf(place),
      },
    ];
  });
}

const known = new WeakMap<Config, readonly Series[]>();

/** The same array while the config is the same. */
function seriesOf(config: Config): readonly Series[] {
  const series = known.get(config) ?? environmentSeries(config);
  known.set(config, series);
  return series;
}

const spec: ChartSpec = {
  testId: 'chart-environments',
  title: 'Success by environment',
  meaning: ({ config }) =>
    config.evaluation.interval > 0
      ? 'One agent plays all environments. Thin lines are training episodes; points are greedy evaluations.'
      : 'One agent plays all environments. Each line is the share of training episodes that solve their task.',
  why: whyEnvironments,
  series: ({ config }) => seriesOf(config),
  format: percent,
  domain: [0, 1],
  height: 240,
  large: true,
};

/** Success per environment for an agent of a mixture. */
export function EnvironmentsChart() {
  return <MetricChart spec={spec} />;
}
