/**
 * The cost of every preset on this machine: the time before its first iteration and the mean duration of an
 * iteration, including evaluations at their interval. The lab's gallery scales these by the speed of the
 * visitor's machine.
 */

import { presetConfig, presets } from '../src/config/presets.ts';
import type { Config } from '../src/config/schema.ts';
import type { CreatePolicy } from '../src/policy/types.ts';
import { Trainer } from '../src/training/trainer.ts';

/** Number of measured iterations per preset, after one for warm-up. */
const ITERATIONS = 2;
/** Number of expert dialogues imitated here; the time for all dialogues of a preset is extrapolated. */
const DIALOGUES = 64;

/** In seconds, rounded to hundredths. */
export interface PresetCost {
  /** Before the first iteration: weights, kernels, imitation. */
  readonly startSeconds: number;
  readonly iterationSeconds: number;
}

export interface PresetRow extends PresetCost {
  readonly name: string;
}

export async function* presetRows(createPolicy: CreatePolicy): AsyncGenerator<PresetRow> {
  for (const { name } of presets) yield await presetRow(name, createPolicy);
}

export async function presetRow(name: string, createPolicy: CreatePolicy): Promise<PresetRow> {
  const config = presetConfig(name);
  const { imitation, critique, evaluation } = config;
  const short = {
    ...config,
    imitation: {
      ...imitation,
      epochs: Math.min(1, imitation.epochs),
      most_tasks: Math.min(DIALOGUES, imitation.most_tasks),
    },
    critique: {
      ...critique,
      refinements: Math.min(DIALOGUES, critique.refinements),
      refinement_epochs: Math.min(1, critique.refinement_epochs),
      critiques: Math.min(DIALOGUES, critique.critiques),
      critique_epochs: Math.min(1, critique.critique_epochs),
      // The time to check whether imitation suffices does not depend on the number of dialogues. Early
      // stopping is ignored.
      enough_discrimination: 0,
    },
    // Evaluations are timed separately and added at their interval.
    evaluation: { ...evaluation, interval: 1_000_000 },
  };
  const started = performance.now();
  const run = await Trainer.create({ config: short, createPolicy });
  const created = performance.now();
  let imitated = created;
  await run.iterate((phase) => {
    if (phase === 'imitate') imitated = performance.now();
  });
  const first = performance.now();
  for (let i = 0; i < ITERATIONS; i++) await run.iterate();
  const last = performance.now();
  await run.evaluate();
  const evaluated = performance.now();
  const { length } = run.environment.trainTasks;
  run.destroy();
  const iteration = (last - first) / ITERATIONS;
  const share = evaluation.interval > 0 ? (evaluated - last) / evaluation.interval : 0;
  const scale = dialogues(config, length) / Math.max(1, dialogues(short, length));
  const start =
    created - started + (imitated - created) * scale + Math.max(0, first - imitated - iteration);
  return {
    name,
    startSeconds: hundredths(start),
    iterationSeconds: hundredths(iteration + share),
  };
}

/** Number of imitated dialogues, times the number of epochs. */
function dialogues({ recipe, imitation, critique }: Config, tasks: number): number {
  const answers = Math.min(imitation.most_tasks, Math.ceil(imitation.task_share * tasks));
  const alone = imitation.epochs * answers;
  if (recipe !== 'critique' && recipe !== 'self_improvement') return alone;
  const { refinements, refinement_epochs, critiques, critique_epochs } = critique;
  return alone + refinement_epochs * (answers + refinements) + critique_epochs * critiques;
}

function hundredths(milliseconds: number): number {
  return Math.round(milliseconds / 10) / 100;
}
