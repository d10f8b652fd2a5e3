import shader from '../../shaders/adamw.wgsl';
import type { DeviceKind, Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { numbered, optimizerColumns } from './tables.ts';

const code = /* @__PURE__ */ numbered(shader, { STATE: optimizerColumns });

/** Elements per partial sum of the gradient norm: one workgroup, or one unit on the processor. */
export function normChunk(kind: DeviceKind): number {
  return kind === 'processor' ? 64 : 1024;
}

/** Scratch elements needed by `adamw` for `length` parameters. */
export function adamwScratch(length: number, kind: DeviceKind = 'processor'): number {
  return groups(length, normChunk(kind));
}

/**
 * One AdamW step on `length` parameters with global-norm clipping. Updates `parameters`, `m`, `v`
 * (length) and `state` (8) in place. If the gradient norm is not finite, the step is skipped and
 * `state` records only the norm, the scale and that no step was applied.
 */
export function adamw(
  dispatcher: Dispatcher,
  tensors: {
    readonly parameters: Tensor;
    readonly grads: Tensor;
    readonly m: Tensor;
    readonly v: Tensor;
    readonly state: Tensor;
    /** `adamwScratch(length)` elements. */
    readonly scratch: Tensor;
  },
  { length, decayEnd }: { readonly length: number; readonly decayEnd: number },
  step: {
    readonly learningRate: number;
    readonly beta1: number;
    readonly beta2: number;
    readonly epsilon: number;
    readonly weightDecay: number;
    readonly maxGradNorm: number;
  },
): void {
  const name = 'adamw';
  expectSize(name, 'length', length, { least: 1 });
  expectSize(name, 'decayEnd', decayEnd);
  for (const key of ['parameters', 'grads', 'm', 'v'] as const) {
    expectLength(name, key, tensors[key], [length]);
  }
  expectLength(name, 'state', tensors.state, [optimizerColumns.length]);
  expectLength(name, 'scratch', tensors.scratch, [adamwScratch(length, dispatcher.kind)]);
  const { parameters, grads, m, v, state, scratch } = tensors;
  const chunk = normChunk(dispatcher.kind);
  const params = {
    length,
    decay_end: decayEnd,
    chunk,
    learning_rate: step.learningRate,
    beta1: step.beta1,
    beta2: step.beta2,
    epsilon: step.epsilon,
    weight_decay: step.weightDecay,
    // At most the largest float32: a gradient with a larger norm is not finite anyway.
    max_grad_norm: Math.min(step.maxGradNorm, 3.4028234e38),
  };
  const parts = groups(length, chunk);
  dispatcher.dispatch(
    { kernel: 'adamw', code, entry: 'norm_partial' },
    { grads, partial: scratch },
    params,
    [parts],
  );
  dispatcher.dispatch(
    { kernel: 'adamw', code, entry: 'norm' },
    { partial: scratch, state },
    { ...params, chunk: parts },
    [1],
  );
  dispatcher.dispatch(
    { kernel: 'adamw', code, entry: 'update' },
    { grads, state, parameters, m, v },
    params,
    [groups(length, 256)],
  );
}
