/** Default training settings of pretrained models, for the command line and the page. */
import { type Assignment, findMethod, methodSet } from '../../config/methods.ts';
import { type Adapter, adapterTargets } from '../../policy/types.ts';
import { CheckpointError, type KeptBase } from '../../runs/checkpoint.ts';

/** Precisions of the frozen weights, the default first. */
export const basePrecisions = ['f16', 'int4', 'f32'] as const satisfies readonly Adapter['base'][];

export type BasePrecision = (typeof basePrecisions)[number];

export const adapterDefaults = { rank: 16, base: basePrecisions[0] } as const;

/** Fills in defaults: alpha is twice the rank, and all linear layers are adapted. */
export function adapterOf(form: Partial<Adapter>): Adapter {
  const { rank = adapterDefaults.rank, base = adapterDefaults.base } = form;
  return { rank, alpha: form.alpha ?? 2 * rank, targets: form.targets ?? adapterTargets, base };
}

/** @throws {CheckpointError} for unsupported adapter settings */
export function keptAdapter({ adapter: { rank, alpha, targets, base } }: KeptBase): Adapter {
  const known = adapterTargets.filter((target) => targets.includes(target));
  const precision = basePrecisions.find((name) => name === base);
  if (precision === undefined || known.length !== targets.length) {
    throw new CheckpointError('this version does not support the settings of its adapter');
  }
  return { rank, alpha, targets: known, base: precision };
}

/**
 * Settings of a run with a pretrained model, applied before any others: the agent thinks before it
 * acts, in AgentGym's format, and skips imitation; the learning rate suits an adapter.
 */
export const modelSettings: readonly Assignment[] = [
  ['agent.format', 'react'],
  ['agent.max_action_tokens', '64'],
  ['imitation.epochs', '0'],
  ['preference.epochs', '0'],
  ['optimizer.learning_rate', '0.0002'],
];

/** The default method: GRPO, because a pretrained model has no value head. */
export const modelMethod = (): readonly Assignment[] => methodSet(findMethod('grpo'), 'adapted');
