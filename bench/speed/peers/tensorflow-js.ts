/** The training step in TensorFlow.js: eager operations, gradients by its tape. */
import '@tensorflow/tfjs-backend-webgpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import type { Trainer } from '../own-step.ts';
import { objective, optimizerStep, type TrainingCase } from '../training-case.ts';
import { isDecayed, type Matrix, type PeerInputs, peerInputs } from './inputs.ts';

type Tensors = Readonly<Record<string, tf.Tensor>>;
type Batch = Readonly<Record<Exclude<keyof PeerInputs, 'weights'>, tf.Tensor>>;

/** Where the page serves the package's WebAssembly. */
const WASM_PATH = '/packages/@tensorflow/tfjs-backend-wasm/dist/';

/** @throws {Error} if TensorFlow.js cannot start the backend. */
export async function tensorflowTrainer(
  training: TrainingCase,
  backend: 'webgpu' | 'wasm',
): Promise<Trainer> {
  setWasmPaths(WASM_PATH);
  const select = async () => {
    if (!(await tf.setBackend(backend)))
      throw new Error(`TensorFlow.js does not support ${backend} here`);
    await tf.ready();
  };
  await select();
  const { weights, ...rest } = peerInputs(training);
  const tensor = ({ shape, values }: Matrix) => tf.tensor(values, [...shape]);
  const batch = Object.fromEntries(
    Object.entries(rest).map(([name, matrix]) => [name, tensor(matrix)]),
  ) as Batch;
  const names = Object.keys(weights);
  const variables = Object.fromEntries(
    Object.entries(weights).map(([name, matrix]) => [name, tf.variable(tensor(matrix), true)]),
  );
  const optimizer = flatAdamW(variables, weights);
  const loss = lossOf(training);
  return {
    name: `TensorFlow.js (${backend})`,
    step: async () => {
      await select();
      const value = tf.tidy(() => {
        const list = names.map((name) => variables[name] as tf.Variable);
        const found = tf.variableGrads(() => loss(variables, batch), list);
        optimizer.apply(
          Object.fromEntries(list.map(({ name }, i) => [names[i], found.grads[name]])) as Tensors,
        );
        return tf.keep(found.value);
      });
      const [number = Number.NaN] = await value.data();
      value.dispose();
      // The loss is available before the optimizer has run; the step is done once its weights are available.
      await Promise.all(Object.values(variables).map((variable) => variable.data()));
      return number;
    },
    close: async () => {
      await select();
      tf.dispose([batch, variables]);
      optimizer.dispose();
    },
  };
}

/**
 * AdamW over all weights as one vector: fewer operations than weight by weight, and the global norm
 * stays on the device.
 */
function flatAdamW(
  variables: Readonly<Record<string, tf.Variable>>,
  weights: Readonly<Record<string, Matrix>>,
) {
  const { learningRate, beta1, beta2, epsilon, weightDecay, maxGradNorm } = optimizerStep;
  const names = Object.keys(weights);
  const sizes = names.map((name) => weights[name]?.values.length ?? 0);
  const total = sizes.reduce((a, b) => a + b, 0);
  const m = tf.variable(tf.zeros([total]), false);
  const v = tf.variable(tf.zeros([total]), false);
  // The share of each weight that remains after a step, with its decay.
  const kept = tf.concat(
    names.map((name, i) => {
      const matrix = weights[name];
      const decay = matrix !== undefined && isDecayed(matrix) ? learningRate * weightDecay : 0;
      return tf.fill([sizes[i] ?? 0], 1 - decay);
    }),
  );
  const flat = (tensors: Tensors) =>
    tf.concat(names.map((name) => tf.reshape(tensors[name] as tf.Tensor, [-1])));
  let steps = 0;
  return {
    apply: (grads: Tensors) =>
      tf.tidy(() => {
        steps += 1;
        const gradient = flat(grads);
        const norm = tf.sqrt(tf.sum(tf.square(gradient)));
        const scale = tf.minimum(tf.div(maxGradNorm, norm), 1);
        const g = tf.mul(gradient, scale);
        m.assign(tf.add(tf.mul(m, beta1), tf.mul(g, 1 - beta1)));
        v.assign(tf.add(tf.mul(v, beta2), tf.mul(tf.square(g), 1 - beta2)));
        const root = tf.sqrt(tf.div(v, 1 - beta2 ** steps));
        const update = tf.div(
          tf.mul(m, learningRate / (1 - beta1 ** steps)),
          tf.add(root, epsilon),
        );
        const next = tf.sub(tf.mul(flat(variables), kept), update);
        const parts = tf.split(next, sizes);
        names.forEach((name, i) => {
          const variable = variables[name] as tf.Variable;
          variable.assign(tf.reshape(parts[i] as tf.Tensor, variable.shape));
        });
      }),
    dispose: () => tf.dispose([m, v, kept]),
  };
}

