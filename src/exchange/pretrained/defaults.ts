/** How a pretrained model is trained by default, on the command line and in the page. */
import { type Assignment, findMethod, methodSet } from '../../config/methods.ts';
import { type Adapter, adapterTargets } from '../../policy/types.ts';
import { CheckpointError, type KeptBase } from '../../runs/checkpoint.ts';

/** Precisions of the frozen weights, the default first. */
export const basePrecisions = ['f16', 'int4', 'f32'] as const satisfies readonly Adapter['base'][];

export const adapterDefaults = { rank: 16, base: basePrecisions[0] } as const;

/** An adapter with the default form where none is given: alpha is twice the rank, all linear layers. */
export function adapterOf(form: Partial<Adapter>): Adapter {
  const { rank = adapterDefaults.rank, base = adapterDefaults.base } = form;
  return { rank, alpha: form.alpha ?? 2 * rank, targets: form.targets ?? adapterTargets, base };
}

/** @throws {CheckpointError} for a form that no adapter here has */
export function keptAdapter({ adapter: { rank, alpha, targets, base } }: KeptBase): Adapter {
  const known = adapterTargets.filter((target) => targets.includes(target));
  const precision = basePrecisions.find((name) => name === base);
  if (precision === undefined || known.length !== targets.length) {
    throw new CheckpointError('the form of its adapter is not one of this version');
  }
  return { rank, alpha, targets: known, base: precision };
}

/**
 * What a run with a pretrained model sets before other settings: the agent thinks before it acts, in
 * AgentGym's format, and learns by reinforcement alone, at a learning rate for adapters.
 */
export const modelSettings: readonly Assignment[] = [
  ['agent.format', 'react'],
  ['agent.max_action_tokens', '64'],
  ['imitation.epochs', '0'],
  ['preference.epochs', '0'],
  ['optimizer.learning_rate', '0.0002'],
];

/** The default method: a group's mean needs no value head, which no pretrained model has. */
export const modelMethod = (): readonly Assignment[] => methodSet(findMethod('grpo'), 'adapted');
