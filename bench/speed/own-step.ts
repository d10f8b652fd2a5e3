/** Palestra's training step. */
import type { Device } from '../../src/device/index.ts';
import { createPolicy, type Policy } from '../../src/policy/policy.ts';
import {
  caseBatch,
  caseWeights,
  objective,
  optimizerStep,
  type TrainingCase,
} from './training-case.ts';

/** A training step that can be repeated. */
export interface Trainer {
  readonly name: string;
  /** One step; returns the loss before it. */
  step(): Promise<number>;
  close(): Promise<void> | void;
}

/** A policy with the case's weights and exactly the capacity that the case needs. */
export async function casePolicy(
  device: Device,
  training: Omit<TrainingCase, 'name'>,
): Promise<Policy> {
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
  const policy = await createPolicy(device, shape, capacity, 1);
  policy.writeWeights(caseWeights(shape));
  return policy;
}

export async function ownTrainer(device: Device, training: TrainingCase): Promise<Trainer> {
  const policy = await casePolicy(device, training);
  const batch = caseBatch(training);
  return {
    name: 'Palestra',
    step: async () => (await policy.update([batch], objective, optimizerStep)).loss,
    close: () => policy.destroy(),
  };
}
