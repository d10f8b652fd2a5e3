/** Palestra's own training step. */
import type { Gpu } from '../../src/device/index.ts';
import { createPolicy, type Policy } from '../../src/policy/policy.ts';
import {
  caseBatch,
  caseWeights,
  objective,
  optimizerStep,
  type TrainingCase,
} from './training-case.ts';

/** A training step that can be taken again and again. */
export interface Trainer {
  readonly name: string;
  /** One step; the loss before it, read back. */
  step(): Promise<number>;
  close(): Promise<void> | void;
}

/** A policy with room for exactly this case, holding its weights. */
export async function casePolicy(gpu: Gpu, training: Omit<TrainingCase, 'name'>): Promise<Policy> {
  const { shape, sequences, length } = training;
  const tokens = sequences * length;
  const capacity = {
    tokens,
    rows: tokens,
    lossRows: tokens,
    updateRows: tokens,
    episodes: 1,
    context: length,
  };
  const policy = await createPolicy(gpu, shape, capacity, 1);
  policy.writeWeights(caseWeights(shape));
  return policy;
}

export async function ownTrainer(gpu: Gpu, training: TrainingCase): Promise<Trainer> {
  const policy = await casePolicy(gpu, training);
  const batch = caseBatch(training);
  return {
    name: 'Palestra',
    step: async () => (await policy.update([batch], objective, optimizerStep)).loss,
    close: () => policy.destroy(),
  };
}
