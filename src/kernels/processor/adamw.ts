import {
  type Body,
  type F32,
  type I32,
  select,
  sumOfLanes,
} from '../../device/processor/assembler.ts';
import { type ProcessorKernels, wasmFunction } from '../../device/processor/kernel.ts';
import { optimizerColumns, placesOf } from '../tables.ts';
import { blockOf, blocks, steps } from './vectors.ts';

/** partial (⌈length / chunk⌉) = Σ grads² over `chunk` elements each. A unit is one sum. */
const normPartial = wasmFunction(
  'adamw.norm_partial',
  { grads: 'i32', partial: 'i32', length: 'i32', chunk: 'i32' },
  (f, { grads, partial, length, chunk, begin, end }) => {
    f.for(begin, end, 1, (unit) => {
      const from = f.i32(unit.mul(chunk).shl(2));
      const to = f.i32(from.add(chunk.shl(2)).min(length.shl(2)));
      const sum = f.v128(0);
      const rest = f.f32(0);
      steps(f, from, to, (at, { lanes, load }) => {
        const g = f.v128(load(grads.add(at)));
        if (lanes.length === 4) sum.set(sum.add(g.mul(g)));
        else rest.set(rest.add(g.mul(g).lane(0)));
      });
      f.store(partial.add(unit.shl(2)), sumOfLanes(f, sum).add(rest));
    });
  },
);

/** Updates parameters, m and v (length). A unit is a block of elements. */
const update = wasmFunction(
  'adamw.update',
  {
    grads: 'i32',
    parameters: 'i32',
    m: 'i32',
    v: 'i32',
    length: 'i32',
    decayEnd: 'i32',
    /** Scale of the gradient; `correction1` = 1/(1−β1ᵗ), `correction2` = 1/(1−β2ᵗ). */
    scale: 'f32',
    correction1: 'f32',
    correction2: 'f32',
    beta1: 'f32',
    beta2: 'f32',
    learningRate: 'f32',
    epsilon: 'f32',
    weightDecay: 'f32',
  },
  (f, args) => {
    f.for(args.begin, args.end, 1, (unit) => {
      const { from, to } = blockOf(f, unit, args.length);
      const decayEnd = f.i32(args.decayEnd.shl(2));
      updateSpan(f, args, from, to.min(decayEnd), true);
      updateSpan(f, args, select(from.gt(decayEnd), from, decayEnd), to, false);
    });
  },
);

type UpdateArguments = Readonly<
  Record<'grads' | 'parameters' | 'm' | 'v', I32> &
    Record<
      | 'scale'
      | 'correction1'
      | 'correction2'
      | 'beta1'
      | 'beta2'
      | 'learningRate'
      | 'epsilon'
      | 'weightDecay',
      F32
    >
>;

/** Updates the bytes `from` .. `to`−1, none if `to` ≤ `from`. */
function updateSpan(f: Body, args: UpdateArguments, from: I32, to: I32, decays: boolean): void {
  const splat = (value: F32) => f.v128(value.splat());
  const [scale, correction1, correction2] = [
    splat(args.scale),
    splat(args.correction1),
    splat(args.correction2),
  ];
  const [beta1, beta2] = [splat(args.beta1), splat(args.beta2)];
  const [rest1, rest2] = [f.v128(f.v128(1).sub(beta1)), f.v128(f.v128(1).sub(beta2))];
  const learningRate = splat(args.learningRate);
  const epsilon = splat(args.epsilon);
  const weightDecay = splat(args.weightDecay);
  steps(f, from, to, (at, { load, store }) => {
    const place = {
      m: f.i32(args.m.add(at)),
      v: f.i32(args.v.add(at)),
      parameter: f.i32(args.parameters.add(at)),
    };
    const g = f.v128(load(args.grads.add(at)).mul(scale));
    const m = f.v128(beta1.mul(load(place.m)).add(rest1.mul(g)));
    const v = f.v128(beta2.mul(load(place.v)).add(rest2.mul(g).mul(g)));
    store(place.m, m);
    store(place.v, v);
    const present = f.v128(load(place.parameter));
    const adam = m.mul(correction1).div(v.mul(correction2).sqrt().add(epsilon));
    const step = decays ? adam.add(weightDecay.mul(present)) : adam;
    store(place.parameter, present.sub(learningRate.mul(step)));
  });
}

const { fround } = Math;
const place = placesOf(optimizerColumns);

/**
 * AdamW (arXiv:1711.05101) over one flat parameter buffer, with global-norm clipping. A non-finite
 * gradient norm skips the step. state (8) as in `optimizerColumns`.
 */
export const adamwKernels: ProcessorKernels = {
  'adamw.norm_partial': (call) => {
    const { length = 0, chunk = 1 } = call.params;
    call.share(
      normPartial,
      { grads: call.address('grads'), partial: call.address('partial'), length, chunk },
      Math.ceil(length / chunk),
      3 * length,
    );
  },
  'adamw.norm': (call) => {
    const { chunk: parts = 0, max_grad_norm = 0, beta1 = 0, beta2 = 0 } = call.params;
    const state = call.floats('state');
    // Summed in float32, so that overflow gives a non-finite norm, as on the GPU.
    const norm = fround(
      Math.sqrt(
        call
          .floats('partial')
          .subarray(0, parts)
          .reduce((sum, part) => fround(sum + part), 0),
      ),
    );
    const most = fround(max_grad_norm);
    const finite = Number.isFinite(norm);
    state[place.gradNorm] = norm;
    state[place.gradScale] = norm > most ? most / norm : 1;
    state[place.applied] = finite ? 1 : 0;
    if (!finite) return;
    // 1 − βᵗ by the recurrence of m and v for a gradient of ones, every operation in float32.
    const next = (beta: number, before = 0) =>
      fround(fround(fround(beta) * before) + fround(1 - fround(beta)));
    const weight1 = next(beta1, state[place.weight1]);
    const weight2 = next(beta2, state[place.weight2]);
    state[place.weight1] = weight1;
    state[place.weight2] = weight2;
    state[place.correction1] = 1 / weight1;
    state[place.correction2] = 1 / weight2;
    state[place.steps] = (state[place.steps] ?? 0) + 1;
  },
  'adamw.update': (call) => {
    const state = call.floats('state');
    if (state[place.applied] === 0) return;
    const { length = 0, decay_end = 0, beta1 = 0, beta2 = 0 } = call.params;
    const { learning_rate = 0, epsilon = 0, weight_decay = 0 } = call.params;
    call.share(
      update,
      {
        grads: call.address('grads'),
        parameters: call.address('parameters'),
        m: call.address('m'),
        v: call.address('v'),
        length,
        decayEnd: decay_end,
        scale: state[place.gradScale] ?? 1,
        correction1: state[place.correction1] ?? 1,
        correction2: state[place.correction2] ?? 1,
        beta1,
        beta2,
        learningRate: learning_rate,
        epsilon,
        weightDecay: weight_decay,
      },
      blocks(length),
      14 * length,
    );
  },
};
