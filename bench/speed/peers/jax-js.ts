/** The training step in jax-js: one jitted function from weights and moments to new ones. */
import {
  blockUntilReady,
  defaultDevice,
  init,
  jit,
  nn,
  numpy as np,
  tree,
  valueAndGrad,
} from '@jax-js/jax';
import type { Trainer } from '../own-step.ts';
import { objective, optimizerStep, type TrainingCase } from '../training-case.ts';
import { isDecayed, type Matrix, type PeerInputs, peerInputs } from './inputs.ts';

type Tensors = Record<string, np.Array>;
/** jax-js counts references; a function consumes its arguments, and `.ref` keeps one for later. */
type Batch = { [Name in Exclude<keyof PeerInputs, 'weights'>]: np.Array };

/** @throws {Error} if jax-js cannot start the device. */
export async function jaxTrainer(
  training: TrainingCase,
  device: 'webgpu' | 'wasm',
): Promise<Trainer> {
  const available = await init(device);
  if (!available.includes(device)) throw new Error(`jax-js does not support ${device} here`);
  const { weights, ...rest } = peerInputs(training);
  const array = ({ shape, values }: Matrix) => np.array(values, { shape: [...shape], device });
  const zeros = ({ shape }: Matrix) => np.zeros([...shape], { device });
  const each = <T>(record: Readonly<Record<string, Matrix>>, make: (matrix: Matrix) => T) =>
    Object.fromEntries(Object.entries(record).map(([name, matrix]) => [name, make(matrix)]));

  const decayed = new Set(
    Object.keys(weights).filter((name) => isDecayed(weights[name] as Matrix)),
  );
  let parameters: Tensors = each(weights, array);
  let first: Tensors = each(weights, zeros);
  let second: Tensors = each(weights, zeros);
  const batch = each(rest, array) as Batch;
  let steps = 0;
  const step = jit(trainingStep(training, decayed));
  return {
    name: `jax-js (${device})`,
    step: async () => {
      defaultDevice(device);
      steps += 1;
      const { beta1, beta2 } = optimizerStep;
      const corrections = np.array([1 / (1 - beta1 ** steps), 1 / (1 - beta2 ** steps)], {
        device,
      });
      const result = step(parameters, first, second, corrections, tree.ref(batch));
      const [loss, next, nextFirst, nextSecond] = result;
      parameters = next;
      first = nextFirst;
      second = nextSecond;
      const [value = Number.NaN] = await loss.data();
      // The loss is available before the optimizer has run; the step is done once its weights are available.
      await blockUntilReady([parameters, first, second]);
      return value;
    },
    close: () => {
      tree.dispose([parameters, first, second, batch]);
      step.dispose();
    },
  };
}

function trainingStep(training: TrainingCase, decayed: ReadonlySet<string>) {
  const { learningRate, beta1, beta2, epsilon, weightDecay, maxGradNorm } = optimizerStep;
  return (
    parameters: Tensors,
    first: Tensors,
    second: Tensors,
    corrections: np.Array,
    batch: Batch,
  ): [np.Array, Tensors, Tensors, Tensors] => {
    const [loss, grads] = valueAndGrad(lossOf(training))(tree.ref(parameters), batch) as [
      np.Array,
      Tensors,
    ];
    const squares = Object.values(grads).map((g) => np.sum(np.square(g.ref)));
    const norm = np.sqrt(squares.reduce((a, b) => a.add(b)));
    const scale = np.minimum(np.array(maxGradNorm).div(norm), 1);
    const c1 = corrections.ref.slice(0);
    const c2 = corrections.slice(1);
    const next: Tensors = {};
    const nextFirst: Tensors = {};
    const nextSecond: Tensors = {};
    for (const name of Object.keys(grads)) {
      const g = of(grads, name).mul(scale.ref);
      const m = of(first, name)
        .mul(beta1)
        .add(g.ref.mul(1 - beta1));
      const v = of(second, name)
        .mul(beta2)
        .add(np.square(g).mul(1 - beta2));
      const update = m.ref.mul(c1.ref).div(np.sqrt(v.ref.mul(c2.ref)).add(epsilon));
      const weight = of(parameters, name);
      const keep = decayed.has(name) ? 1 - learningRate * weightDecay : 1;
      next[name] = weight.mul(keep).sub(update.mul(learningRate));
      nextFirst[name] = m;
      nextSecond[name] = v;
    }
    for (const spent of [scale, c1, c2]) spent.dispose();
    return [loss, next, nextFirst, nextSecond];
  };
}

function of(tensors: Tensors, name: string): np.Array {
  const tensor = tensors[name];
  if (tensor === undefined) throw new RangeError(`no tensor ${name}`);
  return tensor;
}

/** Σ weight · −min(r·A, clip(r)·A), with ratios r from the Llama block's logits. */
function lossOf({ shape, sequences, length }: TrainingCase) {
  const { layers, width, heads } = shape;
  const headDim = width / heads;
  const apart = [sequences, length, heads, headDim];
  const norm = (x: np.Array, gain: np.Array) => {
    const mean = np.mean(np.square(x.ref), -1, { keepdims: true });
    return x.div(np.sqrt(mean.add(1e-5))).mul(gain);
  };
  const rotate = (x: np.Array, cos: np.Array, sin: np.Array) => {
    const pairs = x.ref.reshape([sequences, length, heads, 2, headDim / 2]);
    const swapped = np.flip(pairs, 3).reshape(apart);
    return x.mul(cos).add(swapped.mul(sin));
  };
  return (p: Tensors, batch: Batch): np.Array => {
    const { cos, sin } = batch;
    let x = np.matmul(batch.tokens, of(p, 'embedding'));
    for (let l = 0; l < layers; l++) {
      const weight = (name: string) => of(p, `layers.${l}.${name}`);
      const h = norm(x.ref, weight('attention_norm'));
      const q = np.matmul(h.ref, weight('query')).reshape(apart);
      const k = np.matmul(h.ref, weight('key')).reshape(apart);
      const v = np.matmul(h, weight('value')).reshape(apart);
      const mixed = nn.dotProductAttention(
        rotate(q, cos.ref, sin.ref),
        rotate(k, cos.ref, sin.ref),
        v,
        { isCausal: true },
      );
      const flat = mixed.reshape([sequences * length, width]);
      x = x.add(np.matmul(flat, weight('attention_output')));
      const g = norm(x.ref, weight('feed_forward_norm'));
      const gated = nn.silu(np.matmul(g.ref, weight('gate'))).mul(np.matmul(g, weight('up')));
      x = x.add(np.matmul(gated, weight('down')));
    }
    cos.dispose();
    sin.dispose();
    const logits = np.matmul(norm(x, of(p, 'final_norm')), of(p, 'head'));
    const logps = np.sum(nn.logSoftmax(logits).mul(batch.targets), -1);
    const ratio = np.exp(logps.sub(batch.behaviorLogps));
    const clipped = np.clip(ratio.ref, objective.clipLow, objective.clipHigh);
    const { advantages } = batch;
    const surrogate = np.minimum(ratio.mul(advantages.ref), clipped.mul(advantages));
    return np.sum(surrogate.mul(batch.lossWeights)).neg();
  };
}
