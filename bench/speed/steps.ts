/** A whole training step of Palestra and its peers. */
import { interleaved, type Rounds, type Spread, spreadOf } from '../measure.ts';
import type { Trainer } from './own-step.ts';
import { stepFlops, type TrainingCase } from './training-case.ts';

export interface StepRow {
  readonly name: string;
  /** Milliseconds of a step. */
  readonly time: Spread;
  readonly measurements: number;
  /** Loss of the first step and, unless that step took too long, of the second, which follows one update. */
  readonly losses: readonly number[];
}

export interface StepReport {
  readonly name: string;
  readonly tokens: number;
  /** Minimum number of floating-point operations of a step. */
  readonly flops: number;
  readonly rows: readonly StepRow[];
}

/** Thrown if a peer computes something other than Palestra, because its time would be meaningless. */
export class LossDisagreesError extends Error {
  override readonly name = 'LossDisagreesError';
  constructor(training: string, name: string, own: readonly number[], losses: readonly number[]) {
    super(
      `Step ${training}: the losses of ${name} are ${losses.join(', ')}, Palestra’s are ${own.join(', ')}. They must agree before anything is timed.`,
    );
  }
}

/** Two losses agree if their difference can be explained by the order of float32 sums. */
const LOSS_TOLERANCE = 2e-4;

/** A trainer whose first step takes longer is measured only once. */
const PATIENCE = 45_000;

/**
 * Times a step of each trainer, in turn. Before that, each takes two steps from the same weights. Their
 * losses must agree: the first compares the forward passes, the second the gradients and the optimizers.
 * @throws {LossDisagreesError} if a trainer's losses differ from the first trainer's
 */
export async function measureSteps(
  training: TrainingCase,
  trainers: readonly Trainer[],
  rounds: Rounds,
): Promise<StepReport> {
  const losses = new Map<string, readonly number[]>();
  const firsts = new Map<string, number>();
  for (const { name, step } of trainers) {
    const started = performance.now();
    const first = await step();
    firsts.set(name, performance.now() - started);
    losses.set(name, isTooSlow(firsts, name) ? [first] : [first, await step()]);
  }
  const [own = []] = losses.values();
  for (const [name, found] of losses) {
    const agree = found.every(
      (loss, i) => Math.abs(loss - (own[i] ?? Number.NaN)) < LOSS_TOLERANCE,
    );
    if (!agree) throw new LossDisagreesError(training.name, name, own, found);
  }
  const timed = trainers.filter(({ name }) => !isTooSlow(firsts, name));
  const samples = await interleaved(
    new Map(
      timed.map(({ name, step }) => [
        name,
        async () => {
          await step();
        },
      ]),
    ),
    rounds,
    { warm: true, apart: true },
  );
  return {
    name: training.name,
    tokens: training.sequences * training.length,
    flops: stepFlops(training),
    rows: trainers.map(({ name }) => {
      const taken = samples.get(name) ?? [firsts.get(name) ?? Number.NaN];
      return {
        name,
        time: spreadOf(taken),
        measurements: taken.length,
        losses: losses.get(name) ?? [],
      };
    }),
  };
}

function isTooSlow(firsts: ReadonlyMap<string, number>, name: string): boolean {
  return (firsts.get(name) ?? 0) > PATIENCE;
}
