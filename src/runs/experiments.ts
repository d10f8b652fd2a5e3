import type { Config } from './config.ts';
import { setConfigValues } from './config.ts';
import { findPreset } from './presets.ts';

/** A field of the config and its value in text, as `--set` takes them. */
type Assignment = readonly [path: string, text: string];

/** One side of a comparison. */
export interface ExperimentArm {
  readonly name: string;
  /** What differs from the experiment's preset. */
  readonly set: readonly Assignment[];
}

/** A question that several seeds answer. */
export interface Experiment {
  readonly name: string;
  readonly title: string;
  readonly question: string;
  readonly preset: string;
  readonly arms: readonly ExperimentArm[];
  readonly seeds: readonly number[];
  /** Greedy success at which the turns spent are read off. */
  readonly target: number;
}

/** What every arm of a comparison at equal turns may spend. */
const equalTurns: readonly Assignment[] = [
  ['rollout.tasks_per_iteration', '16'],
  ['horizon.rounds', '10,20,30'],
  ['horizon.interval', '25'],
  ['stopping.turns', '100000'],
  ['stopping.iterations', '100000'],
  ['stopping.success', '0'],
];

const untilFourFifths: readonly Assignment[] = [
  ['stopping.success', '0.8'],
  ['stopping.turns', '600000'],
  ['stopping.iterations', '100000'],
];

export const experiments: readonly Experiment[] = [
  {
    name: 'double-t',
    title: 'The double-T maze from random weights',
    question: 'How many environment turns until greedy play solves at least 95% of the 25 starts?',
    preset: 'maze',
    arms: [
      {
        name: 'maze',
        set: [
          ['stopping.success', '0.95'],
          ['stopping.turns', '400000'],
          ['stopping.iterations', '100000'],
        ],
      },
    ],
    seeds: [1, 2, 3, 4, 5],
    target: 0.95,
  },
  {
    name: 'generated',
    title: 'Generated 7×7 mazes',
    question: 'Does the agent find its way through mazes it has never trained on?',
    preset: 'maze-generated',
    arms: [
      { name: 'three quarters open', set: untilFourFifths },
      { name: 'half open', set: [['env.options.loops', '50'], ...untilFourFifths] },
    ],
    seeds: [1, 2, 3],
    target: 0.8,
  },
  {
    name: 'scaling-inter',
    title: 'ScalingInter against fixed horizons in the double-T maze',
    question: 'At equal turns, does a growing horizon (arXiv:2509.08755) learn faster?',
    preset: 'maze',
    arms: [
      {
        name: 'fixed short',
        set: [['horizon.schedule', 'fixed'], ['horizon.turns', '15'], ...equalTurns],
      },
      {
        name: 'fixed long',
        set: [['horizon.schedule', 'fixed'], ['horizon.turns', '50'], ...equalTurns],
      },
      { name: 'scaling', set: [['horizon.schedule', 'scaling_inter'], ...equalTurns] },
    ],
    seeds: [1, 2, 3, 4, 5],
    target: 0.95,
  },
];

/** Thrown for an experiment that does not exist. */
export class UnknownExperimentError extends Error {
  override readonly name = 'UnknownExperimentError';
  constructor(name: string) {
    super(
      `no experiment is called ${JSON.stringify(name)}; there are ${experiments.map((e) => e.name).join(', ')}`,
    );
  }
}

/**
 * The experiment with this name.
 *
 * @throws {UnknownExperimentError}
 */
export function findExperiment(name: string): Experiment {
  const found = experiments.find((experiment) => experiment.name === name);
  if (found === undefined) throw new UnknownExperimentError(name);
  return found;
}

/** The complete config of one run of an experiment. */
export function experimentConfig(experiment: Experiment, arm: ExperimentArm, seed: number): Config {
  return setConfigValues(findPreset(experiment.preset).config, [
    ['seed', String(seed)],
    ...arm.set,
  ]);
}

/** What one run of an experiment showed. */
export interface ExperimentRun {
  readonly arm: string;
  readonly seed: number;
  readonly config: Config;
  readonly adapter: string;
  /** Training turns spent when greedy success first reached the target; null if it never did. */
  readonly turnsToTarget: number | null;
  readonly turns: number;
  readonly iterations: number;
  /** Greedy success on every evaluation task at the end. */
  readonly greedySuccess: number;
  /** Sampled success of training episodes, mean over the last ten iterations. */
  readonly sampledSuccess: number;
  /** Sampled success of training episodes, mean over the run's turns: area under its curve. */
  readonly areaUnderCurve: number;
  /** Mean token entropy of the last iteration, nats. */
  readonly entropy: number;
  readonly seconds: number;
  /** [turns, greedy success] of every evaluation. */
  readonly evaluations: readonly (readonly [number, number])[];
}

/** Mean and sample standard deviation. */
export function meanAndSpread(values: readonly number[]): { mean: number; std: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, std: values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1)) };
}

/** The middle value; the mean of the two middle ones of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const low = sorted[Math.ceil(half) - 1] ?? Number.NaN;
  return (low + (sorted[Math.floor(half)] ?? Number.NaN)) / 2;
}

/** The runs as a Markdown page: a summary by arm, then every run. */
export function experimentPage(experiment: Experiment, runs: readonly ExperimentRun[]): string {
  const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
  const spread = (values: readonly number[], format: (value: number) => string) => {
    const { mean, std } = meanAndSpread(values);
    return `${format(mean)} ± ${format(std)}`;
  };
  const thousands = (turns: number | null) =>
    turns === null || !Number.isFinite(turns) ? 'not reached' : `${Math.round(turns / 1000)}k`;
  const summary = experiment.arms.flatMap(({ name }) => {
    const of = runs.filter(({ arm }) => arm === name);
    if (of.length === 0) return [];
    const reached = of.filter(({ turnsToTarget }) => turnsToTarget !== null).length;
    return [
      [
        name,
        of.length,
        `${reached} of ${of.length}`,
        thousands(median(of.map((r) => r.turnsToTarget ?? Number.POSITIVE_INFINITY))),
        spread(
          of.map((r) => r.greedySuccess),
          percent,
        ),
        spread(
          of.map((r) => r.sampledSuccess),
          percent,
        ),
        spread(
          of.map((r) => r.areaUnderCurve),
          percent,
        ),
        spread(
          of.map((r) => r.entropy),
          (value) => value.toFixed(2),
        ),
      ],
    ];
  });
  const each = runs.map((r) => [
    r.arm,
    r.seed,
    thousands(r.turnsToTarget),
    thousands(r.turns),
    r.iterations,
    percent(r.greedySuccess),
    percent(r.sampledSuccess),
    r.entropy.toFixed(2),
    r.seconds.toFixed(0),
  ]);
  const table = (rows: readonly (readonly (string | number)[])[]) =>
    rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
  const rule = (columns: number) => `|${'---|'.repeat(columns)}`;
  const goal = percent(experiment.target);
  return `# ${experiment.title}

${experiment.question}

\`npm run reproduce -- ${experiment.name}\`, on ${[...new Set(runs.map((r) => r.adapter))].join('; ')}. Greedy success takes the most probable token, on every evaluation task; sampled success is that of the training episodes, over the last ten iterations; the area is sampled success averaged over the turns spent. Mean ± sample standard deviation over seeds.

| arm | seeds | greedy ≥ ${goal} | median turns to it | greedy success | sampled success | area | entropy (nats) |
${rule(8)}
${table(summary)}

## Every run

| arm | seed | turns to ${goal} | turns | iterations | greedy success | sampled success | entropy | seconds |
${rule(9)}
${table(each)}
`;
}