/** Σ weight · −min(r·A, clip(r)·A), with ratios r from the Llama block's logits. */
function lossOf({ shape, sequences, length }: TrainingCase) {
  const { layers, width, heads } = shape;
  const headDim = width / heads;
  const apart = [sequences, length, heads, headDim];
  const norm = (x: tf.Tensor, gain: tf.Tensor) => {
    const mean = tf.mean(tf.square(x), -1, true);
    return tf.mul(tf.mul(x, tf.rsqrt(tf.add(mean, 1e-5))), gain);
  };
  const rotate = (x: tf.Tensor, { cos, sin }: Batch) => {
    const pairs = tf.reshape(x, [sequences * length * heads, 2, headDim / 2]);
    const swapped = tf.reshape(tf.reverse(pairs, 1), apart);
    return tf.add(tf.mul(x, cos), tf.mul(swapped, sin));
  };
  // Heads before tokens, for products over the last two axes.
  const byHead = (x: tf.Tensor) => tf.transpose(x, [0, 2, 1, 3]);
  const future = tf.tidy(() =>
    tf.keep(
      tf.tensor(
        Float32Array.from({ length: length * length }, (_, i) =>
          i % length > Math.floor(i / length) ? -1e9 : 0,
        ),
        [1, 1, length, length],
      ),
    ),
  );
  const attention = (q: tf.Tensor, k: tf.Tensor, v: tf.Tensor) => {
    const scores = tf.matMul(byHead(q), byHead(k), false, true);
    const scaled = tf.add(tf.mul(scores, 1 / Math.sqrt(headDim)), future);
    const mixed = tf.matMul(tf.softmax(scaled), byHead(v));
    return tf.reshape(byHead(mixed), [sequences * length, width]);
  };
  return (p: Tensors, batch: Batch): tf.Scalar => {
    const product = (x: tf.Tensor, name: string) => tf.matMul(x, p[name] as tf.Tensor2D);
    const gain = (name: string) => p[name] as tf.Tensor;
    let x: tf.Tensor = product(batch.tokens, 'embedding');
    for (let l = 0; l < layers; l++) {
      const at = (name: string) => `layers.${l}.${name}`;
      const h = norm(x, gain(at('attention_norm')));
      const q = rotate(tf.reshape(product(h, at('query')), apart), batch);
      const k = rotate(tf.reshape(product(h, at('key')), apart), batch);
      const v = tf.reshape(product(h, at('value')), apart);
      x = tf.add(x, product(attention(q, k, v), at('attention_output')));
      const g = norm(x, gain(at('feed_forward_norm')));
      const gate = product(g, at('gate'));
      const gated = tf.mul(tf.mul(gate, tf.sigmoid(gate)), product(g, at('up')));
      x = tf.add(x, product(gated, at('down')));
    }
    const logits = product(norm(x, gain('final_norm')), 'head');
    const logps = tf.sum(tf.mul(tf.logSoftmax(logits), batch.targets), -1);
    const ratio = tf.exp(tf.sub(logps, batch.behaviorLogps));
    const clipped = tf.clipByValue(ratio, objective.clipLow, objective.clipHigh);
    const surrogate = tf.minimum(
      tf.mul(ratio, batch.advantages),
      tf.mul(clipped, batch.advantages),
    );
    return tf.neg(tf.sum(tf.mul(surrogate, batch.lossWeights)));
  };
}
